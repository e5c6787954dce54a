"""`migrate`: to stdout, in place, or only looked at; folders, pipes, Lists and templates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Done

    Cli = Callable[..., Done]
    Write = Callable[[str, Any], str]

SKYHOOK = """\
# GPU nodes
apiVersion: skyhook.nvidia.com/v1alpha1
kind: Skyhook
metadata:
  name: gpu   # stays
spec:
  nodeSelectors:
    matchLabels:
      skyhook.nvidia.com/pool: gpu
"""
NODEWRIGHT = SKYHOOK.replace("skyhook.nvidia.com/v1", "nodewright.nvidia.com/v1").replace(
    "kind: Skyhook", "kind: NodeWright"
)
TEMPLATE = (
    "{{- if .Values.on }}\napiVersion: skyhook.nvidia.com/v1alpha1\nkind: Skyhook\n{{- end }}\n"
)


def test_a_manifest_goes_to_stdout_and_the_rest_to_stderr(cli: Cli, write: Write) -> None:
    done = cli("migrate", write("a.yaml", SKYHOOK))
    assert (done.code, done.out) == (0, NODEWRIGHT)
    assert "a.yaml:9: skyhook.nvidia.com/pool: gpu" in done.err
    assert "leave it, unless you relabel" in done.err
    assert "1 object in 1 file renamed, 1 places need a person, 0 not done" in done.err
    assert Path("a.yaml").read_text() == SKYHOOK


def test_standard_input_is_renamed_too(cli: Cli) -> None:
    done = cli("migrate", "-q", "-", stdin=SKYHOOK.encode())
    assert (done.code, done.out, done.err) == (0, NODEWRIGHT, "")


def test_a_folder_is_renamed_in_place_and_scripts_are_looked_at(cli: Cli, write: Write) -> None:
    write("all/a.yaml", SKYHOOK)
    write("all/deeper/b.json", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})
    write(
        "all/wait.sh",
        "#!/bin/sh\nkubectl wait skyhook gpu --for=condition=skyhook.nvidia.com/Ready\n",
    )
    write("all/logo.png", b"\x89PNG\0skyhook.nvidia.com")
    write("all/.git/config", "skyhook.nvidia.com")
    Path("all/a.yaml").chmod(0o640)
    done = cli("migrate", "--in-place", "all")
    assert done.code == 0
    assert done.out.splitlines() == [
        "all/a.yaml:2: apiVersion: skyhook.nvidia.com/v1alpha1 -> nodewright.nvidia.com/v1alpha1",
        "all/a.yaml:3: kind: Skyhook -> NodeWright",
    ]
    assert Path("all/a.yaml").read_text() == NODEWRIGHT
    assert Path("all/a.yaml").stat().st_mode & 0o777 == 0o640
    assert sorted(p.name for p in Path("all").iterdir()) == [
        ".git",
        "a.yaml",
        "deeper",
        "logo.png",
        "wait.sh",
    ]
    assert "all/wait.sh:2: kubectl wait skyhook" in done.err
    assert ".git" not in done.err
    again = cli("migrate", "--check", "all")
    assert (again.code, again.out) == (0, "")


def test_check_changes_nothing_and_says_that_something_would_change(cli: Cli, write: Write) -> None:
    done = cli("migrate", "--check", write("a.yaml", SKYHOOK))
    assert done.code == 1
    assert "a.yaml:3: kind: Skyhook -> NodeWright\n" in done.out
    assert "1 object in 1 file would be renamed" in done.err
    assert Path("a.yaml").read_text() == SKYHOOK


def test_a_template_is_named_as_such_and_its_neighbours_are_renamed(cli: Cli, write: Write) -> None:
    write("chart/templates/a.yaml", TEMPLATE)
    write("chart/templates/b.yaml", SKYHOOK)
    done = cli("migrate", "--in-place", "chart")
    assert done.code == 1
    assert "chart/templates/a.yaml:1: no YAML (a template?), left as it is" in done.err
    assert "chart/templates/a.yaml:2: apiVersion: skyhook.nvidia.com/v1alpha1" in done.err
    assert Path("chart/templates/a.yaml").read_text() == TEMPLATE
    assert Path("chart/templates/b.yaml").read_text() == NODEWRIGHT


def test_a_template_that_only_names_the_group_is_listed_and_fails_nothing(
    cli: Cli, write: Write
) -> None:
    rules = "rules:\n- apiGroups: [skyhook.nvidia.com]\n"
    write("chart/role.yaml", "{{- if .Values.on }}\n" + rules + "{{- end }}\n")
    done = cli("migrate", "--check", "chart")
    assert (done.code, done.out) == (0, "")
    assert "chart/role.yaml:3: - apiGroups: [skyhook.nvidia.com]" in done.err


def test_many_files_are_one_stream_that_kubectl_reads(cli: Cli, write: Write) -> None:
    write("m/a.yaml", SKYHOOK)
    write("m/b.yaml", SKYHOOK)
    assert cli("migrate", "-q", "m").out == f"{NODEWRIGHT}---\n{NODEWRIGHT}"


@pytest.mark.parametrize(
    "args", [[], ["--in-place", "-"], ["--in-place", "--check", "a"], ["none"]]
)
def test_what_makes_no_sense_is_a_usage_error(cli: Cli, args: list[str]) -> None:
    assert cli("migrate", *args).code == 2
