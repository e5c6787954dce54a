"""A profile as somebody wrote it, held against the model with pydantic: refused whole, with the places."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError

from webhook.core.finding import Severity
from webhook.lifecycle.compile import ProfileError
from webhook.lifecycle.model import ANY, Check, Guard, Monotone, Profile, Requires, Test, Track
from webhook.models import Models


def profile_written(document: Any, source: str, *, flat: bool) -> Profile:
    """The profile that a joined document says. Raises ProfileError, a line for each reason.

    A `flat` document has no ``guards``, so no place in it begins with them.
    """
    try:
        return _MODELS.read(Profile, document)
    except ValidationError as error:
        raise ProfileError(_reasons(error, source, flat=flat)) from None


def _reasons(error: ValidationError, source: str, *, flat: bool) -> str:
    lines = []
    for one in error.errors(include_input=False, include_url=False):
        place = ".".join(str(part) for part in one["loc"])
        if flat:
            place = place.removeprefix("guards.0").removeprefix(".") or "profile"
        lines.append(f"{source}: {place}: {one['msg'].removeprefix('Value error, ')}")
    return "\n".join(lines)


def _says_something(test: Any) -> Any:
    said = test.model_fields_set - {"path"}  # null is said, too
    if not said or (test.path is None) == (test.predicate is None):
        raise ValueError("a test names a path and what must hold there, or a predicate")
    return test


def _one_table(track: Track) -> Track:
    if track.table is not None and track.edges is not None:
        raise ValueError("a track has `edges` or a `table`, not both")
    return track


def _only_declared_words(track: Track) -> Track:
    words: list[Any] = [getattr(value, "word", value) for value in track.values]
    rows = [track.edges or {}, track.skips]
    used = [word for row in rows for targets in row.values() for word in targets]
    used += [word for row in rows for word in row if word != ANY]
    used += [*(track.entry or []), *track.entry_skips, *track.terminal]
    for word in used:
        if word not in words:
            raise ValueError(f"{word!r} is none of its values")
    for word in words if track.parts else []:
        found = str(word).split("/")
        legal = [v in w for v, w in zip(found, track.parts.values(), strict=False)]
        if len(found) != len(track.parts) or not all(legal):
            raise ValueError(f"{word!r} is not made of the words of its parts")
    return track


def _fits_its_order(rule: Monotone) -> Monotone:
    numbers, times = rule.order == "int", rule.order == "time"
    for name, given, fits in (
        ("latch_on", rule.latch_on is not None, rule.order == "latch"),
        ("bound", rule.bound is not None, numbers or times),
        ("flip", rule.flip is not None, rule.bound is not None),
        ("grace", rule.grace != 0, numbers and rule.bound is not None),
        ("least", rule.least is not None, numbers),
        ("climb", rule.climb is not None, numbers),
        ("ahead", rule.ahead is not None, times),
    ):
        if given and not fits:
            raise ValueError(f"`{name}` says nothing with order {rule.order} here")
    return rule


def _is_asked_somewhere(rule: Requires) -> Requires:
    if all(test.path is None for test in rule.when):
        raise ValueError("`when` names no path, so nothing would ask it")
    return rule


def _lets_deletions_through(check: Check) -> Check:
    if check.on == "delete" and check.severity is Severity.DENY:
        raise ValueError("a rule about deletions warns or audits: a deletion is never denied")
    return check


def _ids_are_unique(guard: Guard) -> Guard:
    seen: set[str] = set()
    for rule in Guard.rules(guard):  # of the model, which has the same fields
        if rule.id in seen:
            raise ValueError(f"two rules are called {rule.id!r}")
        seen.add(rule.id)
    return guard


_MODELS: Final = Models(
    {
        Test: (_says_something,),
        Track: (_one_table, _only_declared_words),
        Monotone: (_fits_its_order,),
        Requires: (_is_asked_somewhere,),
        Check: (_lets_deletions_through,),
        Guard: (_ids_are_unique,),
    }
)
