"""Everything the replicas share, as one value: CA, leaf, whom to trust, and where a rotation stands.

Pure: each step returns another keyring. A rotation goes steady → publishing → serving → retiring →
steady; two rules hold in every phase, whatever happened to the Secret:
the leaf is signed by `signer`, and `trust` holds every CA whose leaf some replica may still show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from webhook.certs.authority import CA_LIFE, LEAF_LIFE, Authority
from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.chain import certificates

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from cryptography import x509

# The common name that our CAs begin with; what is trusted under it is ours to carry over.
CA_NAME = "skyhook-webhook CA"
MAX_CARRIED = 3


class Phase(StrEnum):
    """Where a rotation of the CA stands."""

    STEADY = "steady"  # one CA, known to everybody
    PUBLISHING = "publishing"  # the next CA is put beside the one in use
    SERVING = "serving"  # the new leaf is out; the old CA is trusted until every replica shows it
    RETIRING = "retiring"  # every replica has shown it; the old CA goes after a while


@dataclass(frozen=True, slots=True)
class Lives:
    """How long a CA and a leaf are good for."""

    ca: timedelta = CA_LIFE
    leaf: timedelta = LEAF_LIFE


@dataclass(frozen=True, slots=True)
class Keyring:
    """The shared state of all replicas.

    Attributes:
        phase: where the rotation stands, since `since`.
        trust: what every caBundle has to be, PEM.
        signer: the CA that signed the leaf and will sign the next.
        leaf: what every replica serves; its `ca_pem` is `trust`.
        upcoming: the CA that takes over, while it is published; else None.
    """

    phase: Phase
    since: datetime
    trust: bytes
    signer: Authority
    leaf: CertBundle
    upcoming: Authority | None = None

    @classmethod
    def fresh(
        cls, names: tuple[str, ...], *, now: datetime, carried: bytes = b"", lives: Lives
    ) -> Keyring:
        """A new CA and leaf.

        `carried` are CAs that caBundles still hold: they go only when every replica has shown the
        new leaf, so that a lost Secret fails no call.
        """
        signer = Authority.make(CA_NAME, now=now, life=lives.ca)
        others = ours(carried, now)
        trust = joined(others, signer.cert_pem)
        leaf = signer.sign(names, now=now, life=lives.leaf).with_ca(trust)
        return cls(Phase.SERVING if others else Phase.STEADY, now, trust, signer, leaf)

    def trusting(self, ca_pem: bytes, now: datetime) -> Keyring:
        """With a CA that a replica still serves under: it was not in `trust`, and must be."""
        trust = joined(self.trust, ca_pem)
        if trust == self.trust:
            return self
        phase = Phase.PUBLISHING if self.phase is Phase.PUBLISHING else Phase.SERVING
        return replace(self._with_trust(trust), phase=phase, since=now)

    def renewed(self, names: tuple[str, ...], *, now: datetime, lives: Lives) -> Keyring:
        """With what two thirds of a life make due: another leaf, or the start of a rotation."""
        keyring = self
        if self.phase is Phase.STEADY and due(self.signer.not_before, self.signer.not_after, now):
            keyring = keyring.rotating(now=now, lives=lives)
        if not due(self.leaf.not_before, self.leaf.not_after, now):
            return keyring
        leaf = self.signer.sign(names, now=now, life=lives.leaf)
        # Near the end of a CA each leaf would be as short as the last: that is the rotation's task.
        if leaf.not_after <= self.leaf.not_after:
            return keyring
        return replace(keyring, leaf=leaf.with_ca(keyring.trust))

    def rotating(self, *, now: datetime, lives: Lives) -> Keyring:
        """From steady to publishing: a next CA beside the one in use. In any other phase: unchanged."""
        if self.phase is not Phase.STEADY:
            return self
        upcoming = Authority.make(CA_NAME, now=now, life=lives.ca)
        trusting = self._with_trust(joined(self.trust, upcoming.cert_pem))
        return replace(trusting, phase=Phase.PUBLISHING, since=now, upcoming=upcoming)

    def published(self, names: tuple[str, ...], *, now: datetime, lives: Lives) -> Keyring:
        """From publishing to serving: every caBundle holds the next CA, so it may sign."""
        if self.upcoming is None:
            return replace(self, phase=Phase.SERVING, since=now)
        leaf = self.upcoming.sign(names, now=now, life=lives.leaf)
        return replace(
            self,
            phase=Phase.SERVING,
            since=now,
            signer=self.upcoming,
            leaf=leaf.with_ca(self.trust),
            upcoming=None,
        )

    def shown(self, now: datetime) -> Keyring:
        """From serving to retiring: every replica has shown a leaf of `signer`."""
        return replace(self, phase=Phase.RETIRING, since=now)

    def unshown(self, now: datetime) -> Keyring:
        """From retiring to serving: a replica was met that does not."""
        return replace(self, phase=Phase.SERVING, since=now)

    def retired(self, now: datetime) -> Keyring:
        """From retiring to steady: nobody but `signer` is trusted any more."""
        return replace(self._with_trust(self.signer.cert_pem), phase=Phase.STEADY, since=now)

    def _with_trust(self, trust: bytes) -> Keyring:
        return replace(self, trust=trust, leaf=self.leaf.with_ca(trust))


def due(not_before: datetime, not_after: datetime, now: datetime) -> bool:
    """Whether two thirds of a life are over."""
    return now >= not_before + (not_after - not_before) * 2 / 3


def joined(*pems: bytes) -> bytes:
    """All certificates of the PEMs, each once, in order, and nothing else.

    API servers refuse a CRD whose bundle has anything else (measured: 422 for rubbish).

    Raises:
        CertError: one of the PEMs that are not empty can't be read.
    """
    seen: dict[bytes, None] = {}
    for pem in pems:
        if pem.strip():
            for certificate in certificates(pem, "CA"):
                seen[certificate.public_bytes(Encoding.PEM)] = None
    return b"".join(seen)


def ours(pem: bytes, now: datetime) -> bytes:
    """The CAs in `pem` that we made and that are not over, the last few; b"" if none or unreadable."""
    try:
        found = certificates(pem, "CA")
    except CertError:
        return b""
    kept = [each for each in found if now < each.not_valid_after_utc and _is_ours(each)]
    return b"".join(each.public_bytes(Encoding.PEM) for each in kept[-MAX_CARRIED:])


def _is_ours(certificate: x509.Certificate) -> bool:
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return any(str(name.value).startswith(CA_NAME) for name in names)
