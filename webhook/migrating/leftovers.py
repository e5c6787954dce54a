"""What the rename leaves to a person: every other place that names the old group, and what to do there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from webhook.migrating.names import KINDS, LONGEST_NAME, NEW_GROUP, OLD_GROUP, REMOVED_IN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.documents import Document


class Subject(StrEnum):
    """What a place is about."""

    SELECTOR = "selector"
    SWITCH = "switch"
    KEY = "label or annotation"
    RBAC = "RBAC"
    METRIC = "metric"
    KUBECTL = "kubectl"
    TAINT = "taint"
    CRD = "CRD"
    TEMPLATE = "template"
    NAME = "name"
    OTHER = "other"


WAYS: Final = {
    Subject.SELECTOR: "selects by a label of your own; leave it, unless you relabel what carries it",
    Subject.SWITCH: f"the new operator reads the same key under {NEW_GROUP}/; write it there",
    Subject.KEY: "a key of your own stays as it is; one that the operator wrote is copied by it",
    Subject.RBAC: f"add {NEW_GROUP} and nodewrights beside it; the old ones go with operator {REMOVED_IN}",
    Subject.METRIC: f"write nodewright_ and nodewright_name; both are published until operator {REMOVED_IN}",
    Subject.KUBECTL: f"name nodewrights.{NEW_GROUP} (kubectl nodewright), and wait for the bare condition Ready",
    Subject.TAINT: f"provision {NEW_GROUP}=runtime-required; both are known until operator {REMOVED_IN}",
    Subject.CRD: f"nodewrights.{NEW_GROUP} takes its place; keep the old CRD until the last old object is deleted",
    Subject.TEMPLATE: "this is no YAML before it is rendered; rename apiVersion and kind here by hand",
    Subject.NAME: f"longer than the {LONGEST_NAME} characters that operator 0.20 has room for; choose another",
    Subject.OTHER: "names the old group; look whether it must follow",
}
"""What to do, by subject."""

_HIT: Final = re.compile(
    rf"{re.escape(OLD_GROUP)}|\bskyhook_(?!webhook_)[a-z]\w*|\bkubectl[ -]skyhook\b"
    r"|\bkubectl\b.*?\bskyhooks?\b(?![-/.])|\bkind:\s*[\"']?Skyhook\b"
)
_COMMENT: Final = re.compile(r"\s*(#|//)")
_KUBECTL: Final = re.compile(r"\bkubectl\b|--for[= ]|condition=")
_METRIC: Final = re.compile(r"\bskyhook_(?!webhook_)[a-z]")
_TAINT: Final = re.compile(
    rf"{re.escape(OLD_GROUP)}=|runtime-required|\bkey:\s*[\"']?{re.escape(OLD_GROUP)}[\"']?\s*$"
)
_CRD: Final = re.compile(rf"\b(skyhooks|deploymentpolicies)\.{re.escape(OLD_GROUP)}")
_TEMPLATE: Final = re.compile(
    rf"apiVersion:\s*[\"']?{re.escape(OLD_GROUP)}/|\bkind:\s*[\"']?Skyhook\b"
)
_SWITCH: Final = re.compile(rf"{re.escape(OLD_GROUP)}/(pause|disable|ignore)\b")
_SELECTORS: Final = frozenset(
    {"nodeSelectors", "podNonInterruptLabels", "selector", "nodeSelector", "nodeAffinity"}
)
_TAINTS: Final = frozenset({"additionalTolerations", "tolerations", "taints"})


@dataclass(frozen=True, slots=True, order=True)
class Leftover:
    """One place.

    Attributes:
        line: counted from 1.
        subject: what it is about.
        text: the line, without the space around it, cut.
    """

    line: int
    subject: Subject
    text: str

    @property
    def way(self) -> str:
        """What to do there."""
        return WAYS[self.subject]


def leftovers(text: str, documents: Iterable[Document] = ()) -> list[Leftover]:
    """Every line of a text, after the rename, that still names the old group; comments are left out.

    ``documents``: of the text, where it is YAML or JSON: they say what a line is about.
    """
    about: dict[int, Subject] = {}
    found: list[Leftover] = []
    for document in documents:
        about.update(_places(document, document.value))
        found += _long_name(document)
    for number, line in enumerate(text.split("\n"), 1):
        if _HIT.search(line) and not _COMMENT.match(line):
            found.append(Leftover(number, about.get(number) or _by_words(line), line.strip()[:100]))
    return sorted(found)


def _by_words(line: str) -> Subject:
    for subject, pattern in (
        (Subject.KUBECTL, _KUBECTL),
        (Subject.METRIC, _METRIC),
        (Subject.SWITCH, _SWITCH),
        (Subject.CRD, _CRD),
        (Subject.TEMPLATE, _TEMPLATE),
        (Subject.TAINT, _TAINT),
    ):
        if pattern.search(line):
            return subject
    return Subject.OTHER


def _places(document: Document, value: Any) -> Iterator[tuple[int, Subject]]:
    """Lines of keys and values that name the old group, by where in the object they stand."""
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while stack:
        steps, here = stack.pop()
        items: Iterable[tuple[str | int, Any]] = ()
        if isinstance(here, dict):
            items = here.items()
        elif isinstance(here, list):
            items = enumerate(here)
        for key, kid in items:
            names_it = any(isinstance(one, str) and OLD_GROUP in one for one in (key, kid))
            subject = _subject((*steps, key), key) if names_it else None
            if subject is not None:
                yield document.position((*steps, key)).line, subject
            stack.append(((*steps, key), kid))


def _subject(steps: tuple[str | int, ...], key: str | int) -> Subject | None:
    names = {step for step in steps if isinstance(step, str)}
    if names & _SELECTORS:
        return Subject.SELECTOR
    if isinstance(key, str) and _SWITCH.fullmatch(key):
        return Subject.SWITCH
    if names & _TAINTS:
        return Subject.TAINT
    if "apiGroups" in names:
        return Subject.RBAC
    if names & {"labels", "annotations", "matchLabels"} and "metadata" in names:
        return Subject.KEY
    return None


def _long_name(document: Document) -> Iterator[Leftover]:
    value = document.value
    metadata = value.get("metadata") if isinstance(value, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    kinds = {*KINDS, *KINDS.values()} - {"DeploymentPolicy"}
    if isinstance(name, str) and len(name) > LONGEST_NAME and value.get("kind") in kinds:
        line = document.position(("metadata", "name")).line
        yield Leftover(line, Subject.NAME, name[:100])
