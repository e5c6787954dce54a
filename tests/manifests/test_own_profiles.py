"""A profile of one's own that is switched on: its objects come to us, and the Pods can read it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.test_profile_files import BODY
from webhook.building import engine_of
from webhook.cli import main
from webhook.manifests.options import SETTINGS_FOLDER
from webhook.reviews.decode import decode_admission, request_of
from webhook.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path

PROFILE = """\
profile: box
about: "{{ no action of Helm's }}"
body: shared.yaml
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "profiles"
    folder.mkdir()
    (folder / "box.yaml").write_text(PROFILE)
    (folder / "shared.yaml").write_text(BODY)
    path = tmp_path / "settings.yaml"
    path.write_text(f"mode: enforce\nprofiles: [skyhook, {folder}]\n")
    return path


def printed(capsys: Any, *arguments: str) -> list[dict[str, Any]]:
    assert main(["manifests", *arguments]) == 0
    return list(yaml.safe_load_all(capsys.readouterr().out))


def test_its_kind_is_sent_to_us_and_nothing_more_is_granted(capsys: Any, config: Path) -> None:
    with_it = printed(capsys, "--config", str(config))
    config.write_text("profiles: [skyhook]\n")
    without = printed(capsys, "--config", str(config))
    rules = {
        (group, resource)
        for o in with_it
        if o["kind"] == "ValidatingWebhookConfiguration"
        for webhook in o["webhooks"]
        for rule in webhook["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }
    assert {("example.com", "boxes"), ("example.com", "boxes/status")} <= rules
    granted = [[o for o in some if "Role" in o["kind"]] for some in (with_it, without)]
    assert granted[0] == granted[1]


def test_in_the_pods_the_settings_name_what_lies_beside_them(
    capsys: Any, config: Path, tmp_path: Path
) -> None:
    found = printed(capsys, "--config", str(config))
    (data,) = [
        o["data"] for o in found if o["kind"] == "ConfigMap" and "settings.yaml" in o["data"]
    ]
    assert set(data) == {"settings.yaml", "box.yaml", "shared.yaml"}
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    for name, text in data.items():
        (mounted / name).write_text(text.replace(SETTINGS_FOLDER, str(mounted)))
    document = yaml.safe_load((mounted / "settings.yaml").read_text())
    engine = engine_of(load_settings({}, document))
    assert not engine.judge_request(request_of(decode_admission(step("B", "A")))).allowed
    assert engine.judge_request(request_of(decode_admission(step("A", "B")))).allowed


def step(old: str, new: str) -> bytes:
    request = {
        "uid": "1",
        "operation": "UPDATE",
        "kind": {"group": "example.com", "version": "v1", "kind": "Box"},
        "userInfo": {"username": "controller"},
        "oldObject": {"metadata": {"name": "x"}, "status": {"phase": old}},
        "object": {"metadata": {"name": "x"}, "status": {"phase": new}},
    }
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    return json.dumps(review).encode()


def test_kustomize_and_helm_carry_it_too(capsys: Any, config: Path, tmp_path: Path) -> None:
    for form in ("kustomize", "helm"):
        assert (
            main(["manifests", "--config", str(config), "--format", form, "-o", str(tmp_path)]) == 0
        )
    base = tmp_path / "manifests" / "base"
    assert (base / "box.yaml").read_text() == PROFILE
    (generator,) = yaml.safe_load((base / "kustomization.yaml").read_text())["configMapGenerator"]
    assert generator["files"] == ["settings.yaml", "box.yaml", "shared.yaml"]
    chart = tmp_path / "charts" / "skyhook-webhook"
    values = yaml.safe_load((chart / "values.yaml").read_text())
    assert values["settings"]["profiles"] == ["skyhook", f"{SETTINGS_FOLDER}/box.yaml"]
    template = (chart / "templates" / "configmap-settings.yaml").read_text()
    assert "    {{ no action" not in template
    assert """'{{ "{{" }} no action""" in template or """"{{ "{{" }} no action""" in template
    capsys.readouterr()


def test_a_body_that_would_not_be_found_there_is_refused(capsys: Any, config: Path) -> None:
    box = config.parent / "profiles" / "box.yaml"
    (config.parent / "shared.yaml").write_text(BODY)
    box.write_text(PROFILE.replace("shared.yaml", "../shared.yaml"))
    (config.parent / "profiles" / "shared.yaml").unlink()
    assert main(["manifests", "--config", str(config)]) == 2
    assert "has to lie beside it" in capsys.readouterr().err
