"""A package's image: a bare name, whose tag is the version. What the operator makes of anything else.

Up to 0.17 reading an image cuts it at its first colon (skyhook_types.go UnmarshalJSON); from 0.18 on
ports stay, and the operator's own webhook refuses tags and digests (custom-resource.md).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from webhook.core.finding import CauseType
from webhook.core.labels import wrong_with_value
from webhook.core.release import within
from webhook.lifecycle.rule import Mark, show
from webhook.lifecycle.swift import Swift
from webhook.specs.beyond import fresh

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run

_CUTS: Final = "<0.18"
_BARE: Final = re.compile(r"[-./\w]+", re.ASCII)
"""What nearly every image is: a name alone."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An image as it is written.

    Attributes:
        text: the whole.
        name: without tag and digest.
        tag, digest: empty where there is none.
    """

    text: str
    name: str
    tag: str
    digest: str

    @classmethod
    def of(cls, text: str) -> Reference:
        """Takes a text apart; a colon before the last slash belongs to the registry's port."""
        rest, _, digest = text.partition("@")
        path, slash, last = rest.rpartition("/")
        name, _, tag = last.partition(":")
        return cls(text, f"{path}{slash}{name}", tag, digest)

    @property
    def cut(self) -> str:
        """What 0.17 and older keep of it."""
        return self.text.partition(":")[0]


def package_image(_parameters: Mapping[str, Any]) -> CheckJudge:
    """``image`` is what the operator pulls, with ``version`` for a tag. Asked on ``spec.packages.*``."""

    def judge(run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        image = new.text("image") if new is not None else None
        if new is None or image is None or _BARE.fullmatch(image):
            return
        place = trail.field.child("image")
        version = new.text("version") or ""
        reference = Reference.of(image)
        if not image or not image.isprintable() or " " in image:
            text = f"{show(image)} is no name of an image; write one such as registry.example/team/package"
            yield Mark(place, text, type=CauseType.INVALID)
        elif reference.digest:
            bare = reference.name
            text = f"{show(image)} has a digest, which {_fate(run)}; write {show(bare)}, and the digest in containerSHA"
            yield Mark(place, text, type=CauseType.INVALID)
        elif within(run.release, _CUTS) and ":" in reference.name:
            text = (
                f"{show(image)} has a port, and operator {run.release} cuts an image at its first colon: it"
                f" pulls {show(f'{reference.cut}:{version}')}; use a registry without a port, or operator 0.18"
            )
            yield Mark(place, text, type=CauseType.INVALID)
        elif reference.tag and not (within(run.release, _CUTS) and reference.tag == version):
            text = (
                f"{show(image)} has a tag, which {_fate(run)}; write {show(reference.name)}: the tag is"
                f" the version, {show(version)}"
            )
            yield Mark(place, text, type=CauseType.INVALID)

    return Swift(fresh(judge), _is_bare)


def _is_bare(_run: Run, new: Any, _key: str) -> bool:
    image = new.get("image") if type(new) is dict else None
    return type(image) is not str or _BARE.fullmatch(image) is not None


def _fate(run: Run) -> str:
    if within(run.release, _CUTS):
        return f"operator {run.release} cuts off at the first colon"
    return "the operator's own webhook refuses"


def package_label(_parameters: Mapping[str, Any]) -> CheckJudge:
    """``name-version`` is a label of the package's Pods, and the version the image's tag.

    Asked on ``spec.packages.*``; a name that is none, and a version that is none, are told elsewhere.
    """

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        version = new.text("version") if new is not None else None
        if not version:
            return
        label = f"{trail.stars[-1]}-{version}"
        if "+" in version:
            text = f"{show(version)} is no tag of an image, nor part of a label: both know no +; leave the part behind it away"
            yield Mark(trail.field.child("version"), text, type=CauseType.INVALID)
        elif len(label) > 63 and wrong_with_value(label) is not None:
            text = f"{show(label)} is a label of the package's Pods and {wrong_with_value(label)}; shorten name or version"
            yield Mark(trail.field.child("version"), text, type=CauseType.INVALID)

    return Swift(fresh(judge), _label_fits)


def _label_fits(_run: Run, new: Any, key: str) -> bool:
    version = new.get("version") if type(new) is dict else None
    return type(version) is not str or ("+" not in version and len(key) + len(version) < 63)
