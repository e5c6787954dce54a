"""The operator's CRDs within a stream: changed step by step, everything else as it was."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from webhook.catalog import Catalog
from webhook.cli import main
from webhook.conversions.crd import CrdError
from webhook.manifests.crds import (
    INJECT,
    Step,
    client_config,
    converted_kinds,
    require_bundle,
    stepped,
)

FOLDER = Path(__file__).resolve().parents[2] / "manifests" / "crds"
KINDS = converted_kinds(Catalog.default())
NAMESPACE = "guards"
OURS = {"name": "skyhook-webhook", "namespace": NAMESPACE, "path": "/convert", "port": 443}
CHARTS = {
    "strategy": "Webhook",
    "webhook": {
        "clientConfig": {
            "service": {"name": "skyhook-operator-webhook-service", "namespace": "skyhook"}
        },
        "conversionReviewVersions": ["v1"],
    },
}


@pytest.fixture
def plain() -> dict[str, Any]:
    """As the operator's chart has it."""
    found: dict[str, Any] = yaml.safe_load((FOLDER / "skyhooks.yaml").read_text())
    found["spec"]["conversion"] = copy.deepcopy(CHARTS)
    return found


def after(crd: dict[str, Any], *steps: Step, inject: bool = False) -> dict[str, Any]:
    for step in steps:
        crd = stepped(crd, step, namespace=NAMESPACE, kinds=KINDS, inject=inject)
    return crd


def served(crd: dict[str, Any]) -> dict[str, bool]:
    return {version["name"]: version["served"] for version in crd["spec"]["versions"]}


def test_the_kinds_that_convert_are_those_whose_conditions_are_kept():
    assert {("skyhook.nvidia.com", "Skyhook"), ("nodewright.nvidia.com", "NodeWright")} == KINDS


def test_added_it_is_not_served_and_calls_us_without_a_ca_bundle(plain: dict[str, Any]):
    crd = after(plain, Step.ADD)
    assert served(crd) == {"v1alpha1": True, "v1beta1": False}
    assert client_config(crd) == {"service": OURS}


@pytest.mark.parametrize("before", [(), (Step.ADD,), (Step.SERVE,), (Step.SERVE, Step.UNSERVE)])
def test_serving_is_one_step_from_anywhere(plain: dict[str, Any], before: tuple[Step, ...]):
    """From a chart's own CRD too: so a post-renderer keeps it served over an upgrade."""
    assert served(after(plain, *before, Step.SERVE)) == {"v1alpha1": True, "v1beta1": True}


@pytest.mark.parametrize(
    "steps", [(Step.ADD,), (Step.SERVE,), (Step.SERVE, Step.UNSERVE), (Step.SERVE, Step.ADD)]
)
@pytest.mark.parametrize("inject", [False, True])
def test_removed_it_is_what_it_was(plain: dict[str, Any], steps: tuple[Step, ...], inject: bool):
    assert after(after(plain, *steps, inject=inject), Step.REMOVE) == plain


def test_the_ca_bundle_that_is_there_stays_if_it_is_for_us(plain: dict[str, Any]):
    crd = after(plain, Step.ADD)
    crd["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = "b3Vycw=="
    assert client_config(after(crd, Step.SERVE))["caBundle"] == "b3Vycw=="
    assert client_config(after(crd, Step.ADD))["caBundle"] == "b3Vycw=="
    plain["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = "dGhlaXJz"
    assert "caBundle" not in client_config(after(plain, Step.ADD))


def test_cert_manager_is_told_whose_ca_and_no_longer(plain: dict[str, Any]):
    crd = after(plain, Step.ADD, inject=True)
    assert crd["metadata"]["annotations"][INJECT] == "guards/skyhook-webhook"
    assert INJECT not in after(crd, Step.REMOVE)["metadata"].get("annotations", {})


def test_one_of_the_cluster_is_served_only_when_our_convert_has_answered(plain: dict[str, Any]):
    with pytest.raises(CrdError, match="has no v1beta1 yet"):
        require_bundle(plain)
    crd = after(plain, Step.ADD)
    with pytest.raises(CrdError, match="has no caBundle yet"):
        require_bundle(crd)
    crd["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"] = "b3Vycw=="
    require_bundle(crd)


STREAM = """
apiVersion: v1
kind: ConfigMap
metadata: {name: first}
data: {text: "on"}
---
%s
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: last}
"""


def test_as_a_post_renderer_it_changes_the_crds_of_a_stream_and_nothing_else(
    plain: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    source = tmp_path / "rendered.yaml"
    source.write_text(STREAM % yaml.safe_dump(plain))
    assert main(["manifests", "crd", "--from", str(source), "--serve", "-n", NAMESPACE]) == 0
    out = capsys.readouterr()
    first, crd, last = yaml.safe_load_all(out.out)
    assert first == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "first"},
        "data": {"text": "on"},
    }
    assert last["metadata"] == {"name": "last"}
    assert crd == after(plain, Step.SERVE)
    assert out.err == ""


def test_a_stream_without_our_crds_passes_with_a_word_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    source = tmp_path / "rendered.yaml"
    source.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: only}\n")
    assert main(["manifests", "crd", "--from", str(source)]) == 0
    out = capsys.readouterr()
    assert yaml.safe_load(out.out)["metadata"] == {"name": "only"}
    assert "everything passes as it is" in out.err


@pytest.mark.parametrize("step", ["--unserve", "--serve"])
def test_what_can_not_be_done_is_said_and_nothing_is_printed(
    plain: dict[str, Any], step: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    if step == "--serve":
        plain["spec"]["versions"][0]["storage"] = False
    source = tmp_path / "crd.yaml"
    source.write_text(yaml.safe_dump(plain))
    assert main(["manifests", "crd", "--from", str(source), step]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert "skyhooks.skyhook.nvidia.com" in out.err
