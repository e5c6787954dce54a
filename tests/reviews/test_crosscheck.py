"""What is remembered of reviews, and when it is evidence."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from math import inf

import msgspec
import pytest

from tests.lifecycle.skyhook import STATE, STATUS, entry, node, skyhook
from tests.reviews.builders import OPERATOR, PERSON, body
from webhook.reviews.crosscheck import Copies, LiveNode, Recalled
from webhook.reviews.decode import decode_admission, request_of
from webhook.reviews.memory import Bounds, Memory

NOW = datetime(2026, 11, 29, 12, tzinfo=UTC)
LATELY = timedelta(seconds=30)
OLD = node({"foo|1.0": entry("apply/complete")}, status="in_progress")
NEW = node({"foo|1.0": entry("config/in_progress")}, status="in_progress")


@pytest.fixture(scope="module")
def copies(engine):
    return Copies.of(engine.catalog)


def remembered(copies, allowed=True, memory=None, engine=None, **request):
    memory = memory or Memory()
    sides = {"old": OLD, "new": NEW, **request}
    whole = body(sides.pop("old"), sides.pop("new"), OPERATOR, **sides)
    read = decode_admission(whole) if engine is None else engine.opening.review(whole)
    copies.remember(memory, request_of(read), 5.0, allowed=allowed)
    return memory


def pairs(memory):
    held = memory.held("n1", STATE, 5.0)
    return [None if t is None else next(iter(json.loads(t).values()))["stage"] for t in held]


def test_the_profiles_say_what_is_copied(copies):
    assert copies.annotations == (
        *(f"skyhook.nvidia.com/{name}_" for name in ("nodeState", "status")),
        *(f"nodewright.nvidia.com/{name}_" for name in ("nodeState", "status")),
    )
    assert set(copies.rules) == {
        f"{p}.{r}"
        for p in ("skyhook", "nodewright")
        for r in ("node-state-copy", "node-status-copy")
    }


@pytest.mark.parametrize("in_parts", [False, True])
def test_a_node_may_hold_what_it_had_and_what_is_asked_for(copies, engine, in_parts):
    memory = remembered(copies, engine=engine if in_parts else None)
    assert pairs(memory) == ["apply", "config"]
    assert memory.held("n1", STATUS, 5.0) == ("in_progress",)


@pytest.mark.parametrize("request_", [{"dryRun": True}, {"allowed": False}])
def test_what_never_comes_to_be_is_not_remembered_but_what_was_there_is(copies, request_):
    assert pairs(remembered(copies, **request_)) == ["apply"]


def test_the_status_subresource_is_as_good(copies):
    assert pairs(remembered(copies, subresource="status")) == ["apply", "config"]


def test_a_node_that_registers_with_annotations_has_them(copies):
    assert pairs(remembered(copies, old=None, operation="CREATE")) == ["config"]


@pytest.mark.parametrize(
    "request_",
    [
        {"operation": "DELETE"},
        {"name": None},
        {"kind": {"group": "other", "version": "v1", "kind": "Node"}},
        {"old": skyhook(), "new": skyhook(generation=6)},
        {"old": None, "new": None, "name": "n1", "kind": {"group": "", "version": "v1", "kind": "Node"}},
    ],
)  # fmt: skip
def test_other_writes_are_no_news_of_nodes(copies, request_):
    assert not remembered(copies, **request_).knows("n1")


@pytest.mark.parametrize("annotations", [None, 7, {STATE: 7}, {STATE: None}, {"else": "x"}])
def test_annotations_of_any_shape_are_taken(copies, annotations):
    odd = {"kind": "Node", "metadata": {"name": "n1", "annotations": annotations}}
    assert pairs(remembered(copies, new=odd)) == ["apply", None]


def test_the_nodes_that_findings_are_about_are_named_once(copies, engine):
    status = {"nodeBootIds": {"n1": "a", "n2": "b"}}
    old = skyhook(nodeStatus={"n1": "waiting", "n2": "waiting"}, **status)
    new = skyhook(
        nodeStatus={"n1": "erroring", "n2": "erroring"},
        nodeState={"n1": {"foo|1.0": entry("apply/erroring")}},
        **status,
    )
    request = request_of(decode_admission(body(old, new, PERSON)))
    verdict = engine.judge_request(request, Recalled(Memory(), 0.0, inf, suspicious=True))
    assert copies.missed(verdict) == ("n1", "n2")
    assert copies.missed(engine.judge_request(request)) == ()


def live(age, annotation=STATE, **annotations):
    """A Node whose annotation was written so many seconds ago."""
    written = (NOW - timedelta(seconds=age)).isoformat().replace("+00:00", "Z")
    owned = {"f:metadata": {"f:annotations": {f"f:{annotation}": {}}}}
    metadata = {
        "name": "n1", "annotations": {STATE: "{}", **annotations},
        "managedFields": [{"manager": "m", "time": written, "fieldsV1": owned}],
    }  # fmt: skip
    return LiveNode.of(msgspec.Raw(json.dumps({"metadata": metadata}).encode()), NOW, LATELY)


def values(found):
    return [v and v.value for v in found]


def memory_of(*sides, at=0.0, **bounds):
    memory = Memory(Bounds(**bounds))
    memory.saw("n1", at, *({STATE: side} for side in sides))
    return memory


def test_the_whole_story_is_evidence_at_once():
    assert values(Recalled(memory_of("a", "b"), 0.0).held("n1", STATE)) == ["a", "b"]
    assert Recalled(memory_of("a"), 0.0).held("n2", STATE) == ()


def test_one_process_is_sure_after_it_has_listened_for_a_while():
    memory = memory_of("a", at=100.0)
    assert Recalled(memory, 129.0, 30.0).held("n1", STATE) == ()
    assert values(Recalled(memory, 130.0, 30.0).held("n1", STATE)) == ["a"]


def test_one_of_several_processes_is_never_sure_by_itself():
    assert Recalled(memory_of("a"), 1e9, inf).held("n1", STATE) == ()


def test_a_node_that_holds_one_value_for_long_enough_is_evidence_beside_what_is_remembered():
    recalled = Recalled(memory_of("a"), 50.0, inf, live={"n1": live(age=30)})
    assert values(recalled.held("n1", STATE)) == ["a", "{}"]


@pytest.mark.parametrize(
    "node_",
    [live(age=29), live(age=3600, annotation="else"), LiveNode(None, NOW, LATELY)],
    ids=["just written", "not said when", "no such Node"],
)
def test_a_node_that_may_have_held_something_else_lately_is_none(node_):
    assert Recalled(memory_of("a"), 50.0, inf, live={"n1": node_}).held("n1", STATE) == ()


def test_absence_on_a_live_node_is_never_evidence():
    assert Recalled(Memory(), 50.0, inf, live={"n1": live(3600)}).held("n1", STATUS) == ()


def test_a_node_that_is_not_there_is_absent_unless_a_review_spoke_of_it():
    gone = {"n1": LiveNode(None, NOW, LATELY)}
    assert Recalled(Memory(), 0.0, inf, live=gone).absent("n1")
    assert not Recalled(memory_of("a"), 0.0, inf, live=gone).absent("n1")
    assert not Recalled(Memory(), 0.0, inf, live=gone).absent("n2")
    assert not Recalled(Memory(), 0.0, inf, live={"n1": live(99)}).absent("n1")


def test_at_first_sight_what_is_not_remembered_is_a_miss():
    recalled = Recalled(memory_of("a"), 0.0, inf, suspicious=True)
    assert values(recalled.held("n1", STATE)) == ["a"]
    assert values(recalled.held("n2", STATE)) == [""]  # a copy of an absent one may be "waiting"
    assert not recalled.absent("n2")
    assert recalled.every() is None


def test_what_is_remembered_excuses_even_where_it_is_not_all():
    recalled = Recalled(memory_of("a", "b"), 0.0, inf)
    assert recalled.held("n1", STATE) == ()
    assert values(recalled.lately("n1", STATE)) == ["a", "b"]
    assert recalled.lately("n2", STATE) == ()


def test_a_node_just_read_is_remembered(copies):
    memory = Memory()
    copies.saw(memory, "n1", live(5), 3.0)
    copies.saw(memory, "n2", LiveNode(None, NOW, LATELY), 3.0)
    assert memory.held("n1", STATE, 3.0) == ("{}",)
    assert not memory.knows("n2")
