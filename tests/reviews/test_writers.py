"""Three writers: the operator, another service account, people and nodes (and nobody known)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.lifecycle.skyhook import PREFIX, entry, node, ready, skyhook
from tests.reviews.builders import ACCOUNT, OPERATOR, PERSON, body
from webhook.core.writer import UserGlobs, Writer

BASE = {
    "status": "in_progress",
    "nodeStatus": {"n1": "in_progress"},
    "nodeBootIds": {"n1": "a"},
    "nodeState": {"n1": {"foo|1.0": entry("config/in_progress")}},
    "conditions": [ready("False", "Progressing")],
}
NODE = "system:node:n1"
EVERYBODY = [OPERATOR, ACCOUNT, PERSON, NODE, None]


def judged(engine, old, new, user):
    return engine.judge_body(body(old, new, user)).verdict


def claim(**status):
    return skyhook(**BASE), skyhook(**{**BASE, **status})


CLAIMS = {
    "nodeState": claim(nodeState={"n1": {"foo|1.0": entry("config/complete")}}),
    "nodeStatus": claim(nodeStatus={"n1": "erroring"}),
    "status": claim(status="blocked"),
    "conditions": claim(conditions=[ready("False", "Blocked")]),
}
INSTEAD = {
    "nodeState": "start a node over `kubectl skyhook node reset`; legal from config/in_progress, for the operator: config/",
    "nodeStatus": "to run a package again use `kubectl skyhook package rerun`, to start a node over `kubectl skyhook node reset`",
    "status": "to hold it use `kubectl skyhook pause` or `disable`, to start over `kubectl skyhook reset`",
    "conditions": "conditions follow from status.status and the nodes",
}


@pytest.mark.parametrize("field", CLAIMS)
@pytest.mark.parametrize(
    "user", [PERSON, NODE, "kubernetes-admin", "argocd-application-controller"]
)
def test_people_and_nodes_claim_nothing_and_are_told_what_to_do(engine, field, user):
    found = judged(engine, *CLAIMS[field], user)
    assert [f.rule for f in found.denied] == ["skyhook.operator-only"]
    assert "only the operator writes this" in found.denied[0].message
    assert INSTEAD[field] in found.denied[0].message
    assert found.writer is Writer.PERSON


@pytest.mark.parametrize("field", CLAIMS)
@pytest.mark.parametrize("user", [OPERATOR, None])
def test_the_operator_and_a_writer_nobody_knows_may(engine, field, user):
    assert judged(engine, *CLAIMS[field], user).findings == ()


@pytest.mark.parametrize("field", CLAIMS)
def test_another_service_account_is_warned_and_told_the_setting(engine, field):
    found = judged(engine, *CLAIMS[field], ACCOUNT)
    assert found.allowed
    (warning,) = found.warned
    assert warning.rule == "skyhook.operator-only"
    assert warning.rarely
    assert (
        f"{ACCOUNT} is not it as configured; if it is, add it to the setting `operators`"
        in warning.message
    )
    named = replace(engine, policy=replace(engine.policy, operators=UserGlobs.of([ACCOUNT])))
    assert judged(named, *CLAIMS[field], ACCOUNT).findings == ()


@pytest.mark.parametrize("user", EVERYBODY)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (skyhook(meta={"annotations": {}}, **BASE), skyhook(meta={"annotations": {f"{PREFIX}/pause": "true"}}, **BASE)),
        (skyhook(**BASE), skyhook(meta={"labels": {"a": "b"}, "finalizers": []}, **BASE)),
        (skyhook(**BASE, nodeOrderOffset=7, nodePriority={"n1": "2026-05-01T10:00:00Z"}), skyhook(**BASE, nodeOrderOffset=0)),
        (node({"foo|1.0": entry("config/complete")}), node(None)),
        (node({"foo|1.0": entry("config/complete")}, status="complete"), node({}, status="complete")),
        (node({}), node({}, labels={f"{PREFIX}/ignore": "true"})),
        (node({}, status="in_progress", cordon="true"), node({}, status="in_progress")),
    ],
)  # fmt: skip
def test_what_the_cli_and_people_really_write_is_silent(engine, old, new, user):
    assert judged(engine, old, new, user).findings == ()


def batches(current, **status):
    numbers = {"matched": 1, "ceiling": 1, "completed": 0, "inProgress": 1, "progressPercent": 0}
    there = {"c": {**numbers, "batchState": {"currentBatch": current, "completedNodes": 4}}}
    return skyhook(
        **{
            **BASE,
            "compartmentStatuses": there,
            "completeNodes": "0/1",
            "nodesInProgress": 1,
            **status,
        }
    )


STALE = {
    "nodeStatus": {"n1": "waiting"},
    "status": "waiting",
    "conditions": [ready("False", "Waiting")],
}


def test_a_reset_by_the_cli_may_bring_back_older_values_and_warns(engine):
    found = judged(engine, batches(5), batches(1, **STALE), PERSON)
    assert found.allowed
    assert {f.rule for f in found.warned} == {"skyhook.operator-only"}
    assert {str(f.field) for f in found.warned} == {
        "status.nodeStatus[n1]",
        "status.status",
        "status.conditions[Ready]",
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (batches(5), batches(4, **STALE)),
        (batches(1), batches(1, **STALE)),
        (batches(5), batches(1, status="complete")),
        (batches(5), batches(1, conditions=[ready("True", "Progressing")])),
        (batches(5), batches(1, conditions=[ready("False", "Progressing"), ready("True", "Progressing", kind=f"{PREFIX}/Ready")])),
        (skyhook(**BASE), skyhook(**{**BASE, **STALE})),
    ],
)  # fmt: skip
def test_any_other_shape_and_every_claim_of_completion_stay_denied(engine, old, new):
    assert "skyhook.operator-only" in {f.rule for f in judged(engine, old, new, PERSON).denied}


@pytest.mark.parametrize("user", EVERYBODY)
@pytest.mark.parametrize(
    "broken",
    [
        {"status": "done"},
        {"nodeStatus": {"n1": "finished"}},
        {"nodeState": {"n1": {"foo|1.0": entry("apply-check/in_progress")}}},
        {"nodeState": {"n1": {"foo|1.0": entry("config/in_progress", name="bar")}}},
        {"nodeState": {"n1": {"foo|1.0": entry("config/in_progress", restarts=-1)}}},
        {"nodeState": {"n1": {"foo|1.0": "x"}}},
        {"nodeState": []},
        {"conditions": [ready("Unknown", "Progressing")]},
        {"conditions": [ready("False", "Whatever")]},
        {"conditions": [ready("False", "Progressing", generation=9)]},
        {"conditions": {}},
    ],
)
def test_a_repair_of_an_illegal_value_is_open_to_everybody(engine, broken, user):
    assert judged(engine, skyhook(**{**BASE, **broken}), skyhook(**BASE), user).findings == ()


@pytest.mark.parametrize("user", EVERYBODY)
@pytest.mark.parametrize("field", ["nodeStatus", "nodeState", "status"])
def test_a_word_outside_is_denied_whoever_writes_it(engine, field, user):
    word = {
        "nodeStatus": {"n1": "finished"},
        "nodeState": {"n1": {"foo|1.0": entry("config/done")}},
        "status": "done",
    }[field]
    assert any(
        f.rule.endswith(".value") for f in judged(engine, *claim(**{field: word}), user).denied
    )


@pytest.mark.parametrize(
    ("user", "warned"), [(PERSON, 1), (NODE, 1), (OPERATOR, 0), (ACCOUNT, 0), (None, 0)]
)
def test_on_nodes_only_people_who_change_an_existing_pair_are_warned(engine, user, warned):
    old, new = (node({"foo|1.0": entry(p)}) for p in ("config/complete", "apply/in_progress"))
    found = judged(engine, old, new, user)
    assert found.allowed
    assert len(found.warned) == warned


def test_in_a_review_without_user_info_the_writer_is_unknown(engine):
    assert judged(engine, *CLAIMS["status"], None).writer is Writer.UNKNOWN
