"""What the handlers of one process share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webhook.server.body import Room
from webhook.server.rarely import Rarely

if TYPE_CHECKING:
    from webhook.metrics import Metrics
    from webhook.recording.recorder import Recorder
    from webhook.reviews.engine import Engine
    from webhook.server.crosscheck import CrossCheck
    from webhook.server.log import Log
    from webhook.server.reload import Source
    from webhook.settings import Settings


@dataclass(slots=True)
class State:
    """Engine, settings and instruments of a server.

    Attributes:
        engine: judges; replaced as a whole when settings are reloaded.
        room: calls whose head was read and whose answer is not ready, and the bound on them.
        port: where the HTTPS listener is, once it is there.
        draining: after SIGTERM: answers close their connection.
        recorder: writes down what was judged, if somebody asked for it.
        cross_check: compares copies in a status with what is known of Nodes, if that is wanted.
        source: where settings can be read anew; None where there is no file.
        generation: of the settings in force; grows with each change that was taken over.
        refused_settings: why the file as it stands cannot be used; or "".
        operator_release: what the operator's Deployment shows, where that is asked for and seen.
    """

    engine: Engine
    settings: Settings
    metrics: Metrics
    log: Log
    rarely: Rarely = field(default_factory=Rarely)
    room: Room = field(init=False)
    port: int = 0
    draining: bool = False
    recorder: Recorder | None = None
    cross_check: CrossCheck | None = None
    source: Source | None = None
    generation: int = 1
    refused_settings: str = ""
    operator_release: str | None = None

    def __post_init__(self) -> None:
        self.room = Room(self.settings.max_in_flight_bytes, self.settings.max_in_flight)
