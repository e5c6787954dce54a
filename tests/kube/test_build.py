"""How the control plane is found or built: settings, cache, lock. `go` is a script here: the real build takes minutes
and is what every test of the `cluster` fixture stands on."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.controlplane import build

GO = """#!/bin/sh
# records its call and "compiles": writes the file named after -o
echo "$@" >> "$GO_CALLS"
[ -n "$GO_FAILS" ] && { echo "undefined: kubernetes" >&2; exit 1; }
sleep "${GO_TAKES:-0}"
echo k8s.io/api >&2
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\n' > "$2"
chmod +x "$2"
"""


def program(folder: Path, name: str, text: str = "#!/bin/sh\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A machine with our `go` and a kubectl, and nothing built."""
    program(tmp_path / "bin", "go", GO)
    program(tmp_path / "bin", "kubectl")
    return {
        "PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin",
        "SKYHOOK_WEBHOOK_CONTROLPLANE_CACHE": str(tmp_path / "cache"),
        "GO_CALLS": str(tmp_path / "calls"),
    }


def calls(env: dict[str, str]) -> list[str]:
    path = Path(env["GO_CALLS"])
    return (
        [line.rpartition("/")[2] for line in path.read_text().splitlines()] if path.exists() else []
    )


def test_both_servers_are_built_once_and_found_afterwards(env: dict[str, str], tmp_path: Path):
    said: list[str] = []
    binaries = build.find_or_build(env, said.append)
    assert build.find_or_build(env, said.append) == binaries
    assert calls(env) == ["etcd", "kube-apiserver"]
    assert binaries.folder.parent == tmp_path / "cache"
    assert binaries.folder.name.startswith(f"{build.DEFAULT_VERSION}-")
    assert binaries.kubectl == tmp_path / "bin" / "kubectl"
    assert [line.split()[0] for line in said] == ["building", "built", "building", "built"]


def test_kubectl_is_built_only_where_the_machine_has_none(env: dict[str, str], tmp_path: Path):
    (tmp_path / "bin" / "kubectl").unlink()
    env["PATH"] = str(tmp_path / "bin")
    for tool in ("sh", "sleep", "chmod"):
        (tmp_path / "bin" / tool).symlink_to(f"/bin/{tool}")
    binaries = build.find_or_build(env, print)
    assert calls(env) == ["etcd", "kube-apiserver", "kubectl"]
    assert binaries.kubectl == binaries.folder / "kubectl"


def test_two_callers_at_once_build_once(env: dict[str, str]):
    command = [sys.executable, build.__file__]
    slow = {**env, "GO_TAKES": "0.5"}
    both = [
        subprocess.Popen(
            command, env=slow, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    outputs = [caller.communicate(timeout=30) for caller in both]
    assert [caller.returncode for caller in both] == [0, 0]
    assert calls(env) == ["etcd", "kube-apiserver"]
    assert outputs[0][0] == outputs[1][0]
    assert any("waiting for it" in stderr for _, stderr in outputs)


def test_what_was_built_before_an_interruption_is_kept(env: dict[str, str]):
    folder = build.find_or_build(env, print).folder
    (folder / "kube-apiserver").rename(folder / ".kube-apiserver.partial")
    build.find_or_build(env, print)
    assert calls(env) == ["etcd", "kube-apiserver", "kube-apiserver"]


def test_a_failed_build_says_why_and_leaves_nothing_that_looks_finished(env: dict[str, str]):
    with pytest.raises(build.ControlPlaneError, match="undefined: kubernetes"):
        build.find_or_build({**env, "GO_FAILS": "1"}, print)
    build.find_or_build(env, print)
    assert calls(env) == ["etcd", "etcd", "kube-apiserver"]


def test_without_go_and_cache_the_error_names_what_is_missing(env: dict[str, str], tmp_path: Path):
    (tmp_path / "bin" / "go").unlink()
    env["PATH"] = str(tmp_path / "bin")
    with pytest.raises(build.GoMissingError, match=r"no KUBEBUILDER_ASSETS, and no `go` on PATH"):
        build.find_or_build(env, print)


def test_kubebuilder_assets_are_used_as_they_are(env: dict[str, str], tmp_path: Path):
    assets = tmp_path / "assets"
    for name in ("kube-apiserver", "etcd", "kubectl"):
        program(assets, name)
    binaries = build.find_or_build({**env, "KUBEBUILDER_ASSETS": str(assets)}, print)
    assert (binaries.folder, binaries.kubectl) == (assets, assets / "kubectl")
    assert calls(env) == []


def test_incomplete_kubebuilder_assets_are_an_error_not_a_build(
    env: dict[str, str], tmp_path: Path
):
    program(tmp_path / "assets", "etcd")
    with pytest.raises(build.ControlPlaneError, match="lacks kube-apiserver"):
        build.find_or_build({**env, "KUBEBUILDER_ASSETS": str(tmp_path / "assets")}, print)


def test_the_version_is_chosen_by_environment_and_must_be_known(env: dict[str, str]):
    env["SKYHOOK_WEBHOOK_CONTROLPLANE_VERSION"] = "1.36.3"
    assert build.find_or_build(env, print).folder.name.startswith("1.36.3-")
    assert "-modfile=go-1.36.3.mod" in Path(env["GO_CALLS"]).read_text()
    env["SKYHOOK_WEBHOOK_CONTROLPLANE_VERSION"] = "1.12.0"
    with pytest.raises(build.ControlPlaneError, match=r"not one of 1\.34\.4, 1\.36\.3"):
        build.find_or_build(env, print)


@pytest.mark.parametrize("version", build.MODULE_FILES)
def test_each_module_file_takes_every_staging_module_at_the_same_release(version: str):
    text = (build.SOURCES / build.MODULE_FILES[version]).read_text()
    assert re.search(rf"^\tk8s\.io/kubernetes v{re.escape(version)}$", text, re.MULTILINE)
    replaced = re.findall(r"^\t(k8s\.io/\S+) => (k8s\.io/\S+) (v\S+)$", text, re.MULTILINE)
    assert len(replaced) >= 31
    assert {(new, at) for _, new, at in replaced} == {
        (old, f"v0.{version.removeprefix('1.')}") for old, _, _ in replaced
    }
