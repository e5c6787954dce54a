"""The recipes for CI are run: what they say of a good and of a bad pull request, and what they print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.cli.histories import ENVIRONMENT, git, repository
from tests.cli.test_git import commit, skyhook

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "examples" / "ci"
TOOL = "skyhook-webhook "


def recipe(name: str) -> Any:
    return yaml.safe_load((RECIPES / name).read_text())


def github() -> list[str]:
    steps = recipe("github.yaml")["jobs"]["validate"]["steps"]
    return [
        step["run"] for step in steps if TOOL in step.get("run", "") and "pip" not in step["run"]
    ]


def gitlab() -> list[str]:
    return [line for line in recipe("gitlab.yaml")["skyhook"]["script"] if TOOL in line]


def hook() -> list[str]:
    return [recipe("pre-commit-config.yaml")["repos"][0]["hooks"][0]["entry"]]


@pytest.fixture
def request_of(tmp_path: Path) -> Callable[[str], Path]:
    """A clone with a branch that changes the manifest to a stage; staged and committed."""

    def make(stage: str) -> Path:
        upstream = repository(tmp_path / "upstream")
        commit(upstream, {"a.yaml": skyhook(), "other.yaml": "on: push\n"})
        git(tmp_path, "clone", "-q", str(upstream), "clone")
        clone = tmp_path / "clone"
        git(clone, "checkout", "-q", "-b", "topic")
        commit(clone, {"a.yaml": skyhook(stage=stage)})
        return clone

    return make


def run(folder: Path, command: str, **more: str) -> subprocess.CompletedProcess[str]:
    base = git(folder, "rev-parse", "origin/main")
    environment = {**ENVIRONMENT, "GITHUB_BASE_REF": "main", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    environment |= more
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("stage", "code"), [("interrupt", 0), ("nowhere", 1)])
def test_every_recipe_passes_a_good_request_and_stops_a_bad_one(
    request_of: Callable[[str], Path], stage: str, code: int
) -> None:
    clone = request_of(stage)
    annotate, scan = github()
    done = run(clone, annotate)
    assert done.returncode == code, done.stderr
    assert ("::error file=a.yaml,line=18," in done.stdout) is bool(code)
    assert run(clone, scan).returncode == 0
    results = json.loads((clone / "skyhook.sarif").read_text())["runs"][0]["results"]
    assert any(result["level"] == "error" for result in results) is bool(code)
    (report,) = gitlab()
    assert run(clone, report).returncode == code
    assert ET.parse(clone / "skyhook.xml").getroot().get("failures") == str(code)
    git(clone, "reset", "-q", "--soft", "origin/main")
    (entry,) = hook()
    assert run(clone, entry).returncode == code


def test_our_own_action_annotates_and_writes_sarif(
    request_of: Callable[[str], Path], tmp_path: Path
) -> None:
    clone = request_of("nowhere")
    (tmp_path / "skyhook-webhook").symlink_to(Path(sys.executable).parents[1])
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    *_, judge = action["runs"]["steps"]
    inputs = {name: str(one["default"]) for name, one in action["inputs"].items()}
    inputs |= {"sarif": "found.sarif", "arguments": "a.yaml  other.yaml"}
    given = {name: inputs[value[len("${{ inputs.") : -3]] for name, value in judge["env"].items()}
    given["RUNNER_TEMP"] = str(tmp_path)
    strict = f"set -eo pipefail\n{judge['run']}"  # as the runner starts bash
    done = run(clone, strict, **given)
    assert done.returncode == 1, done.stderr
    assert "::error file=a.yaml,line=18," in done.stdout
    found = json.loads((clone / "found.sarif").read_text())["runs"][0]["results"]
    assert any(result["level"] == "error" for result in found)
    given["SARIF"] = ""
    assert run(clone, strict, **given | {"FAIL_ON": "nothing"}).returncode == 0
    hostile = run(clone, strict, **given | {"RANGE": "HEAD..HEAD; exit 7"})
    assert hostile.returncode == 2, "an input is a word, never a command"


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("examples/ci/github.yaml", "vendor.github-workflows"),
        ("examples/ci/gitlab.yaml", "vendor.gitlab-ci"),
        ("action.yml", "vendor.github-actions"),
    ],
)
def test_what_the_services_read_is_what_their_schemas_say(name: str, schema: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(ROOT / name)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_our_pre_commit_hook_is_that_of_the_recipe() -> None:
    (ours,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    recipe_hook = recipe("pre-commit-config.yaml")["repos"][0]["hooks"][0]
    for key in ("entry", "language", "pass_filenames"):
        assert ours[key] == recipe_hook[key]


def test_the_recipes_install_the_version_that_this_is() -> None:
    version = (ROOT / "pyproject.toml").read_text().split('version = "', 1)[1].split('"')[0]
    for path in RECIPES.iterdir():
        assert f"skyhook-webhook=={version}" in path.read_text()
