"""Keeps both names of each condition in step within a status write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from webhook.core.conditions import Condition, MirrorNames, read_conditions, says_the_same
from webhook.core.mirror import Upkeep, right_list
from webhook.core.release import parse_release
from webhook.core.view import View, view
from webhook.mutations.patch import encode, operations
from webhook.mutations.ready import Since, projection, with_ready
from webhook.mutations.trial import leads_to

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from webhook.core.window import Window
    from webhook.mutations.ready import Projected

_NULL: Final = msgspec.Raw(b"null")


class _Metadata(msgspec.Struct, frozen=True):
    generation: msgspec.Raw = _NULL


class _Status(msgspec.Struct, frozen=True, rename="camel"):
    conditions: msgspec.Raw = _NULL
    status: msgspec.Raw = _NULL
    node_status: msgspec.Raw = _NULL
    node_boot_ids: msgspec.Raw = _NULL


class Subject(msgspec.Struct, frozen=True):
    """What is read of an object, in one pass; a status of megabytes is skipped, not decoded."""

    metadata: _Metadata | None = None
    status: _Status | None = None


_SUBJECT: Final = msgspec.json.Decoder(Subject)


@dataclass(frozen=True, slots=True)
class Keeper:
    """How the conditions of one kind are kept.

    Attributes:
        names: which condition types have twins.
        window: until when twins are made.
        release: of the operator; None counts as one that writes bare types (0.16).
        strip: after the window, mirrors with a bare twin go.
        project_ready: Ready is added for operators that write none under any name.
        read_only: objects that nobody may change any more (Skyhooks under operator 0.18).
        bare_since: the first release whose operator writes conditions under bare names as well.
    """

    names: MirrorNames
    window: Window
    release: str | None = None
    strip: bool = False
    project_ready: bool = False
    read_only: bool = False
    bare_since: str = "0.16"

    def upkeep(self, now: datetime) -> Upkeep:
        """What is done to twins at ``now``."""
        opened = self.window.is_open(now)
        release = None if self.release is None else parse_release(self.release)
        return Upkeep(
            make=opened,
            strip=self.strip and not opened,
            removal_follows=release is not None and release < parse_release(self.bare_since),
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """What becomes of one write's conditions.

    Attributes:
        patch: a JSON patch under ``/status``; None when there is nothing to do, or any doubt.
        carried: the prefixed types with a bare name that the object holds then.
        written: those of them that this write itself added or changed.
        doubt: why there is no patch although there should be one; empty without doubt.
    """

    patch: bytes | None = None
    carried: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    doubt: str = ""


def keep(
    keeper: Keeper,
    new: msgspec.Raw | Subject | None,
    old: msgspec.Raw | Subject | None,
    now: datetime,
) -> Kept:
    """The patch that puts the conditions of a status write right, if it needs one.

    Args:
        keeper: how they are kept.
        new: the object under review, as JSON or read already; None where there is none.
        old: the one it replaces.
        now: for the window, and for a Ready that is projected.
    """
    if keeper.read_only:
        return Kept()
    try:
        after, before = (
            _SUBJECT.decode(o) if isinstance(o, msgspec.Raw) else o for o in (new, old)
        )
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        after = before = None
    if after is None or before is None:
        return Kept(doubt="object or oldObject has another shape")
    if after.status is None:
        return Kept()
    given, was = _list(after.status), _list(before.status)
    if given is None or was is None:
        return Kept(doubt="status.conditions is no list of distinct types")
    by_type = {c.type: c for c in was}
    ready = _ready(keeper, given, by_type, after, before, now)
    right = right_list(ready, by_type, keeper.names, keeper.upkeep(now))
    raw = after.status.conditions
    there = raw != _NULL
    steps = [] if right is given else operations(given if there else None, right)
    carried = tuple(c.type for c in right if _is_mirror(c, keeper.names))
    written = tuple(
        c.type
        for c in given
        if _is_mirror(c, keeper.names) and not says_the_same(by_type.get(c.type), c)
    )
    if not steps:
        return Kept(None, carried, written)
    patch = encode(steps)
    if not leads_to(patch, raw if there else None, right):
        return Kept(None, carried, written, "the patch does not lead to the right list")
    return Kept(patch, carried, written)


def _list(status: _Status | None) -> list[Condition] | None:
    if status is None or status.conditions == _NULL:
        return []
    return read_conditions(status.conditions)


def _is_mirror(condition: Condition, names: MirrorNames) -> bool:
    return "/" in condition.type and names.bare_of(condition.type) is not None


def _ready(
    keeper: Keeper,
    given: list[Condition],
    old: Mapping[str, Condition],
    after: Subject,
    before: Subject,
    now: datetime,
) -> list[Condition]:
    """The list with Ready projected, where that is asked for."""
    if not keeper.project_ready or after.status is None:
        return given
    said = _projection(after.status)
    if said is None:
        return given
    earlier = None if before.status is None else _projection(before.status)
    # A status write cannot change metadata, whatever its object claims: the old one's counts.
    metadata = before.metadata or after.metadata
    generation = View(metadata.generation).value if metadata is not None else None
    known = generation if isinstance(generation, int) and not isinstance(generation, bool) else None
    return with_ready(given, old, said, earlier, keeper.names, Since(now, known))


def _projection(status: _Status) -> Projected | None:
    return projection(view(status.status), view(status.node_status), view(status.node_boot_ids))
