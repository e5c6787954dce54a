"""CEL for matchConditions: what a write changed, never who writes.

Each one was measured on a kube-apiserver 1.34. They have to stay linear in the object: one over the cost limit
is skipped under `failurePolicy: Ignore`, so whoever may write a large object could switch us off. A Node's
annotations and labels are maps with a look-up; its conditions are a list, so both lists are drawn together
once and compared, in place of a search in one for each of the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_CHANGED = (
    "object.?spec != oldObject.?spec || object.?status != oldObject.?status"
    " || object.metadata.?annotations != oldObject.metadata.?annotations"
    " || object.metadata.?labels != oldObject.metadata.?labels"
)


def changed() -> str:
    """A new object, or an update of spec, status, annotations or labels.

    Not: a write that changes nothing, and one that only takes a finalizer away, of an object that is
    being deleted or not.
    """
    return f"request.operation != 'UPDATE' || {_CHANGED}"


def has_conditions() -> str:
    """Conditions now or before: the rest of a status has no names to keep in step.

    Not only changed ones: a twin that is missing is made with the next write, whatever it is.
    """
    there = ".?status.?conditions.hasValue()"
    return f"object{there} || oldObject{there}"


def on_nodes() -> str:
    """The deletion of an object that has something on Nodes."""
    return "oldObject.?status.?nodeState.hasValue()"


def node_touched(prefixes: Iterable[str]) -> str:
    """An annotation, label or condition of a Node that begins with one of the prefixes came, went or changed.

    A condition's times do not count: a heartbeat of a condition of ours says nothing new.
    """
    known = tuple(prefixes)
    keys = (_keys(field, _starts("k", known)) for field in ("annotations", "labels"))
    return " || ".join((*keys, _conditions(_starts("c.type", known))))


def _keys(field: str, ours: str) -> str:
    new, old = (f"{one}.metadata.?{field}.orValue({{}})" for one in ("object", "oldObject"))
    return (
        f"{new}.exists(k, {ours} && (!(k in {old}) || {old}[k] != {new}[k]))"
        f" || {old}.exists(k, {ours} && !(k in {new}))"
    )


def _conditions(ours: str) -> str:
    told = f"filter(c, {ours}).map(c, [c.type, c.?status.orValue(''), c.?reason.orValue('')])"
    new, old = (f"{one}.?status.?conditions.orValue([]).{told}" for one in ("object", "oldObject"))
    return f"{new} != {old}"


def _starts(what: str, prefixes: tuple[str, ...]) -> str:
    return "(" + " || ".join(f"{what}.startsWith('{prefix}/')" for prefix in prefixes) + ")"
