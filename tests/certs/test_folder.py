from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing, suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from webhook.certs.folder import MAX_FILE_BYTES, FolderSource

if TYPE_CHECKING:
    from pathlib import Path


class Polls:
    """A sleep that runs the next step of the test's script and ends the source after the last."""

    def __init__(self, clock, *steps) -> None:
        self.clock, self.steps = clock, list(steps)

    async def sleep(self, seconds: float) -> None:
        await self.clock.sleep(seconds)
        if not self.steps:
            raise asyncio.CancelledError
        step = self.steps.pop(0)
        if step is not None:
            step()


async def run(folder: Path, clock, *steps) -> list:
    """Every bundle that the source yields while `steps` happen, one before each poll."""
    polls = Polls(clock, *steps)
    source = FolderSource(folder, now=clock.now, sleep=polls.sleep)
    seen = []
    with suppress(asyncio.CancelledError):
        async with aclosing(source.bundles()) as bundles:
            async for bundle in bundles:
                seen.append(bundle)  # noqa: PERF401 - cancelled half-way, what was seen stays
    assert not polls.steps, "the source ended before the script did"
    return seen


def write(folder: Path, bundle) -> None:
    (folder / "tls.crt").write_bytes(bundle.cert_pem)
    (folder / "tls.key").write_bytes(bundle.key_pem)
    (folder / "ca.crt").write_bytes(bundle.ca_pem)


def mount(folder: Path, bundle, version: str) -> None:
    """What kubelet does to a Secret volume: a new folder, then one rename of `..data`."""
    (folder / version).mkdir()
    write(folder / version, bundle)
    (folder / "..data_tmp").symlink_to(version)
    (folder / "..data_tmp").rename(folder / "..data")
    for name in ("tls.crt", "tls.key", "ca.crt"):
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"..data/{name}")


def errors(caplog) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


async def test_the_pair_is_yielded_once(clock, tmp_path, make_bundle):
    bundle = make_bundle()
    write(tmp_path, bundle)
    assert await run(tmp_path, clock, None, None) == [bundle]


async def test_ca_crt_is_optional(clock, tmp_path, make_bundle):
    bundle = make_bundle()
    write(tmp_path, bundle)
    (tmp_path / "ca.crt").unlink()
    [seen] = await run(tmp_path, clock)
    assert (seen.cert_pem, seen.ca_pem) == (bundle.cert_pem, b"")


async def test_a_swap_of_data_is_seen_each_time(clock, tmp_path, make_bundle):
    bundles = [make_bundle() for _ in range(4)]
    mount(tmp_path, bundles[0], "..1")
    steps = [
        (lambda n=n: mount(tmp_path, bundles[n], f"..{n + 1}")) for n in range(1, len(bundles))
    ]
    assert await run(tmp_path, clock, *steps) == bundles


async def test_a_late_pair_is_waited_for_and_said_once(clock, tmp_path, make_bundle, caplog):
    bundle = make_bundle()
    seen = await run(tmp_path, clock, None, None, None, lambda: write(tmp_path, bundle), None)
    assert seen == [bundle]
    assert errors(caplog) == [
        f"certificate in {tmp_path} can't be used: tls.crt is missing; waiting"
    ]


async def test_a_half_written_pair_is_silent_and_never_served(clock, tmp_path, make_bundle, caplog):
    old, new = make_bundle(), make_bundle()
    write(tmp_path, old)
    seen = await run(
        tmp_path,
        clock,
        lambda: (tmp_path / "tls.crt").write_bytes(new.cert_pem[:100]),
        lambda: (tmp_path / "tls.crt").write_bytes(new.cert_pem),
        lambda: (tmp_path / "tls.key").write_bytes(new.key_pem),
        lambda: (tmp_path / "ca.crt").write_bytes(new.ca_pem),
    )
    # Between crt and key the message changes at each poll: nothing stands for two of them.
    assert seen == [old, new]
    assert errors(caplog) == []


async def test_a_wrong_key_keeps_the_old_pair_with_one_line(clock, tmp_path, make_bundle, caplog):
    old, new, other = make_bundle(), make_bundle(), make_bundle()
    write(tmp_path, old)

    def wrong() -> None:
        write(tmp_path, new)
        (tmp_path / "tls.key").write_bytes(other.key_pem)

    seen = await run(tmp_path, clock, wrong, *[None] * 20)
    assert seen == [old]
    [line] = errors(caplog)
    assert "private key does not belong to the certificate" in line
    assert f"still serving the one valid until {old.not_after}" in line
    assert "PRIVATE" not in caplog.text


async def test_after_a_wrong_pair_the_next_right_one_is_served(clock, tmp_path, make_bundle):
    old, new = make_bundle(), make_bundle()
    write(tmp_path, old)
    seen = await run(
        tmp_path,
        clock,
        lambda: (tmp_path / "tls.key").write_bytes(b""),
        None,
        None,
        lambda: write(tmp_path, new),
    )
    assert seen == [old, new]


async def test_files_that_vanish_and_come_back_change_nothing(clock, tmp_path, make_bundle, caplog):
    bundle = make_bundle()
    write(tmp_path, bundle)
    seen = await run(
        tmp_path,
        clock,
        lambda: [(tmp_path / name).unlink() for name in ("tls.crt", "tls.key")],
        None,
        None,
        lambda: write(tmp_path, bundle),
        None,
    )
    assert seen == [bundle]
    assert len(errors(caplog)) == 1


async def test_an_expired_certificate_is_said_once_and_goes_on(
    clock, tmp_path, make_bundle, caplog
):
    bundle = make_bundle(life=timedelta(seconds=10))
    write(tmp_path, bundle)
    assert await run(tmp_path, clock, *[None] * 20) == [bundle]
    [line] = errors(caplog)
    assert "certificate expired at" in line


async def test_an_absurdly_large_file_is_not_read(clock, tmp_path, make_bundle, caplog):
    write(tmp_path, make_bundle())
    (tmp_path / "tls.crt").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    assert await run(tmp_path, clock, None, None) == []
    assert "larger than" in errors(caplog)[0]


async def test_a_folder_instead_of_a_file_is_reported(clock, tmp_path, caplog):
    (tmp_path / "tls.crt").mkdir()
    assert await run(tmp_path, clock, None, None) == []
    assert "tls.crt can't be read" in errors(caplog)[0]
