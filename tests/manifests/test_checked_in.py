"""What is checked in is what the program renders, and kustomize makes the same objects of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.manifests.engine import OPTIONS, normalised
from webhook.manifests import chart, kustomize
from webhook.manifests.options import Tls
from webhook.manifests.overlays import with_overlays
from webhook.manifests.render import key, render

ROOT = Path(__file__).resolve().parents[2]
MADE = {**kustomize.tree(OPTIONS), **chart.tree(OPTIONS)}
FOLDERS = ("manifests/base", "manifests/components", "manifests/overlays", "certs/self-signed",
           "certs/cert-manager", "charts")  # fmt: skip
CA_BUNDLE = re.compile(r"caBundle[\"']?\s*:")
MAKE = "run: skyhook-webhook manifests --format kustomize -o . && skyhook-webhook manifests --format helm -o ."


@pytest.mark.parametrize("path", sorted(MADE))
def test_a_file_is_what_the_program_renders(path: str):
    assert (ROOT / path).read_text() == MADE[path], MAKE


def test_no_file_is_left_that_the_program_does_not_render():
    there = {
        str(path.relative_to(ROOT))
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    assert there == set(MADE), MAKE


@pytest.mark.parametrize("path", sorted(MADE))
def test_nothing_that_we_ship_carries_a_ca_bundle(path: str):
    """B58: a placeholder breaks serving, is refused, or resets the right one at each apply."""
    assert not CA_BUNDLE.search(MADE[path])


def test_a_planted_ca_bundle_is_seen():
    assert CA_BUNDLE.search("  clientConfig:\n    caBundle: Cg==\n")
    assert CA_BUNDLE.search('{"caBundle": ""}')


def build(folder: str) -> list[dict[str, Any]]:
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        pytest.skip("no kubectl to build with")
    done = subprocess.run(
        [kubectl, "kustomize", str(ROOT / folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return [obj for obj in yaml.safe_load_all(done.stdout) if obj]


def comparable(objects: list[dict[str, Any]]) -> dict[Any, Any]:
    """By identity; the settings' name without the digest that kustomize or the annotation carries."""
    found = {}
    for obj in map(normalised, objects):
        if obj["kind"] == "ConfigMap" and obj["metadata"]["name"].startswith(
            "skyhook-webhook-settings"
        ):
            obj["metadata"]["name"] = "skyhook-webhook-settings"
        if obj["kind"] == "Deployment":
            template = obj["spec"]["template"]
            template["metadata"].pop("annotations", None)
            for volume in template["spec"]["volumes"]:
                if "configMap" in volume:
                    volume["configMap"]["name"] = "skyhook-webhook-settings"
            # Merged by name, so in another order.
            for container in template["spec"]["containers"]:
                for field in ("env", "volumeMounts"):
                    container[field].sort(key=lambda item: item["name"])
            template["spec"]["volumes"].sort(key=lambda item: item["name"])
        found[key(obj)] = obj
    return found


@pytest.mark.parametrize("name", sorted(kustomize.READY))
def test_an_overlay_builds_to_what_the_program_renders(name: str):
    wanted = render(with_overlays(replace(OPTIONS, tls=Tls.MOUNTED), kustomize.READY[name]))
    assert comparable(build(f"manifests/overlays/{name}")) == comparable(wanted)


def test_the_base_alone_is_an_installation_with_a_secret_that_somebody_fills():
    wanted = render(replace(OPTIONS, tls=Tls.MOUNTED))
    assert comparable(build("manifests/base")) == comparable(wanted)


def test_components_combine_freely(tmp_path: Path):
    """cert-manager, the new group alone, audit, conversion (which needs no right there), monitoring."""
    names = ("cert-manager", "nodewright", "audit-only", "conversion", "monitoring", "cross-check")
    folders = {"cert-manager": "certs/cert-manager"}
    for path, text in MADE.items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    own = tmp_path / "own"
    own.mkdir()
    own.joinpath("kustomization.yaml").write_text(
        yaml.safe_dump(
            {
                "resources": ["../manifests/base"],
                "components": [f"../{folders.get(n, f'manifests/components/{n}')}" for n in names],
            }
        )
    )
    wanted = render(with_overlays(OPTIONS, names))
    assert comparable(build(str(own))) == comparable(wanted)


def test_other_settings_make_other_pods(tmp_path: Path):
    """kustomize by the ConfigMap's name, Helm and plain YAML by an annotation."""
    annotations = set()
    for mode in ("enforce", "audit"):
        objects = render(replace(OPTIONS, settings={"mode": mode}))
        (deployment,) = (obj for obj in objects if obj["kind"] == "Deployment")
        annotations |= set(deployment["spec"]["template"]["metadata"]["annotations"].items())
    assert len(annotations) == 2
    (settings,) = (obj for obj in build("manifests/base") if obj["kind"] == "ConfigMap")
    assert settings["metadata"]["name"] != "skyhook-webhook-settings"
