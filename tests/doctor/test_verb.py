"""`doctor` as people run it: over a dump, in text and JSON, with exit codes that scripts can read."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from tests.doctor import healthy
from tests.doctor.healthy import Object, find
from webhook.certs.keyring import Keyring, Lives
from webhook.cli import main
from webhook.documents import dump_yaml

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Object]:
    """Healthy by the real clock, which the verb reads."""
    keyring = Keyring.fresh(healthy.NAMES, now=datetime.now(UTC), lives=Lives())
    monkeypatch.setattr(healthy, "KEYRING", keyring)
    monkeypatch.setattr(healthy.secret, "__defaults__", (keyring,))
    return healthy.objects()


def dumped(found: list[Object], folder: Path, form: str = "yaml") -> str:
    path = folder / f"dump.{form}"
    if form == "json":  # as `kubectl get -o json` prints it
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": found}))
    else:
        path.write_text("---\n".join(dump_yaml(obj) for obj in found))
    return str(path)


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_healthy_dump_ends_with_0_and_tells_what_is_assumed(
    found: list[Object], form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["doctor", "--from", dumped(found, tmp_path, form)]) == 0
    out = capsys.readouterr().out
    assert "release 0.16 (assumed)" in out
    assert out.endswith("0 found\n")
    assert main(["doctor", "-q", "--from", dumped(found, tmp_path, form)]) == 0
    assert capsys.readouterr().out == "nothing is wrong\n"


def test_a_fault_ends_with_1_and_names_object_and_remedy(
    found: list[Object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    find(found, "ValidatingWebhookConfiguration")["webhooks"][0]["clientConfig"]["caBundle"] = ""
    assert main(["doctor", "-q", "--from", dumped(found, tmp_path)]) == 1
    first, remedy, end = capsys.readouterr().out.splitlines()
    assert first == (
        "error: ValidatingWebhookConfiguration skyhook-webhook: validate-spec.guard.skyhook.nvidia.com:"
        " the caBundle is empty; every call fails, and is let through (ca-bundle)"
    )
    assert remedy.strip() == "--fix writes it, as a running replica does"
    assert end == "1 found"


def test_json_is_one_document(
    found: list[Object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    found.remove(find(found, "MutatingWebhookConfiguration"))
    assert main(["doctor", "-o", "json", "--from", dumped(found, tmp_path)]) == 1
    told = json.loads(capsys.readouterr().out)["diagnoses"]
    assert [one["check"] for one in told if one["level"] != "note"] == ["installed"]
    assert set(told[0]) == {"check", "level", "about", "message", "remedy", "fixable"}


def test_a_dump_can_not_be_repaired(capsys: pytest.CaptureFixture[str]):
    assert main(["doctor", "--fix", "--from", "-"]) == 2
    assert "--fix needs a cluster" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["a: [", "- 1\n", "kind: Secret\n"])
def test_what_is_no_dump_is_a_usage_error(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "x.yaml"
    path.write_text(text)
    assert main(["doctor", "--from", str(path)]) == 2
    assert "x.yaml" in capsys.readouterr().err


def test_a_cluster_that_is_not_there_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["doctor", "--kubeconfig", str(tmp_path / "none")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
