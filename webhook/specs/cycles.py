"""Dependencies that go round in a circle: upstream takes them, and no package of them ever starts."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from webhook.core.finding import CauseType
from webhook.lifecycle.rule import Mark, listed
from webhook.lifecycle.swift import Swift
from webhook.specs.beyond import fresh

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_MOST: Final = 20
"""So many circles of one spec are told."""
_SHOWN: Final = 6


def dependency_cycles(_parameters: Mapping[str, Any]) -> CheckJudge:
    """No package waits for itself, directly or through others. Asked on ``spec.packages``.

    graph/dependency_graph.go Valid looks for missing packages only (transitions.md G).
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        graph = {} if new is None else _graph(new)
        if not any(graph.values()):
            return
        for cycle in _cycles(graph):
            place = trail.field.key(cycle[0]).child("dependsOn").key(cycle[1 % len(cycle)])
            if len(cycle) == 1:
                yield Mark(
                    place,
                    "the package depends on itself, so it never starts; remove this dependency",
                    type=CauseType.INVALID,
                )
                continue
            round_trip = listed([*cycle, cycle[0]], _SHOWN).replace(", ", " -> ")
            yield Mark(
                place,
                f"{round_trip}: each waits for the next one, so none of them ever starts;"
                " remove one of these dependencies",
                type=CauseType.INVALID,
            )

    return Swift(fresh(judge), _no_cycle)


def _no_cycle(_run: Run, new: Any, _key: str) -> bool:
    if type(new) is not dict:
        return False
    waiting = {}
    for key, package in new.items():
        if type(package) is not dict:
            return False
        wanted = package.get("dependsOn")
        if wanted is not None:
            waiting[key] = wanted
            if type(wanted) is not dict:
                return False
    if not waiting:
        return True
    graph = {key: [name for name in waiting.get(key, ()) if name in new] for key in new}
    return next(_cycles(graph), None) is None


def _graph(packages: View) -> dict[str, list[str]]:
    """Package -> the packages of this spec that it waits for, in order."""
    graph = {}
    for key in sorted(packages.members):
        wanted = packages.at(key, "dependsOn")
        names = () if wanted is None else wanted.members
        graph[key] = sorted(name for name in names if name in packages.members)
    return graph


def _cycles(graph: dict[str, list[str]]) -> Iterator[list[str]]:
    """Circles without a package in common, each from its first package on."""
    waiting: dict[str, list[str]] = defaultdict(list)
    for key, names in graph.items():
        for name in names:
            waiting[name].append(key)
    left = {key: len(names) for key, names in graph.items()}
    _finish([key for key, count in left.items() if not count], left, waiting)
    for _ in range(_MOST):
        start = next(iter(left), None)
        if start is None:
            return
        cycle = _walk(start, graph, left)
        first = cycle.index(min(cycle))
        yield cycle[first:] + cycle[:first]
        _finish(cycle, left, waiting)


def _walk(start: str, graph: Mapping[str, list[str]], left: Mapping[str, int]) -> list[str]:
    """From a package that waits for ever along what it waits for, until one comes again."""
    path: dict[str, None] = {}
    here = start
    while here not in path:
        path[here] = None
        here = next(name for name in graph[here] if name in left)
    steps = list(path)
    return steps[steps.index(here) :]


def _finish(
    ready: Iterable[str], left: dict[str, int], waiting: Mapping[str, Iterable[str]]
) -> None:
    """Takes packages out of ``left``, and all that wait for nothing any more."""
    stack = list(ready)
    while stack:
        key = stack.pop()
        if left.pop(key, None) is None:
            continue
        for name in waiting.get(key, ()):
            if name in left:
                left[name] -= 1
                if left[name] <= 0:
                    stack.append(name)
