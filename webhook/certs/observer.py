"""What certificates report, for whoever keeps metrics: calls only, no library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class CertObserver(Protocol):
    """Told of each change; never raises. Every method may be told the same thing again."""

    def expiry(self, certificate: str, not_after: datetime) -> None:
        """When the `leaf` that is served, or the `ca` that signed it, is over."""
        ...

    def phase(self, phase: str) -> None:
        """Where the rotation stands: `steady`, `publishing`, `serving` or `retiring`."""
        ...

    def held(self, reason: str | None) -> None:
        """What the rotation waits for (an object, a replica), or None when it does not wait."""
        ...

    def complaint(self, message: str | None) -> None:
        """What is wrong with the source while an older bundle is served, or None when nothing is."""
        ...

    def ca_bundle(self, kind: str, name: str, *, right: bool) -> None:
        """Whether the caBundles of an object are what they should be."""
        ...

    def ca_bundle_written(self, kind: str, name: str) -> None:
        """A caBundle was repaired."""
        ...


class Unobserved:
    """Nobody listens."""

    def expiry(self, certificate: str, not_after: datetime) -> None:
        """See CertObserver."""

    def phase(self, phase: str) -> None:
        """See CertObserver."""

    def held(self, reason: str | None) -> None:
        """See CertObserver."""

    def complaint(self, message: str | None) -> None:
        """See CertObserver."""

    def ca_bundle(self, kind: str, name: str, *, right: bool) -> None:
        """See CertObserver."""

    def ca_bundle_written(self, kind: str, name: str) -> None:
        """See CertObserver."""
