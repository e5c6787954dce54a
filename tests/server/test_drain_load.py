"""The end of a process that API servers hold connections to: busy ones, idle ones, and a slow call (B43)."""

from __future__ import annotations

import threading
import time

from tests.lifecycle.skyhook import skyhook
from tests.reviews.builders import body
from tests.server.process import JSON_TYPE, ask, drained, head, serving

LEGAL = body(skyhook(), skyhook())
DELAY = 1.5
BUSY, IDLE = 20, 10
CALL_EVERY = 0.05
SLOW_SECONDS = 2.9
LARGE = LEGAL.rstrip()[:-1] + b" " * (2_900_000 - len(LEGAL)) + b"}"


class Connection(threading.Thread):
    """Calls over one connection at a time until it is told to close it and nobody takes a new one.

    Attributes:
        failures: what became of calls that were begun, but for a 200.
        untaken: why the last new connection did not come to be; the listener was closed.
    """

    def __init__(self, server) -> None:
        super().__init__(daemon=True)
        self.server = server
        self.statuses: list[int] = []
        self.told_to_close = 0
        self.failures: list[str] = []
        self.untaken = ""

    def run(self) -> None:
        while not self.failures:
            with self.server.session() as connection:
                try:
                    connection.connect()
                except OSError as error:
                    self.untaken = repr(error)
                    return
                self._call(connection)

    def _call(self, connection) -> None:
        try:
            while True:
                answer = ask(connection, LEGAL)
                self.statuses.append(answer.status)
                if answer.headers.get("Connection", "").lower() == "close":
                    self.told_to_close += 1
                    return
                time.sleep(CALL_EVERY)
        except OSError as error:
            self.failures.append(repr(error))


def kept(server):
    """A connection that has answered one call and is idle since."""
    sock = server.connect()
    sock.sendall(head(len(LEGAL)) + LEGAL)
    assert sock.recv(100_000).startswith(b"HTTP/1.1 200 ")
    return sock


def slowly(sock, results: list[bytes]) -> None:
    """A body of 2.9 MB over some seconds: it ends long after the listener is closed."""
    sock.sendall(head(len(LARGE)))
    step = len(LARGE) // 29
    for start in range(0, len(LARGE), step):
        sock.sendall(LARGE[start : start + step])
        time.sleep(SLOW_SECONDS / 29)
    results.append(drained(sock))


def test_twenty_busy_and_ten_idle_connections_and_a_slow_call_end_without_a_reset(tmp_path):
    quiet = "ignore::ResourceWarning"  # asyncio, of TLS sessions whose peer is slow to end them
    with serving(tmp_path, "--shutdown-delay", str(DELAY), warnings=quiet) as server:
        busy = [Connection(server) for _ in range(BUSY)]
        for each in busy:
            each.start()
        idle = [kept(server) for _ in range(IDLE)]
        slow, answers = server.connect(), []
        server.until(lambda: all(each.statuses for each in busy))
        calling = threading.Thread(target=slowly, args=(slow, answers))
        calling.start()
        started = time.monotonic()
        server.signal()
        assert server.ended() == 0
        took = time.monotonic() - started
        calling.join(30)
        for each in busy:
            each.join(30)
        ends = [drained(sock) for sock in idle]
        for sock in (*idle, slow):
            sock.close()
        calls = sum(len(each.statuses) for each in busy)
        print(sum("Refused" not in each.untaken for each in busy), "not accepted any more")
        print(f"{calls} calls, exit after {took:.1f} s of which {DELAY} s delay")
        assert [each.failures for each in busy if each.failures] == []
        assert {status for each in busy for status in each.statuses} == {200}
        assert all(each.told_to_close for each in busy)
        assert ends == [b""] * IDLE
        (answer,) = answers
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert took > DELAY
        assert server.raw == []


def test_idle_connections_do_not_hold_the_end_up(tmp_path):
    with serving(tmp_path, "--shutdown-delay", "0") as server:
        idle = [kept(server) for _ in range(IDLE)]
        started = time.monotonic()
        server.signal()
        assert server.ended() == 0
        took = time.monotonic() - started
        print(f"{IDLE} idle connections: exit after {took:.2f} s")
        assert took < 8
        for sock in idle:
            assert drained(sock) == b""
            sock.close()


def test_while_draining_every_path_closes_and_the_probes_answer(tmp_path):
    with serving(tmp_path, "--shutdown-delay", "3") as server, server.session() as session:
        ask(session, LEGAL)
        server.signal()
        server.event("draining")
        answer = ask(session, b"{}", "/convert")
        assert answer.status == 400
        assert answer.headers["Connection"].lower() == "close"
        session.request("POST", "/validate", LEGAL, JSON_TYPE)  # over a new connection
        with session.getresponse() as again:
            assert (again.status, again.headers["Connection"].lower()) == (200, "close")
        assert server.ready().status == 503
        assert server.get(server.health_port, "/healthz").status == 200
        assert "skyhook_webhook_reviews_total" in server.metrics()
        assert server.ended() == 0
