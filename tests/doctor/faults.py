"""Faults to plant in a healthy cluster: each is one that people have had, and what has to be said of it."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.doctor.healthy import (
    KEYRING,
    NAMES,
    NOW,
    Object,
    base64_of,
    crd,
    find,
    operator_configuration,
    secret,
)
from webhook.certs.authority import Authority, service_names
from webhook.certs.keyring import Keyring, Lives
from webhook.manifests.options import NAME, NAMESPACE, SHARED_SECRET, Tls

if TYPE_CHECKING:
    from collections.abc import Callable

VALIDATING, MUTATING = "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"
CRD = "CustomResourceDefinition"
SKYHOOKS = "skyhooks.skyhook.nvidia.com"


@dataclass(frozen=True)
class Fault:
    """Something that is broken.

    Attributes:
        name: in words.
        check: the check that has to find it.
        plant: breaks a list of objects.
        says: part of the message.
        level: how bad it is.
        fixable: whether `--fix` knows what to do.
        served: the cluster has v1beta1 served, and healthy, before.
    """

    name: str
    check: str
    plant: Callable[[list[Object]], object]
    says: str
    level: str = "error"
    fixable: bool = False
    served: bool = False


def webhooks(found: list[Object], kind: str = VALIDATING) -> list[Object]:
    entries: list[Object] = find(found, kind)["webhooks"]
    return entries


def node_webhook(found: list[Object]) -> Object:
    return next(w for w in webhooks(found) if w["name"].startswith("validate-node"))


def bundle(value: str, kind: str = VALIDATING) -> Callable[[list[Object]], object]:
    def plant(found: list[Object]) -> None:
        webhooks(found, kind)[0]["clientConfig"]["caBundle"] = value

    return plant


def no_bundle(found: list[Object]) -> None:
    del webhooks(found)[1]["clientConfig"]["caBundle"]


FOREIGN_CA = base64_of(Authority.make("foreign", now=NOW).cert_pem)


def both_cas(found: list[Object]) -> None:
    other = Authority.make("old one", now=NOW).cert_pem
    for webhook in webhooks(found, MUTATING):
        webhook["clientConfig"]["caBundle"] = base64_of(KEYRING.trust + other)


def replaced_secret(keyring: Keyring) -> Callable[[list[Object]], object]:
    """With the caBundles that belong to it, so that nothing else is wrong."""

    def plant(found: list[Object]) -> None:
        found[found.index(find(found, "Secret", SHARED_SECRET))] = secret(Tls.SELF_SIGNED, keyring)
        for kind in (VALIDATING, MUTATING):
            for webhook in webhooks(found, kind):
                webhook["clientConfig"]["caBundle"] = base64_of(keyring.trust)

    return plant


def fresh(names: tuple[str, ...] = NAMES, days: float = 1, **lives: timedelta) -> Keyring:
    return Keyring.fresh(names, now=NOW - timedelta(days=days), lives=Lives(**lives))


def no_key(found: list[Object]) -> None:
    find(found, "Secret", SHARED_SECRET)["data"]["tls.key"] = ""


def stuck_rotation(found: list[Object]) -> None:
    keyring = fresh(days=2).rotating(now=NOW - timedelta(hours=5), lives=Lives())
    replaced_secret(keyring)(found)


def remove(kind: str, name: str = NAME) -> Callable[[list[Object]], object]:
    return lambda found: found.remove(find(found, kind, name))


def other_name(kind: str, name: str) -> Callable[[list[Object]], object]:
    """A copy of ours under another name, as a renaming release leaves it."""

    def plant(found: list[Object]) -> None:
        copied = copy.deepcopy(find(found, kind))
        copied["metadata"]["name"] = name
        found.append(copied)

    return plant


def stale_elsewhere(found: list[Object]) -> None:
    """As `other_name`, but it calls a Service that is gone."""
    other_name(VALIDATING, "skyhook-guard")(found)
    for webhook in find(found, VALIDATING, "skyhook-guard")["webhooks"]:
        webhook["name"] = webhook["name"].replace("guard.skyhook.nvidia.com", "old.example.com")
        webhook["clientConfig"]["service"] = {"name": "old", "namespace": "old"}


def entry_of_ours_elsewhere(found: list[Object]) -> None:
    theirs = find(found, VALIDATING, "skyhook-operator-validating-webhook")
    copied = copy.deepcopy(webhooks(found)[0])
    copied["clientConfig"]["service"] = {"name": "gone", "namespace": "default"}
    theirs["webhooks"].append(copied)


def second_version_rule(found: list[Object]) -> None:
    theirs = find(found, VALIDATING, "skyhook-operator-validating-webhook")
    theirs["webhooks"][0]["rules"][0]["apiVersions"] = ["v1beta1"]


def pod_spec(found: list[Object]) -> Object:
    spec: Object = find(found, "Deployment")["spec"]["template"]["spec"]
    return spec


def edit(kind: str, path: str, value: Any, name: str = NAME) -> Callable[[list[Object]], object]:
    """Sets, or with `...` removes, one value of an object; `/` between the steps."""

    def plant(found: list[Object]) -> None:
        at: Any = find(found, kind, name)
        *steps, last = (int(one) if one.isdigit() else one for one in path.split("|"))
        for step in steps:
            at = at[step]
        if value is ...:
            del at[last]
        else:
            at[last] = value

    return plant


def another_service(found: list[Object]) -> None:
    selector = {"app.kubernetes.io/name": NAME}
    about = {"name": "metrics-of-somebody", "namespace": NAMESPACE}
    found.append(
        {"apiVersion": "v1", "kind": "Service", "metadata": about, "spec": {"selector": selector}}
    )


def another_deployment(found: list[Object]) -> None:
    copied = copy.deepcopy(find(found, "Deployment"))
    copied["metadata"]["name"] = "canary"
    found.append(copied)


def operator_in_our_namespace(found: list[Object]) -> None:
    find(found, "Deployment", "skyhook-skyhook-operator-controller-manager")["metadata"][
        "namespace"
    ] = NAMESPACE


OPERATOR = "skyhook-skyhook-operator-controller-manager"
IMAGE = "spec|template|spec|containers|0|image"


def late_mutator(found: list[Object]) -> None:
    theirs = operator_configuration(MUTATING)
    theirs["metadata"]["name"] = "zz-mutating"
    theirs["webhooks"][0]["name"] = "zz.example.com"
    found.append(theirs)


def budget_that_blocks(found: list[Object]) -> None:
    spec = find(found, "PodDisruptionBudget")["spec"]
    del spec["maxUnavailable"]
    spec["minAvailable"] = 2


def settings(text: str) -> Callable[[list[Object]], object]:
    return edit("ConfigMap", "data|settings.yaml", text, "skyhook-webhook-settings")


def stored_second_version(found: list[Object]) -> None:
    find(found, CRD, SKYHOOKS)["status"]["storedVersions"] = ["v1alpha1", "v1beta1"]


def conversion(**config: Any) -> Callable[[list[Object]], object]:
    def plant(found: list[Object]) -> None:
        stanza = find(found, CRD, SKYHOOKS)["spec"]["conversion"]["webhook"]["clientConfig"]
        stanza.clear()
        stanza.update(config)

    return plant


OURS = {"name": NAME, "namespace": NAMESPACE, "path": "/convert", "port": 443}
THEIRS = {"name": "skyhook-operator-webhook-service", "namespace": "skyhook", "path": "/convert"}


def upstreams_stanza(found: list[Object]) -> None:
    find(found, CRD, SKYHOOKS)["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhook": {"clientConfig": {"service": THEIRS}, "conversionReviewVersions": ["v1"]},
    }


def second_version_without_conversion(found: list[Object]) -> None:
    find(found, CRD, SKYHOOKS)["spec"]["conversion"] = {"strategy": "None"}


def drifted_schema(found: list[Object]) -> None:
    spoke = find(found, CRD, SKYHOOKS)["spec"]["versions"][1]
    spoke["schema"]["openAPIV3Schema"]["properties"]["spec"] = {"type": "object"}


def second_version_stored(found: list[Object]) -> None:
    first, second = find(found, CRD, SKYHOOKS)["spec"]["versions"]
    first["storage"], second["storage"] = False, True


FAULTS = (
    Fault("caBundle emptied", "ca-bundle", bundle(""), "is empty", fixable=True),
    Fault("caBundle taken away by helm upgrade", "ca-bundle", no_bundle, "is empty", fixable=True),
    Fault("caBundle of somebody else", "ca-bundle", bundle(FOREIGN_CA), "not signed by the CA", fixable=True),
    Fault("caBundle that is no PEM", "ca-bundle", bundle("Cg=="), "is empty", fixable=True),
    Fault("caBundle of rubbish", "ca-bundle", bundle("cnViYmlzaA=="), "can be read", fixable=True),
    Fault("caBundle of the mutating one", "ca-bundle", bundle(FOREIGN_CA, MUTATING), "mutate-conditions", fixable=True),
    Fault("caBundle with a CA too many", "ca-bundle", both_cas, "other CAs", "warning", fixable=True),
    Fault("Secret deleted", "secret", remove("Secret", SHARED_SECRET), "is not there"),
    Fault("Secret with an empty key", "secret", no_key, "private key is empty"),
    Fault("certificate expired", "secret", replaced_secret(fresh(days=9, leaf=timedelta(days=8))), "expired"),
    Fault("certificate nearly over", "expiry", replaced_secret(fresh(days=85)), "has not been renewed", "warning"),
    Fault("certificate for another Service", "service-names", replaced_secret(fresh(service_names("other", NAMESPACE))), "not valid for skyhook-webhook."),
    Fault("certificate for another namespace", "service-names", replaced_secret(fresh(service_names(NAME, "skyhook"))), f"skyhook-webhook.{NAMESPACE}.svc"),
    Fault("rotation stuck", "rotation", stuck_rotation, "for 5 h", "warning"),
    Fault("a rule taken out", "drift", edit(VALIDATING, "webhooks|1|rules|1", ...), "rules differ", fixable=True),
    Fault("a webhook taken out", "drift", edit(VALIDATING, "webhooks|3", ...), "lacks the webhook validate-node", fixable=True),
    Fault("match conditions taken out", "drift", edit(VALIDATING, "webhooks|2|matchConditions", ...), "matchConditions differ", fixable=True),
    Fault("who writes is asked", "drift", edit(VALIDATING, "webhooks|2|matchConditions|0|expression", "request.userInfo.username != 'me'"), "matchConditions differ", fixable=True),
    Fault("an object selector that people can set", "drift", edit(VALIDATING, "webhooks|0|objectSelector", {"matchLabels": {"skip": "no"}}), "objectSelector differ", fixable=True),
    Fault("a webhook too many", "drift", lambda found: webhooks(found).append({**node_webhook(found), "name": "more.example.com"}), "more.example.com", "warning"),
    Fault("Nodes fail with us", "policies", edit(VALIDATING, "webhooks|2|failurePolicy", "Fail"), "a rollout stops"),
    Fault("a mutation that waits half a minute", "policies", edit(MUTATING, "webhooks|0|timeoutSeconds", 30), "waits 30 s", "warning"),
    Fault("the configuration is gone", "installed", remove(VALIDATING), "no write is judged"),
    Fault("the mutating one is gone", "installed", remove(MUTATING), "no condition"),
    Fault("the Service is gone", "installed", remove("Service"), "nobody answers"),
    Fault("the Deployment is gone", "installed", remove("Deployment"), "nobody answers"),
    Fault("no replica", "replicas", edit("Deployment", "status|availableReplicas", 0), "none of 2"),
    Fault("one replica short", "replicas", edit("Deployment", "status|availableReplicas", 1), "1 of 2", "warning"),
    Fault("a budget that blocks drains", "replicas", budget_that_blocks, "holds up every drain", "warning"),
    Fault("service links", "service-links", edit("Deployment", "spec|template|spec|enableServiceLinks", ...), "tcp://", "warning"),
    Fault("a configuration of the last release", "foreign", other_name(VALIDATING, "skyhook-guard"), "calls our Service"),
    Fault("a stale one that calls a Service that is gone", "stale", stale_elsewhere, "left by another release", "warning"),
    Fault("ours calls somebody else", "foreign", edit(VALIDATING, "webhooks|0|clientConfig|service|name", "other"), "not our Service"),
    Fault("an entry of ours in theirs", "foreign", entry_of_ours_elsewhere, "a name of ours"),
    Fault("a rule on v1beta1 alone", "second-version-rules", second_version_rule, "v1beta1 alone"),
    Fault("the operator's own caBundle is empty", "operator-configurations", edit(VALIDATING, "webhooks|0|clientConfig|caBundle", "", "skyhook-operator-validating-webhook"), "not ours", "warning"),
    Fault("a mutation after ours", "operator-configurations", late_mutator, "called after ours", "note"),
    Fault("the operator in our namespace", "namespace-clash", operator_in_our_namespace, "lives in our namespace", "warning"),
    Fault("a label by which the operator selects", "label-clash", edit("Deployment", "spec|template|metadata|labels|control-plane", "controller-manager"), "control-plane"),
    Fault("a label by which the operator cleans up", "label-clash", edit(MUTATING, "metadata|labels|nodewright.nvidia.com/webhook-config", "true"), "webhook-config"),
    Fault("a Service that selects us", "label-clash", another_service, "selects our Pods", "warning"),
    Fault("Pods that our Service selects", "label-clash", another_deployment, "reach them"),
    Fault("settings that can't be read", "settings", settings("mode: [\n"), "no replica starts"),
    Fault("settings that mean nothing", "settings", settings("mode: sometimes\n"), "no replica starts"),
    Fault("a release that is not the one assumed", "releases", edit("Deployment", IMAGE, "example.com/operator:v0.15.1", OPERATOR), "runs release 0.15", "warning"),
    Fault("a chart's CRD without a field", "crd-gaps", edit(CRD, "spec|versions|0|schema|openAPIV3Schema|properties|spec|properties|packages|additionalProperties|properties|uninstall", ..., SKYHOOKS), "lacks spec.packages.*.uninstall", "warning"),
    Fault("a chart's CRD without a stage", "crd-gaps", edit(CRD, "spec|versions|0|schema|openAPIV3Schema|properties|status|properties|nodeState|additionalProperties|additionalProperties|properties|stage|enum", ["apply"], SKYHOOKS), "does not know stage uninstall-interrupt", "warning"),
    Fault("an operator under another name", "identities", edit("Deployment", "spec|template|spec|serviceAccountName", "rollouts", OPERATOR), "not taken for the operator", "warning"),
    Fault("audit only", "modes", settings("mode: audit\n"), "nothing is denied", "note"),
    Fault("upstream's stanza with one version", "converters", upstreams_stanza, "harmless while", "note"),
    Fault("upstream's stanza with two versions", "converters", conversion(service=THEIRS), "plain kubectl", fixable=True, served=True),
    Fault("a CRD without a caBundle", "converters", conversion(service=OURS), "is empty", fixable=True, served=True),
    Fault("a CRD with a foreign caBundle", "converters", conversion(service=OURS, caBundle=FOREIGN_CA), "not signed by the CA", fixable=True, served=True),
    Fault("v1beta1 without conversion", "converters", second_version_without_conversion, "without conversion", fixable=True, served=True),
    Fault("v1beta1 with one replica", "converters", edit("Deployment", "spec|replicas", 1), "less than two", "warning", served=True),
    Fault("something stored as v1beta1", "crd-versions", stored_second_version, "storedVersions"),
    Fault("v1beta1 is the stored version", "crd-versions", second_version_stored, "not the stored version", served=True),
    Fault("schemas that differ", "crd-versions", drifted_schema, "schemas", "warning", served=True),
)  # fmt: skip

__all__ = ["FAULTS", "Fault", "crd"]
