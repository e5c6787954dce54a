"""What a process is: a server alone, a supervisor of workers, or one of those."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Protocol

from webhook.server.link import Link
from webhook.server.run import Server
from webhook.server.workers import WORKER, Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from webhook.server.state import State


class Process(Protocol):
    """What is run until it is told to end."""

    state: State
    port: int
    ports: dict[str, int]

    async def run(self, on_ready: Callable[[Any], None] | None = None) -> bool:
        """Serves; False when it could not go on."""
        ...


def process_of(state: State) -> Process:
    """The process that this one is to be. Raises CertError for a client CA that cannot be read."""
    given = os.environ.pop(WORKER, None)
    if given is None:
        return Supervisor(state) if state.settings.workers > 1 else Server(state)
    number, line, port = map(int, given.split(","))
    state.log.also = {"worker": number}
    state.port = port
    return Server(state, Link(socket.socket(fileno=line)))
