"""A person who writes through skyhooks/status what only the operator may report: that a
package, a node, the Skyhook or Ready is done.

The object is the old one with the claim alone in it, as `kubectl edit --subresource=status`
sends it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.planted.status_conditions import TRANSITION, paths
from tests.planted.status_done import DRESSED, dress_complete
from tests.planted.variant import Expect, Kind, Planted, Site, Writer
from tests.planted.view import (
    Scope,
    View,
    at,
    both,
    condition,
    is_status,
    legal_entry,
    pair,
    set_pair,
    some,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

DONE: Final = ("config/complete", "post-interrupt/complete")


def claim(
    what: str,
    fields: tuple[tuple[str, ...], ...],
    write: Callable[[View], None],
    *,
    touched: tuple[tuple[str, ...], ...] = (),
) -> Any:
    """Throw the recorded write away and make one claim."""

    def plant(view: View) -> Planted:
        view.start_over()
        write(view)
        return Planted(what, fields, touched, base="oldObject")

    return plant


def package(view: View, rng: Random) -> Iterator[Site]:
    """P1: a package of a node is done."""
    known = [
        (node, key, pair(entry))
        for node, packages in view.field("nodeState", old=True).items()
        for key, entry in (packages or {}).items()
        if legal_entry(key, entry) and pair(entry) not in DONE
    ]
    for node, key, old in some(rng, known, 2):
        done = rng.choice(DONE)

        def write(view: View, node: str = node, key: str = key, done: str = done) -> None:
            set_pair(view.entry(node, key), done)

        fields = (at("nodeState", node, key),)
        yield Site(f"from-{old}", claim(f"{key} on {node} {old} -> {done}", fields, write))


def node_status(view: View, rng: Random) -> Iterator[Site]:
    """P2: a node is complete."""
    words = view.field("nodeStatus", old=True)
    late = [n for n, word in words.items() if is_status(word) and word != "complete"]
    for node in some(rng, late, 2):

        def write(view: View, node: str = node) -> None:
            view.status["nodeStatus"][node] = "complete"

        what = f"nodeStatus[{node}] {words[node]} -> complete"
        yield Site(f"from-{words[node]}", claim(what, (at("nodeStatus", node),), write))


def skyhook_status(view: View, rng: Random) -> Iterator[Site]:
    """P3: the Skyhook is complete."""
    del rng
    old = view.old_status.get("status")
    if is_status(old) and old != "complete":

        def write(view: View) -> None:
            view.status["status"] = "complete"

        yield Site(f"from-{old}", claim(f"status {old} -> complete", (at("status"),), write))


def ready(view: View, rng: Random) -> Iterator[Site]:
    """P4: Ready is True, with its own reason or with NodesConverged."""
    old = condition(view.old_status, "Ready")
    if old is None or old["status"] != "False":
        return
    reason = rng.choice((old["reason"], "NodesConverged"))

    def write(view: View) -> None:
        for c in both(view.status, "Ready"):
            c.update(status="True", reason=reason)
        transition = condition(view.status, TRANSITION)
        if transition is not None:
            transition["status"] = "True"

    touched = (*paths("Ready"), at("conditions", TRANSITION))
    yield Site(
        f"as-{reason}", claim(f"Ready -> True/{reason}", paths("Ready"), write, touched=touched)
    )


def everything(view: View, rng: Random) -> Iterator[Site]:
    """P5: all of it at once, in good order."""
    del rng
    old = view.old_status.get("status")
    if not is_status(old) or old == "complete" or view.deleting:
        return

    def write(view: View) -> None:
        dress_complete(view)
        for packages in view.field("nodeState").values():
            for entry in (packages or {}).values():
                set_pair(entry, DONE[0])
        if view.field("nodeStatus"):
            view.status["nodeStatus"] = dict.fromkeys(view.status["nodeStatus"], "complete")

    fields = (*DRESSED, at("nodeStatus"), at("nodeState"))
    yield Site("all-done", claim("everything is done", fields, write))


def in_disguise(view: View, rng: Random) -> Iterator[Site]:
    """P6: a claim inside the CLI's own shape, a reset of every batch to 1."""
    del rng
    batches = [
        (c.get("batchState") or {}).get("currentBatch", 1)
        for c in view.field("compartmentStatuses", old=True).values()
    ]
    old = view.old_status.get("status")
    if max(batches, default=1) < 2 or not is_status(old) or old == "complete":
        return

    def reset(view: View) -> None:
        for compartment in view.status["compartmentStatuses"].values():
            compartment.setdefault("batchState", {})["currentBatch"] = 1

    def complete(view: View) -> None:
        reset(view)
        view.status["status"] = "complete"

    def converged(view: View) -> None:
        reset(view)
        for c in both(view.status, "Ready"):
            c.update(status="True", reason="NodesConverged")

    shape = at("compartmentStatuses")
    yield Site(
        "status", claim("batch reset", (at("status"),), complete, touched=(at("status"), shape))
    )
    if any(c["status"] == "False" for c in both(view.old_status, "Ready")):
        touched = (*paths("Ready"), shape)
        yield Site("ready", claim("batch reset", paths("Ready"), converged, touched=touched))


def by_a_person(number: int, sites: Any) -> Kind:
    """A claim, always denied."""
    return Kind(number, (Scope.STATUS,), sites, Expect.DENY, writers=(Writer.PERSON,))


KINDS: Final = tuple(
    by_a_person(number, sites)
    for number, sites in enumerate(
        (package, node_status, skyhook_status, ready, everything, in_disguise), start=1
    )
)
