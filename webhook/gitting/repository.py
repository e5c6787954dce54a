"""One git repository, asked by subprocess: arguments checked, nothing of its configuration run.

Only plumbing is used: it knows no external diff, no textconv, no colour and no pager.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAFE: Final = ("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false")
_ENVIRONMENT: Final = {
    "GIT_LITERAL_PATHSPECS": "1",  # a path is a path, whatever it looks like
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_PIECE: Final = 1 << 16


class GitError(Exception):
    """What git said, in one line."""


class Repository:
    """A repository around a folder.

    Attributes:
        folder: where git is run; paths that callers give are relative to it.
        root: the top of the work tree; None for a bare repository.
    """

    def __init__(self, folder: Path, root: Path | None) -> None:
        self.folder = folder
        self.root = root

    @classmethod
    def around(cls, folder: Path) -> Repository:
        """The repository that holds ``folder``. Raises GitError."""
        here = cls(folder, None)
        if here.ask("rev-parse", "--is-inside-work-tree").strip() == b"true":
            top = here.ask("rev-parse", "--show-toplevel").removesuffix(b"\n")
            here.root = Path(os.fsdecode(top))
        return here

    def commit(self, revision: str) -> str:
        """The id of the commit that a revision names. Raises GitError."""
        if revision.startswith("-") or not revision.strip():
            raise GitError(f"{revision!r} is no revision")
        try:
            found = self.ask("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        except GitError:
            raise GitError(f"{revision!r} names no commit here{self._shallow()}") from None
        return found.decode().strip()

    def former(self, revision: str) -> str:
        """As ``commit``; HEAD before a branch's first commit is the empty tree. Raises GitError."""
        try:
            return self.commit(revision)
        except GitError:
            if revision != "HEAD" or self._tells("rev-parse", "--verify", "--quiet", "HEAD"):
                raise
            if not self._tells("symbolic-ref", "--quiet", "HEAD"):
                raise
            return self.ask("hash-object", "-t", "tree", "--stdin").decode().strip()

    def meeting(self, one: str, other: str) -> str:
        """The commit where two histories part. Raises GitError."""
        try:
            return self.ask("merge-base", one, other).decode().split()[0]
        except GitError:
            message = f"{one[:12]} and {other[:12]} have no commit in common here"
            raise GitError(message + self._shallow()) from None

    def _shallow(self) -> str:
        shallow = self.ask("rev-parse", "--is-shallow-repository").strip() == b"true"
        return "; this clone is shallow: fetch the whole history" if shallow else ""

    def _tells(self, *arguments: str) -> bool:
        try:
            return bool(self.ask(*arguments))
        except GitError:
            return False

    def ask(self, *arguments: str) -> bytes:
        """All that a command prints. Raises GitError."""
        return b"".join(self.stream(*arguments))

    def stream(self, *arguments: str, given: bytes = b"") -> Iterator[bytes]:
        """What a command prints, as it comes; ``given`` is its input. Raises GitError."""
        with TemporaryFile() as source, TemporaryFile() as wrong:
            source.write(given)
            source.seek(0)
            with self._start(arguments, source, wrong) as process:
                if process.stdout is not None:
                    while piece := process.stdout.read(_PIECE):
                        yield piece
            if process.returncode:
                wrong.seek(0)
                raise GitError(f"git {arguments[0]}: {_last_line(wrong.read())}")

    def blobs(self) -> Blobs:
        """A reader of contents. Raises GitError."""
        return Blobs(self._start(("cat-file", "--batch"), subprocess.PIPE, subprocess.DEVNULL))

    def _start(
        self, arguments: tuple[str, ...], source: IO[bytes] | int, wrong: IO[bytes] | int
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603 - every argument is ours or checked
                ["git", *_SAFE, *arguments],  # noqa: S607 - the git that the caller uses
                cwd=self.folder,
                env={**os.environ, **_ENVIRONMENT},
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=wrong,
            )
        except FileNotFoundError:
            raise GitError("there is no git here (or no such folder)") from None


class Blobs:
    """Contents by their ids, from one running ``git cat-file --batch``; a context manager."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.__exit__(None, None, None)

    def read(self, blob: str, most: int) -> bytes:
        """The content of a blob of at most ``most`` bytes. Raises GitError."""
        pipe, out = self._process.stdin, self._process.stdout
        if pipe is None or out is None:
            raise GitError("git cat-file was started without pipes")
        pipe.write(blob.encode() + b"\n")
        pipe.flush()
        head = out.readline().split()
        if len(head) != 3:
            raise GitError(f"git has no object {blob}")
        size = int(head[2])
        if size > most:
            raise GitError(f"larger than {most} bytes")
        return out.read(size + 1)[:-1]


def _last_line(text: bytes) -> str:
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("fatal: ") if lines else "failed"
