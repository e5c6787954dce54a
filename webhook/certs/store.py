"""The Secret that all replicas share: what was found in it, and writing only over what was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webhook.certs.bundle import CertError
from webhook.certs.keyring import Keyring, Lives, ours
from webhook.certs.secret import TRUST, decoded, foreign, keyring_of, secret_of

if TYPE_CHECKING:
    from webhook.certs.clock import Now
    from webhook.certs.cluster import Cluster, Object


@dataclass(frozen=True, slots=True)
class Stored:
    """What the Secret was found to be.

    Attributes:
        secret: the object, or None where there is none.
        keyring: what can be used of it, mended where needed; None when nothing can.
        complaint: what is wrong with it, or None.
        carried: the CAs of ours that it still names, for a keyring that takes its place.
    """

    secret: Object | None
    keyring: Keyring | None
    complaint: str | None
    carried: bytes = b""


class KeyringStore:
    """One Secret in our namespace."""

    def __init__(
        self, cluster: Cluster, name: str, names: tuple[str, ...], *, now: Now, lives: Lives
    ) -> None:
        """`names` are what the leaf has to be valid for."""
        self.names = names
        self.lives = lives
        self._cluster = cluster
        self._name = name
        self._now = now

    def __str__(self) -> str:
        return f"Secret {self._cluster.namespace}/{self._name}"

    async def load(self) -> Stored:
        """The Secret as it is stored now.

        Raises:
            ClusterError: it can't be read.
            CertError: it belongs to somebody else; it will not be touched.
        """
        secret = await self._cluster.get_secret(self._name)
        if secret is None:
            return Stored(None, None, "there is none")
        if owner := foreign(secret):
            raise CertError(f"{self} is not ours to write: {owner}")
        now = self._now()
        try:
            keyring, complaint = keyring_of(secret, self.names, now=now, leaf_life=self.lives.leaf)
        except CertError as error:
            carried = ours(decoded(secret).get(TRUST, b""), now)
            return Stored(secret, None, str(error), carried)
        return Stored(secret, keyring, complaint)

    async def save(self, keyring: Keyring, over: Object | None) -> None:
        """Create the Secret, or replace the version `over`; its own labels and annotations stay.

        Raises:
            ClusterError: `conflict` when another replica was first.
        """
        secret = secret_of(self._name, keyring, over)
        if over is None:
            await self._cluster.create_secret(secret)
        else:
            await self._cluster.update_secret(secret)

    async def rotate(self) -> Keyring:
        """Begin a rotation of the CA now; every replica that runs takes it further.

        Raises:
            CertError: there is no Secret that can be rotated, or another process was first.
        """
        stored = await self.load()
        if stored.keyring is None:
            raise CertError(f"{self} can't be rotated: {stored.complaint}")
        keyring = stored.keyring.rotating(now=self._now(), lives=self.lives)
        if keyring != stored.keyring:
            await self.save(keyring, stored.secret)
        return keyring

    async def trust(self) -> bytes | None:
        """What every caBundle has to be, read now; None while there is no Secret that can be used.

        Raises:
            ClusterError: it can't be read.
            CertError: it belongs to somebody else.
        """
        stored = await self.load()
        return stored.keyring.trust if stored.keyring else None
