"""What we may do: our own objects, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.manifests.engine import OPTIONS
from webhook.certs.shared import SECRET
from webhook.manifests.access import CRDS
from webhook.manifests.options import Tls
from webhook.manifests.render import render
from webhook.server.certificates import CONFIGURATION, _targets


def rules(**options: Any) -> dict[str, dict[str, Any]]:
    objects = render(replace(OPTIONS, **options))
    roles = [o for o in objects if o["kind"] in ("Role", "ClusterRole")]
    return {
        f"{resource} {' '.join(rule.get('resourceNames', ['*']))}": rule["verbs"]
        for role in roles
        for rule in role["rules"]
        for resource in rule["resources"]
    }


def test_everything_is_granted_by_name_but_what_has_none():
    assert rules() == {
        f"validatingwebhookconfigurations {CONFIGURATION}": ["get", "list", "watch", "patch"],
        f"mutatingwebhookconfigurations {CONFIGURATION}": ["get", "list", "watch", "patch"],
        f"customresourcedefinitions {' '.join(CRDS)}": ["get", "list", "watch"],
        "nodes *": ["get"],
        "skyhooks *": ["get"],
        "nodewrights *": ["get"],
        "secrets *": ["create"],
        f"secrets {SECRET}": ["get", "update"],
        "endpointslices *": ["get", "list", "watch"],
    }


def test_crds_are_written_only_with_the_conversion_overlay():
    before, after = rules(), rules(conversion=True)
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {f"customresourcedefinitions {' '.join(CRDS)}"}
    assert "patch" in after[changed.pop()]


def test_mounted_certificates_need_no_right_at_all():
    assert rules(tls=Tls.MOUNTED) == rules(tls=Tls.CERT_MANAGER) == {}


def test_with_mounted_certificates_a_cross_check_needs_the_right_to_get_and_a_token():
    wanted = {f"{plural} *": ["get"] for plural in ("nodes", "skyhooks", "nodewrights")}
    for tls in (Tls.MOUNTED, Tls.CERT_MANAGER):
        assert rules(tls=tls, cross_check=True) == wanted
        objects = {o["kind"]: o for o in render(replace(OPTIONS, tls=tls, cross_check=True))}
        pod = objects["Deployment"]["spec"]["template"]["spec"]
        assert pod["automountServiceAccountToken"]
        assert objects["NetworkPolicy"]["spec"]["egress"]
        binding = objects["ClusterRoleBinding"]
        assert binding["roleRef"]["name"] == objects["ClusterRole"]["metadata"]["name"]
    assert rules(cross_check=True) == rules()


def test_what_the_server_looks_at_is_what_it_may_look_at():
    wanted = {target.name for target in _targets()}
    assert wanted == {CONFIGURATION, *CRDS}
