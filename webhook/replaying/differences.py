"""What a write changed, value by value; JSON inside of annotations is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from webhook.core.field import ROOT
from webhook.core.view import View, view
from webhook.replaying.occurrence import Difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.core.field import FieldPath

MOST: Final = 60
LONGEST: Final = 400
_IGNORED: Final = frozenset({"managedFields", "resourceVersion"})
_DATA: Final = {
    "annotations": 1, "labels": 1, "matchLabels": 1, "packages": 1, "nodeState": 2, "nodeStatus": 1,
    "nodePriority": 1, "nodeOrderOffset": 1, "nodeBootIds": 1,
}  # fmt: skip
"""Maps whose keys are data, printed in brackets: how many levels of them."""


def differences(old: msgspec.Raw, new: msgspec.Raw, most: int = MOST) -> list[Difference]:
    """The first ``most`` values that differ; the last row says when there are more."""
    found: list[Difference] = []
    for difference in _walk(view(old), view(new), ROOT, brackets=0):
        if len(found) == most:
            found[-1] = Difference("…", None, f"more than {most - 1} values changed")
            break
        found.append(difference)
    return found


def _walk(
    old: View | None, new: View | None, path: FieldPath, *, brackets: int
) -> Iterator[Difference]:
    """``brackets``: so many levels of keys below here are data."""
    if old is not None and new is not None and old.raw == new.raw:
        return
    before, after = _opened(old), _opened(new)
    if before.fields is None and after.fields is None:
        if before.types and after.types:
            yield from _elements(before, after, path)
        elif old is None or new is None or old.value != new.value:
            yield Difference(str(path) or "(object)", _shown(old), _shown(new))
        return
    if (old is not None and before.fields is None) or (new is not None and after.fields is None):
        yield Difference(str(path) or "(object)", _shown(old), _shown(new))
        return
    was, now = before.members, after.members
    if not was and not now:
        yield Difference(str(path) or "(object)", _shown(old), _shown(new))
    for name in (*was, *(n for n in now if n not in was)):
        if name not in _IGNORED:
            there = path.key(name) if brackets else path.child(name)
            inner = max(brackets - 1, 1 if "/nodeState_" in name else _DATA.get(name, 0))
            yield from _walk(before.child(name), after.child(name), there, brackets=inner)


def _elements(before: View, after: View, path: FieldPath) -> Iterator[Difference]:
    """Conditions and the like: by their types."""
    for kind in (*before.types, *(k for k in after.types if k not in before.types)):
        there = path.key(kind)
        yield from _walk(before.types.get(kind), after.types.get(kind), there, brackets=0)


_NOTHING: Final = View(msgspec.Raw(b"null"))


def _opened(value: View | None) -> View:
    """The value; the object in it, where it is a string that holds one."""
    if value is None:
        return _NOTHING
    if value.fields is None and value.items is None:
        inside = value.inside
        if inside is not None and inside.fields is not None:
            return inside
    return value


def _shown(value: View | None) -> str | None:
    if value is None:
        return None
    text = bytes(value.raw).decode(errors="replace")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
