"""With `operator_version: auto`: which release runs is looked up now and then, and counts at once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from webhook.building import assumptions, engine_of, looks, seen
from webhook.certs.operators import running

if TYPE_CHECKING:
    from webhook.certs.operators import Running
    from webhook.server.state import State

EVERY: Final = 60.0
"""Seconds between two looks: an operator's upgrade takes longer than that."""


class Following:
    """Keeps the engine in step with the operator that runs."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._told = ""

    async def run(self) -> None:
        """Looks until cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            if looks(self._state.settings):
                await self.take(await running(self._state.settings.kubeconfig))

    async def take(self, now: Running) -> None:
        """Judges by the release that was seen; what can't be seen changes nothing."""
        state = self._state
        if now.release is None:
            self._say("warning", "operator not seen", now.where)
            return
        self._told = ""
        if now.release == state.operator_release:
            return
        state.operator_release = now.release
        settings = seen(state.settings, now.release)
        state.engine = await asyncio.to_thread(engine_of, settings, lambda: datetime.now(UTC))
        state.generation += 1
        state.metrics.generation.set(state.generation)
        state.log("info", "operator seen", release=now.release, where=now.where)
        for line in assumptions(settings, state.engine.catalog):
            state.log("info", line)

    def _say(self, level: str, event: str, where: str) -> None:
        """Once for each reason."""
        if where != self._told:
            self._told = where
            self._state.log(level, event, why=where, release=self._state.operator_release or "")
