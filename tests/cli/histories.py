"""Git histories made from recorded writes: a commit for each write, and one before it where needed."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ENVIRONMENT = {
    **{k: v for k, v in os.environ.items() if not k.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
       for what, value in (("NAME", "tester"), ("EMAIL", "t@example.com"), ("DATE", "1700000000 +0000"))},
}  # fmt: skip


def git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=given,
        capture_output=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout.decode().strip()


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    return folder


@dataclass
class Recorder:
    """Writes a history by `git fast-import`, which makes thousands of commits a second."""

    folder: Path
    stream: list[bytes] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    commits: int = 0
    writes: dict[int, dict[str, Any]] = field(default_factory=dict)

    def play(self, reviews: Iterable[dict[str, Any]]) -> None:
        self._commit("start.txt", "start")
        for review in reviews:
            request = review["request"]
            old, new = request.get("oldObject"), request.get("object")
            name = f"{request['kind']['kind']}/{(new or old)['metadata']['name']}.json"
            if self.state.get(name) != old:
                self._commit(name, old)
            if new != old:
                self.writes[self._commit(name, new)] = review

    def _commit(self, name: str, value: Any) -> int:
        self.commits += 1
        self.state[name] = value
        head = f"commit refs/heads/main\nmark :{self.commits}\ncommitter t <t@x> {self.commits} +0000\n"
        self.stream.append(f"{head}data 1\nx\n".encode())
        if value is None:
            self.stream.append(f"D {name}\n".encode())
            return self.commits
        text = msgspec.json.format(msgspec.json.encode(value), indent=1)
        self.stream.append(f"M 100644 inline {name}\ndata {len(text)}\n".encode() + text + b"\n")
        return self.commits

    def finish(self) -> list[str]:
        """Makes the commits; their ids, oldest first."""
        git(self.folder, "fast-import", "--quiet", given=b"".join(self.stream))
        return git(self.folder, "rev-list", "--reverse", "main").split()
