"""A certificate for a machine without a cluster: made in an empty folder, renewed when it is over."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.proof import proven

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

DEVELOPMENT_CA = "skyhook-webhook development CA"
CERT, KEY, CA = "tls.crt", "tls.key", "ca.crt"


def ensure_development_certificate(folder: Path, *, now: datetime) -> None:
    """Make `tls.crt`, `tls.key` (0600) and `ca.crt` for localhost in `folder`, if it has none.

    What somebody else put there is left alone, whatever it is; our own is made again when it can no
    longer be served. Several processes may start at once: they end up with one certificate.

    Raises:
        CertError: the folder can't be made or written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not _wanted(folder, now):
            return
        with _locked(folder):
            if _wanted(folder, now):
                _write(folder, _bundle(now))
    except OSError as error:
        raise CertError(
            f"no development certificate in {folder}: {error.strerror or error}"
        ) from None


def _wanted(folder: Path, now: datetime) -> bool:
    """Whether nobody's material is here, or only ours and no longer good."""
    if not any((folder / name).exists() for name in (CERT, KEY)):
        return True
    if _served(folder, now):
        return False
    from webhook.certs.chain import certificates

    try:
        pem = (folder / CERT).read_bytes()
        leaf = certificates(pem, CERT)[0]
        if DEVELOPMENT_CA not in leaf.issuer.rfc4514_string():
            return False
        CertBundle.load(pem, (folder / KEY).read_bytes(), now=now)
    except FileNotFoundError:
        return False
    except CertError:
        # Ours to replace only while it still hangs on the link that we made.
        return (folder / CERT).is_symlink() and (folder / "..data").is_symlink()
    return False


def _served(folder: Path, now: datetime) -> bool:
    """Whether there is a pair that is certainly good, whoever made it."""
    try:
        cert, key = ((folder / name).read_bytes() for name in (CERT, KEY))
        ca = (folder / CA).read_bytes() if (folder / CA).exists() else b""
    except OSError:
        return False
    return proven(cert, key, ca, now) is not None


def _bundle(now: datetime) -> CertBundle:
    from webhook.certs.authority import LEAF_LIFE, LOCAL_NAMES, Authority

    authority = Authority.make(DEVELOPMENT_CA, now=now, life=LEAF_LIFE)
    return authority.sign(LOCAL_NAMES, now=now)


def _write(folder: Path, bundle: CertBundle) -> None:
    """Write as kubelet does for a mounted Secret (atomic_writer.go): one rename turns all files.

    The names are links through `..data`, which is a link to a folder of its own; so no reader ever
    sees a certificate beside another one's key.
    """
    version = f"..{os.urandom(8).hex()}"
    target = folder / version
    target.mkdir(mode=0o700)
    contents = {KEY: bundle.key_pem, CERT: bundle.cert_pem, CA: bundle.ca_pem}
    for name, content in contents.items():
        mode = 0o600 if name == KEY else 0o644
        descriptor = os.open(target / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    before = (folder / "..data").readlink().name if (folder / "..data").is_symlink() else None
    _link(folder, "..data", version)
    for name in contents:
        _link(folder, name, f"..data/{name}")
    if before is not None:
        _remove(folder / before)


def _link(folder: Path, name: str, target: str) -> None:
    """Point `name` at `target` by rename; a plain file of that name makes way."""
    temporary = folder / f"..link-{os.urandom(8).hex()}"
    temporary.symlink_to(target)
    temporary.replace(folder / name)


def _remove(version: Path) -> None:
    if not version.is_dir():
        return
    for name in (KEY, CERT, CA):
        (version / name).unlink(missing_ok=True)
    version.rmdir()


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder itself: no lock file that could stay behind."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
