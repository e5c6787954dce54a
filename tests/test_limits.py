"""The bounds that docs/limits.md names are those of the code."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "limits.md").read_text()
ROWS = re.findall(r"^\| ([^|]+) \| (\d+) \| `([\w.]+):([\w.]+)` \|$", PAGE, re.MULTILINE)


def bound(module: str, name: str) -> Any:
    """A constant, or the default of a setting."""
    owner, _, field = name.partition(".")
    found = getattr(import_module(module), owner)
    return getattr(found(), field) if field else found


@pytest.mark.parametrize(("what", "value", "module", "name"), ROWS, ids=[r[3] for r in ROWS])
def test_a_bound_is_as_the_page_says(what: str, value: str, module: str, name: str) -> None:
    assert bound(module, name) == int(value), what


def test_the_page_names_bounds() -> None:
    assert len(ROWS) >= 25
