"""`manifests` as people run it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.manifests.engine import OPTIONS
from tests.manifests.test_checked_in import MADE
from webhook.cli import main
from webhook.manifests.options import Tls
from webhook.manifests.overlays import with_overlays
from webhook.manifests.render import render

if TYPE_CHECKING:
    from pathlib import Path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["manifests", *arguments]) == 0
    return list(yaml.safe_load_all(capsys.readouterr().out))


def test_without_options_it_prints_the_self_signed_installation(capsys: pytest.CaptureFixture[str]):
    assert printed(capsys) == render(OPTIONS)


def test_overlays_are_laid_over_it(capsys: pytest.CaptureFixture[str]):
    wanted = render(with_overlays(OPTIONS, ["cert-manager", "audit-only"]))
    assert printed(capsys, "--overlay", "cert-manager", "--overlay", "audit-only") == wanted


def test_each_option_is_one_of_the_installation(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    config = tmp_path / "settings.yaml"
    config.write_text("mode: warn\nshutdown_delay: 9\n")
    chosen = printed(
        capsys,
        *(
            "--namespace",
            "guards",
            "--image",
            "example.com/a:1",
            "--replicas",
            "3",
            "--tls",
            "mounted",
        ),
        *(
            "--port",
            "10250",
            "--metrics-port",
            "1",
            "--health-port",
            "2",
            "--host-network",
            "--ipv6-only",
        ),
        *(
            "--fail-specs",
            "--timeout-seconds",
            "5",
            "--priority-class",
            "mine",
            "--config",
            str(config),
        ),
    )
    assert chosen == render(
        replace(
            OPTIONS, namespace="guards", image="example.com/a:1", replicas=3, tls=Tls.MOUNTED,
            port=10250, metrics_port=1, health_port=2, host_network=True, ipv6_only=True,
            fail_specs=True, timeout_seconds=5, priority_class="mine",
            settings={"mode": "warn", "shutdown_delay": 9},
        )
    )  # fmt: skip


def test_trees_are_written_where_they_are_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    for form in ("kustomize", "helm"):
        assert main(["manifests", "--format", form, "-o", str(tmp_path)]) == 0
    capsys.readouterr()
    written = {
        str(p.relative_to(tmp_path)): p.read_text() for p in tmp_path.rglob("*") if p.is_file()
    }
    assert written == MADE


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--format", "helm"], "say --output"),
        (["--format", "helm", "-o", ".", "--overlay", "monitoring"], "--format yaml"),
        (["--overlay", "nothing"], "'nothing' is not one of"),
        (["--config", "none.yaml"], "none.yaml"),
        (["--replicas", "0"], "0 is not in the range"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["manifests", *arguments]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert why in out.err


@pytest.mark.parametrize(
    ("text", "why"), [("- a\n", "a map"), ("mode: x\n", "mode"), ("profiles: [none]\n", "'none'")]
)
def test_settings_that_no_replica_would_start_with_are_refused(
    text: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    config = tmp_path / "settings.yaml"
    config.write_text(text)
    assert main(["manifests", "--config", str(config)]) == 2
    out = capsys.readouterr()
    assert out.out == ""
    assert why in out.err
