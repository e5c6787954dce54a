"""The webhook configurations for an API server that reaches us by an address, not by a Service."""

from __future__ import annotations

from base64 import b64encode
from copy import deepcopy
from typing import TYPE_CHECKING

from webhook.manifests.webhooks import ManifestError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from webhook.manifests.options import Object


def reached_at(configurations: Iterable[Object], url: str, ca: bytes) -> list[Object]:
    """The configurations with ``url`` and this CA (PEM) in place of the Service.

    Raises ManifestError for an address that no API server calls, and for what is no certificate.
    """
    if not url.startswith("https://") or "?" in url or "#" in url:
        raise ManifestError(f"{url}: an API server calls https://HOST:PORT only")
    if b"-----BEGIN CERTIFICATE-----" not in ca:
        raise ManifestError("the file of the CA holds no certificate in PEM form")
    found = [deepcopy(one) for one in configurations]
    for webhook in (webhook for one in found for webhook in one["webhooks"]):
        path = webhook["clientConfig"]["service"]["path"]
        webhook["clientConfig"] = {
            "url": url.rstrip("/") + path,
            "caBundle": b64encode(ca).decode(),
        }
    return found
