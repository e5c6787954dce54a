"""The source for mounted files: cert-manager, a Secret volume, or anything that writes PEM."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.clock import utc_now

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from webhook.certs.clock import Now, Sleep

LOG = logging.getLogger(__name__)
POLL_SECONDS = 2.0
# A PEM with a chain takes a few KiB; whatever is larger was mounted by mistake.
MAX_FILE_BYTES = 1024 * 1024


class FolderSource:
    """Bundles from `tls.crt`, `tls.key` and, where it is there, `ca.crt` of one folder.

    The files are read at each poll: three small files cost less than being wrong about time stamps,
    and a swap of `..data`, a rename or a plain rewrite look the same. What can't be used is said
    once, when it has stood for two polls (so a write in progress is silent); the last good bundle
    goes on being served.
    """

    def __init__(
        self,
        folder: Path,
        *,
        now: Now = utc_now,
        sleep: Sleep = asyncio.sleep,
        interval: float = POLL_SECONDS,
    ) -> None:
        """`interval` is in seconds between two polls."""
        self._folder = folder
        self._now = now
        self._sleep = sleep
        self._interval = interval
        self._complaint: str | None = None
        self._complained = False

    async def bundles(self) -> AsyncIterator[CertBundle]:
        """The pair in the folder as soon as it is whole, then each new one, until cancelled."""
        served: CertBundle | None = None
        while True:
            bundle = self._poll(served)
            if bundle is not None and bundle != served:
                served = bundle
                yield bundle
            await self._sleep(self._interval)

    def _poll(self, served: CertBundle | None) -> CertBundle | None:
        try:
            contents = tuple(self._read(name) for name in ("tls.crt", "tls.key", "ca.crt"))
            bundle = CertBundle.load(*contents, now=self._now())
        except CertError as error:
            self._complain(str(error), served)
            return None
        if self._complained and bundle == served:
            LOG.info("certificate in %s is back to the one that is served", self._folder)
        elif bundle != served:
            LOG.info("certificate from %s, valid until %s", self._folder, bundle.not_after)
        self._complaint, self._complained = None, False
        return bundle

    def _complain(self, complaint: str, served: CertBundle | None) -> None:
        if complaint != self._complaint:
            self._complaint, self._complained = complaint, False
            return
        if not self._complained:
            self._complained = True
            until = f"still serving the one valid until {served.not_after}" if served else "waiting"
            LOG.error("certificate in %s can't be used: %s; %s", self._folder, complaint, until)

    def _read(self, name: str) -> bytes:
        """The content of one file; `b""` for a CA that is not there.

        Raises:
            CertError: the file is missing, can't be read or is absurdly large.
        """
        try:
            with (self._folder / name).open("rb") as file:
                content = file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            if name == "ca.crt":
                return b""
            raise CertError(f"{name} is missing") from None
        except OSError as error:
            raise CertError(f"{name} can't be read: {error.strerror or error}") from None
        if len(content) > MAX_FILE_BYTES:
            raise CertError(f"{name} is larger than {MAX_FILE_BYTES} bytes")
        return content
