"""What the handlers of one process share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webhook.server.rarely import Rarely

if TYPE_CHECKING:
    from webhook.metrics import Metrics
    from webhook.reviews.engine import Engine
    from webhook.server.log import Log
    from webhook.settings import Settings


@dataclass(slots=True)
class State:
    """Engine, settings and instruments of a server.

    Attributes:
        engine: judges; replaced as a whole when settings are reloaded.
        port: where the HTTPS listener is, once it is there.
        draining: after SIGTERM: answers close their connection.
        in_flight: calls whose head was read and whose answer is not ready.
    """

    engine: Engine
    settings: Settings
    metrics: Metrics
    log: Log
    rarely: Rarely = field(default_factory=Rarely)
    port: int = 0
    draining: bool = False
    in_flight: int = 0
