"""Dependencies between packages of one spec: each names a package and its very version."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from webhook.core.nearest import Hints
from webhook.lifecycle.rule import listed, show
from webhook.lifecycle.swift import Swift
from webhook.specs.reading import A_STRING, AN_OBJECT, invalid, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge, Mark
    from webhook.lifecycle.run import Run


def depends_on(_parameters: Mapping[str, Any]) -> CheckJudge:
    """``dependsOn`` names packages and versions of this spec (graph/dependency_graph.go Valid).

    Cycles and a package that depends on itself pass, as upstream. Asked on ``spec.packages``.
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None or not any(map(partial(_depends, new), new.members)):
            return
        versions = {key: _version(new, key) for key in sorted(new.members)}
        hints = Hints(tuple(versions))
        here = listed(f"{name} {version or '?'}" for name, version in versions.items())
        for key in versions:
            wanted = new.at(key, "dependsOn")
            if wanted is None:
                continue
            place = trail.field.key(key).child("dependsOn")
            if wanted.fields is None:
                yield wrong_type(place, wanted, AN_OBJECT)
            for name in wanted.members:
                text = wanted.child(name)
                if text is not None and not isinstance(text.value, str):
                    yield wrong_type(place.key(name), text, A_STRING)
                    continue
                if name not in versions:
                    why = f"{show(name)} is no package of this spec, which has: {here}"
                    yield invalid(place.key(name), why + hints(name))
                    continue
                differs = _differs(name, "" if text is None else text.value, versions[name])
                if differs is not None:
                    yield invalid(place.key(name), differs)

    return Swift(judge, _named)


def _named(_run: Run, new: Any, _key: str) -> bool:
    """Whether each dependency is a package of this spec in its very version."""
    if type(new) is not dict:
        return False
    for package in new.values():
        wanted = package.get("dependsOn") if type(package) is dict else None
        if wanted is None:
            continue
        if type(wanted) is not dict:
            return False
        for name, version in wanted.items():
            named = new.get(name)
            there = named.get("version") if type(named) is dict else None
            if type(version) is not str or version != there:
                return False
    return True


def _depends(packages: View, key: str) -> bool:
    package = packages.child(key)
    return package is not None and "dependsOn" in package.members


def _version(packages: View, key: str) -> str | None:
    package = packages.child(key)
    return package.text("version") if package is not None else None


def _differs(name: str, wanted: str, have: str | None) -> str | None:
    if have is None or wanted == have:
        return None
    say = f"write {show(have)}"
    if not wanted:
        return f"the version of {show(name)} is empty; {say}"
    return f"{show(name)} is {show(have)} in this spec, not {show(wanted)}; {say}, exactly as there"
