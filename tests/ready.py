"""Our profiles, joined and checked: `python -m tests.ready` writes webhook/profiles/ready/.

tests/test_ready.py says so where that is not what the YAML says.
"""

from __future__ import annotations

from pathlib import Path

from webhook.catalog import MORE_PROFILES, PROFILES, READY, base, built
from webhook.lifecycle.prepared import Prepared, marks_of

NAMES = (*PROFILES, *MORE_PROFILES)


def prepared(name: str) -> Prepared:
    """A profile of ours from its YAML, with the marks of the files that it consists of."""
    files = [f"{name}.yaml"]
    body = base(name).get("body")
    files += [body] if body else []
    return Prepared(marks_of(READY.parent, files), built(name))


def main() -> None:
    READY.mkdir(exist_ok=True)
    for name in NAMES:
        Path(READY / f"{name}.json").write_bytes(prepared(name).text())


if __name__ == "__main__":
    main()
