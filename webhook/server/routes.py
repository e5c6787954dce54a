"""/validate, /mutate, /convert: from a body to an answer. A crash is never a verdict: it is a 500."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final

from webhook.reviews.decode import ReviewError
from webhook.server.failure import Answer, failure, refusal
from webhook.server.log import short
from webhook.server.responding import converting, mutating, validating

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable

    from webhook.server.body import Share
    from webhook.server.responding import Respond
    from webhook.server.state import State

CONVERT: Final = "/convert"
_FAULT: Final = "skyhook-webhook failed to judge this call; see its log"


class Route:
    """One path: limits, metrics and failures around a function from body to answer.

    Attributes:
        limit: bytes of the largest body.
    """

    def __init__(self, state: State, name: str, limit: int, respond: Respond) -> None:
        self.state = state
        self.name = name
        self.limit = limit
        self._respond = respond
        metrics = state.metrics
        self._latency = metrics.latency.labels(name)
        self._in_flight = metrics.in_flight.labels(name)
        self._ok = metrics.requests.labels(name, "200")

    def enter(self, length: int | None) -> Share:
        """Counts in a call that is not answered in this very turn. Raises ReviewError (503).

        ``length``: of its body, if that is known.
        """
        share = self.state.room.share()
        share.enter(length)
        self._in_flight.inc()
        return share

    def leave(self, share: Share) -> None:
        """Counts it out."""
        share.leave()
        self._in_flight.dec()

    def judge(self, body: bytes) -> Answer | Awaitable[Answer]:
        """The answer to a body; or one that will be there after other calls had their turns."""
        started = perf_counter()
        try:
            made = self._respond(body)
        except Exception as error:  # noqa: BLE001 - the outermost handler: a fault of ours
            return self.failed(error)
        if not isinstance(made, bytes):
            return self._later(made, started)
        self._latency.observe(perf_counter() - started)
        self._ok.inc()
        return Answer(200, [made])

    async def _later(self, made: Awaitable[list[bytes]], started: float) -> Answer:
        try:
            pieces = await made
        except Exception as error:  # noqa: BLE001 - the outermost handler: a fault of ours
            return self.failed(error)
        self._latency.observe(perf_counter() - started)
        self._ok.inc()
        return Answer(200, pieces)

    def failed(self, error: Exception) -> Answer:
        """What is answered, logged and counted instead of a verdict."""
        if isinstance(error, ReviewError):
            return self.refuse(error)
        self.state.metrics.requests.labels(self.name, "500").inc()
        self.state.log.fault("fault", error, path=self.name)
        return failure(500, _FAULT)

    def refuse(self, error: ReviewError) -> Answer:
        """The same for what cannot be read."""
        self.state.metrics.requests.labels(self.name, str(error.code)).inc()
        if error.code == 503:
            self.state.metrics.shed.labels(self.name).inc()
        self.state.log("info", "refused", path=self.name, code=error.code, why=short(error.message))
        return refusal(error)

    def check_client(self, tls: ssl.SSLObject | None) -> None:
        """Admission calls may have to carry a client certificate; conversion calls carry none.

        Raises ReviewError.
        """
        settings = self.state.settings
        if settings.client_ca is None or self.name == CONVERT:
            return
        verified = tls is not None and bool(tls.getpeercert())
        self.state.metrics.clients.labels(self.name, str(verified).lower()).inc()
        if not verified and settings.client_certificates == "enforce":
            raise ReviewError(403, "Forbidden", "a client certificate is required here")


def routes_of(state: State) -> dict[str, Route]:
    """The three paths, with the limits of the settings."""
    settings = state.settings
    return {
        path: Route(state, path, limit, respond)
        for path, limit, respond in (
            ("/validate", settings.max_body_bytes, validating(state)),
            ("/mutate", settings.max_body_bytes, mutating(state)),
            (CONVERT, settings.max_convert_bytes, converting(state)),
        )
    }
