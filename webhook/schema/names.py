"""Names, labels and annotations of an object (apimachinery ValidateObjectMeta)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.core.field import ROOT
from webhook.core.finding import CauseType
from webhook.core.labels import wrong_with_domain, wrong_with_key, wrong_with_value
from webhook.schema.words import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.core.field import FieldPath

    Say = Callable[[FieldPath, CauseType, str], None]

MOST_ANNOTATIONS: Final = 256 * 1024
"""Bytes of all annotations of one object, keys and values."""

_META: Final = ROOT.child("metadata")


def check_metadata(metadata: Any, deny: Say, warn: Say) -> None:
    """What the API server refuses of names, labels and annotations; types are checked elsewhere.

    A missing name only warns: a file may still get one on its way to the API server.
    """
    known = metadata if isinstance(metadata, dict) else {}
    name = known.get("name")
    if isinstance(name, str) and name:
        if (why := wrong_with_domain(name)) is not None:
            deny(_META.child("name"), CauseType.INVALID, f"{shown(name)} is no name: {why}")
    elif name in (None, "") and not known.get("generateName"):
        text = "the API server takes no object without a name"
        warn(_META.child("name"), CauseType.REQUIRED, text)
    _labels(known.get("labels"), deny)
    _annotations(known.get("annotations"), deny)


def _labels(labels: Any, deny: Say) -> None:
    for key, value in labels.items() if isinstance(labels, dict) else ():
        place = _META.child("labels").key(key)
        if (why := wrong_with_key(key)) is not None:
            deny(place, CauseType.INVALID, f"{shown(key)} is no label key: {why}")
        if isinstance(value, str) and (why := wrong_with_value(value)) is not None:
            deny(place, CauseType.INVALID, f"{shown(value)} is no label value: {why}")


def _annotations(annotations: Any, deny: Say) -> None:
    size = 0
    for key, value in annotations.items() if isinstance(annotations, dict) else ():
        if (why := wrong_with_key(key.lower())) is not None:
            place = _META.child("annotations").key(key)
            deny(place, CauseType.INVALID, f"{shown(key)} is no annotation key: {why}")
        texts = (key, value if isinstance(value, str) else "")
        size += sum(len(text.encode(errors="replace")) for text in texts)
    if size > MOST_ANNOTATIONS:
        text = f"{size} bytes of annotations; {MOST_ANNOTATIONS} are the most"
        deny(_META.child("annotations"), CauseType.INVALID, text)
