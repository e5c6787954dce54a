"""The name of a Skyhook: it becomes part of keys on Nodes, which have limits and neighbours."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from webhook.checks.parameters import known, part, word, words
from webhook.core.finding import CauseType
from webhook.core.labels import LONGEST_NAME
from webhook.core.release import parse_release, within
from webhook.core.view import UNREADABLE
from webhook.lifecycle.rule import Mark, show
from webhook.lifecycle.swift import Swift, once
from webhook.specs.beyond import fresh

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run


def name_length(parameters: Mapping[str, Any]) -> CheckJudge:
    """The name fits into every key that the operator makes of it. Asked on ``metadata.name``.

    Parameters: ``prefix``; ``keys``: key up to the name -> release that first writes it.
    """
    known(parameters, "prefix", "keys")
    prefix, keys = word(parameters, "prefix"), part(parameters, "keys")
    for since in keys.values():
        parse_release(since)

    @cache
    def longest_key(release: str) -> str:
        ours = (key for key in keys if key.endswith("_"))
        return max((k for k in ours if within(release, f">={keys[k]}")), key=len, default="")

    def clean(run: Run, new: Any, _key: str) -> bool:
        fits = LONGEST_NAME - len(longest_key(run.release))
        return type(new) is not str or len(new) <= fits

    def judge(run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        name = new.value if new is not None else None
        longest = longest_key(run.release)
        room = LONGEST_NAME - len(longest)
        if isinstance(name, str) and len(name) > room:
            yield Mark(
                trail.field,
                f"{show(name)} has {len(name)} characters, and {prefix}/{longest}NAME on Nodes has room"
                f" for {room}: the API server refuses the key, and nothing is rolled out; choose a shorter name",
                type=CauseType.INVALID,
            )

    return Swift(judge, clean)


def taint_collision(parameters: Mapping[str, Any]) -> CheckJudge:
    """The name is no taint's key: a deletion removes every key on Nodes that ends with it.

    Asked on ``metadata.name`` and ``spec.additionalTolerations``; taints of Nodes where they are known.

    Parameters: ``prefix``; ``taints``: keys that the operator itself sets.
    """
    known(parameters, "prefix", "taints")
    prefix, usual = word(parameters, "prefix"), words(parameters, "taints")

    def taken(run: Run, name: str | None) -> list[str]:
        if not name:
            return []
        end = f"_{name}"
        keys = [*usual, *_tolerated(run.new), *_on_nodes(run)]
        found = [key for key in keys if key == name or key.endswith(end)]
        return sorted(set(found)) if found else found

    def judge(run: Run, _old: View | None, _new: View | None, trail: Trail) -> Iterator[Mark]:
        name = _name(run)
        if found := taken(run, name):
            yield Mark(
                trail.field,
                f"{show(name)} is the key of a taint ({found[0]}): deleting this object also removes"
                f" {prefix}/autoTaint_{found[0]} from Nodes; choose another name",
                type=CauseType.INVALID,
            )

    return Swift(fresh(judge), once(lambda run: not taken(run, _name(run))))


def _name(run: Run) -> str | None:
    return run.new.text("metadata", "name") if run.new is not None else None


def _tolerated(root: View | None) -> list[str]:
    """Read from the spec as a whole: it is new where this is asked, and so decoded once for all."""
    spec = root.child("spec") if root is not None else None
    value = spec.value if spec is not None else None
    if value is UNREADABLE and spec is not None:
        there = spec.child("additionalTolerations")
        listed = there.value if there is not None else None
    else:
        listed = value.get("additionalTolerations") if isinstance(value, dict) else None
    return _keys(listed)


def _keys(listed: Any) -> list[str]:
    if not isinstance(listed, list):
        return []
    keys = [one.get("key") for one in listed if isinstance(one, dict)]
    return [key for key in keys if isinstance(key, str)]


def _on_nodes(run: Run) -> list[str]:
    found: list[str] = []
    for node in run.evidence.every() or ():
        taints = node.at("spec", "taints")
        found += _keys(taints.value if taints is not None else None)
    return found
