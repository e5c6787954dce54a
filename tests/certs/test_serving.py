from __future__ import annotations

import asyncio
import ssl

import pytest

from webhook.certs.authority import Authority
from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.serving import ServingContext, client_context, peer_common_name


async def shown(port: int, ca_pem: bytes, name: str | None = "localhost", **kwargs) -> bytes:
    """The leaf (DER) that a verifying client meets; without `name` no SNI is sent."""
    context = client_context(ca_pem)
    context.check_hostname = name is not None
    for key, value in kwargs.items():
        setattr(context, key, value)
    _, writer = await asyncio.open_connection(
        "127.0.0.1", port, ssl=context, server_hostname=name or ""
    )
    leaf = writer.get_extra_info("ssl_object").getpeercert(True)
    writer.transport.abort()
    return leaf


async def call(port: int, context: ssl.SSLContext, line: bytes = b"hello") -> bytes:
    reader, writer = await asyncio.open_connection(
        "127.0.0.1", port, ssl=context, server_hostname="localhost"
    )
    writer.write(line + b"\n")
    try:
        answer = await asyncio.wait_for(reader.readline(), 10)
    finally:
        writer.transport.abort()
    return answer.strip()


def der(bundle: CertBundle) -> bytes:
    return ssl.PEM_cert_to_DER_cert(bundle.cert_pem.decode())


async def openssl(port: int, *options: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "openssl", "s_client", "-connect", f"127.0.0.1:{port}", *options,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    output, _ = await asyncio.wait_for(process.communicate(), 20)
    return output.decode()


@pytest.mark.parametrize(
    "name", ["localhost", "skyhook-webhook.skyhook-webhook-system.svc", "127.0.0.1", None]
)
async def test_the_bundle_is_served_with_and_without_sni(listening, make_bundle, name):
    context, bundle = ServingContext(), make_bundle()
    context.swap(bundle)
    async with listening(context) as port:
        assert await shown(port, bundle.ca_pem, name) == der(bundle)


async def test_openssl_without_sni_meets_the_bundle_too(listening, make_bundle):
    context, bundle = ServingContext(), make_bundle()
    context.swap(bundle)
    async with listening(context) as port:
        output = await openssl(port, "-noservername", "-showcerts")
    assert "CN = skyhook-webhook" in output


async def test_a_swap_reaches_the_next_handshake_and_leaves_open_connections(
    listening, make_bundle
):
    context, one, other = ServingContext(), make_bundle(), make_bundle()
    context.swap(one)
    async with listening(context) as port:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=client_context(one.ca_pem), server_hostname="localhost"
        )
        context.swap(other)
        assert context.bundle == other
        assert await shown(port, other.ca_pem) == der(other)
        writer.write(b"still here\n")
        assert await asyncio.wait_for(reader.readline(), 10) == b"still here None\n"
        writer.transport.abort()


async def test_a_bad_pair_raises_and_changes_nothing(listening, make_bundle):
    context, good, other = ServingContext(), make_bundle(), make_bundle()
    context.swap(good)
    bad = CertBundle(good.cert_pem, other.key_pem, good.ca_pem, good.not_before, good.not_after)
    async with listening(context) as port:
        for _ in range(3):
            with pytest.raises(CertError, match="can't be served"):
                context.swap(bad)
            assert await shown(port, good.ca_pem) == der(good)
        assert context.bundle == good


async def test_swapping_under_load_fails_no_handshake(listening, make_authority, make_bundle):
    ca = make_authority()
    bundles = [make_bundle(ca) for _ in range(10)]
    context = ServingContext()
    context.swap(bundles[0])
    seen = set()

    async def client(port: int) -> None:
        for _ in range(25):
            seen.add(await shown(port, ca.cert_pem))

    async def swapper() -> None:
        for bundle in bundles * 2:
            context.swap(bundle)
            await asyncio.sleep(0.01)

    async with listening(context) as port:
        await asyncio.gather(swapper(), *(client(port) for _ in range(4)))
    assert len(seen) > 1
    assert seen <= {der(bundle) for bundle in bundles}


async def test_before_the_first_bundle_no_handshake_succeeds(listening, make_bundle):
    async with listening(ServingContext()) as port:
        # asyncio closes without sending OpenSSL's alert, so the client may see only the close.
        with pytest.raises((ssl.SSLError, ConnectionError)):
            await shown(port, make_bundle().ca_pem)


async def test_http_1_1_is_the_only_protocol_offered(listening, make_bundle):
    context, bundle = ServingContext(), make_bundle()
    context.swap(bundle)
    async with listening(context) as port:
        assert "ALPN protocol: http/1.1" in await openssl(port, "-alpn", "h2,http/1.1")
        assert "No ALPN negotiated" in await openssl(port, "-alpn", "h2")


async def test_tls_below_1_2_is_refused(listening, make_bundle):
    context, bundle = ServingContext(), make_bundle()
    context.swap(bundle)
    async with listening(context) as port:
        old = await openssl(port, "-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0")
        assert "CN = skyhook-webhook" not in old
        assert "Protocol  : TLSv1.2" in await openssl(port, "-tls1_2")
        new = await openssl(port, "-tls1_3")
        assert "TLSv1.3" in new


async def test_no_session_ticket_is_sent(listening, make_bundle):
    context, bundle = ServingContext(), make_bundle()
    context.swap(bundle)
    async with listening(context) as port:
        output = await openssl(port, "-tls1_3")
        assert "New Session Ticket" not in output
        assert "Session-ID-ctx" not in output
        assert "TLS session ticket" not in await openssl(port, "-tls1_2")


# --- client certificates


@pytest.fixture
def clients(clock, tmp_path):
    """A client CA and a function that gives a client context, with or without a certificate."""
    ca = Authority.make("client CA", now=clock.now())

    def client(server_ca: bytes, signer: Authority | None = ca) -> ssl.SSLContext:
        context = client_context(server_ca)
        if signer is not None:
            leaf = _client_leaf(signer, clock)
            (tmp_path / "client.pem").write_bytes(leaf)
            context.load_cert_chain(tmp_path / "client.pem")
        return context

    return ca, client


def _client_leaf(signer: Authority, clock) -> bytes:
    # The authority signs servers only; a client's leaf is built here.
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    issuer = x509.load_pem_x509_certificate(signer.cert_pem)
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:masters"),
            x509.NameAttribute(NameOID.COMMON_NAME, "kube-apiserver"),
        ]
    )
    leaf = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(signer.not_before)
        .not_valid_after(signer.not_after)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        .sign(s.load_pem_private_key(signer.key_pem, None), hashes.SHA256())
    )
    return leaf.public_bytes(s.Encoding.PEM) + key.private_bytes(
        s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()
    )


async def test_a_client_certificate_is_read_but_not_required(listening, make_bundle, clients):
    client_ca, client = clients
    context, bundle = ServingContext(client_ca_pem=client_ca.cert_pem), make_bundle()
    context.swap(bundle)
    async with listening(context) as port:
        assert await call(port, client(bundle.ca_pem)) == b"hello kube-apiserver"
        assert await call(port, client(bundle.ca_pem, None)) == b"hello None"


async def test_a_client_certificate_of_a_stranger_is_refused(
    listening, make_bundle, make_authority, clients
):
    client_ca, client = clients
    context, bundle = ServingContext(client_ca_pem=client_ca.cert_pem), make_bundle()
    context.swap(bundle)
    async with listening(context) as port:
        try:
            answer = await call(port, client(bundle.ca_pem, make_authority()))
        except (ssl.SSLError, ConnectionError):
            answer = b""
        # In TLS 1.3 the client is done before the server has looked at its certificate.
        assert answer == b""


async def test_without_a_client_ca_no_certificate_is_asked_for(listening, make_bundle, clients):
    _, client = clients
    context, bundle = ServingContext(), make_bundle()
    context.swap(bundle)
    async with listening(context) as port:
        assert await call(port, client(bundle.ca_pem)) == b"hello None"
        assert "No client certificate CA names sent" in await openssl(port)


async def test_client_ca_survives_a_swap_and_can_be_replaced(
    listening, make_bundle, make_authority, clients
):
    client_ca, client = clients
    context, bundle = ServingContext(client_ca_pem=make_authority().cert_pem), make_bundle()
    context.swap(make_bundle())
    context.trust_clients(client_ca.cert_pem)
    with pytest.raises(CertError, match="client CA"):
        context.trust_clients(b"rubbish")
    context.swap(bundle)
    async with listening(context) as port:
        assert await call(port, client(bundle.ca_pem)) == b"hello kube-apiserver"


def test_a_client_ca_that_cannot_be_read_is_a_cert_error():
    with pytest.raises(CertError, match="client CA is empty"):
        ServingContext(client_ca_pem=b"")
    with pytest.raises(CertError, match="without a client CA"):
        ServingContext().trust_clients(b"")


def test_no_connection_has_no_name():
    assert peer_common_name(None) is None
