"""Single Nodes read from the API server: few, soon or not at all, and never twice in a row."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

import msgspec

from webhook.certs.cluster import ClusterError
from webhook.reviews.crosscheck import LiveNode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime, timedelta

    Get = Callable[[str], Awaitable[bytes | None]]
    """(a Node's name, or another object's path) -> it as JSON, or None. Raises ClusterError."""

FRESH: Final = 1.0
"""For so many seconds what was read is not read again."""
MOST: Final = 32
"""Nodes that are read for one review; of the others nothing is said."""
MOST_KEPT: Final = 256
REST: Final = 5.0
"""Seconds without a read after one that failed: who cannot be reached is left alone."""
REFUSED_REST: Final = 60.0
"""The same after a 403: rights come with another manifest."""
TRIAL: Final = 2.0
"""Seconds for the first contact."""
NOBODY: Final = "skyhook-webhook"
"""Who is asked for then; it does not matter whether there is such a Node."""
_NAME: Final = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")


class NodeReader:
    """Reads Nodes for cross-checks. Whatever goes wrong, there is just no evidence.

    Attributes:
        lately: for how long a value that was overwritten still counts.
        resting_until: on the clock; before that nothing is read.
    """

    def __init__(
        self,
        get: Get,
        *,
        lately: timedelta,
        within: float,
        per_second: float,
        clock: Callable[[], float],
        now: Callable[[], datetime],
        count: Callable[[str], None],
        say: Callable[[str], None],
    ) -> None:
        """``within``: seconds for all reads of a review; ``count``: told the result of each.

        ``clock``: seconds that only grow; ``now``: the time of day, as API servers write it.
        """
        self.lately = lately
        self.resting_until = 0.0
        self._get = get
        self._within = within
        self._rate = per_second
        self._clock = clock
        self._now = now
        self._count = count
        self._say = say
        self._left = max(1.0, 2 * per_second)
        self._filled = clock()
        self._kept: dict[str, tuple[float, LiveNode]] = {}

    @property
    def resting(self) -> bool:
        """Whether nothing is read just now."""
        return self._rate <= 0 or self._clock() < self.resting_until

    async def try_out(self) -> None:
        """Connects, and finds out whether we may: before the first review depends on it."""
        try:
            async with asyncio.timeout(TRIAL):
                await self._get(NOBODY)
        except TimeoutError:
            self.resting_until = self._clock() + REST
        except ClusterError as error:
            self._refused_or_failed(error)

    async def read(self, names: Sequence[str], paths: Sequence[str] = ()) -> dict[str, LiveNode]:
        """What is known of these Nodes, at once or within the time that a review has.

        ``paths``: of other objects, by which they are also called in what comes back. Only their
        last step comes from a review.
        """
        found: dict[str, LiveNode] = {}
        asked: list[str] = []
        last = [(name, name) for name in names] + [(p, p.rpartition("/")[2]) for p in paths]
        for key, name in last[:MOST]:
            known = self._known(key, name)
            if known is not None:
                found[key] = known
            elif self._may():
                asked.append(key)
            else:
                self._count("limited")
        if asked and not self.resting:
            found |= await self._all(asked)
        return found

    def _known(self, key: str, name: str) -> LiveNode | None:
        if not _NAME.fullmatch(name):  # nothing can be called that, and no path may be made of it
            return LiveNode(None, self._now(), self.lately)
        at, node = self._kept.get(key, (0.0, None))
        return node if node is not None and self._clock() - at < FRESH else None

    def _may(self) -> bool:
        """Takes one read from what there is for this second."""
        now = self._clock()
        self._left = min(max(1.0, 2 * self._rate), self._left + (now - self._filled) * self._rate)
        self._filled = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    async def _all(self, names: list[str]) -> dict[str, LiveNode]:
        tasks = {name: asyncio.ensure_future(self._one(name)) for name in names}
        try:
            await asyncio.wait(tasks.values(), timeout=self._within)
            done = {name: task.result() for name, task in tasks.items() if task.done()}
        finally:
            for task in tasks.values():
                task.cancel()
        for _ in range(len(tasks) - len(done)):
            self._failed("late", REST)
        return {name: node for name, node in done.items() if node is not None}

    async def _one(self, name: str) -> LiveNode | None:
        try:
            body = await self._get(name)
        except ClusterError as error:
            self._refused_or_failed(error)
            return None
        self._count("absent" if body is None else "found")
        raw = None if body is None else msgspec.Raw(body)
        node = LiveNode.of(raw, self._now(), self.lately)
        while len(self._kept) >= MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[name] = self._clock(), node
        return node

    def _refused_or_failed(self, error: ClusterError) -> None:
        refused = error.status in (401, 403)
        if refused and not self.resting:
            self._say(str(error))
        self._failed("refused" if refused else "failed", REFUSED_REST if refused else REST)

    def _failed(self, how: str, rest: float) -> None:
        self._count(how)
        self.resting_until = max(self.resting_until, self._clock() + rest)
