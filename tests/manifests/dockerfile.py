"""A Dockerfile read into instructions, linted, and its steps carried out in folders in place of containers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Step:
    """One instruction."""

    stage: int
    word: str
    rest: str


def steps(text: str) -> list[Step]:
    """All instructions, lines that go on joined, comments left out."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    joined = "\n".join(lines).replace("\\\n", " ")
    found, stage = [], -1
    for line in joined.splitlines():
        if not line.strip():
            continue
        word, _, rest = line.strip().partition(" ")
        stage += word == "FROM"
        found.append(Step(stage, word, " ".join(rest.split())))
    return found


Rule = Callable[[list[Step]], Iterator[str]]


def _bases(found: list[Step]) -> Iterator[str]:
    """DL3006, DL3007: a base has a tag that is no moving one, or a digest."""
    arguments = dict(
        step.rest.split("=", 1) for step in found if step.word == "ARG" and "=" in step.rest
    )
    for step in found:
        if step.word == "FROM":
            image = step.rest.split()[0]
            image = re.sub(r"\$\{(\w+)\}", lambda m: arguments.get(m[1], ""), image)
            tag = image.rpartition("/")[2].partition(":")[2] or image.partition("@")[2]
            if not tag or tag == "latest":
                yield f"base {image!r} is not pinned"


def _add(found: list[Step]) -> Iterator[str]:
    """DL3020: COPY, not ADD; and never the whole folder."""
    for step in found:
        if step.word == "ADD":
            yield "ADD in place of COPY"
        if step.word == "COPY" and step.rest.split()[0] in (".", "./"):
            yield "the whole folder is copied"


def _pip(found: list[Step]) -> Iterator[str]:
    """DL3013, DL3042: no cache; from the network only by hashes and as wheels."""
    for step in found:
        for command in step.rest.split("&&") if step.word == "RUN" else ():
            if not re.search(r"pip (install|download|wheel)\b", command):
                continue
            if "--no-cache-dir" not in command:
                yield f"pip keeps a cache: {command.strip()}"
            offline = "--no-index" in command
            if not offline and not (
                "--require-hashes" in command and "--only-binary=:all:" in command
            ):
                yield f"pip takes what it gets: {command.strip()}"


def _last(found: list[Step]) -> Iterator[str]:
    """The image itself: no command is run, nobody is root, nothing is started by a shell."""
    last = [step for step in found if step.stage == max(s.stage for s in found)]
    words = [step.word for step in last]
    if "RUN" in words:
        yield "the last stage runs a command"
    users = [step.rest for step in last if step.word == "USER"]
    if not users or not re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1]):
        yield "the user is not a number other than 0 (runAsNonRoot can't tell)"
    for word in ("ENTRYPOINT", "CMD"):
        if not any(step.word == word and step.rest.startswith("[") for step in last):
            yield f"{word} is not in exec form"


def _shell(found: list[Step]) -> Iterator[str]:
    """DL3004, DL4006, DL3009 and friends: no sudo, no pipe whose failure is lost, no system packages."""
    for step in found:
        if step.word == "RUN":
            for bad in ("sudo ", " | ", "apt-get", "curl ", "wget ", "; "):
                if bad in f"{step.rest} ":
                    yield f"RUN with {bad.strip()!r}"


def _folders(found: list[Step]) -> Iterator[str]:
    """DL3000: a WORKDIR is absolute."""
    for step in found:
        if step.word == "WORKDIR" and not step.rest.startswith("/"):
            yield f"WORKDIR {step.rest} is relative"


def _secrets(found: list[Step]) -> Iterator[str]:
    """No key and no address of a registry."""
    for step in found:
        if re.search(r"(?i)password|token|secret=|index-url|https?://", step.rest):
            yield f"{step.word} with a secret or an address"


RULES: tuple[Rule, ...] = (_bases, _add, _pip, _last, _shell, _folders, _secrets)


def lint(text: str) -> list[str]:
    """Everything that a rule says."""
    found = steps(text)
    return [complaint for rule in RULES for complaint in rule(found)]


@dataclass
class Replay:
    """Carries out a Dockerfile: each stage is a folder, absolute paths of its commands are inside it."""

    context: Path
    folder: Path
    python: Path

    def run(self, text: str) -> Path:
        """The folder of the last stage. Raises AssertionError with what a failed command said."""
        names: dict[str, Path] = {}
        root, work = self.folder, "/"
        for step in steps(text):
            if step.word == "FROM":
                root, work = self.folder / f"stage-{step.stage}", "/"
                root.mkdir()
                names[step.rest.rpartition(" AS ")[2]] = root
            elif step.word == "WORKDIR":
                work = step.rest
                self._at(root, work).mkdir(parents=True, exist_ok=True)
            elif step.word == "COPY":
                self._copy(step.rest, root, work, names)
            elif step.word == "RUN":
                self._run(step.rest, root, work)
        return root

    def command(self, text: str) -> list[str]:
        """What the container would start, without arguments."""
        (entry,) = (s.rest for s in steps(text) if s.word == "ENTRYPOINT")
        found: list[str] = json.loads(entry)
        return found

    def _at(self, root: Path, path: str) -> Path:
        return root / path.lstrip("/")

    def _copy(self, rest: str, root: Path, work: str, names: dict[str, Path]) -> None:
        source_root = self.context
        if rest.startswith("--from="):
            option, _, rest = rest.partition(" ")
            source_root = names[option.removeprefix("--from=")]
        *sources, target = rest.split()
        goal = self._at(root, target if target.startswith("/") else f"{work}/{target}")
        for source in sources:
            origin = source_root / source.lstrip("/")
            if origin.is_dir():
                shutil.copytree(origin, goal, symlinks=True, dirs_exist_ok=True)
            else:
                goal.mkdir(parents=True, exist_ok=True)
                shutil.copy2(origin, goal)

    def _run(self, command: str, root: Path, work: str) -> None:
        inside = re.sub(r"(?<![\w./-])/(?=[a-z])", f"{root}/", command)
        env = {
            "PATH": f"{self.python.parent}:{os.environ['PATH']}",
            "HOME": str(root),
            **{
                name: os.environ[name]
                for name in ("PIP_CERT", "PIP_DEFAULT_TIMEOUT")
                if name in os.environ
            },
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        done = subprocess.run(
            ["sh", "-ec", inside],
            cwd=self._at(root, work),
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
