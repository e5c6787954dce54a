"""What runs: replaced without a gap, drained without a lock, restricted, and reachable from a private cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.manifests.engine import OPTIONS
from webhook.manifests.options import Options, Tls
from webhook.manifests.render import SPARE_SECONDS, render
from webhook.manifests.webhooks import ManifestError
from webhook.settings import Settings, load_settings


def first(kind: str, options: Options = OPTIONS) -> dict[str, Any]:
    return next(obj for obj in render(options) if obj["kind"] == kind)


def pod(options: Options = OPTIONS) -> dict[str, Any]:
    spec: dict[str, Any] = first("Deployment", options)["spec"]["template"]["spec"]
    return spec


def container(options: Options = OPTIONS) -> dict[str, Any]:
    (found,) = pod(options)["containers"]
    return found


def variables(options: Options = OPTIONS) -> dict[str, str]:
    return {one["name"]: one.get("value", "") for one in container(options)["env"]}


@pytest.mark.parametrize("replicas", [1, 2, 3])
def test_a_budget_never_holds_up_the_drain_of_a_node(replicas: int):
    """B62: maxUnavailable 1, and none at one replica."""
    budgets = [
        o for o in render(replace(OPTIONS, replicas=replicas)) if o["kind"] == "PodDisruptionBudget"
    ]
    if replicas == 1:
        assert budgets == []
        return
    assert budgets[0]["spec"]["maxUnavailable"] == 1
    assert "minAvailable" not in budgets[0]["spec"]
    assert budgets[0]["spec"]["unhealthyPodEvictionPolicy"] == "AlwaysAllow"


def test_a_rollout_never_goes_below_the_replicas_that_are_wanted():
    spec = first("Deployment")["spec"]
    assert spec["replicas"] == 2
    assert spec["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


def test_replicas_are_spread_over_nodes_and_zones():
    keys = [one["topologyKey"] for one in pod()["topologySpreadConstraints"]]
    assert keys == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
    assert "podAntiAffinity" in pod()["affinity"]


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [({}, 35), ({"shutdown_delay": 0, "shutdown_grace": 0}, 10), ({"shutdown_delay": 7.2}, 38)],
)
def test_a_replica_is_given_the_time_that_its_own_settings_need(
    settings: dict[str, Any], seconds: int
):
    """SIGTERM -> serve on for the delay -> calls under way get the grace -> end."""
    given = pod(replace(OPTIONS, settings=settings))["terminationGracePeriodSeconds"]
    assert given == seconds
    known = load_settings({}, settings)
    assert given >= known.shutdown_delay + known.shutdown_grace + SPARE_SECONDS
    assert "lifecycle" not in container()


def test_ports_and_host_network_can_be_chosen_and_dns_follows():
    """B61: control planes of private clusters reach some ports only."""
    chosen = replace(OPTIONS, port=10250, metrics_port=18080, health_port=18081, host_network=True)
    assert {p["name"]: p["containerPort"] for p in container(chosen)["ports"]} == {
        "https": 10250, "metrics": 18080, "health": 18081,
    }  # fmt: skip
    assert "--port=10250" in container(chosen)["args"]
    assert "--metrics-bind-address=:18080" in container(chosen)["args"]
    assert "--health-probe-bind-address=:18081" in container(chosen)["args"]
    assert pod(chosen)["hostNetwork"] is True
    assert pod(chosen)["dnsPolicy"] == "ClusterFirstWithHostNet"
    assert "hostNetwork" not in pod()
    assert pod()["dnsPolicy"] == "ClusterFirst"
    labels = first("Namespace", chosen)["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "privileged"


def test_services_and_policies_go_by_the_names_of_ports():
    chosen = replace(OPTIONS, port=10250)
    assert first("Service", chosen)["spec"]["ports"] == [
        {"name": "https", "port": 443, "protocol": "TCP", "targetPort": "https"}
    ]
    named = [
        p["port"]
        for rule in first("NetworkPolicy", chosen)["spec"]["ingress"]
        for p in rule["ports"]
    ]
    assert named == ["https", "health", "metrics"]


def test_the_pod_is_restricted():
    assert pod()["securityContext"]["runAsNonRoot"] is True
    assert pod()["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container()["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_the_services_own_variables_are_kept_away():
    """A Service called skyhook-webhook sets SKYHOOK_WEBHOOK_PORT=tcp://…, which would be our port."""
    assert pod()["enableServiceLinks"] is False


def test_every_variable_is_a_setting():
    prefix = "SKYHOOK_WEBHOOK_"
    for tls in Tls:
        for name in variables(replace(OPTIONS, tls=tls)):
            assert name.removeprefix(prefix).lower() in Settings.__struct_fields__, name


def test_quiet_nodes_that_wait_for_their_packages_are_tolerated():
    wanted = {"operator": "Equal", "value": "runtime-required", "effect": "NoSchedule"}
    assert pod()["tolerations"] == [
        {"key": "skyhook.nvidia.com", **wanted},
        {"key": "nodewright.nvidia.com", **wanted},
    ]


@pytest.mark.parametrize("tls", list(Tls))
def test_a_token_is_mounted_only_where_something_is_allowed(tls: Tls):
    objects = render(replace(OPTIONS, tls=tls))
    allowed = any(o["kind"] == "ClusterRole" for o in objects)
    assert (
        pod(replace(OPTIONS, tls=tls))["automountServiceAccountToken"]
        is allowed
        is (tls is Tls.SELF_SIGNED)
    )
    assert first("ServiceAccount")["automountServiceAccountToken"] is False


@pytest.mark.parametrize("tls", list(Tls))
def test_the_certificate_comes_from_where_the_mode_says(tls: Tls):
    options = replace(OPTIONS, tls=tls)
    mounted = [v["secret"]["secretName"] for v in pod(options)["volumes"] if "secret" in v]
    if tls is Tls.SELF_SIGNED:
        assert mounted == []
        assert variables(options)["SKYHOOK_WEBHOOK_TLS"] == "self-signed"
    else:
        assert mounted == ["skyhook-webhook-tls"]
        assert variables(options)["SKYHOOK_WEBHOOK_TLS"] == "folder"
        folders = {m["name"]: m["mountPath"] for m in container(options)["volumeMounts"]}
        assert variables(options)["SKYHOOK_WEBHOOK_CERT_DIR"] == folders["certs"]


@pytest.mark.parametrize("tls", list(Tls))
def test_no_object_lies_in_a_namespace_or_under_a_label_of_the_operators(tls: Tls):
    objects = render(replace(OPTIONS, tls=tls, monitoring=True, conversion=True))
    for obj in objects:
        assert (
            obj["metadata"].get("namespace", "skyhook-webhook-system") == "skyhook-webhook-system"
        )
        labels = obj["metadata"]["labels"]
        assert "control-plane" not in labels
        assert "nodewright.nvidia.com/webhook-config" not in labels
        assert labels["app.kubernetes.io/name"] == "skyhook-webhook"
        wanted = ("instance", "version", "component", "part-of", "managed-by")
        assert all(f"app.kubernetes.io/{one}" in labels for one in wanted)


def test_an_ipv6_cluster_is_listened_on():
    assert container(replace(OPTIONS, ipv6_only=True))["args"][2:] == [
        "--bind-address=::",
        "--port=9443",
        "--metrics-bind-address=[::]:8080",
        "--health-probe-bind-address=[::]:8081",
    ]


def test_with_mounted_certificates_nothing_leaves():
    spec = first("NetworkPolicy", replace(OPTIONS, tls=Tls.MOUNTED))["spec"]
    assert spec["egress"] == []
    assert "Egress" in spec["policyTypes"]


def test_memory_of_one_process_is_not_spread_over_replicas():
    settings = {**OPTIONS.settings, "cross_check": "memory"}
    with pytest.raises(ManifestError, match="one replica only"):
        render(replace(OPTIONS, settings=settings))
    assert render(replace(OPTIONS, settings=settings, replicas=1))
