"""Checks of webhook configurations: ours as we would render them, and those of others beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.certs.cluster import Kind
from webhook.conversions.converter import SPOKE
from webhook.doctor.diagnosis import Apply, Diagnosis, Level
from webhook.doctor.snapshot import by_name, named
from webhook.manifests.options import NAME
from webhook.manifests.webhooks import DOMAIN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.doctor.snapshot import Object, Snapshot

FIELD_MANAGER: Final = "skyhook-webhook-doctor"
_DEFAULTS: Final = {"namespaceSelector": {}, "objectSelector": {}, "reinvocationPolicy": "Never"}
_CHOSEN: Final = ("failurePolicy", "timeoutSeconds", "clientConfig", "name")
"""What people choose, or other checks look at."""
_LONG: Final = 10
_SPEC: Final = "validate-spec."
_GROUPS: Final = ("skyhook.nvidia.com", "nodewright.nvidia.com")
_MAY_WAIT: Final = (
    "status and Node writes of the operator fail while we are away, and a rollout stops"
)


def drift(found: Snapshot) -> Iterator[Diagnosis]:
    """Each entry of ours is as this version renders it. Raises as `Snapshot.rendered`."""
    for wanted in found.rendered():
        stored = found.ours(wanted["kind"])
        if stored is None:
            continue
        before = by_name(stored.get("webhooks") or [])
        after = by_name(wanted["webhooks"])
        fix = Apply(Kind(wanted["kind"]), _applied(wanted, stored), FIELD_MANAGER)
        for name, webhook in after.items():
            if name not in before:
                message = f"lacks the webhook {name}: what it judges goes unseen"
                yield Diagnosis("drift", Level.ERROR, named(stored), message, "--fix adds it", fix)
            elif different := _different(before[name], webhook):
                message = f"{name}: {', '.join(different)} differ from what this version renders"
                yield Diagnosis(
                    "drift", Level.ERROR, named(stored), message, "--fix puts them right", fix
                )
        for name in before:
            if name not in after:
                message = f"holds a webhook {name} that this version does not render"
                remedy = "take it out by hand, if nobody needs it"
                yield Diagnosis("drift", Level.WARNING, named(stored), message, remedy)


def policies(found: Snapshot) -> Iterator[Diagnosis]:
    """Nothing but spec writes may wait for us, and nothing for long."""
    for kind in (Kind.VALIDATING, Kind.MUTATING):
        stored = found.ours(kind)
        for webhook in (stored or {}).get("webhooks") or ():
            name = webhook["name"]
            if webhook.get("failurePolicy") != "Ignore" and not name.startswith(_SPEC):
                message = f"{name}: failurePolicy Fail: {_MAY_WAIT}"
                yield Diagnosis(
                    "policies", Level.ERROR, _about(kind), message, "failurePolicy: Ignore"
                )
            if webhook.get("timeoutSeconds", _LONG) >= _LONG:
                message = (
                    f"{name}: a write waits {webhook.get('timeoutSeconds', _LONG)} s when we hang"
                )
                yield Diagnosis(
                    "policies", Level.WARNING, _about(kind), message, "timeoutSeconds: 3"
                )


def foreign(found: Snapshot) -> Iterator[Diagnosis]:
    """Nobody else sends calls to us, and ours go to nobody else."""
    ours = found.service_key
    for kind, obj in found.configurations():
        name = obj["metadata"]["name"]
        for webhook in obj.get("webhooks") or ():
            called = _called(webhook)
            at_home = called == (ours.namespace, ours.name)
            if name == NAME and not at_home:
                message = f"{webhook['name']} calls {_place(webhook)}, not our Service"
                yield _error("foreign", obj, message, "apply our manifests again")
            elif name != NAME and at_home:
                message = (
                    f"{webhook['name']} calls our Service: left by another release, or made by hand"
                )
                yield _error("foreign", obj, message, _delete(kind, name))
            elif name != NAME and webhook["name"].endswith(f".{DOMAIN}"):
                message = f"holds {webhook['name']}, a name of ours, and calls {_place(webhook)}"
                yield _error("foreign", obj, message, _delete(kind, name))


def stale(found: Snapshot) -> Iterator[Diagnosis]:
    """No configuration of ours under another name is left; one that still calls us is `foreign`."""
    ours = found.service_key
    for kind, obj in found.configurations():
        if any(_called(w) == (ours.namespace, ours.name) for w in obj.get("webhooks") or ()):
            continue
        labels = obj["metadata"].get("labels") or {}
        name = obj["metadata"]["name"]
        if labels.get("app.kubernetes.io/name") == NAME and name != NAME:
            yield Diagnosis(
                "stale",
                Level.WARNING,
                named(obj),
                f"has our label, but ours is called {NAME}: left by another release",
                _delete(kind, name),
            )


def second_version_rules(found: Snapshot) -> Iterator[Diagnosis]:
    """No rule names v1beta1 alone: with the converter away v1alpha1 writes fail, even under Ignore."""
    for _, obj in found.configurations():
        for webhook in obj.get("webhooks") or ():
            for rule in webhook.get("rules") or ():
                guarded = set(rule.get("apiGroups") or ()) & set(_GROUPS)
                if guarded and list(rule.get("apiVersions") or ()) == [SPOKE]:
                    message = (
                        f"{webhook['name']}: a rule names {SPOKE} alone, so every v1alpha1 write is converted"
                        " first and fails while the converter is away, whatever the failurePolicy"
                    )
                    yield _error("second-version-rules", obj, message, "name v1alpha1 or *")


def operator_configurations(found: Snapshot) -> Iterator[Diagnosis]:
    """The operator's own webhooks can be called, and ours comes after them."""
    for kind, obj in found.configurations():
        if obj["metadata"]["name"] == NAME:
            continue
        webhooks = [w for w in obj.get("webhooks") or () if _guards_skyhooks(w)]
        for webhook in webhooks:
            empty = not (webhook.get("clientConfig") or {}).get("caBundle")
            if empty and webhook.get("failurePolicy", "Fail") == "Fail":
                message = f"{webhook['name']}: no caBundle and failurePolicy Fail: every spec write fails (not ours)"
                remedy = "restart the operator, which writes it; NVIDIA/nodewright#163"
                yield Diagnosis(
                    "operator-configurations", Level.WARNING, named(obj), message, remedy
                )
        if webhooks and kind is Kind.MUTATING and obj["metadata"]["name"] > NAME:
            message = f"is called after ours, since its name sorts after {NAME}: we do not see what it changes"
            yield Diagnosis("operator-configurations", Level.NOTE, named(obj), message)


def _different(stored: Object, wanted: Object) -> list[str]:
    """Fields that differ, what the API server adds to every entry left aside."""
    fields = [key for key in (*wanted, *_DEFAULTS) if key not in _CHOSEN]
    return [
        key
        for key in dict.fromkeys(fields)
        if stored.get(key, _DEFAULTS.get(key)) != wanted.get(key, _DEFAULTS.get(key))
    ]


def _applied(wanted: Object, stored: Object) -> Object:
    """Our entries; of one that is there neither what is chosen, nor what somebody else owns (caBundle)."""
    there = by_name(stored.get("webhooks") or [])
    webhooks = [
        {
            key: value
            for key, value in webhook.items()
            if key in ("name", "clientConfig") or key not in _CHOSEN or webhook["name"] not in there
        }
        for webhook in wanted["webhooks"]
    ]
    # With the uid of what was seen an apply never makes a new object of a deleted one.
    about = {key: stored["metadata"][key] for key in ("name", "uid") if key in stored["metadata"]}
    return {**wanted, "metadata": about, "webhooks": webhooks}


def _called(webhook: Object) -> tuple[str, str]:
    service = (webhook.get("clientConfig") or {}).get("service") or {}
    return service.get("namespace", ""), service.get("name", "")


def _place(webhook: Object) -> str:
    namespace, name = _called(webhook)
    return (
        f"Service {namespace}/{name}"
        if name
        else str((webhook.get("clientConfig") or {}).get("url"))
    )


def _guards_skyhooks(webhook: Object) -> bool:
    rules = webhook.get("rules") or ()
    return any(set(rule.get("apiGroups") or ()) & set(_GROUPS) for rule in rules)


def _delete(kind: Kind, name: str) -> str:
    return f"kubectl delete {kind.lower()} {name}"


def _about(kind: Kind) -> str:
    return f"{kind} {NAME}"


def _error(check: str, obj: Object, message: str, remedy: str) -> Diagnosis:
    return Diagnosis(check, Level.ERROR, named(obj), message, remedy)
