"""The command line, called in this process as `main` and read as bytes."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.server.process import Serving, serving
from webhook.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def rows(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def cli(capsysbinary, monkeypatch, tmp_path) -> Callable[..., Done]:
    """Runs a command line in a folder of its own, without settings in the environment."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsysbinary.readouterr()
        code = main([str(a) for a in args])
        sys.stdout.flush()
        out, err = capsysbinary.readouterr()
        return Done(code, out.decode(), err.decode())

    return run


@pytest.fixture
def write(tmp_path) -> Callable[[str, Any], str]:
    """Writes a file: a text as it is, anything else as JSON; returns its name."""

    def put(name: str, content: Any) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return name

    return put


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server without settings, to compare with."""
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running
