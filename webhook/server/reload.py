"""Settings that change on disk take effect without a restart; a bad edit changes nothing but what is said."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from webhook.building import assumptions, engine_of, seen
from webhook.profile_files import files_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from webhook.reviews.engine import Engine
    from webhook.server.state import State
    from webhook.settings import Settings

EVERY: Final = 2.0
"""Seconds between two looks. A mounted ConfigMap changes by a link: watching inodes would miss it."""
AT_ONCE: Final = frozenset(
    {
        "mode", "modes", "operators", "profiles", "operator_version", "conditions", "strictness",
        "usual_rules", "break_glass", "log_level",
    }
)  # fmt: skip
"""What takes effect without a restart."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where settings come from.

    Attributes:
        file: the file of ``--config``.
        load: reads file, environment and flags anew. Raises ValueError, saying why.
    """

    file: Path
    load: Callable[[], Settings]


class Reload:
    """Looks at the files from time to time."""

    def __init__(self, state: State, source: Source) -> None:
        self._state = state
        self._source = source
        self._seen = self._fingerprint(state.settings)

    async def run(self) -> None:
        """Looks until cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            await self.look()

    async def look(self) -> None:
        """Takes over what changed, if it can be used."""
        now = await asyncio.to_thread(self._fingerprint, self._state.settings)
        if now == self._seen:
            return
        self._seen = now
        try:
            settings, engine = await asyncio.to_thread(self._built)
        except ValueError as error:
            self._refuse(str(error))
            return
        self._take(settings, engine)
        self._seen = await asyncio.to_thread(self._fingerprint, settings)

    def _built(self) -> tuple[Settings, Engine]:
        settings = self._source.load()
        release = self._state.operator_release
        return settings, engine_of(seen(settings, release), lambda: datetime.now(UTC))

    def _take(self, settings: Settings, engine: Engine) -> None:
        state = self._state
        changed = [
            name
            for name in settings.__struct_fields__
            if getattr(settings, name) != getattr(state.settings, name)
        ]
        later = [name for name in changed if name not in AT_ONCE]
        update = {name: getattr(settings, name) for name in changed if name in AT_ONCE}
        state.settings = state.settings.changed(**update)
        state.engine = engine
        state.generation += 1
        state.refused_settings = ""
        state.metrics.know(frozenset(kind for _, kind in engine.catalog.guards))
        state.metrics.generation.set(state.generation)
        state.metrics.settings_broken.set(0)
        state.log.at(settings.log_level)
        state.log("info", "settings", generation=state.generation, changed=sorted(update))
        for line in assumptions(seen(settings, state.operator_release), engine.catalog):
            state.log("info", line)
        if later:
            state.log("warning", "these settings wait for a restart", settings=sorted(later))

    def _refuse(self, why: str) -> None:
        state = self._state
        state.refused_settings = why
        state.metrics.settings_broken.set(1)
        state.log("error", "settings refused", why=why, generation=state.generation)

    def _fingerprint(self, settings: Settings) -> bytes:
        """Of all that settings are read from; a file that cannot be read is a state as well."""
        found = hashlib.sha256()
        for path in (self._source.file, *files_of(settings.profiles)):
            try:
                content = path.read_bytes()
            except OSError as error:
                content = f"\0{error.errno}".encode()
            found.update(len(content).to_bytes(8, "big") + content)
        return found.digest()
