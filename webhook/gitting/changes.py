"""What changed between two states of a repository, file by file, renames followed."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from webhook.gitting.repository import GitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from webhook.gitting.repository import Repository

_DIFF: Final = ("-r", "-z", "--raw", "--no-abbrev", "-M")
_REGULAR: Final = (b"100644", b"100755", b"100664")
_TWO_PATHS: Final = b"RC"
_NOWHERE: Final = re.compile(r"0+")


@dataclass(frozen=True, slots=True)
class Side:
    """A file as it is on one side of a change.

    Attributes:
        path: from the top of the repository.
        blob: id of its content; None for what lies in the work tree.
    """

    path: bytes
    blob: str | None

    @property
    def name(self) -> str:
        """The path as text."""
        return self.path.decode(errors="replace")


@dataclass(frozen=True, slots=True)
class Change:
    """A file that changed. Only regular files count: a link or a submodule is as good as absent.

    Attributes:
        old: None for a new file.
        new: None for a deleted file.
        unmerged: both sides are in conflict; there is nothing to judge.
    """

    old: Side | None
    new: Side | None
    unmerged: bool = False

    def in_work_tree(self) -> Change:
        """The new side read from disk: for a rename, git names the id of a blob it never stored."""
        return self if self.new is None else replace(self, new=Side(self.new.path, None))


@dataclass(frozen=True, slots=True)
class Span:
    """Two states to compare.

    Attributes:
        old: id of a commit; of the empty tree before the first one.
        new: id of a commit; None for the work tree, or the index.
        staged: the index, not the work tree.
    """

    old: str
    new: str | None = None
    staged: bool = False


def span_of(repository: Repository, text: str, *, staged: bool = False) -> Span:
    """What ``REV``, ``REV..REV`` and ``REV...REV`` say, as git reads them. Raises GitError."""
    left, dots, right = _split(text)
    if not dots:
        if repository.root is None and not staged:
            raise GitError("a bare repository has no work tree; give REV..REV")
        return Span(repository.former(text), staged=staged)
    if staged:
        raise GitError("staged changes are compared with one revision, not with a range")
    old, new = repository.commit(left or "HEAD"), repository.commit(right or "HEAD")
    if dots == "...":
        old = repository.meeting(old, new)
    return Span(old, new)


def _split(text: str) -> tuple[str, str, str]:
    return text.partition("..." if "..." in text else "..")


def changes(repository: Repository, span: Span, paths: Sequence[str] = ()) -> Iterator[Change]:
    """Every file that differs, below ``paths`` where any are given. Raises GitError."""
    limits = ("--", *paths)
    if span.new is not None:
        yield from _parse(repository.stream("diff-tree", *_DIFF, span.old, span.new, *limits))
        return
    index = ("--cached",) if span.staged else ()
    for change in _parse(repository.stream("diff-index", *index, *_DIFF, span.old, *limits)):
        yield change if span.staged else change.in_work_tree()
    if not span.staged and repository.root is not None:
        yield from _untracked(repository, repository.root, paths)


def _untracked(repository: Repository, root: Path, paths: Sequence[str]) -> Iterator[Change]:
    """New files that nobody has added yet, but for ignored ones."""
    where = () if paths else ("-C", str(root))
    listed = repository.ask(
        *where, "ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--", *paths
    )
    for path in filter(None, listed.split(b"\0")):
        if not os.path.islink(os.path.join(os.fsencode(root), path)):
            yield Change(None, Side(path, None))


def steps(
    repository: Repository, span: Span, paths: Sequence[str] = ()
) -> Iterator[tuple[str, list[Change]]]:
    """Each commit of the range against its first parent, oldest first. Raises GitError."""
    if span.new is None:
        raise GitError("only the commits of a range REV..REV can be judged one by one")
    listed = repository.ask(
        "rev-list", "--first-parent", "--reverse", "--parents", f"{span.old}..{span.new}"
    )
    pairs = b"".join(b" ".join(line.split()[:2]) + b"\n" for line in listed.splitlines())
    commit, found = "", list[Change]()
    parts = repository.stream("diff-tree", "--stdin", *_DIFF, "--", *paths, given=pairs)
    for token in _tokens(parts):
        if isinstance(token, Change):
            found.append(token)
            continue
        if commit:
            yield commit, found
        commit, found = token, []
    if commit:
        yield commit, found


def _parse(pieces: Iterator[bytes]) -> Iterator[Change]:
    for token in _tokens(pieces):
        if isinstance(token, Change):
            yield token


def _tokens(pieces: Iterator[bytes]) -> Iterator[Change | str]:
    """Changes, and the commit ids before them."""
    fields = _fields(pieces)
    for field in fields:
        if not field.startswith(b":"):
            yield field.decode().strip()
            continue
        old_mode, new_mode, old_blob, new_blob, status = field[1:].split(b" ")
        path = next(fields)
        target = next(fields) if status[:1] in _TWO_PATHS else path
        yield Change(
            _side(old_mode, path, old_blob.decode()),
            _side(new_mode, target, new_blob.decode()),
            unmerged=status[:1] == b"U",
        )


def _side(mode: bytes, path: bytes, blob: str) -> Side | None:
    if mode not in _REGULAR:
        return None
    return Side(path, None if _NOWHERE.fullmatch(blob) else blob)


def _fields(pieces: Iterator[bytes]) -> Iterator[bytes]:
    held = b""
    for piece in pieces:
        *whole, held = (held + piece).split(b"\0")
        yield from whole
