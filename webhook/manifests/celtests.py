"""The tests of a profile (``when``, ``need``, ``unless``) as CEL conditions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from webhook.manifests.cel import NEW, OLD, UnseenError, both, either, literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webhook.lifecycle.model import Test
    from webhook.manifests.cel import Bound, Cel

_BEYOND_RE2: Final = re.compile(r"\(\?[=!<]|\\[1-9]")
_EMPTY: Final = ("null", "{}", "[]", '""', "0", "false")
KNOWN_BEFORE: Final = "oldObject != null"


def all_of(cel: Cel, atoms: Sequence[Test], bound: Bound, new: str = NEW, old: str = OLD) -> str:
    """That all of the tests hold. Raises UnseenError."""
    return both(*(part for atom in atoms for part in _parts(cel, atom, bound, new, old)))


def any_of(cel: Cel, lists: Sequence[Sequence[Test]], bound: Bound) -> str:
    """That all tests of one of the lists hold. Raises UnseenError."""
    return either(*(all_of(cel, atoms, bound) for atoms in lists))


def speaks_of_change(atoms: Sequence[Test]) -> bool:
    """Whether the tests can hold only of a step: then nothing that stood before has the defect."""
    return any(atom.became is not None or atom.changed for atom in atoms)


def _parts(cel: Cel, atom: Test, bound: Bound, new: str, old: str) -> list[str]:
    if atom.predicate is not None or atom.path is None:
        raise UnseenError(f"the condition {atom.predicate} is code")
    now, was = cel.value(atom.path, new, bound), cel.value(atom.path, old, bound)
    return [*_now(cel, atom, now, bound, new), *_then(atom, now, was)]


def _now(cel: Cel, atom: Test, now: str, bound: Bound, new: str) -> list[str]:
    parts = []
    if atom.one_of is not None:
        parts.append(f"{now} in {literal(atom.one_of)}")
    if atom.not_in is not None:
        parts.append(f"!({now} in {literal(atom.not_in)})")
    if atom.present is not None:
        parts.append(f"{now} {'!=' if atom.present else '=='} null")
    if atom.reads is not None:
        parts.append(f"{now} == {bound.filled(atom.reads)}")
    if atom.matches is not None:
        parts.append(_matches(now, atom.matches))
    if atom.every is not None:
        parts.append(f"{now} == null || {now}.all(k, {now}[k] in {literal(atom.every)})")
    if atom.empty is not None:
        empty = either(*(f"{now} == {nothing}" for nothing in _EMPTY))
        parts.append(empty if atom.empty else f"!({empty})")
    if atom.equals is not None:
        parts.append(f"{now} != null && {now} == {cel.value(atom.equals, new, bound)}")
    return parts


def _matches(now: str, pattern: str) -> str:
    if _BEYOND_RE2.search(pattern):
        raise UnseenError(f"the expression {pattern}, which RE2 does not know")
    return f"type({now}) == string && {now}.matches({literal(f'^(?:{pattern})$')})"


def _then(atom: Test, now: str, was: str) -> list[str]:
    parts = []
    if atom.was_present is not None:
        parts.append(f"{was} {'!=' if atom.was_present else '=='} null")
    if atom.was is not None:
        parts.append(f"{KNOWN_BEFORE} && {was} in {literal(atom.was)}")
    if atom.was_not is not None:
        parts.append(f"{KNOWN_BEFORE} && !({was} in {literal(atom.was_not)})")
    changed = f"{KNOWN_BEFORE} && {was} != {now}"
    if atom.changed is not None:
        parts.append(changed if atom.changed else f"!({changed})")
    if atom.became is not None:
        there = f"{now} != null"
        if atom.became != "any":
            there = f"{now} in {literal(atom.became)}"
        parts.append(both(changed, there))
    return parts
