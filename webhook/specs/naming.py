"""The name of a Skyhook: it becomes part of keys on Nodes, which have limits and neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.checks.parameters import known, part, word, words
from webhook.core.finding import CauseType
from webhook.core.labels import LONGEST_NAME
from webhook.core.release import parse_release, within
from webhook.lifecycle.rule import Mark, show
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

    def judge(run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        name = new.value if new is not None else None
        if not isinstance(name, str):
            return
        used = (
            key
            for key, since in keys.items()
            if key.endswith("_") and within(run.release, f">={since}")
        )
        longest = max(used, key=len, default="")
        room = LONGEST_NAME - len(longest)
        if len(name) > room:
            yield Mark(
                trail.field,
                f"{show(name)} has {len(name)} characters, and {prefix}/{longest}NAME on Nodes has room"
                f" for {room}: the API server refuses the key, and nothing is rolled out; choose a shorter name",
                type=CauseType.INVALID,
            )

    return judge


def taint_collision(parameters: Mapping[str, Any]) -> CheckJudge:
    """The name is no taint's key: a deletion removes every key on Nodes that ends with it.

    Asked on ``metadata.name`` and ``spec.additionalTolerations``; taints of Nodes where they are known.

    Parameters: ``prefix``; ``taints``: keys that the operator itself sets.
    """
    known(parameters, "prefix", "taints")
    prefix, usual = word(parameters, "prefix"), words(parameters, "taints")

    def judge(run: Run, _old: View | None, _new: View | None, trail: Trail) -> Iterator[Mark]:
        root = run.new
        name = root.text("metadata", "name") if root is not None else None
        if root is None or not name:
            return
        keys = {*usual, *_tolerated(root), *_on_nodes(run)}
        taken = sorted(key for key in keys if key == name or key.endswith(f"_{name}"))
        if taken:
            yield Mark(
                trail.field,
                f"{show(name)} is the key of a taint ({taken[0]}): deleting this object also removes"
                f" {prefix}/autoTaint_{taken[0]} from Nodes; choose another name",
                type=CauseType.INVALID,
            )

    return fresh(judge)


def _tolerated(root: View) -> Iterator[str]:
    listed = root.at("spec", "additionalTolerations")
    for one in (listed.items or ()) if listed is not None else ():
        if (key := one.text("key")) is not None:
            yield key


def _on_nodes(run: Run) -> Iterator[str]:
    for node in run.evidence.every() or ():
        taints = node.at("spec", "taints")
        for taint in (taints.items or ()) if taints is not None else ():
            if (key := taint.text("key")) is not None:
                yield key
