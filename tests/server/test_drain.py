"""The end of a process: not ready first, serving on, nothing cut off, then gone (B43)."""

from __future__ import annotations

import signal
import threading
import time

from tests.lifecycle.skyhook import skyhook
from tests.reviews.builders import body
from tests.server.process import ask, drained, head, serving

LEGAL = body(skyhook(), skyhook())
DELAY = 2.0


class Busy(threading.Thread):
    """A client that calls all the time over one connection, as an API server does."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server = server
        self.stop = threading.Event()
        self.statuses: list[int] = []
        self.closes = 0
        self.failures: list[str] = []

    def run(self):
        while not self.stop.is_set():
            try:
                with self.server.session() as connection:
                    while not self.stop.is_set():
                        answer = ask(connection, LEGAL)
                        self.statuses.append(answer.status)
                        if answer.headers.get("Connection", "").lower() == "close":
                            self.closes += 1
                            break
                        time.sleep(0.03)
            except ConnectionRefusedError:
                return  # the listener is closed: a new connection goes to another replica
            except OSError as error:
                self.failures.append(repr(error))
                return


def test_a_rolling_restart_loses_no_call(tmp_path):
    with serving(tmp_path, "--shutdown-delay", str(DELAY), warnings="default") as server:
        clients = [Busy(server) for _ in range(8)]
        for client in clients:
            client.start()
        idle = server.connect()
        slow = server.connect()
        slow.sendall(head(len(LEGAL)) + LEGAL[:100])
        server.until(lambda: all(c.statuses for c in clients))

        started = time.monotonic()
        server.signal()
        assert server.until(lambda: server.ready().status == 503, 5)
        assert server.ready().body == b"not ready: shutting down\n"
        assert server.get(server.health_port, "/healthz").status == 200
        during = server.call(LEGAL)
        assert (during.status, during.headers["Connection"].lower()) == (200, "close")
        assert time.monotonic() - started < DELAY, "too slow here to see the delay"

        time.sleep(DELAY / 2)
        slow.sendall(LEGAL[100:])
        assert drained(slow).startswith(b"HTTP/1.1 200 ")
        assert server.ended() == 0
        assert time.monotonic() - started >= DELAY
        assert drained(idle, 2) == b""
        slow.close()
        idle.close()
        for client in clients:
            client.stop.set()
            client.join(10)
        assert [c.failures for c in clients if c.failures] == []
        assert {status for c in clients for status in c.statuses} == {200}
        assert sum(c.closes for c in clients) >= len(clients)
        assert [
            line["event"] for line in server.lines if line["event"] in ("draining", "ended")
        ] == ["draining", "ended"]
        assert not any("Traceback" in line for line in server.raw)


def test_a_second_sigterm_ends_it_at_once(tmp_path):
    with serving(tmp_path, "--shutdown-delay", "60") as server:
        started = time.monotonic()
        server.signal()
        server.event("draining")
        server.signal()
        assert server.ended() == 128 + signal.SIGTERM
        assert time.monotonic() - started < 30
        assert server.event("ending at once")
        assert server.raw == []


def test_ctrl_c_ends_it_in_order_too(tmp_path):
    with serving(tmp_path, "--shutdown-delay", "0") as server:
        server.signal(signal.SIGINT)
        assert server.ended() == 0
        assert server.event("ended")


def test_a_call_under_way_gets_the_grace_period_and_no_more(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("shutdown_grace: 1\nshutdown_delay: 0\n")
    with (
        serving(tmp_path, "--config", str(config), warnings="default") as server,
        server.connect() as stuck,
    ):
        stuck.sendall(head(100))
        server.until(lambda: 'in_flight{webhook="/validate"} 1' in server.metrics())
        started = time.monotonic()
        server.signal()
        assert server.ended() == 0
        assert 0.5 < time.monotonic() - started < 12
        assert not any("Traceback" in line for line in server.raw)
