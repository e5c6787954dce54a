"""What the listener presents: one outer context for good, a whole new inner one per bundle.

Loading a mismatched pair into a live context breaks every later handshake (measured), so a bundle
is proven in a context of its own first and `sni_callback` then picks it, with and without SNI.
"""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from webhook.certs.bundle import CertError
from webhook.certs.proof import load_pair

if TYPE_CHECKING:
    from webhook.certs.bundle import CertBundle


class ServingContext:
    """TLS for a listener whose certificate changes while it runs.

    Attributes:
        outer: the context to give to the listener, once. Until the first `swap` every handshake
            ends with an alert.
    """

    def __init__(self, *, client_ca_pem: bytes | None = None) -> None:
        """With `client_ca_pem`, certificates of clients are asked for and checked, never required.

        Conversion calls carry none (measured), so who must show one is decided per path.

        Raises:
            CertError: `client_ca_pem` can't be read.
        """
        self._client_ca_pem = client_ca_pem
        self._inner: ssl.SSLContext | None = None
        self._bundle: CertBundle | None = None
        self.outer = _context(client_ca_pem)
        self.outer.sni_callback = self._pick

    @property
    def bundle(self) -> CertBundle | None:
        """The bundle that new handshakes get, or None before the first."""
        return self._bundle

    def swap(self, bundle: CertBundle) -> None:
        """Serve `bundle` from the next handshake on; open connections live on.

        Raises:
            CertError: OpenSSL can't serve it; then nothing has changed.
        """
        inner = _context(self._client_ca_pem)
        try:
            load_pair(inner, bundle.cert_pem, bundle.key_pem)
        except (ssl.SSLError, ValueError) as error:
            raise CertError(f"certificate can't be served: {_reason(error)}") from None
        self._inner, self._bundle = inner, bundle

    def trust_clients(self, client_ca_pem: bytes) -> None:
        """Check client certificates against another CA from the next handshake on.

        Raises:
            CertError: it can't be read, or this listener was made without client certificates.
        """
        if self._client_ca_pem is None:
            raise CertError("the listener was started without a client CA")
        before = self._client_ca_pem
        _context(client_ca_pem)
        self._client_ca_pem = client_ca_pem
        try:
            if self._bundle is not None:
                self.swap(self._bundle)
        except CertError:
            self._client_ca_pem = before
            raise

    def _pick(
        self,
        connection: ssl.SSLObject,
        _server_name: str | None,
        _outer: ssl.SSLContext,
    ) -> int | None:
        if self._inner is None:
            return ssl.ALERT_DESCRIPTION_INTERNAL_ERROR
        connection.context = self._inner
        return None


def peer_common_name(connection: ssl.SSLObject | ssl.SSLSocket | None) -> str | None:
    """The common name of the certificate that the client showed and that was verified, or None.

    `connection` is what `transport.get_extra_info("ssl_object")` returns.
    """
    certificate = connection.getpeercert() if connection is not None else None
    if not certificate:
        return None
    subject = certificate.get("subject", ())
    pairs = (pair for names in subject if isinstance(names, tuple) for pair in names)
    return next((str(pair[1]) for pair in pairs if pair[0] == "commonName"), None)


def client_context(ca_pem: bytes) -> ssl.SSLContext:
    """A client that trusts `ca_pem` alone: for our own dials to a listener of ours.

    Raises:
        CertError: `ca_pem` can't be read.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    _trust(context, ca_pem, "CA")
    return context


def _context(client_ca_pem: bytes | None) -> ssl.SSLContext:
    # OpenSSL reads versions and verify mode from the outer context, the rest from the inner one:
    # both come from here so that they can't differ.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    # API servers never resume a session (k8s.io/apiserver sets no session cache).
    context.num_tickets = 0
    context.options |= ssl.OP_NO_TICKET | ssl.OP_NO_RENEGOTIATION
    if client_ca_pem is not None:
        context.verify_mode = ssl.CERT_OPTIONAL
        _trust(context, client_ca_pem, "client CA")
    return context


def _trust(context: ssl.SSLContext, ca_pem: bytes, what: str) -> None:
    try:
        context.load_verify_locations(cadata=ca_pem.decode("ascii"))
    except (ssl.SSLError, ValueError) as error:
        from webhook.certs.chain import certificates

        certificates(ca_pem, what)  # knows best what is wrong
        raise CertError(f"{what} can't be trusted: {_reason(error)}") from None


def _reason(error: ssl.SSLError | ValueError) -> str:
    return str(getattr(error, "reason", None) or error)
