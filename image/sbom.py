"""The image's bill of materials, CycloneDX 1.6 as JSON, made from `requirements.lock` alone.

    python image/sbom.py > sbom.cdx.json

The same lock gives the same bytes: no clock, no network, no random serial number.
"""  # noqa: INP001

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
LOCK: Final = HERE / "requirements.lock"
_ENTRY: Final = re.compile(
    r"^(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?P<hashes>(?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n"
    r"    # (?P<licence>.+); needed by (?P<parents>.+)\n",
    re.MULTILINE,
)
_SPDX: Final = re.compile(r"[A-Za-z0-9.+-]+(?: (?:AND|OR|WITH) [A-Za-z0-9.+-]+)*")
US: Final = "us"


@dataclass(frozen=True, slots=True)
class Pinned:
    """One requirement of a lock file."""

    name: str
    version: str
    hashes: tuple[str, ...]
    licence: str
    parents: tuple[str, ...]

    @property
    def purl(self) -> str:
        """Its package URL."""
        return f"pkg:pypi/{self.name}@{self.version}"


def pinned(text: str) -> list[Pinned]:
    """The requirements of a lock file. Raises ValueError when a line is of no entry."""
    found = [
        Pinned(
            match["name"],
            match["version"],
            tuple(re.findall(r"sha256:([0-9a-f]{64})", match["hashes"])),
            match["licence"],
            tuple(match["parents"].split(", ")),
        )
        for match in _ENTRY.finditer(text)
    ]
    rest = _ENTRY.sub("", text).splitlines()
    if strange := [line for line in rest if line and not line.startswith("#")]:
        raise ValueError(f"not of a lock file of ours: {strange[0]!r}")
    return found


def bill(text: str, name: str, version: str, licence: str) -> dict[str, Any]:
    """The document for a lock file's text and the project that it belongs to."""
    found = pinned(text)
    root = f"pkg:pypi/{name}@{version}"
    purls = {US: root, **{one.name: one.purl for one in found}}
    needs: dict[str, list[str]] = {purl: [] for purl in purls.values()}
    for one in found:
        for parent in one.parents:
            needs[purls[parent]].append(one.purl)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, root + text)}",
        "version": 1,
        "metadata": {
            "component": {
                **_component(name, version, root),
                "type": "application",
                "licenses": [_licence(licence)],
            }
        },
        "components": [
            {
                **_component(one.name, one.version, one.purl),
                "licenses": [_licence(one.licence)],
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in one.hashes],
            }
            for one in found
        ],
        "dependencies": [
            {"ref": ref, "dependsOn": sorted(on)} for ref, on in sorted(needs.items())
        ],
    }


def _component(name: str, version: str, purl: str) -> dict[str, Any]:
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}


def _licence(text: str) -> dict[str, Any]:
    """An SPDX expression where it is one; else a name in words."""
    return {"expression": text} if _SPDX.fullmatch(text) else {"license": {"name": text}}


def main() -> None:
    """Prints the bill."""
    project = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]
    document = bill(LOCK.read_text(), project["name"], project["version"], project["license"])
    sys.stdout.write(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
