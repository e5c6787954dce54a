"""Kinds 33 to 39 and the Skyhook half of 40 of list M: odd counters, and odd Skyhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.planted.odd_edges import PERSON, as_recorded
from tests.planted.variant import Planted, Site, Writer
from tests.planted.view import (
    MIRRORED,
    PREFIX,
    Scope,
    View,
    at,
    both,
    some,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random


from tests.planted.odd_status import OPERATOR, POLICY, edit, legal, steady, word


def batches(view: View, *, old: bool = False) -> dict[str, dict[str, Any]]:
    """batchState by compartment, where there is one."""
    found = view.field("compartmentStatuses", old=old)
    return {name: c["batchState"] for name, c in found.items() if c.get("batchState")}


def batch_reset(view: View, rng: Random) -> Iterator[Site]:
    """M33: currentBatch falls to 1, completedNodes stays: the CLI's merge patch."""
    del rng
    old, new = batches(view, old=True), batches(view)
    if any(
        old[n].get("currentBatch", 1) > 1 == new[n].get("currentBatch")
        and new[n].get("completedNodes")
        for n in old.keys() & new.keys()
    ):
        yield as_recorded()
    if view.by_operator and max((b.get("currentBatch", 1) for b in old.values()), default=1) > 1:
        touched = (at("compartmentStatuses"),)

        def reset(view: View) -> None:
            for c in view.field("compartmentStatuses").values():
                c.setdefault("batchState", {})["currentBatch"] = 1

        def by_cli(view: View) -> Planted:
            view.start_over()
            reset(view)
            return Planted("every currentBatch -> 1", (), touched, base="oldObject")

        yield Site("by-cli", by_cli, PERSON)
        yield Site("by-operator", edit("every currentBatch -> 1", touched, reset), OPERATOR)


def counted_twice(view: View, rng: Random) -> Iterator[Site]:
    """M34: a node counted as complete and in progress; all compartments gone."""
    new = view.field("compartmentStatuses")
    if any(c["inProgress"] + c["completed"] > c["matched"] for c in new.values()):
        yield as_recorded("recorded-twice")
    if view.field("compartmentStatuses", old=True) and not new:
        yield as_recorded("recorded-gone")
    for name in some(rng, [n for n, c in new.items() if c["matched"] > 0], 1):
        if view.by_operator:

            def twice(view: View, name: str = name) -> None:
                c = view.status["compartmentStatuses"][name]
                c.update(inProgress=c["matched"], completed=c["matched"], progressPercent=100)

            touched = (at("compartmentStatuses", name),)
            yield Site("twice", edit(f"{name} counted twice", touched, twice), OPERATOR)


def policy_emptied(view: View, rng: Random) -> Iterator[Site]:
    """M35: DeploymentPolicyNotFound though no policy is named any more, status blocked."""
    del rng
    spec = view.object.get("spec", {})
    if not both(view.status, POLICY) or word(view) != "blocked":
        return
    if not spec.get("deploymentPolicy"):
        yield as_recorded()
    elif view.by_operator:

        def empty(view: View) -> None:
            for side in (view.object, view.old):
                side["spec"].pop("deploymentPolicy", None)

        touched = (("spec", "deploymentPolicy"),)
        yield Site("emptied", edit("no policy named, before and after", touched, empty), OPERATOR)


def generation_lags(view: View, rng: Random) -> Iterator[Site]:
    """M36: observedGeneration behind while complete; one more than generation on deletion."""
    seen = view.status.get("observedGeneration", 0)
    if word(view) == "complete" and 0 < seen < view.generation:
        yield as_recorded("recorded-behind")
    if view.deleting and seen != view.old_status.get("observedGeneration", 0):
        yield as_recorded("recorded-deleting")
    if steady(view) and seen:
        more = rng.choice((1, 4, 100))

        def ahead(view: View) -> None:
            for side in (view.object, view.old):
                side["metadata"]["generation"] += more

        yield Site("behind", edit(f"{more} behind", (("metadata", "generation"),), ahead), OPERATOR)
    if view.deleting and view.by_operator and view.old_status.get("observedGeneration", 0):

        def one_more(view: View) -> None:
            view.status["observedGeneration"] = view.old_status["observedGeneration"] + 1

        touched = (at("observedGeneration"),)
        yield Site("deleting", edit("+1 on deletion", touched, one_more), OPERATOR)


def priorities(view: View, rng: Random) -> Iterator[Site]:
    """M37: order reset by the CLI; several nodes done at once; a boot id that changes or is empty."""
    old, new = view.field("nodePriority", old=True), view.field("nodePriority")
    fell = view.status.get("nodeOrderOffset", 0) < view.old_status.get("nodeOrderOffset", 0)
    if (fell and not new) or len(old.keys() - new.keys()) > 2:
        yield as_recorded()
    if not view.by_operator:
        return
    if old:
        yield Site("cli-reset", _order_reset, PERSON)
    if len(new) > 1 and old.keys() >= new.keys():
        gone = some(rng, sorted(new), rng.randint(1, len(new)))
        yield Site("several-done", _done_at_once(gone), OPERATOR)
    for node in some(rng, view.field("nodeBootIds"), 1):
        other = rng.choice(("", "11111111-2222-4333-8444-555555555555"))

        def boot(view: View, node: str = node, other: str = other) -> None:
            view.status["nodeBootIds"][node] = other

        touched = (at("nodeBootIds", node),)
        yield Site("boot-id", edit(f"boot id of {node} -> {other!r}", touched, boot), OPERATOR)


def _order_reset(view: View) -> Planted:
    view.start_over()
    view.status["nodeOrderOffset"] = 0
    del view.status["nodePriority"]
    touched = (at("nodeOrderOffset"), at("nodePriority"))
    return Planted("offset 0, priorities gone", (), touched, base="oldObject")


def _done_at_once(gone: list[str]) -> Any:
    def write(view: View) -> None:
        left = {n: t for n, t in view.status["nodePriority"].items() if n not in gone}
        removed = len(view.field("nodePriority", old=True).keys() - left.keys())
        view.status["nodePriority"] = left
        view.status["nodeOrderOffset"] = view.old_status.get("nodeOrderOffset", 0) + removed

    return edit(f"{len(gone)} left the order", (at("nodePriority"), at("nodeOrderOffset")), write)


def early_or_old(view: View, rng: Random) -> Iterator[Site]:
    """M38: no status.status yet; legacy conditions only; the first conditions."""
    del rng
    types = {c["type"] for c in view.status.get("conditions") or []}
    if view.status and "status" not in view.status:
        yield as_recorded("recorded-no-status")
    if types and not view.old_status.get("conditions"):
        yield as_recorded("recorded-first")
    if view.by_operator and {PREFIX + "Ready", "Ready"} <= types:
        yield Site("legacy-only", _legacy_only, OPERATOR)


def _legacy_only(view: View) -> Planted:
    for status in (view.status, view.old_status):
        kept = [c for c in status.get("conditions") or [] if c["type"] not in MIRRORED]
        if "conditions" in status:
            status["conditions"] = kept
    return Planted(
        "no bare types, before and after", (), tuple(at("conditions", t) for t in MIRRORED)
    )


def no_change(view: View, rng: Random) -> Iterator[Site]:
    """M39: the same status again; the operator's PUT that adds its finalizer."""
    del rng
    if view.scope is Scope.STATUS and view.status == view.old_status:
        yield as_recorded("recorded-same")
    added = "finalizers" in view.object["metadata"] and "finalizers" not in view.old["metadata"]
    if view.scope is Scope.SKYHOOK and added:
        yield as_recorded("recorded-finalizer")


def switches(view: View, rng: Random) -> Iterator[Site]:
    """M40: disabled though complete; pause and disable that are not "true"."""
    notes = view.annotations
    if notes.get(f"{PREFIX}disable") == "true" and word(view) == "complete":
        yield as_recorded("recorded-disabled")
    if view.scope is Scope.SKYHOOK and not view.deleting:
        key = PREFIX + rng.choice(("pause", "disable"))
        value = rng.choice(("false", "False", "0", "no", ""))

        def off(view: View) -> None:
            view.annotations[key] = value

        touched = (("metadata", "annotations", key), ("metadata", "annotations"))
        yield Site("off", edit(f"{key} = {value!r}", touched, off), (Writer.RECORDED,))


KINDS: Final = (
    legal(33, batch_reset),
    legal(34, counted_twice),
    legal(35, policy_emptied),
    legal(36, generation_lags),
    legal(37, priorities),
    legal(38, early_or_old),
    legal(39, no_change, Scope.STATUS, Scope.SKYHOOK),
    legal(40, switches, Scope.STATUS, Scope.SKYHOOK),
)
