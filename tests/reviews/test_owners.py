"""As much of a Skyhook as rules about Nodes read: remembered, or read, or not known."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from math import inf

import msgspec
import pytest

from tests.lifecycle.skyhook import entry, node, skyhook
from tests.reviews.builders import OPERATOR, PERSON, body
from webhook.reviews.crosscheck import Copies, LiveNode, Recalled
from webhook.reviews.decode import decode_admission, request_of
from webhook.reviews.memory import Memory

PATH = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks/gpu"
NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def copies(engine):
    return Copies.of(engine.catalog)


def of(enabled=None, version="1.0", meta=None, **status):
    package = {"version": version, "image": "reg/foo", "configMap": {"big": "x" * 100}}
    if enabled is not None:
        package["uninstall"] = {"enabled": enabled, "apply": enabled}
    return skyhook(spec={"packages": {"foo": package}}, meta=meta, **status)


def remembered(copies, *writes, engine=None, memory=None, **request):
    memory = memory or Memory()
    for second, (old, new) in enumerate(writes):
        whole = body(old, new, OPERATOR, **request)
        read = decode_admission(whole) if engine is None else engine.opening.review(whole)
        copies.remember(memory, request_of(read), float(second), allowed=True)
    return memory


def states(memory, **how):
    return [state.value for state in Recalled(memory, 10.0, **how).objects(PATH)]


def test_the_profiles_say_whose_records_nodes_keep(copies):
    assert {rule: o.key("gpu") for rule, o in copies.owners.items()} == {
        "skyhook.node-uninstall-asked": PATH,
        "nodewright.node-uninstall-asked": PATH.replace("skyhook.nvidia", "nodewright.nvidia").replace("skyhooks", "nodewrights"),
    }  # fmt: skip


@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("subresource", ["", "status"])
def test_what_counts_of_both_sides_is_remembered(copies, engine, in_parts, subresource):
    writes = [(of(), of(enabled=True))]
    memory = remembered(
        copies, *writes, engine=engine if in_parts else None, subresource=subresource
    )
    assert states(memory) == [
        {"metadata": {}, "spec": {"packages": {"foo": {"version": "1.0"}}}},
        {
            "metadata": {},
            "spec": {"packages": {"foo": {"version": "1.0", "uninstall": {"enabled": True, "apply": True}}}},
        },
    ]  # fmt: skip


def test_the_deletion_is_remembered(copies):
    stamp = "2026-11-29T10:00:00Z"
    memory = remembered(copies, (of(), of(meta={"deletionTimestamp": stamp})))
    assert states(memory)[-1]["metadata"] == {"deletionTimestamp": stamp}


def test_a_write_of_the_status_is_no_news_once_the_skyhook_is_known(copies):
    memory = remembered(
        copies, (of(), of(status="complete")), (of(status="complete"), of(status="waiting"))
    )
    assert len(states(memory)) == 1


def test_of_what_was_only_tried_the_old_side_is_true(copies):
    memory = remembered(copies, (of(), of(enabled=True)), dryRun=True)
    assert [s["spec"]["packages"]["foo"] for s in states(memory)] == [{"version": "1.0"}]


@pytest.mark.parametrize(
    "spec", [None, 7, {"packages": None}, {"packages": {"foo": None, "bar": 7}}]
)
def test_specs_of_any_shape_are_taken(copies, spec):
    odd = {"kind": "Skyhook", "metadata": {"name": "gpu"}, "spec": spec}
    memory = remembered(copies, (of(), odd))
    assert len(states(memory)) == 2


def live(age, enabled=None):
    written = (NOW - timedelta(seconds=age)).isoformat()
    whole = of(enabled)
    whole["metadata"]["managedFields"] = [{"time": written, "fieldsV1": {"f:spec": {}}}]
    raw = msgspec.Raw(json.dumps(whole).encode())
    return {PATH: LiveNode.of(raw, NOW, timedelta(seconds=30))}


def test_a_skyhook_whose_spec_is_old_enough_is_evidence_and_no_other():
    assert len(states(Memory(), patience=inf, live=live(age=30))) == 1
    assert states(Memory(), patience=inf, live=live(age=29)) == []
    gone = {PATH: LiveNode(None, NOW, timedelta(seconds=30))}
    assert states(Memory(), patience=inf, live=gone) == []


def test_at_first_sight_an_unknown_skyhook_is_wanted(copies):
    recalled = Recalled(Memory(), 0.0, inf, suspicious=True)
    assert recalled.objects(PATH) == ()
    assert recalled.unknown() == (PATH,)
    known = Recalled(remembered(copies, (of(), of())), 0.0, inf, suspicious=True)
    assert len(known.objects(PATH)) == 1
    assert known.unknown() == ()


def test_findings_about_a_record_name_its_owner(copies, engine):
    sides = (node({"foo|1.0": entry(p)}) for p in ("config/complete", "uninstall/in_progress"))
    request = request_of(decode_admission(body(*sides, PERSON)))
    verdict = engine.judge_request(request, Recalled(remembered(copies, (of(), of())), 9.0))
    assert copies.missed_owners(verdict) == (PATH,)
    assert copies.missed(verdict) == ()
    assert not verdict.allowed
