from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from webhook.certs.bundle import CertBundle, CertError
from webhook.certs.development import ensure_development_certificate

START = """
import sys; from datetime import datetime; from pathlib import Path
from webhook.certs.development import ensure_development_certificate
ensure_development_certificate(Path(sys.argv[1]), now=datetime.fromisoformat(sys.argv[2]))
"""


def load(folder: Path, clock) -> CertBundle:
    parts = [(folder / name).read_bytes() for name in ("tls.crt", "tls.key", "ca.crt")]
    return CertBundle.load(*parts, now=clock.now())


def test_an_empty_folder_gets_a_certificate_for_localhost(clock, tmp_path):
    folder = tmp_path / "certs" / "dev"
    ensure_development_certificate(folder, now=clock.now())
    bundle = load(folder, clock)
    assert bundle.not_after > clock.now() + timedelta(days=80)
    assert (folder / "tls.key").stat().st_mode & 0o777 == 0o600
    assert (folder / "tls.crt").stat().st_mode & 0o044 == 0o044


def test_a_second_start_changes_nothing(clock, tmp_path):
    ensure_development_certificate(tmp_path, now=clock.now())
    before = load(tmp_path, clock)
    clock.time += timedelta(days=30)
    ensure_development_certificate(tmp_path, now=clock.now())
    assert load(tmp_path, clock) == before


def test_our_own_is_made_again_when_it_is_over(clock, tmp_path):
    ensure_development_certificate(tmp_path, now=clock.now())
    before = load(tmp_path, clock)
    clock.time += timedelta(days=91)
    ensure_development_certificate(tmp_path, now=clock.now())
    after = load(tmp_path, clock)
    assert after != before
    versions = [path for path in tmp_path.iterdir() if path.is_dir() and not path.is_symlink()]
    assert len(versions) == 1, "the old pair is gone"


@pytest.mark.parametrize(
    "present",
    [{"tls.crt": b"", "tls.key": b""}, {"tls.key": b"a key"}, {"tls.crt": b"not PEM"}],
    ids=["empty files", "key alone", "certificate alone"],
)
def test_what_somebody_put_there_is_left_alone(clock, tmp_path, present):
    for name, content in present.items():
        (tmp_path / name).write_bytes(content)
    ensure_development_certificate(tmp_path, now=clock.now())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == present


def test_an_expired_certificate_of_somebody_else_is_left_alone(clock, tmp_path, make_bundle):
    bundle = make_bundle(life=timedelta(days=1))
    (tmp_path / "tls.crt").write_bytes(bundle.cert_pem)
    (tmp_path / "tls.key").write_bytes(bundle.key_pem)
    ensure_development_certificate(tmp_path, now=clock.now() + timedelta(days=2))
    assert (tmp_path / "tls.crt").read_bytes() == bundle.cert_pem


def test_concurrent_starts_end_with_one_certificate(clock, tmp_path):
    def start(_number: int) -> bytes:
        command = [sys.executable, "-c", START, str(tmp_path), clock.now().isoformat()]
        subprocess.run(command, check=True, timeout=60, cwd=Path(__file__).parents[2])
        return (tmp_path / "tls.crt").read_bytes()

    with ThreadPoolExecutor(4) as pool:
        seen = set(pool.map(start, range(4)))
    assert len(seen) == 1
    load(tmp_path, clock)
    assert sum(path.is_dir() and not path.is_symlink() for path in tmp_path.iterdir()) == 1


def test_a_reader_never_meets_a_mismatched_pair(clock, tmp_path, monkeypatch):
    """After each rename of a renewal the pair on disk is either missing, old or new."""
    ensure_development_certificate(tmp_path, now=clock.now())
    clock.time += timedelta(days=91)
    renames: list[str] = []
    replace = Path.replace

    def replacing(self: Path, target: Path) -> Path:
        done = replace(self, target)
        renames.append(target.name)
        start = clock.now() - timedelta(days=91 if not renames else 0)
        pair = [(tmp_path / name).read_bytes() for name in ("tls.crt", "tls.key", "ca.crt")]
        CertBundle.load(*pair, now=start)
        return done

    monkeypatch.setattr(Path, "replace", replacing)
    ensure_development_certificate(tmp_path, now=clock.now())
    assert renames[0] == "..data"


def test_a_file_where_the_folder_should_be_is_a_cert_error(clock, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CertError, match="no development certificate"):
        ensure_development_certificate(tmp_path / "file" / "certs", now=clock.now())
