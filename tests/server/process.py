"""A real `skyhook-webhook serve` on free ports, and plain ways to talk to it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[2]
JSON_TYPE = {"Content-Type": "application/json"}
PATIENCE = 60.0


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Serving:
    """One server process.

    Attributes:
        port, metrics_port, health_port: where it listens, on 127.0.0.1.
        lines: what it has logged so far, parsed; what is no JSON is under ``raw``.
    """

    def __init__(self, process: subprocess.Popen[bytes], cert_dir: Path) -> None:
        self.process = process
        self.cert_dir = cert_dir
        self.lines: list[dict[str, Any]] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        ports = self.event("serving")
        self.port: int = ports["port"]
        self.metrics_port: int = ports.get("metrics", 0)
        self.health_port: int = ports.get("health", 0)

    def _read(self) -> None:
        assert self.process.stderr is not None
        with suppress(ValueError):  # closed at the end, in the middle of a look
            for line in self.process.stderr:
                self.lines.append(self._told(line))

    @staticmethod
    def _told(line: bytes) -> dict[str, Any]:
        try:
            told: dict[str, Any] = json.loads(line)
        except ValueError:
            return {"event": "", "raw": line.decode(errors="replace")}
        return told

    def event(self, name: str, after: int = 0) -> dict[str, Any]:
        """The first log line of that name after so many lines; waits for it."""
        found = self.until(
            lambda: next((x for x in self.lines[after:] if x["event"] == name), None)
        )
        assert found, f"no {name!r} in {self.lines}"
        return found

    def until(self, holds: Callable[[], Any], patience: float = PATIENCE) -> Any:
        """Polls until something is so, or the process has ended."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            found = holds()
            if found:
                return found
            if self.process.poll() is not None and not self._reader.is_alive():
                return holds()
            time.sleep(0.02)
        return holds()

    @property
    def raw(self) -> list[str]:
        """What was logged that is no JSON: tracebacks, warnings of the interpreter."""
        return [line["raw"] for line in self.lines if "raw" in line]

    def context(self, **options: Any) -> ssl.SSLContext:
        """A client that trusts the server's CA alone."""
        context = ssl.create_default_context(cafile=str(self.cert_dir / "ca.crt"))
        for name, value in options.items():
            setattr(context, name, value)
        return context

    def connect(self, timeout: float = PATIENCE) -> ssl.SSLSocket:
        """A TLS connection."""
        plain = socket.create_connection(("127.0.0.1", self.port), timeout)
        return self.context().wrap_socket(plain, server_hostname="localhost")

    @contextmanager
    def session(self) -> Iterator[http.client.HTTPSConnection]:
        """A connection that is kept alive."""
        connection = http.client.HTTPSConnection(
            "localhost", self.port, timeout=PATIENCE, context=self.context()
        )
        try:
            yield connection
        finally:
            connection.close()

    def call(
        self,
        body: bytes | None,
        path: str = "/validate",
        method: str = "POST",
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """One call over a connection of its own."""
        with self.session() as connection:
            return ask(connection, body, path, method, headers)

    def raw_call(self, *pieces: bytes) -> bytes:
        """All that comes back for these bytes, until the server closes or is silent."""
        with self.connect() as sock:
            for piece in pieces:
                sock.sendall(piece)
            return drained(sock)

    def get(self, port: int, path: str) -> Answer:
        """A plain GET of a probe or of the metrics."""
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{port}{path}", timeout=PATIENCE
            ) as answer:
                return Answer(answer.status, dict(answer.headers), answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, dict(error.headers), error.read())

    def ready(self) -> Answer:
        return self.get(self.health_port, "/readyz")

    def metrics(self) -> str:
        return self.get(self.metrics_port, "/metrics").body.decode()

    def memory(self, field: str = "VmHWM") -> int:
        """Bytes of a field of /proc: the peak, or VmRSS."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split(f"{field}:")[1].split()[0]) * 1024

    def cpu(self) -> float:
        """Seconds of CPU used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def signal(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    def ended(self) -> int:
        """The exit code, once it has ended."""
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code


def ask(
    connection: http.client.HTTPSConnection,
    body: bytes | None,
    path: str = "/validate",
    method: str = "POST",
    headers: dict[str, str] | None = None,
) -> Answer:
    """One call over a connection that may be kept alive."""
    connection.request(method, path, body, JSON_TYPE if headers is None else headers)
    with connection.getresponse() as response:
        return Answer(response.status, dict(response.getheaders()), response.read())


def drained(sock: ssl.SSLSocket, patience: float = 10.0) -> bytes:
    """What comes until the end, or until nothing came for so long."""
    sock.settimeout(patience)
    got = b""
    try:
        while piece := sock.recv(65536):
            got += piece
    except (TimeoutError, ConnectionError, ssl.SSLError):
        pass
    return got


def head(length: int | str, path: str = "/validate", *more: str) -> bytes:
    """The head of a POST; ``chunked`` for a length that is not known."""
    size = "Transfer-Encoding: chunked" if length == "chunked" else f"Content-Length: {length}"
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        size,
        *more,
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


@contextmanager
def serving(
    folder: Path, *flags: str, env: dict[str, str] | None = None, warnings: str = "error"
) -> Iterator[Serving]:
    """Starts a server and ends it; ``warnings`` is Python's -W."""
    cert_dir = folder / "certs"
    command = [
        sys.executable, "-W", warnings, "-m", "webhook", "serve", "--bind-address", "127.0.0.1", "--port", "0",
        "--metrics-bind-address", "127.0.0.1:0", "--health-probe-bind-address", "127.0.0.1:0",
        "--cert-dir", str(cert_dir), *flags,
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield Serving(process, cert_dir)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()
