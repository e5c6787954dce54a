"""The self-signed source: one keyring in a Secret, kept and rotated by all replicas alike.

No lease: every replica takes the same steps, writes only over the version it has read, and whoever
is second reads again. What a replica holds in memory outlives a lost or broken Secret.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.clock import utc_now
from webhook.certs.cluster import ClusterError
from webhook.certs.keyring import Keyring, Phase
from webhook.certs.observer import CertObserver, Unobserved

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime

    from webhook.certs.clock import Now, Sleep
    from webhook.certs.replicas import Roll
    from webhook.certs.store import KeyringStore, Stored

LOG = logging.getLogger(__name__)
# Replicas that start together collide a few times; each time one of them gets through.
ATTEMPTS = 10
# A replica whose own leaf is this near to its end serves the new one, trusted everywhere or not.
LAST_RESORT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Pace:
    """How long the source waits.

    Attributes:
        look: between two looks at the Secret and at the wall clock.
        settle: from the next CA's appearance to the first leaf that it signed, at least: API
            servers other than the one we read from see a configuration a little later.
        retire: from the moment every replica shows the new leaf to the old CA's end: API servers
            keep the bundle with their connections.
    """

    look: timedelta = timedelta(seconds=10)
    settle: timedelta = timedelta(minutes=1)
    retire: timedelta = timedelta(minutes=10)


class Publisher(Protocol):
    """What caBundles hold, read from the API server and from no memory; `inject.CaBundleOwner`."""

    async def missing(self, ca_pem: bytes) -> tuple[str, ...]:
        """A line per object that calls us and does not trust all of `ca_pem` yet."""
        ...

    async def trusted(self) -> bytes:
        """The CAs of ours that caBundles hold now, as PEM."""
        ...


class SelfSignedSource:
    """Bundles from a Secret that the replicas share."""

    def __init__(
        self,
        store: KeyringStore,
        publisher: Publisher,
        roll: Roll,
        *,
        now: Now = utc_now,
        sleep: Sleep = asyncio.sleep,
        observer: CertObserver | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._store = store
        self._publisher = publisher
        self._roll = roll
        self._now = now
        self._sleep = sleep
        self._observer = observer or Unobserved()
        self._pace = pace or Pace()
        self._memory: Keyring | None = None
        self._served: CertBundle | None = None
        self._served_under = b""
        # The CA that was seen while it was published: it has settled when it begins to sign.
        self._announced = b""
        self._trusted_since: datetime | None = None
        self._complaint: str | None = None

    async def bundles(self) -> AsyncIterator[CertBundle]:
        """The shared bundle as soon as there is one, then each new one, until cancelled."""
        while True:
            try:
                keyring = await self._agreed()
                bundle = await self._presentable(keyring)
            except CertError as error:
                self._complain(str(error))
            else:
                self._complain(None)
                if bundle != self._served:
                    self._served = bundle
                    self._observer.expiry("leaf", bundle.not_after)
                    yield bundle
            await self._sleep(self._pace.look.total_seconds())

    async def _agreed(self) -> Keyring:
        """The keyring that all replicas share, after what is due now has been written to it."""
        for _ in range(ATTEMPTS):
            stored = await self._store.load()
            keyring = await self._moved_on(await self._whole(stored))
            if keyring == stored.keyring and stored.complaint is None:
                return self._remembered(keyring)
            try:
                await self._store.save(keyring, stored.secret)
            except ClusterError as error:
                if not error.conflict:
                    raise
                continue  # another replica was first: what it wrote counts
            self._say(stored, keyring)
            return self._remembered(keyring)
        raise CertError(f"{self._store} changes all the time: {ATTEMPTS} writes were too late")

    async def _whole(self, stored: Stored) -> Keyring:
        """What the Secret holds; in its place what this replica remembers, or a new keyring."""
        now = self._now()
        keyring = stored.keyring
        if keyring is None and self._memory and now < self._memory.signer.not_after:
            keyring = self._memory
        if keyring is None:
            carried = stored.carried + await self._publisher.trusted()
            return Keyring.fresh(
                self._store.names, now=now, carried=carried, lives=self._store.lives
            )
        if self._served_under and self._served and now < self._served.not_after:
            keyring = keyring.trusting(self._served_under, now)
        return keyring

    async def _moved_on(self, keyring: Keyring) -> Keyring:
        """The keyring after the step that is due and allowed now."""
        names, lives, now = self._store.names, self._store.lives, self._now()
        keyring = keyring.renewed(names, now=now, lives=lives)
        waited = now - keyring.since
        if keyring.phase is Phase.STEADY:
            self._hold(())
            return keyring
        if keyring.phase is Phase.PUBLISHING:
            if waited < self._pace.settle or self._hold(
                await self._publisher.missing(keyring.trust)
            ):
                return keyring
            return keyring.published(names, now=self._now(), lives=lives)
        missing = self._hold(await self._roll.missing(keyring.signer.cert_pem))
        if keyring.phase is Phase.SERVING:
            return keyring if missing else keyring.shown(self._now())
        if missing:
            return keyring.unshown(self._now())
        return keyring.retired(self._now()) if waited >= self._pace.retire else keyring

    async def _presentable(self, keyring: Keyring) -> CertBundle:
        """What this replica may show: never a leaf that some API server does not verify yet."""
        signer = keyring.signer.cert_pem
        if self._served and signer != self._served_under and not await self._trusted(signer):
            return self._served.with_ca(keyring.trust)
        self._served_under, self._trusted_since = signer, None
        return keyring.leaf

    async def _trusted(self, signer: bytes) -> bool:
        """Whether every caBundle holds the CA, and for long enough if it was never announced."""
        now = self._now()
        if self._served and now >= self._served.not_after - LAST_RESORT:
            return True
        if missing := await self._publisher.missing(signer):
            self._hold(missing)
            self._trusted_since = None
            return False
        self._trusted_since = self._trusted_since or now
        return signer == self._announced or now - self._trusted_since >= self._pace.settle

    def _remembered(self, keyring: Keyring) -> Keyring:
        self._memory = keyring
        if keyring.upcoming is not None:
            self._announced = keyring.upcoming.cert_pem
        self._observer.phase(str(keyring.phase))
        self._observer.expiry("ca", keyring.signer.not_after)
        return keyring

    def _hold(self, missing: tuple[str, ...]) -> tuple[str, ...]:
        self._observer.held("; ".join(missing) or None)
        return missing

    def _say(self, stored: Stored, keyring: Keyring) -> None:
        if stored.secret is None and self._memory is None:
            LOG.info("%s made", self._store)
        elif stored.complaint:
            LOG.warning("%s mended: %s", self._store, stored.complaint)
        before = stored.keyring.phase if stored.keyring else None
        if before != keyring.phase:
            LOG.info("rotation is %s: %s", keyring.phase, self._store)

    def _complain(self, complaint: str | None) -> None:
        self._observer.complaint(complaint)
        if complaint == self._complaint:
            return
        self._complaint = complaint
        if complaint:
            until = f"serving on until {self._served.not_after}" if self._served else "waiting"
            LOG.error("certificates: %s; %s", complaint, until)
        else:
            LOG.info("certificates: %s is in order again", self._store)
