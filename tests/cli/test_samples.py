"""Manifests of the shape of upstream's samples and pages pass without a word, under either name, for every release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from webhook.migrating.renaming import renamed

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Done

SAMPLES = (Path(__file__).parents[1] / "specs" / "samples.yaml").read_bytes()
NEW = renamed(SAMPLES, "samples.yaml").text
SINCE_0_18 = """\
---
apiVersion: nodewright.nvidia.com/v1alpha1
kind: NodeWright
metadata: {name: drained}
spec:
  nodeSelectors: {matchLabels: {node.example/pool: gpu}}
  drainConfig: {deleteEmptyDirData: true, force: true, ignoreDaemonSets: true, timeout: 10m, gracePeriod: 30s}
  packages:
    driver: {version: 550.90.7, image: "registry.example:5000/packages/driver", stageTimeout: 30m, interrupt: {type: reboot}}
"""


def judged(
    cli: Callable[..., Done], write: Callable[[str, Any], str], text: str, release: str
) -> list[dict[str, Any]]:
    write("samples.yaml", text)
    done = cli(
        "validate",
        "--user",
        "platform-admin",
        "--operator-version",
        release,
        "-o",
        "jsonl",
        "samples.yaml",
    )
    assert done.code == 0
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.parametrize("release", ["0.16", "0.17"])
def test_a_sample_of_the_old_group_passes_without_a_word(
    cli: Callable[..., Done], write: Callable[[str, Any], str], release: str
) -> None:
    rows = judged(cli, write, SAMPLES.decode(), release)
    assert len(rows) == 6
    assert [row["findings"] for row in rows] == [[]] * 6


@pytest.mark.parametrize("release", ["0.18", "0.19", "0.20"])
def test_the_same_samples_pass_under_their_new_name(
    cli: Callable[..., Done], write: Callable[[str, Any], str], release: str
) -> None:
    rows = judged(cli, write, NEW + SINCE_0_18, release)
    assert {row["kind"] for row in rows} == {"NodeWright", "DeploymentPolicy"}
    assert [row["findings"] for row in rows] == [[]] * 7


def test_from_0_18_on_each_old_object_is_told_once_where_it_goes(
    cli: Callable[..., Done], write: Callable[[str, Any], str]
) -> None:
    for row in judged(cli, write, SAMPLES.decode(), "0.18"):
        [finding] = row["findings"]
        assert finding["rule"] in ("skyhook.old-group", "skyhook.old-policy-group")
        assert "(skyhook-webhook migrate)" in finding["message"]
