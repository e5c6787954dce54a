"""Rule by rule, a review comes to what the engine says of it; nothing is added and nothing lost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from tests.corpus import reading
from webhook.cli import main
from webhook.core.writer import UserGlobs
from webhook.reviews.decode import decode_admission, request_of
from webhook.reviews.explaining import Standing, explain_request
from webhook.reviews.policy import Mode, ModeRule

if TYPE_CHECKING:
    from typing import Any

    from webhook.reviews.engine import Engine
    from webhook.reviews.wire import AdmissionRequest

REVIEW = reading.ROOT / "examples" / "review.json"
SPOKEN = {Standing.DENIES: "denied", Standing.WARNS: "warned", Standing.AUDITS: "audited"}


def requests(name: str, every: int = 1) -> list[AdmissionRequest]:
    lines = list(reading.lines(reading.CHECKED_IN, names=[name]))[::every]
    return [request_of(decode_admission(line)) for line in lines]


def test_the_rules_together_say_what_the_engine_says(engine: Engine) -> None:
    some = requests(reading.EXCEPTION_FILE) + requests(reading.DISTILLED, every=40)
    for request in some:
        verdict = engine.judge_request(request)
        explained = explain_request(request, engine, {})
        assert explained.verdict == verdict
        told = {finding for rule in explained.rules for finding in rule.findings}
        shapes = {f for f in verdict.findings if f.rule.endswith(".shape")}
        assert told | shapes == set(verdict.findings)
        for rule in explained.rules:
            group = SPOKEN.get(rule.standing)
            assert group is None or set(rule.findings) & set(getattr(verdict, group))
            if rule.standing is Standing.HOLDS:
                assert rule.looks
                assert not rule.findings


def test_a_rule_says_where_it_looked_and_where_it_comes_from(engine: Engine) -> None:
    request = request_of(decode_admission(REVIEW.read_bytes()))
    explained = explain_request(request, engine, {})
    by_rule = {rule.rule: rule for rule in explained.rules}
    edge = by_rule["skyhook.node-package-step"]
    assert edge.standing is Standing.DENIES
    assert edge.source
    assert (
        edge.looks[0].field
        == "metadata.annotations[skyhook.nvidia.com/nodeState_gpu-init][tuning|1.2.3]"
    )
    held = by_rule["skyhook.node-state-json"]
    assert held.standing is Standing.HOLDS
    assert [look.field for look in held.looks] == [
        edge.looks[0].field.removesuffix("[tuning|1.2.3]")
    ]
    assert by_rule["skyhook.node-status-annotation"].standing is Standing.NOT_ASKED
    assert by_rule["skyhook.usually-cordoned"].standing is Standing.NOT_IN_FORCE
    assert [rule.standing for rule in explained.rules] == sorted(
        (rule.standing for rule in explained.rules), key=list(Standing).index
    )


def test_what_the_policy_makes_of_a_rule_is_seen(engine: Engine) -> None:
    request = requests(reading.EXCEPTION_FILE)[0]
    rule = engine.judge_request(request).denied[0].rule
    for mode, standing in (
        (Mode.WARN, Standing.WARNS),
        (Mode.AUDIT, Standing.AUDITS),
        (Mode.OFF, Standing.SWITCHED_OFF),
    ):
        override = ModeRule(mode, UserGlobs.of([rule]))
        other = replace(engine, policy=replace(engine.policy, overrides=(override,)))
        explained = explain_request(request, other, {})
        assert explained.verdict == other.judge_request(request)
        assert next(r for r in explained.rules if rule.startswith(r.rule)).standing is standing


def test_kinds_that_nobody_guards_and_writes_that_change_nothing(engine: Engine) -> None:
    request = requests(reading.EXCEPTION_FILE)[0]
    foreign = msgspec.structs.replace(
        request, kind=msgspec.structs.replace(request.kind, kind="Pod")
    )
    assert explain_request(foreign, engine, {}).kinds == ()
    same = msgspec.structs.replace(request, old_object=request.object)
    explained = explain_request(same, engine, {})
    assert not any(rule.looks for rule in explained.rules)
    assert explained.kinds == ("skyhook", "nodewright")


def test_the_command_line_tells_one_line_of_a_recording(capsys: Any) -> None:
    path = str(reading.CHECKED_IN / reading.EXCEPTION_FILE)
    assert main(["explain", "--review", f"{path}:1"]) == 1
    said = capsys.readouterr().out
    assert "  verdict: denied\n" in said
    assert "\ndenies\n  skyhook." in said
    assert "\nholds\n" in said
    assert "    source: " in said
    assert main(["explain", "--review", f"{path}:1", "--mode", "audit"]) == 0
    assert "\nnotes for the audit log only\n" in capsys.readouterr().out
    assert main(["explain", "--review", f"{path}:999"]) == 2
    assert main(["explain", "--review", path]) == 1
    assert capsys.readouterr().out.count("  verdict: denied\n") == 12
