"""Keeping the caBundles of one target right: a watch that sees, and a repair that writes."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webhook.certs.bundle import CertError
from webhook.certs.cabundle import ServiceKey, applied, entries
from webhook.certs.cluster import Cluster, ClusterError, Kind, Object, Target

if TYPE_CHECKING:
    from datetime import datetime

    from webhook.certs.clock import Now, Sleep
    from webhook.certs.observer import CertObserver

# What every caBundle has to be, read from where all replicas read it; None while nobody knows.
Wanted = Callable[[], Awaitable[bytes | None]]
# Whether our own `/convert` has answered a sample over TLS that this bundle verifies; never raises.
Probe = Callable[[bytes], Awaitable[bool]]

LOG = logging.getLogger(__name__)
FIELD_MANAGER = "skyhook-webhook-cabundle"
RETRY_SECONDS, SLOWEST_SECONDS = 1.0, 30.0
# An API server that comes back is seen soon: what was emptied meanwhile waits for us.
SLOWEST_WATCH_SECONDS = 4.0
# Somebody who writes another bundle again and again is met at once three times a minute, then
# slower and slower: two owners must not fill etcd.
QUICK_WRITES, WINDOW_SECONDS = 3, 60.0


@dataclass(frozen=True, slots=True)
class Custody:
    """What every keeper of a process shares."""

    cluster: Cluster
    service: ServiceKey
    wanted: Wanted
    probe: Probe
    now: Now
    sleep: Sleep
    observer: CertObserver


class Keeper:
    """The objects of one target.

    Attributes:
        right: whether all of them were right when last looked at.
    """

    def __init__(self, custody: Custody, target: Target, looked: Callable[[], None]) -> None:
        """`looked` is called after each look that found everything right."""
        self.kind = target.kind
        self.right = False
        self._custody = custody
        self._target = target
        self._looked = looked
        self._known: dict[str, Object] | None = None
        self._expected: bytes | None = None
        self._changed = asyncio.Event()
        self._repaired: dict[str, str] = {}
        self._writes: dict[str, deque[datetime]] = {}
        self._complaints: dict[str, str] = {}

    def look(self, ca_pem: bytes) -> None:
        """There is another bundle."""
        self._expected = ca_pem
        self._changed.set()

    async def watch(self) -> None:
        """See every change, until cancelled; a watch that ends is started again."""
        pause = RETRY_SECONDS
        while True:
            try:
                async for objects in self._custody.cluster.watch(self._target):
                    self._known = dict(objects)
                    self._complain("", None)
                    self._changed.set()
                    pause = RETRY_SECONDS
            except ClusterError as error:
                self._complain("", str(error))
            await self._custody.sleep(pause)
            pause = min(pause * 2, SLOWEST_WATCH_SECONDS)

    async def repair(self) -> None:
        """Write what is wrong, until cancelled; what can't be written is tried again, ever slower."""
        pause = RETRY_SECONDS
        while True:
            await self._changed.wait()
            self._changed.clear()
            if await self._all_repaired():
                pause = RETRY_SECONDS
                continue
            await self._pause(pause)
            pause = min(pause * 2, SLOWEST_SECONDS)
            self._changed.set()

    async def _all_repaired(self) -> bool:
        if self._known is None or self._expected is None:
            return True
        wrong = self._wrong(self._known, self._expected)
        if self.right:
            self._looked()
        if not wrong:
            return True
        ready = [name for name in wrong if self._may_write(name)]
        if not ready:
            return False
        try:
            wanted = await self._custody.wanted()
        except CertError as error:
            self._complain(ready[0], f"nobody can say what it should be: {error}")
            return False
        if wanted is None:
            return False
        self._expected = wanted
        done = [await self._write(name, wanted) for name in ready]
        return all(done) and len(ready) == len(wrong)

    def _wrong(self, known: dict[str, Object], expected: bytes) -> list[str]:
        """The names of objects that need a write; one that was just written waits for its event."""
        wrong = []
        self.right = True
        for name, obj in known.items():
            if not entries(self.kind, obj, self._custody.service):
                continue
            right = applied(self.kind, obj, self._custody.service, expected) is None
            self._custody.observer.ca_bundle(str(self.kind), name, right=right)
            self.right = self.right and right
            if right:
                self._complain(name, None)
            elif self._repaired.get(name) != obj["metadata"]["resourceVersion"]:
                wrong.append(name)
        return wrong

    async def _write(self, name: str, wanted: bytes) -> bool:
        obj = (self._known or {}).get(name)
        body = applied(self.kind, obj, self._custody.service, wanted) if obj else None
        if obj is None or body is None:
            return True
        if self.kind is Kind.CRD and not await self._custody.probe(wanted):
            self._complain(name, "our own /convert has not answered through the bundle")
            return False
        self._writes[name].append(self._custody.now())
        try:
            await self._custody.cluster.apply(self.kind, body, field_manager=FIELD_MANAGER)
        except ClusterError as error:
            self._complain(name, str(error))
            return False
        self._repaired[name] = obj["metadata"]["resourceVersion"]
        self._custody.observer.ca_bundle_written(str(self.kind), name)
        LOG.info("caBundle of %s %s written", self.kind, name)
        return True

    def _may_write(self, name: str) -> bool:
        now = self._custody.now()
        writes = self._writes.setdefault(name, deque())
        while writes and (now - writes[0]).total_seconds() > WINDOW_SECONDS:
            writes.popleft()
        if len(writes) < QUICK_WRITES:
            return True
        pause = min(2.0 ** (len(writes) - QUICK_WRITES), SLOWEST_SECONDS)
        return (now - writes[-1]).total_seconds() >= pause

    async def _pause(self, seconds: float) -> None:
        """Sleep, or until something changes."""
        waits = [
            asyncio.ensure_future(self._changed.wait()),
            asyncio.ensure_future(self._custody.sleep(seconds)),
        ]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()

    def _complain(self, name: str, complaint: str | None) -> None:
        """Say once what stands against an object, or against the watch where `name` is empty."""
        if complaint == self._complaints.get(name):
            return
        if complaint is None:
            del self._complaints[name]
            return
        self._complaints[name] = complaint
        LOG.warning("caBundle of %s %s: %s", self.kind, name or "objects", complaint)
