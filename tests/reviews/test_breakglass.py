"""Break-glass: who, how, how long; everything else stays denied, and says why the annotation is nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from webhook.core.writer import UserGlobs
from webhook.reviews.answer import answer
from webhook.reviews.breakglass import ANNOTATION, BreakGlass
from webhook.reviews.decode import decode_admission, request_of

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine
    from webhook.reviews.verdict import Verdict

NOW = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)
KEY = "skyhook.nvidia.com/nodeState_demo"
GOOD = "2026-11-30T12:00:00Z INC-1234: the operator is wedged"
ADMIN = {"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]}


def node(state: str, glass: str | None) -> dict[str, Any]:
    entry = {
        "p|1.0.0": {
            "name": "p",
            "version": "1.0.0",
            "image": "x/y",
            "stage": "apply",
            "state": state,
        }
    }
    annotations = {KEY: json.dumps(entry), **({ANNOTATION: glass} if glass is not None else {})}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n", "annotations": annotations},
    }


def judged(
    engine: Engine,
    glass: str | None = GOOD,
    user: Any = ADMIN,
    now: datetime | None = NOW,
    **request: Any,
) -> tuple[Verdict, Any]:
    body = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u", "operation": "UPDATE", "kind": {"group": "", "version": "v1", "kind": "Node"},
        "name": "n", "userInfo": user, "object": node("nonsense", glass), "oldObject": node("complete", None), **request}}  # fmt: skip
    asked = request_of(decode_admission(json.dumps(body).encode()))
    clocked = replace(engine, clock=None if now is None else lambda: now)
    verdict = clocked.judge_request(asked)
    return verdict, msgspec.to_builtins(answer(asked, verdict))


def test_the_right_user_is_let_through_and_it_is_remembered_everywhere(engine: Engine) -> None:
    plain, _ = judged(engine, glass=None)
    assert not plain.allowed
    verdict, response = judged(engine)
    assert verdict.allowed
    assert verdict.broken_glass == "until 2026-11-30T12:00:00Z: INC-1234: the operator is wedged"
    rules = [finding.rule for finding in plain.denied]
    assert set(rules) == set(verdict.would_deny)
    assert response["allowed"]
    assert "the glass was broken: until 2026-11-30T12:00:00Z: INC-1234" in response["warnings"][0]
    assert any(rules[0] in warning for warning in response["warnings"][1:])
    assert response["auditAnnotations"]["break-glass"] == verdict.broken_glass
    assert set(response["auditAnnotations"]["would-deny"].split(",")) == set(rules)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"user": {"username": "kubernetes-admin"}}, "none of the users"),
        ({"user": {"username": "system:masters-not", "groups": ["dev"]}}, "none of the users"),
        ({"sub_resource": "status"}, "never counts in a write through /status"),
        ({"glass": "2026-11-29T19:59:59Z late"}, "expired at 2026-11-29T19:59:59Z"),
        ({"glass": "2026-11-29T20:00:00Z just"}, "expired at 2026-11-29T20:00:00Z"),
        ({"glass": "2026-11-30T20:00:01Z far"}, "more than 24 hours ahead"),
        ({"glass": "2026-11-30T12:00:00Z"}, "an expiry and a reason"),
        ({"glass": "2026-11-30T12:00:00Z  "}, "an expiry and a reason"),
        ({"glass": "tomorrow because"}, "an expiry and a reason"),
        ({"glass": ""}, "an expiry and a reason"),
        ({"glass": "true"}, "an expiry and a reason"),
        ({"now": None}, "expired"),
    ],
)
def test_anything_else_stays_denied_and_says_why(
    engine: Engine, changed: dict[str, Any], why: str
) -> None:
    arguments = dict(changed)
    if "sub_resource" in arguments:
        arguments["subResource"] = arguments.pop("sub_resource")
    verdict, response = judged(engine, **arguments)
    assert not verdict.allowed
    assert verdict.broken_glass == ""
    assert why in response["warnings"][0]
    assert "break-glass" not in response.get("auditAnnotations", {})


def test_without_the_annotation_nobody_is_let_through_nor_told(engine: Engine) -> None:
    verdict, response = judged(engine, glass=None)
    assert not verdict.allowed
    assert "warnings" not in response


def test_what_the_settings_say_about_users_and_hours_counts(engine: Engine) -> None:
    def with_glass(glass: BreakGlass) -> Engine:
        return replace(engine, policy=replace(engine.policy, break_glass=glass))

    short = with_glass(BreakGlass(longest=timedelta(hours=1)))
    assert not judged(short)[0].allowed
    nobody = with_glass(BreakGlass(UserGlobs.of([])))
    assert not judged(nobody)[0].allowed
    oncall = with_glass(BreakGlass(UserGlobs.of(["*-oncall"])))
    assert judged(oncall, user={"username": "sre-oncall"})[0].allowed
    assert not judged(oncall)[0].allowed


def test_an_allowed_write_is_left_as_it_is(engine: Engine) -> None:
    body = {"object": node("complete", GOOD)}
    verdict, _ = judged(engine, **body)
    assert verdict.allowed
    assert verdict.broken_glass == ""
    assert verdict.warned == ()


def test_the_longest_time_there_is_counts_to_its_end(engine: Engine) -> None:
    verdict, _ = judged(engine, "2026-11-30T20:00:00Z the whole day")
    assert verdict.allowed
    assert verdict.broken_glass == "until 2026-11-30T20:00:00Z: the whole day"
