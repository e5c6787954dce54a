"""The spec rules and what upstream's own webhook did: let pass what it took, deny what it refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.corpus import reading
from webhook.reviews.decode import decode_admission, request_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.reviews.engine import Engine
    from webhook.reviews.verdict import Verdict

REASONS = {
    "uninstall has not yet completed": "package-downgrade",
    "set uninstall.apply=true first": "package-downgrade",
    "wait for completion before removing": "package-removal",
    "error version string": "package-version",
    "graph is not valid, missing": "depends-on",
    "both percent and count": "interruption-budget",
    "is not unique": "compartment-names",
    "uninstall.apply requires": "uninstall-enabled",
}
"""What upstream says, and our rule for it."""

NEEDS_EVIDENCE = ("not found", "still referenced")
"""Upstream asks the API server for these; without knowing the other object they pass."""

ENDS_TOO = "chainsaw-wh-skyhook-downgrade-after-uninstall"
"""28 writes that end an uninstall and lower the version at once. The same write, byte for byte but for the
uid, is among the recordings (409, a lost race) and stands in a cluster without upstream's webhook (200)."""


class Resource(msgspec.Struct):
    """What is written, in a line that is not read whole."""

    resource: str


class Place(msgspec.Struct, rename="camel"):
    """Where a write goes."""

    resource: Resource
    sub_resource: str = ""


class Line(msgspec.Struct):
    """A recorded line."""

    request: Place


_PLACE = msgspec.json.Decoder(Line)


def judged(engine: Engine, review: dict[str, Any]) -> Verdict:
    body = msgspec.json.encode({k: review[k] for k in ("apiVersion", "kind", "request")})
    return engine.judge_request(request_of(decode_admission(body)))


def specs() -> Iterator[dict[str, Any]]:
    folder = reading.best_folder()
    names = [p.name for p in reading.files(folder) if p.name != reading.REJECTED_FILE]
    for line in reading.lines(folder, names=names):
        request = _PLACE.decode(line).request
        if request.resource.resource != "nodes" and not request.sub_resource:
            yield msgspec.json.decode(line)


def rejected() -> list[dict[str, Any]]:
    if reading.SHARED_REJECTED.is_dir():
        return list(reading.reviews(reading.SHARED_REJECTED))
    return list(reading.reviews(reading.CHECKED_IN, names=[reading.REJECTED_FILE]))


def test_no_recorded_write_of_a_spec_is_denied(engine: Engine) -> None:
    count = 0
    for review in specs():
        count += 1
        verdict = judged(engine, review)
        assert verdict.allowed, (reading.origin(review), verdict.denied)
    assert count > 100


def test_what_upstream_refused_is_denied_with_its_reason_at_least(engine: Engine) -> None:
    denied = 0
    for review in rejected():
        message, verdict = review["message"], judged(engine, review)
        if any(words in message for words in NEEDS_EVIDENCE):
            assert verdict.allowed, reading.origin(review)
            continue
        [rule] = [ours for words, ours in REASONS.items() if words in message]
        if review["scenario"] == ENDS_TOO:
            assert f"skyhook.{rule}" in {f.rule for f in verdict.warned}
            continue
        assert f"skyhook.{rule}" in {f.rule for f in verdict.denied}, reading.origin(review)
        denied += 1
    assert denied >= 15


@pytest.mark.skipif(not reading.SHARED.is_dir(), reason="../shared is not beside this clone")
def test_a_write_that_upstream_refused_is_recorded_too_but_for_its_uid() -> None:
    names = [f"{ENDS_TOO}.jsonl.gz"]

    def writes(folder: Any) -> dict[int, Any]:
        return {
            review["seq"]: {**review["request"], "uid": ""}
            for review in reading.reviews(folder, names=names)
        }

    assert writes(reading.SHARED)[66] == writes(reading.SHARED_REJECTED)[60]
