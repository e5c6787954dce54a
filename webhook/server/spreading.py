"""Certificates that are proven here and served by others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webhook.certs.serving import ServingContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.certs.bundle import CertBundle


class Spreading(ServingContext):
    """Tells of every new bundle, once OpenSSL has taken it here."""

    def __init__(self, tell: Callable[[], None]) -> None:
        super().__init__()
        self._tell = tell

    def swap(self, bundle: CertBundle) -> None:
        """Raises CertError; then nobody is told."""
        super().swap(bundle)
        self._tell()
