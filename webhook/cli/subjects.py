"""What `validate` judges: recorded reviews as they are, manifests as the write they would be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from webhook.cli.later import by_release
from webhook.core.field import FieldPath
from webhook.core.finding import CauseType, Finding, Severity
from webhook.documents import Form, to_json
from webhook.documents import Severity as Grade
from webhook.reviews.decode import ReviewError, decode_admission, request_of
from webhook.reviews.wire import (
    NULL,
    AdmissionRequest,
    GroupVersionKind,
    GroupVersionResource,
    UserInfo,
)
from webhook.schema import check_structure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webhook.catalog import Catalog
    from webhook.documents import Document, Input, Problem

Identity = tuple[str, str, str, str]
"""(group, kind, namespace, name)."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing to judge.

    Attributes:
        source: file name, or "<stdin>".
        index: number of the document or line in its source, from 0.
        request: the write; None where the text could not be read.
        document: where it came from, for positions; None for a line.
        findings: what is wrong with the text itself.
        line: number of the line, from 1, for sources of one review a line.
    """

    source: str
    index: int
    request: AdmissionRequest | None
    document: Document | None = None
    findings: tuple[Finding, ...] = ()
    line: int | None = None


@dataclass(slots=True)
class Skipped:
    """Documents that nothing here guards, by kind."""

    kinds: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str) -> None:
        """Counts one."""
        self.kinds[kind] = self.kinds.get(kind, 0) + 1


@dataclass(frozen=True, slots=True)
class Writing:
    """How manifests are written.

    Attributes:
        user: user name, or "" for nobody known.
        groups: his groups.
        subresource: "status", "main", or None to judge whatever differs.
        operation: None: UPDATE where the old object is known, else CREATE.
    """

    user: str = ""
    groups: tuple[str, ...] = ()
    subresource: str | None = None
    operation: str | None = None


class Former(Protocol):
    """The objects as they were."""

    def get(self, identity: Identity, /) -> Any:
        """The object, or None."""


class Reader:
    """Turns inputs into subjects."""

    def __init__(
        self,
        catalog: Catalog,
        writing: Writing,
        former: Former | None,
        merge: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any]] | None = None,
    ) -> None:
        """``merge``: (old, manifest) -> new, where a manifest does not say all."""
        self._catalog = catalog
        self._writing = writing
        self._former = former
        self._merge = merge
        self.skipped = Skipped()

    def subjects(self, source: Input) -> Iterator[Subject]:
        """Everything to judge in one input. Raises DocumentError."""
        if source.form is Form.LINES:
            for number, line in source.lines():
                yield _recorded(source.name, number - 1, line, number)
            return
        for count, document in enumerate(source.documents()):
            subject = self._of_document(count, document)
            if subject is not None:
                yield subject

    def _of_document(self, count: int, document: Document) -> Subject | None:
        special = self.special(count, document)
        if special is not None:
            return special
        identity = self.guarded(document.value)
        if identity is None:
            return None
        old = self._former.get(identity) if self._former is not None else None
        only, new = self._writing.subresource, document.value
        if old is not None and self._merge is not None:
            new = self._merge(old, new)
        new = _as_stored(new, old, only)
        return self.write(count, document, identity, old, new, only)

    def special(self, count: int, document: Document) -> Subject | None:
        """What is no object to write: a text that cannot be read, a recorded review; else None."""
        value = document.value
        if value is None:
            findings = tuple(_problem(p) for p in document.problems)
            return Subject(document.source, count, None, document, findings)
        if isinstance(value, dict) and value.get("kind") == "AdmissionReview":
            return _recorded(document.source, count, to_json(value), None)
        return None

    def guarded(self, value: Any) -> Identity | None:
        """Who an object is; None (and counted as skipped) for what no profile guards."""
        identity = identity_of(value)
        if identity is None:
            self.skipped.add("no Kubernetes object")
            return None
        if identity[:2] not in self._catalog.guards:
            self.skipped.add(identity[1])
            return None
        return identity

    def write(
        self,
        count: int,
        document: Document,
        identity: Identity,
        old: dict[str, Any] | None,
        new: dict[str, Any],
        only: str | None,
    ) -> Subject:
        """The write of ``new`` over ``old`` through the endpoint ``only``, as it is judged."""
        findings = tuple(_problem(p) for p in document.problems)
        structure = _structure(identity[:2], document, old, _ENDPOINTS.get(only or ""))
        findings += tuple(by_release(structure, self._catalog.guards[identity[:2]][0]))
        request = self.request(identity, old, new, only)
        return Subject(document.source, count, request, document, findings)

    def request(
        self,
        identity: Identity,
        old: dict[str, Any] | None,
        new: dict[str, Any] | None,
        only: str | None,
    ) -> AdmissionRequest:
        """The request for a write; without ``new`` a deletion."""
        group, kind, namespace, name = identity
        version = str((new or old or {}).get("apiVersion", "")).rpartition("/")[2]
        guard = self._catalog.guards[(group, kind)][0]
        plural = guard.match.plural or f"{kind.lower()}s"
        usual = "DELETE" if new is None else "CREATE" if old is None else "UPDATE"
        operation = usual if new is None else self._writing.operation or usual
        former = None if operation == "CREATE" else old
        user = self._writing.user
        return AdmissionRequest(
            uid=f"{kind}/{name}",
            operation=operation,
            kind=GroupVersionKind(group, version, kind),
            resource=GroupVersionResource(group, version, plural),
            sub_resource="status" if only == "status" else "",
            name=name,
            namespace=namespace or None,
            user_info=UserInfo(user, list(self._writing.groups)) if user else None,
            object=NULL if new is None else msgspec.Raw(to_json(new)),
            old_object=NULL if former is None else msgspec.Raw(to_json(former)),
        )


def _structure(
    kind: tuple[str, str], document: Document, old: dict[str, Any] | None, endpoint: str | None
) -> tuple[Finding, ...]:
    """What is wrong with the structure; what the object was like before only warns."""
    found = check_structure(kind, document.value, document.written, endpoint)
    if old is None or not any(f.severity is Severity.DENY for f in found):
        return tuple(found)
    before = {(f.rule, f.field) for f in check_structure(kind, old, None, endpoint)}
    return tuple(
        f.at(Severity.WARN) if f.severity is Severity.DENY and (f.rule, f.field) in before else f
        for f in found
    )


def _recorded(source: str, index: int, body: bytes, line: int | None) -> Subject:
    try:
        request = request_of(decode_admission(body))
    except ReviewError as error:
        finding = Finding(
            "document.review", FieldPath(), Severity.DENY, error.message, CauseType.INVALID
        )
        return Subject(source, index, None, None, (finding,), line)
    return Subject(source, index, request, None, (), line)


def _as_stored(new: dict[str, Any], old: Any, subresource: str | None) -> dict[str, Any]:
    """The new object as validating admission would see it: what the endpoint resets is reset.

    A manifest that says nothing of a status is a write of the main resource, whoever asks.
    """
    if not isinstance(old, dict):
        return new
    if subresource is None and not new.get("status") and old.get("status"):
        subresource = "main"
    if subresource is None:
        return new
    status, main = (new, old) if subresource == "status" else (old, new)
    whole = {key: value for key, value in main.items() if key != "status"}
    return {**whole, "status": status["status"]} if "status" in status else whole


def identity_of(value: Any) -> Identity | None:
    """Who an object is; None for what is no Kubernetes object."""
    if not isinstance(value, dict):
        return None
    version, kind, metadata = value.get("apiVersion"), value.get("kind"), value.get("metadata")
    if not isinstance(version, str) or not isinstance(kind, str):
        return None
    meta = metadata if isinstance(metadata, dict) else {}
    name, namespace = meta.get("name", ""), meta.get("namespace", "")
    return version.rpartition("/")[0], kind, str(namespace or ""), str(name or "")


def _problem(problem: Problem) -> Finding:
    path = FieldPath()
    for step in problem.path:
        path = path.child(step) if isinstance(step, str) else path.index(step)
    severity = Severity.DENY if problem.severity is Grade.ERROR else Severity.WARN
    return Finding(
        f"document.{problem.kind.value}", path, severity, problem.message, CauseType.INVALID
    )


_ENDPOINTS: Final = {"main": "", "status": "status"}
"""How the schema's check names the endpoints; None for both."""
