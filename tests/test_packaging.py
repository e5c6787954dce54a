"""The wheel and the source archive: what runs, and nothing that must not leave the house."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SECRETS = re.compile(r"\.(key|pem|crt|p12|kubeconfig)$|(^|/)(id_rsa|\.env|certs/dev/)")
MARKS = (b"PRIVATE KEY-----", b"/root/", b"/work/main")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Both archives, built by the declared backend, without the network."""
    folder = tmp_path_factory.mktemp("dist")
    command = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-d",
        str(folder),
        "-t",
        "wheel",
        "-t",
        "sdist",
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def sdist(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        yield {
            m.name.partition("/")[2]: archive.extractfile(m).read() for m in archive if m.isfile()
        }


def tracked(*patterns):
    listed = subprocess.run(
        ["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return {line for line in listed.stdout.splitlines() if (ROOT / line).exists()}


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    tops = {name.split("/")[0] for name in wheel}
    assert tops == {"webhook", f"skyhook_webhook-{PROJECT['version']}.dist-info"}
    assert not [
        name for name in wheel if name.endswith((".pyc", ".orig", ".rej")) or "__pycache__" in name
    ]


def test_all_that_is_tracked_of_the_package_is_in_the_wheel(wheel):
    if not (ROOT / ".git").exists():
        pytest.skip("no git here")
    assert tracked("webhook") - set(wheel) == set()


def test_data_and_types_are_in_the_wheel(wheel):
    assert "webhook/py.typed" in wheel
    profiles = {
        p.relative_to(ROOT).as_posix() for p in (ROOT / "webhook" / "profiles").rglob("*.yaml")
    }
    assert len(profiles) >= 3
    assert profiles <= set(wheel)
    assert (
        wheel["webhook/profiles/bodies/skyhook.yaml"]
        == (ROOT / "webhook/profiles/bodies/skyhook.yaml").read_bytes()
    )


def test_version_name_licence_and_command_are_as_declared(wheel):
    info = f"skyhook_webhook-{PROJECT['version']}.dist-info"
    metadata = wheel[f"{info}/METADATA"].decode()
    assert f"\nName: skyhook-webhook\nVersion: {PROJECT['version']}\n" in metadata
    assert "\nLicense-Expression: Apache-2.0\n" in metadata
    assert "\nRequires-Python: >=3.11\n" in metadata
    assert "skyhook-webhook = webhook.cli:main" in wheel[f"{info}/entry_points.txt"].decode()
    assert any(name.startswith(f"{info}/licenses/") for name in wheel)


def test_every_declared_dependency_is_imported_somewhere(wheel):
    names = {
        "PyYAML": "yaml",
        "ruamel.yaml": "ruamel.yaml",
        "prometheus-client": "prometheus_client",
        "pydantic-settings": "pydantic_settings",
    }
    source = b"\n".join(text for name, text in wheel.items() if name.endswith(".py"))
    for requirement in PROJECT["dependencies"]:
        package = re.match(r"[A-Za-z0-9._-]+", requirement)[0]
        module = names.get(package, package.replace("-", "_"))
        found = rf"^\s*(from|import) {re.escape(module)}\b|import_module, \"{re.escape(module)}\."
        assert re.search(found.encode(), source, re.MULTILINE), package


@pytest.mark.parametrize("archive", ["wheel", "sdist"])
def test_no_key_and_no_path_of_a_host_leaves_the_house(archive, request):
    held = request.getfixturevalue(archive)
    assert [name for name in held if SECRETS.search(name) and not name.startswith("tests/")] == []
    code = {n: text for n, text in held.items() if not n.startswith("tests/")}
    assert {n for n, text in code.items() for mark in MARKS if mark in text} == set()


def test_the_source_archive_can_be_tested(sdist):
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Dockerfile"} <= set(sdist)
    assert any(name.startswith("tests/recorded/") for name in sdist)
    assert not [name for name in sdist if name.startswith(("certs/dev", ".venv", ".git/", "dist/"))]


def test_the_installed_command_says_the_version():
    script = Path(sys.executable).with_name("skyhook-webhook")
    if not script.exists():
        pytest.skip("not installed here")
    done = subprocess.run([str(script), "--version"], capture_output=True, text=True, check=True)
    assert PROJECT["version"] in done.stdout
