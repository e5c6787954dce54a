"""Kinds 1 to 10 of list M: statuses and copies that look wrong and are real."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.planted.odd_edges import as_recorded
from tests.planted.status_conditions import TRANSITION, paths
from tests.planted.variant import Expect, Kind, Planted, Site, Writer
from tests.planted.view import (
    PREFIX,
    Scope,
    View,
    at,
    both,
    condition,
    pair,
    set_pair,
    some,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

    from tests.planted.variant import Path

OPERATOR: Final = (Writer.OPERATOR,)
STEADY: Final = (at("status"), at("nodeStatus"), *paths("Ready"), at("conditions", TRANSITION))
POLICY: Final = "DeploymentPolicyNotFound"


def word(view: View) -> Any:
    """The new status.status."""
    return view.status.get("status")


def ready(view: View) -> tuple[str, str] | None:
    """Status and reason of the new bare Ready."""
    c = condition(view.status, "Ready")
    return (c["status"], c["reason"]) if c else None


def steady(view: View) -> bool:
    """Complete before and after, converged, written by the operator, not deleting."""
    words = {view.old_status.get("status"), word(view)}
    done = set(view.field("nodeStatus").values()) == {"complete"}
    converged = ready(view) == ("True", "NodesConverged") and len(both(view.status, "Ready")) == 2
    same = condition(view.old_status, "Ready") == condition(view.status, "Ready")
    return (
        view.by_operator
        and words == {"complete"}
        and done
        and converged
        and same
        and not view.deleting
    )


def say(view: View, ready_status: str, reason: str, transition: str) -> None:
    """Set Ready, its twin and Transition."""
    for c in both(view.status, "Ready"):
        c.update(status=ready_status, reason=reason)
    moved = condition(view.status, TRANSITION)
    if moved is not None:
        moved.update(status=ready_status, reason=transition)


def edit(what: str, touched: tuple[Path, ...], write: Callable[[View], None]) -> Any:
    """A planting that always succeeds."""

    def plant(view: View) -> Planted:
        write(view)
        return Planted(what, (), touched)

    return plant


def when(test: Callable[[View], bool]) -> Callable[[View, Random], Iterator[Site]]:
    """Reviews that are of the kind as recorded."""

    def sites(view: View, rng: Random) -> Iterator[Site]:
        del rng
        if test(view):
            yield as_recorded()

    return sites


def still_progressing(view: View) -> bool:
    """M1: Ready True/Progressing while in_progress."""
    return ready(view) == ("True", "Progressing") and word(view) == "in_progress"


def ready_but_held(view: View, rng: Random) -> Iterator[Site]:
    """M2: a finished Skyhook that is paused, or whose policy is missing."""
    del rng
    if (ready(view), word(view)) in {
        (("True", "Paused"), "paused"),
        (("True", "Blocked"), "blocked"),
    }:
        yield as_recorded()
    if not steady(view):
        return

    def pause(view: View) -> None:
        view.status["status"] = "paused"
        view.status["nodeStatus"] = dict.fromkeys(view.status["nodeStatus"], "paused")
        say(view, "True", "Paused", "paused")

    def block(view: View) -> None:
        view.status["status"] = "blocked"
        say(view, "True", "Blocked", "blocked")
        view.status.pop("compartmentStatuses", None)
        if not both(view.status, POLICY):
            view.status["conditions"] += [_policy_gone(t, view) for t in (POLICY, PREFIX + POLICY)]

    yield Site("paused", edit("complete -> paused", STEADY, pause), OPERATOR)
    touched = (*STEADY, at("compartmentStatuses"), *paths(POLICY))
    yield Site("blocked", edit("policy missing", touched, block), OPERATOR)


def _policy_gone(type_: str, view: View) -> dict[str, Any]:
    return {
        "type": type_,
        "status": "True",
        "reason": POLICY,
        "message": 'DeploymentPolicy "ghost" not found',
        "lastTransitionTime": "2026-11-29T16:00:00Z",
        "observedGeneration": view.generation,
    }


def not_ready_any_more(view: View, rng: Random) -> Iterator[Site]:
    """M3: Ready False/NodesConverged while still complete, right after a spec edit."""
    del rng
    if ready(view) == ("False", "NodesConverged") and word(view) == "complete":
        yield as_recorded()
    if steady(view):

        def turn(view: View) -> None:
            say(view, "False", "NodesConverged", "complete")

        yield Site("planted", edit("Ready False, complete", STEADY, turn), OPERATOR)


def counts_lag(view: View, rng: Random) -> Iterator[Site]:
    """M4: complete with completeNodes behind."""
    done, _, total = str(view.status.get("completeNodes", "")).partition("/")
    if word(view) != "complete" or not total.isdecimal():
        return
    if int(done) < int(total):
        yield as_recorded()
    elif int(total) > 0 and view.by_operator:
        behind = f"{rng.randrange(int(total))}/{total}"

        def lag(view: View) -> None:
            view.status.update(completeNodes=behind, nodesInProgress=0)

        touched = (at("completeNodes"), at("nodesInProgress"))
        yield Site("planted", edit(f"complete, {behind}", touched, lag), OPERATOR)


def all_waiting(view: View) -> bool:
    """M5: unknown with every node waiting."""
    return word(view) == "unknown" and set(view.field("nodeStatus").values()) == {"waiting"}


def back_to_start(view: View) -> bool:
    """M6: complete -> unknown -> waiting, same generation."""
    change = view.old_status.get("status"), word(view)
    same = view.old["metadata"].get("generation") == view.generation
    return same and change in {("complete", "unknown"), ("unknown", "waiting")}


def config_update(view: View, rng: Random) -> Iterator[Site]:
    """M7: complete while nodes are in_progress: the save of a config update."""
    if word(view) == "complete" and "in_progress" in view.field("nodeStatus").values():
        yield as_recorded()
    if not steady(view) or view.field("configUpdates"):
        return
    keys = sorted({k for _, k in view.entries if pair_in(view, k, DONE)})
    for key in some(rng, keys, 1):

        def update(view: View, key: str = key) -> None:
            for packages in view.field("nodeState").values():
                if key in (packages or {}):
                    set_pair(packages[key], "config/in_progress")
            view.status["nodeStatus"] = dict.fromkeys(view.status["nodeStatus"], "in_progress")
            view.status["configUpdates"] = {key.partition("|")[0]: ["game.properties"]}

        touched = (at("nodeState"), at("nodeStatus"), at("configUpdates"))
        yield Site("planted", edit(f"config update of {key}", touched, update), OPERATOR)


DONE: Final = ("config/complete", "post-interrupt/complete")


def pair_in(view: View, key: str, pairs: tuple[str, ...]) -> bool:
    """Whether a package is at one of the pairs on every node that has it, before and after."""
    maps = [*view.field("nodeState").values(), *view.field("nodeState", old=True).values()]
    return all(pair(packages[key]) in pairs for packages in maps if key in (packages or {}))


def waits_again(view: View, rng: Random) -> Iterator[Site]:
    """M8: nodeStatus complete -> waiting, same generation."""
    old = view.field("nodeStatus", old=True)
    same = view.old["metadata"].get("generation") == view.generation
    done = [n for n in view.field("nodeStatus") if old.get(n) == "complete"]
    if same and any(view.field("nodeStatus")[n] == "waiting" for n in done):
        yield as_recorded()
    elif (
        view.by_operator
        and word(view) not in {"complete", None}
        and ready(view) != ("True", "NodesConverged")
    ):
        for node in some(rng, done, 1):

            def wait(view: View, node: str = node) -> None:
                view.status["nodeStatus"][node] = "waiting"

            touched = (at("nodeStatus", node),)
            yield Site("planted", edit(f"{node} complete -> waiting", touched, wait), OPERATOR)


def skips(*pairs: tuple[str, str]) -> Callable[[View, Random], Iterator[Site]]:
    """Steps of the copy over what only the Node went through."""

    def sites(view: View, rng: Random) -> Iterator[Site]:
        found = [
            (n, k, pair(view.old_entry(n, k)), pair(view.entry(n, k))) for n, k in view.entries
        ]
        if any((old, new) in pairs for _, _, old, new in found):
            yield as_recorded()
        if not view.by_operator or word(view) in {"complete", None}:
            return
        for node, key, old, _ in some(rng, found, 6):
            for end in [end for start, end in pairs if start == old]:
                yield Site(f"{old}-{end}", _skip(node, key, old, end), OPERATOR)

    return sites


def _skip(node: str, key: str, old: str, new: str) -> Any:
    def write(view: View) -> None:
        set_pair(view.entry(node, key), new)

    return edit(f"{key} on {node} {old} -> {new}", (at("nodeState", node, key),), write)


def legal(number: int, sites: Any, *scopes: Scope) -> Kind:
    """A kind that is allowed as it is written."""
    return Kind(number, scopes or (Scope.STATUS,), sites, Expect.ALLOW, every_writer=True)


KINDS: Final = (
    legal(1, when(still_progressing)),
    legal(2, ready_but_held),
    legal(3, not_ready_any_more),
    legal(4, counts_lag),
    legal(5, when(all_waiting)),
    legal(6, when(back_to_start)),
    legal(7, config_update),
    legal(8, waits_again),
    legal(9, skips(("config/complete", "post-interrupt/in_progress"))),
    legal(
        10,
        skips(
            ("apply/in_progress", "config/in_progress"),
            ("interrupt/skipped", "post-interrupt/in_progress"),
        ),
    ),
)
