"""YAML tags: those of JSON's own types are obeyed, every other one is an error and never code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.documents.notes import shown
from webhook.documents.problem import ProblemKind
from webhook.documents.scalars import resolve

if TYPE_CHECKING:
    from webhook.documents.notes import Notes
    from webhook.documents.scalars import Scalar

_PREFIX: Final = "tag:yaml.org,2002:"
_TEXT: Final = frozenset({"!", f"{_PREFIX}str"})
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    f"{_PREFIX}int": (int,),
    f"{_PREFIX}float": (int, float),
    f"{_PREFIX}bool": (bool,),
    f"{_PREFIX}null": (type(None),),
}
_MAPPING: Final = frozenset({None, "!", f"{_PREFIX}map"})
_SEQUENCE: Final = frozenset({None, "!", f"{_PREFIX}seq"})


def tagged_scalar(tag: str, text: str, offset: int, notes: Notes) -> Scalar:
    """Value of a scalar with a tag; the text itself where the tag is refused."""
    if tag in _TEXT:
        return text
    if tag not in _TYPES:
        notes.error(offset, ProblemKind.TAG, _refusal(tag))
        return text
    value = resolve(text)
    if isinstance(value, bool) is not (bool in _TYPES[tag]) or not isinstance(value, _TYPES[tag]):
        message = f"{shown(text)} is not what its tag {_short(tag)} says"
        notes.refuse(offset, ProblemKind.TAG, message)
    return value


def check_collection(tag: str | None, offset: int, notes: Notes, *, mapping: bool) -> None:
    """Notes an error unless the tag says what the collection is anyway."""
    if tag not in (_MAPPING if mapping else _SEQUENCE):
        notes.error(offset, ProblemKind.TAG, _refusal(tag or ""))


def _refusal(tag: str) -> str:
    return f"the tag {_short(tag)} has no meaning in Kubernetes; write the value itself"


def _short(tag: str) -> str:
    text = "!!" + tag.removeprefix(_PREFIX) if tag.startswith(_PREFIX) else tag
    return shown(text)[1:-1] if len(text) > 60 or not text.isprintable() else text
