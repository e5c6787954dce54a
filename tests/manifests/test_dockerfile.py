"""The image: pinned, small, run by nobody; and what goes into it is told."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.manifests.dockerfile import Replay, lint, steps
from webhook.manifests.options import USER_ID
from webhook.manifests.workload import CERT_FOLDER

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "Dockerfile").read_text()
IMAGE = ROOT / "image"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = {
    "requirements.lock": PROJECT["project"]["dependencies"],
    "build.lock": PROJECT["build-system"]["requires"],
}
AGAIN = "make it again: python image/lock.py"


def script(name: str) -> ModuleType:
    """A script of `image/`, which is no package."""
    spec = importlib.util.spec_from_file_location(f"image_{name}", IMAGE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


SBOM = script("sbom")


def test_the_dockerfile_has_no_complaint():
    assert lint(TEXT) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("python:3.11-slim-bookworm", "python", "not pinned"),
        ("python:3.11-slim-bookworm", "python:latest", "not pinned"),
        ("COPY webhook ./webhook", "ADD webhook ./webhook", "ADD"),
        ("COPY webhook ./webhook", "COPY . .", "whole folder"),
        ("--require-hashes", "", "takes what it gets"),
        ("--only-binary=:all:", "", "takes what it gets"),
        ("--no-cache-dir", "", "keeps a cache"),
        ("--no-index", "", "takes what it gets"),
        ("USER 65532:65532", "USER root", "runAsNonRoot"),
        ("USER 65532:65532", "USER nobody", "runAsNonRoot"),
        ("USER 65532:65532", "", "runAsNonRoot"),
        ("USER 65532:65532", "RUN rm -rf /tmp\nUSER 65532:65532", "runs a command"),
        ('CMD ["serve", "--cert-dir", "/var/run/skyhook-webhook/certs"]', "CMD skyhook-webhook", "exec form"),
        ("python -m venv /build", "curl -s example.com | sh", "RUN with"),
        ("WORKDIR /src", "WORKDIR src", "relative"),
        ("--dest /wheels", "--dest /wheels --index-url=https://example.com", "address"),
    ],
)  # fmt: skip
def test_a_planted_fault_is_seen(old: str, new: str, says: str):
    assert old in TEXT
    assert any(says in complaint for complaint in lint(TEXT.replace(old, new)))


def test_the_image_fits_the_pod():
    user = next(step.rest for step in steps(TEXT) if step.word == "USER")
    assert user == f"{USER_ID}:{USER_ID}"
    assert CERT_FOLDER in next(step.rest for step in steps(TEXT) if step.word == "CMD")


def test_the_context_holds_what_is_copied_and_no_more():
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    kept = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert lines[1] == "*"
    copied = {
        source
        for step in steps(TEXT)
        if step.word == "COPY" and "--from" not in step.rest
        for source in step.rest.split()[:-1]
    }
    assert {re.sub(r"image/\w+\.lock", "image/*.lock", source) for source in copied} == kept


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_pins_everything_that_is_asked_for(name: str):
    pinned = {one.name: one for one in SBOM.pinned((IMAGE / name).read_text())}
    for text in LOCKS[name]:
        wanted = Requirement(text)
        found = pinned.get(re.sub(r"[-_.]+", "-", wanted.name).lower())
        assert found is not None, f"{wanted.name}: {AGAIN}"
        assert Version(found.version) in wanted.specifier, f"{wanted}: {AGAIN}"
        assert SBOM.US in found.parents
    direct = {re.sub(r"[-_.]+", "-", Requirement(text).name).lower() for text in LOCKS[name]}
    assert {one.name for one in pinned.values() if SBOM.US in one.parents} == direct, AGAIN


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_address_and_a_hash_for_each_kind_of_machine(name: str):
    text = (IMAGE / name).read_text()
    assert "://" not in text
    found = SBOM.pinned(text)
    assert all(1 <= len(one.hashes) <= 2 for one in found)
    if name == "requirements.lock":
        compiled = {one.name for one in found if len(one.hashes) == 2}
        assert compiled >= {"aiohttp", "cryptography", "msgspec", "pydantic-core", "pyyaml"}


def test_a_line_that_is_of_no_entry_is_refused():
    with pytest.raises(ValueError, match="not of a lock file"):
        SBOM.pinned("aiohttp==1.0\n")


def bill() -> dict[str, Any]:
    command = [sys.executable, str(IMAGE / "sbom.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_bill_of_materials_is_whole_and_the_same_each_time():
    found = bill()
    assert found == bill()
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", found["serialNumber"])
    pinned = SBOM.pinned((IMAGE / "requirements.lock").read_text())
    refs = {one["bom-ref"] for one in found["components"]}
    assert refs == {one.purl for one in pinned}
    root = found["metadata"]["component"]["bom-ref"]
    assert root == f"pkg:pypi/skyhook-webhook@{PROJECT['project']['version']}"
    graph = {one["ref"]: one["dependsOn"] for one in found["dependencies"]}
    assert set(graph) == refs | {root}
    reached, todo = set(), [root]
    while todo:
        ref = todo.pop()
        if ref not in reached:
            reached.add(ref)
            todo += graph[ref]
    assert reached == refs | {root}, "everything is there for a reason"
    assert all(one["licenses"] and one["hashes"] for one in found["components"])


@pytest.mark.nightly
def test_the_steps_of_the_dockerfile_end_in_a_program_that_runs_alone(tmp_path: Path):
    """Each stage in a folder of its own; the last one holds the environment and nothing else."""
    base = tmp_path / "base"
    venv.create(base, with_pip=True)
    replay = Replay(ROOT, tmp_path / "stages", base / "bin" / "python")
    replay.folder.mkdir()
    image = replay.run(TEXT)
    assert [path.name for path in image.iterdir()] == ["opt"]
    environment = image / "opt" / "skyhook-webhook"
    installed = next(environment.glob("lib/python3.*/site-packages"))
    assert not (installed / "pip").exists()
    assert (installed / "webhook" / "profiles" / "skyhook.yaml").exists()
    # Environments are not made to be moved: what was made as stage 1 is asked there.
    program = replay.folder / "stage-1" / replay.command(TEXT)[0].lstrip("/")
    for arguments in (
        ["--version"],
        ["manifests"],
        ["validate", str(ROOT / "examples" / "skyhook.yaml")],
    ):
        done = subprocess.run(
            [program, *arguments], cwd=tmp_path, env={}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    pinned = {
        one.name: one.version for one in SBOM.pinned((IMAGE / "requirements.lock").read_text())
    }
    found = {
        re.sub(r"[-_.]+", "-", path.name.partition("-")[0]).lower(): path.name.split("-")[
            1
        ].removesuffix(".dist")
        for path in installed.glob("*.dist-info")
    }
    ours = found.pop("skyhook-webhook")
    assert ours.startswith(PROJECT["project"]["version"])
    assert set(found) == set(pinned)
