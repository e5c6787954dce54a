"""`validate --git`: every changed manifest against its former self."""

from __future__ import annotations

import os
from collections import defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from webhook.cli.failures import CallerError
from webhook.cli.subjects import Subject, identity_of
from webhook.documents import Input, read_documents
from webhook.documents.inputs import MAX_TEXT
from webhook.gitting.changes import changes, span_of, steps
from webhook.gitting.repository import GitError, Repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from webhook.catalog import Catalog
    from webhook.cli.subjects import Identity, Reader
    from webhook.documents import Document
    from webhook.gitting.changes import Change, Side
    from webhook.gitting.repository import Blobs

_MANIFESTS: Final = (".yaml", ".yml", ".json")
_TEMPLATE: Final = b"{{"
_GIVEN_BY_SERVER: Final = ("managedFields", "resourceVersion", "generation", "selfLink")
_SHORT: Final = 12


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be compared.

    Attributes:
        revisions: REV, REV..REV or REV...REV.
        paths: files and folders; empty for the whole repository.
        each_commit: every commit of the range for itself, not its two ends.
        staged: the index in place of the work tree.
    """

    revisions: str
    paths: tuple[str, ...] = ()
    each_commit: bool = False
    staged: bool = False


@dataclass(slots=True)
class Notes:
    """What is to be said beside the verdicts.

    Attributes:
        deleted: objects that are gone, as (kind, name, source).
        templates: texts that only a renderer can read.
        unmerged: files in conflict.
        unreadable: former texts that cannot be read: what is there now counts as new.
    """

    deleted: list[tuple[str, str, str]] = field(default_factory=list)
    templates: list[str] = field(default_factory=list)
    unmerged: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """What a person reads on stderr."""
        for kind, name, source in self.deleted:
            yield f"deleted: {kind} {name} ({source})"
        for what, names in (
            ("templates, not judged; pipe what they render to into `validate -`", self.templates),
            ("in conflict, not judged", self.unmerged),
            ("could not be read before, judged as new", self.unreadable),
        ):
            if names:
                yield f"{what}: {', '.join(names)}"


@dataclass(slots=True)
class _Step:
    """One comparison: what is left over after the files were paired.

    Attributes:
        prefix: what comes before the path in the names of sources.
        made: objects that were not in the file's former self: (index, document, identity).
        gone: objects that are no longer in the file, by identity: (source, index, value).
    """

    prefix: str
    made: list[tuple[int, Document, Identity]] = field(default_factory=list)
    gone: defaultdict[Identity, deque[tuple[str, int, Any]]] = field(
        default_factory=lambda: defaultdict(deque)
    )


class History:
    """Turns changes of a repository into subjects.

    Attributes:
        notes: what was met on the way.
    """

    def __init__(self, reader: Reader, catalog: Catalog, only: str | None) -> None:
        self._reader = reader
        self._catalog = catalog
        self._only = only
        self.notes = Notes()

    def subjects(self, asked: Asked) -> Iterator[Subject]:
        """Every write that the changes amount to. Raises CallerError, DocumentError."""
        try:
            repository = Repository.around(Path.cwd())
            span = span_of(repository, asked.revisions, staged=asked.staged)
            with repository.blobs() as blobs:
                texts = _Texts(repository, blobs)
                if asked.each_commit:
                    for commit, found in steps(repository, span, asked.paths):
                        yield from self._step(found, texts, f"{commit[:_SHORT]}:")
                else:
                    yield from self._step(changes(repository, span, asked.paths), texts, "")
        except GitError as error:
            raise CallerError(f"--git: {error}") from None

    def _step(self, found: Iterable[Change], texts: _Texts, prefix: str) -> Iterator[Subject]:
        step = _Step(prefix)
        for change in found:
            if change.unmerged:
                side = change.new or change.old
                self.notes.unmerged.append(side.name if side is not None else "?")
            else:
                yield from self._file(change, texts, step)
        yield from self._moved(step)

    def _file(self, change: Change, texts: _Texts, step: _Step) -> Iterator[Subject]:
        """One file: its objects that were in it before; the rest is left over."""
        former = self._former(change.old, texts)
        for count, document in enumerate(self._now(change.new, texts, step.prefix)):
            special = self._reader.special(count, document)
            if special is not None:
                yield special
                continue
            identity = self._reader.guarded(document.value)
            if identity is None:
                continue
            before = former.get(identity)
            if before:
                yield from self._writes(count, document, identity, before.popleft()[1])
            else:
                step.made.append((count, document, identity))
        for identity, left in former.items():
            name = f"{step.prefix}{change.old.name if change.old is not None else ''}"
            step.gone[identity].extend((name, count, value) for count, value in left)

    def _moved(self, step: _Step) -> Iterator[Subject]:
        """Objects that went to another file, new ones, and those that are gone."""
        for count, document, identity in step.made:
            before = step.gone.get(identity)
            old = before.popleft()[2] if before else None
            yield from self._writes(count, document, identity, old)
        for identity, left in step.gone.items():
            for name, count, value in left:
                self.notes.deleted.append((identity[1], identity[3], name))
                yield Subject(name, count, self._reader.request(identity, value, None, None))

    def _writes(
        self, count: int, document: Document, identity: Identity, old: dict[str, Any] | None
    ) -> Iterator[Subject]:
        """The writes that take the object from old to new: through main, status, or both."""
        subresources = self._catalog.guards[identity[:2]][0].match.subresources
        for only, before, after in endpoints(old, document.value, subresources):
            if self._only is None or only is None or self._only == only:
                yield self._reader.write(count, document, identity, before, after, only)

    def _former(self, side: Side | None, texts: _Texts) -> dict[Identity, deque[tuple[int, Any]]]:
        """The guarded objects of a file as it was."""
        found: dict[Identity, deque[tuple[int, Any]]] = {}
        if side is None or not _is_manifest(side.name):
            return found
        for count, document in enumerate(read_documents(texts.read(side), side.name)):
            if document.value is None:
                self.notes.unreadable.append(side.name)
                continue
            identity = identity_of(document.value)
            if identity is not None and identity[:2] in self._catalog.guards:
                found.setdefault(identity, deque()).append((count, document.value))
        return found

    def _now(self, side: Side | None, texts: _Texts, prefix: str) -> Iterator[Document]:
        if side is None or not _is_manifest(side.name):
            return
        text = texts.read(side)
        found = list(read_documents(text, prefix + side.name))
        if _TEMPLATE in text and any(document.value is None for document in found):
            self.notes.templates.append(side.name)
            return
        yield from found


def endpoints(
    old: dict[str, Any] | None, new: dict[str, Any], subresources: Sequence[str]
) -> list[tuple[str | None, dict[str, Any] | None, dict[str, Any]]]:
    """The writes between two states, as (endpoint, old, new); none where they are the same.

    A write to a custom resource changes its status or the rest, never both (the API server resets
    the other half); on a Node's status endpoint annotations and labels go along.
    """
    if old is None:
        return [(None, None, new)]
    status = (old.get("status") or {}) != (new.get("status") or {})
    rest = _main(old) != _main(new)
    if not status:
        return [("main", old, new)] if rest else []
    if "status" not in subresources:
        return [(None, old, new)]
    is_node = new.get("kind") == "Node" and new.get("apiVersion") == "v1"
    if not rest or (is_node and old.get("spec") == new.get("spec")):
        return [("status", old, new)]
    between = {key: value for key, value in new.items() if key != "status"}
    if "status" in old:
        between["status"] = old["status"]
    return [("main", old, between), ("status", between, new)]


def _main(value: dict[str, Any]) -> dict[str, Any]:
    """What the main endpoint writes."""
    rest = {key: kid for key, kid in value.items() if key != "status"}
    metadata = rest.get("metadata")
    if isinstance(metadata, dict):
        rest["metadata"] = {k: v for k, v in metadata.items() if k not in _GIVEN_BY_SERVER}
    return rest


class _Texts:
    """The contents of both sides: from the object store, or from the work tree."""

    def __init__(self, repository: Repository, blobs: Blobs) -> None:
        self._root = repository.root
        self._blobs = blobs

    def read(self, side: Side) -> bytes:
        """Raises GitError, DocumentError."""
        if side.blob is not None:
            return self._blobs.read(side.blob, MAX_TEXT)
        if self._root is None:
            raise GitError("there is no work tree")
        path = os.path.join(os.fsencode(self._root), side.path)
        return Input(os.fsdecode(path)).read()


def _is_manifest(name: str) -> bool:
    return name.lower().endswith(_MANIFESTS)
