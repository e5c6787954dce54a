"""Package entries of nodeState: readable, complete, and filed under their own name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.checks.parameters import known
from webhook.checks.versions import split_key
from webhook.core.finding import CauseType
from webhook.core.view import NULL
from webhook.lifecycle.rule import Mark, listed, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_NEEDED: Final = ("name", "version", "stage", "state")
_OPTIONAL: Final = ("image", "containerSHA")  # entries of 0.4 and older have no image
_KNOWN: Final = (*_NEEDED, *_OPTIONAL, "restarts")
_FOLDED: Final = {name.casefold(): name for name in _KNOWN}
_INT32: Final = 2**31 - 1
_ENTRY: Final = (
    '{"name", "version", "image", "stage", "state"} is one, filed under "<name>|<version>"'
)
_STOPS: Final = (
    'and the operator stops on it; write a JSON map from "<name>|<version>" to package entries,'
    " or remove the annotation"
)


def json_map(_parameters: Mapping[str, Any]) -> CheckJudge:
    """The string holds a JSON object (wrapper/node.go State; anything else stops the operator)."""

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None:
            return
        document = new.inside
        if document is None:
            text = f"{show(new.value)} is not JSON, {_STOPS}"
        elif document.fields is None:
            text = f"{show(new.value)} is JSON but not a map of packages, {_STOPS}"
        else:
            yield from _nothing(document, trail)
            return
        yield Mark(trail.field, text, type=CauseType.INVALID, closed=True)

    return judge


def _nothing(document: View, trail: Trail) -> Iterator[Mark]:
    """Go reads null into a map of structs as an empty entry: in here it is not the same as absent."""
    for key, raw in document.members.items():
        if raw == NULL:
            text = f"null is no package entry, and the operator reads an empty one; {_ENTRY}"
            yield Mark(trail.field.key(key), text, type=CauseType.REQUIRED, closed=True)


def package_entry(parameters: Mapping[str, Any]) -> CheckJudge:
    """An entry ``name|version`` is whole and says the same name and version.

    Only a package that was skipped while its version rose keeps the old version inside, at
    interrupt/complete (skyhook_types.go ProgressSkipped; transitions J.1).

    Parameters: ``typed``: the API server has checked the types (a CRD's field, no annotation).
    """
    known(parameters, "typed")
    typed = bool(parameters.get("typed", False))

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None:
            return
        if new.fields is None:
            yield _wrong(trail, f"{show(new.value)} is not a package entry; {_ENTRY}")
            return
        if not typed:
            yield from _whole(new, trail)
        yield from _filed(new, trail, typed=typed)
        yield from _restarts(new, trail)

    return judge


def _wrong(trail: Trail, text: str, *below: str) -> Mark:
    return Mark(trail.field.child(*below), text, type=CauseType.INVALID, closed=True)


def _whole(entry: View, trail: Trail) -> Iterator[Mark]:
    for field in (*_NEEDED, *_OPTIONAL):
        kid = entry.child(field)
        if kid is not None and not isinstance(kid.value, str):
            yield _wrong(trail, f"{show(kid.value)} must be a string", field)
        elif kid is None and field in _NEEDED:
            text = f"is missing; each entry has {listed(_NEEDED)}"
            yield Mark(trail.field.child(field), text, type=CauseType.REQUIRED, closed=True)
    for key in entry.members:
        meant = _FOLDED.get(key.casefold())
        if meant is not None and meant != key:
            # Go's JSON reader matches keys without regard to case, so this would be read.
            yield _wrong(
                trail, f'the operator would read "{key}" as "{meant}"; write "{meant}"', key
            )


def _filed(entry: View, trail: Trail, *, typed: bool) -> Iterator[Mark]:
    key = trail.last
    parts = split_key(key)
    if parts is None:
        if not typed:
            yield _wrong(trail, f'{show(key)} must be "<name>|<version>", as in "tuning|1.2.3"')
        return
    name, version, stage, state = entry.texts(_NEEDED)
    if name is not None and name != parts[0]:
        yield _wrong(
            trail, f'{show(name)} stands under the key {show(key)}: it must be "{parts[0]}"', "name"
        )
    skipped = stage == "interrupt" and state == "complete"
    if version is not None and version != parts[1] and not skipped:
        yield _wrong(
            trail,
            f'{show(version)} stands under the key {show(key)}: it must be "{parts[1]}"',
            "version",
        )


def _restarts(entry: View, trail: Trail) -> Iterator[Mark]:
    restarts = entry.child("restarts")
    if restarts is None:
        return
    value = restarts.value
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not 0 <= value <= _INT32:
        yield _wrong(trail, f"{show(value)} must be a whole number, 0 or more", "restarts")
