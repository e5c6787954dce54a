"""Arrows point down, each third-party library has one home, and every module imports alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "webhook"

BELOW: dict[str, set[str]] = {
    "core": set(),
    "models": {"core"},
    "lifecycle": {"core", "models"},
    "documents": set(),
    "certs": set(),
    "gitting": set(),
    "migrating": {"documents"},
    "recording": set(),
    "checks": {"core", "lifecycle"},
    "specs": {"core", "lifecycle", "checks"},
    "schema": {"core", "documents"},
    "conversions": {"core"},
    "mutations": {"core"},
    "catalog": {"core", "lifecycle", "checks", "specs", "documents", "conversions", "mutations"},
    "reviews": {"core", "lifecycle", "catalog", "conversions", "mutations"},
    "settings": {"core", "models", "reviews", "conversions", "mutations"},
    "metrics": {"core", "reviews"},
    "profile_files": {"lifecycle", "documents"},
    "building": {
        "core",
        "lifecycle",
        "catalog",
        "reviews",
        "settings",
        "documents",
        "profile_files",
    },
    "replaying": {
        "core",
        "lifecycle",
        "catalog",
        "conversions",
        "reviews",
        "settings",
        "building",
        "documents",
    },
    "reporting": {"replaying"},
    "drawing": {"core", "lifecycle", "catalog", "reviews"},
    "manifests": {
        "core",
        "lifecycle",
        "catalog",
        "settings",
        "documents",
        "conversions",
        "building",
        "profile_files",
    },
    "doctor": {
        "core",
        "lifecycle",
        "reviews",
        "catalog",
        "settings",
        "documents",
        "conversions",
        "building",
        "certs",
        "manifests",
    },
    "server": {
        "core",
        "reviews",
        "settings",
        "metrics",
        "certs",
        "building",
        "documents",
        "catalog",
        "recording",
        "profile_files",
    },
}
"""What each part may import besides itself; `cli` may import everything."""

HOMES: dict[str, set[str]] = {
    "aiohttp": {"server"},
    "click": {"cli"},
    "rich": {"cli"},
    "ruamel": {"cli"},
    "cryptography": {"certs"},
    "kubernetes": {"certs"},
    "yaml": {"documents"},
    "jsonpatch": {"mutations"},
    "jsonpointer": {"mutations"},
    "prometheus_client": {"metrics"},
    "pydantic": {"lifecycle", "models", "settings"},
    "pydantic_settings": {"settings"},
    "msgspec": {
        "core",
        "lifecycle",
        "models",
        "settings",
        "reviews",
        "conversions",
        "mutations",
        "cli",
        "server",
        "documents",
        "replaying",
        "recording",
        "reporting",
    },
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def arrows(path: Path) -> set[str]:
    ours = (name.split(".") for name in imports(path) if name.startswith("webhook."))
    return {
        parts[1]
        for parts in ours
        if (PACKAGE / parts[1]).is_dir() or (PACKAGE / f"{parts[1]}.py").exists()
    }


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_arrows_point_down(path: Path) -> None:
    here = part(path)
    if here in ("cli", "__main__", "__init__"):
        return
    assert here in BELOW, f"say in tests/test_layers.py where {here} stands"
    wrong = arrows(path) - BELOW[here] - {here}
    assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}"


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_each_library_has_one_home(path: Path) -> None:
    for name in imports(path):
        library = name.split(".")[0]
        homes = HOMES.get(library)
        if homes is None:
            assert library in sys.stdlib_module_names or library in ("webhook", ""), (
                f"{path.relative_to(ROOT)} imports {library}, which has no home"
            )
        else:
            assert part(path) in homes, f"{path.relative_to(ROOT)}: {library} lives in {homes}"


def test_a_planted_wrong_arrow_is_seen(tmp_path: Path) -> None:
    planted = tmp_path / "core.py"
    planted.write_text("from webhook.server.app import review_app\nimport yaml\n")
    assert arrows(planted) == {"server"}
    assert "yaml" in imports(planted)


def test_validate_never_loads_the_server_or_the_cluster() -> None:
    code = (
        "import sys, webhook.cli.validate, webhook.settings;"
        "bad = {'aiohttp', 'kubernetes', 'cryptography'} & set(sys.modules); assert not bad, bad"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_every_module_imports_alone() -> None:
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in modules()
        if path.name != "__main__.py"
    ]
    code = (
        "import sys, importlib\n"
        "for name in sys.argv[1:]:\n"
        "    for loaded in [m for m in sys.modules if m.split('.')[0] == 'webhook']:\n"
        "        del sys.modules[loaded]\n"
        "    importlib.import_module(name)\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code, *names], check=True, cwd=ROOT)
