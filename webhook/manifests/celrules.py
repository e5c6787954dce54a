"""Requires, projections and uniqueness as CEL: what they say of a write, as the engine says it.

A rule is judged where one of its paths changed; what is wrong is let off where it was wrong before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webhook.manifests.cel import NEW, OLD, both, either, literal, with_names
from webhook.manifests.celtests import all_of, speaks_of_change
from webhook.manifests.validation import Validation, changed, unless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.lifecycle.model import Projection, Requires, Unique
    from webhook.manifests.cel import Bound, Cel


def requires(cel: Cel, rule: Requires) -> Iterator[Validation]:
    """When all of ``when`` hold, all of ``need`` must. Raises UnseenError."""
    first = next(test.path for test in rule.when if test.path)
    asked = [test.path for test in rule.when if test.path]
    if rule.reads == "whole":
        asked += [path for test in rule.need for path in (test.path, test.equals) if path]

    def body(bound: Bound) -> str:
        broken = _broken(cel, rule, bound, NEW)
        asks = [changed(cel, path, bound) for path in dict.fromkeys(asked)]
        stood = "false" if speaks_of_change(rule.when) else _broken(cel, rule, bound, OLD)
        fault = both(either(*asks), broken, f"!({stood})")
        return unless(cel, rule, bound, f"!({fault})")

    holds = cel.everywhere(first, body, removed=True, local=False)
    text = rule.message or f"needs {'; '.join(str(t.path) for t in rule.need) or 'never to be'}"
    other = " and ".join(str(t.path) for t in rule.need if t.path)
    message = text.replace("{old} -> {new}", "this step").replace("{new}", "the new value")
    message = message.replace("{found}", f"{other} is not as it has to be")
    at = rule.at or first
    yield Validation(rule.id, rule.severity, holds, f"{at}: {message}", closed=rule.closed)


def _broken(cel: Cel, rule: Requires, bound: Bound, new: str) -> str:
    when = all_of(cel, rule.when, bound, new, OLD)
    if not rule.need:
        return when
    return both(when, f"!({all_of(cel, rule.need, bound, new, OLD)})")


def projection(cel: Cel, rule: Projection) -> Iterator[Validation]:
    """A table from one value to the fields of another place. Raises UnseenError."""

    def body(bound: Bound) -> str:
        asked = [rule.source_path] + ([] if rule.judge == "from" else [rule.to])
        moved = either(*(changed(cel, path, bound) for path in asked))
        fields = dict.fromkeys(field for row in rule.table.values() for field in row)
        faults = (
            both(_off(cel, rule, field, bound, NEW), f"!({_off(cel, rule, field, bound, OLD)})")
            for field in fields
        )
        return unless(cel, rule, bound, f"!({both(moved, either(*faults))})")

    holds = cel.everywhere(rule.source_path, body, removed=False, local=False)
    message = f"{rule.to} must say what {rule.source_path} says"
    yield Validation(rule.id, rule.severity, holds, message, closed=rule.closed)


def _off(cel: Cel, rule: Projection, field: str, bound: Bound, root: str) -> str:
    source, target = (cel.value(path, root, bound) for path in (rule.source_path, rule.to))
    have = cel.value(f"{rule.to}.{field}", root, bound)
    wrong = (
        both(f"{source} == {literal(word)}", f"{have} != {literal(row[field])}")
        for word, row in rule.table.items()
        if field in row
    )
    return both(f"{target} != null", either(*wrong))


def unique(cel: Cel, rule: Unique) -> Iterator[Validation]:
    """No two elements of a list are alike. Raises UnseenError."""

    def double(now: str, was: str) -> str:
        key = f"e.?{rule.key}.orValue(dyn(null))" if rule.key else "e"
        mine = key.replace("e", "x", 1)
        doubled = (
            f"{now}.all(x, {mine} == null || {now}.filter(e, {key} == {mine}).size() < 2"
            f" || ({was} != null && {was}.filter(e, {key} == {mine}).size() >= 2))"
        )
        filled = f"{now}.size() > 0 || {was} == []" if rule.filled else "true"
        return either(f"{now} == null", f"{now} == {was}", both(doubled, filled))

    def body(bound: Bound) -> str:
        values = {n: cel.value(rule.path, r, bound) for n, r in (("now", NEW), ("was", OLD))}
        return unless(cel, rule, bound, with_names(bound, values, double))

    holds = cel.everywhere(rule.path, body, removed=False, local=True)
    message = f"{rule.path}: two elements with the same {rule.key or 'value'}"
    yield Validation(rule.id, rule.severity, holds, message, closed=True)
