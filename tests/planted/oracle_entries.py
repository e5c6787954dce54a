"""Which kinds of list L a package entry is of, wherever it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.planted.words import STAGES, STATES

if TYPE_CHECKING:
    from collections.abc import Iterator


def entry_kinds(key: str, old: dict[str, Any] | None, new: dict[str, Any]) -> Iterator[int]:
    """Kinds 16 to 19 and 22: values that the entry did not have before."""
    name, _, version = key.partition("|")
    stage, state = new.get("stage"), new.get("state")
    before = old or {}
    if state != before.get("state") and (state == "unknown" or state not in STATES):
        yield 16
    if stage != before.get("stage") and stage not in STAGES:
        yield 17
    if (stage, state) != (before.get("stage"), before.get("state")) and (
        state == "skipped" and stage != "interrupt"
    ):
        yield 17
    if new.get("name") != name and new.get("name") != before.get("name"):
        yield 18
    changed = new.get("version") != before.get("version")
    if changed and new.get("version") != version and (stage, state) != ("interrupt", "complete"):
        yield 19
    if new.get("restarts", 0) < min(0, before.get("restarts", 0)):
        yield 22
