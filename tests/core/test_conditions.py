"""Reading lists of conditions: what is understood, and what means the same."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webhook.core.conditions import MirrorNames, in_step, read_conditions, says_the_same
from webhook.core.mirror import Upkeep, right_list


@pytest.mark.parametrize(
    "text",
    [
        '"oops"',
        "{}",
        "3",
        '[null, "x", {"status": "True"}]',
        '[{"type": 1}]',
        '[{"type": null}]',
        '[{"type": "A"}, {"type": "A"}]',
        '[{"type": "A"}, {"type": "\\u0041"}]',
        '[["A"]]',
    ],
)
def test_what_is_no_list_of_distinct_types_is_not_understood(text: str):
    assert read_conditions(msgspec.Raw(text.encode())) is None


def test_entries_keep_their_bytes():
    found = read_conditions(msgspec.Raw(b'[ {"type" : "A", "x":1.10 },{"type":"B"}]'))
    assert found is not None
    assert [bytes(c.raw) for c in found] == [b'{"type" : "A", "x":1.10 }', b'{"type":"B"}']
    assert [c.origin for c in found] == [0, 1]


def pair(one: str, other: str):
    found = read_conditions(msgspec.Raw(f'[{{"type":"A",{one}}},{{"type":"B",{other}}}]'.encode()))
    assert found is not None
    return says_the_same(*found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('"message":"a\\u003cb"', '"message":"a<b"'),
        ('"status":"True","reason":"R"', '"reason":"R","status":"True"'),
        ('"observedGeneration":null', '"status":null'),
        ('"lastTransitionTime":"x"', '"lastTransitionTime":"y"'),
        ('"observedGeneration":1', '"observedGeneration":1.0'),
    ],
)
def test_form_and_transition_time_do_not_count(one: str, other: str):
    assert pair(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('"status":"True"', '"status":true'),
        ('"observedGeneration":1', '"observedGeneration":true'),
        ('"observedGeneration":9007199254740993', '"observedGeneration":9007199254740992'),
        ('"message":"a"', '"reason":"a"'),
        ('"observedGeneration":1e999', '"observedGeneration":1e998'),
    ],
)
def test_meaning_counts(one: str, other: str):
    assert not pair(one, other)


def test_a_name_belongs_to_its_pair():
    names = MirrorNames(("p.example",), ("*", "!Transition"))
    assert names.bare_of("Ready") == "Ready"
    assert names.bare_of("p.example/Ready") == "Ready"
    for alone in (
        "p.example/Transition",
        "Transition",
        "p.example/a/b",
        "q.example/Ready",
        "",
        "p.example/",
    ):
        assert names.bare_of(alone) is None


SAID = st.sampled_from(["True", "False", None])
ENTRY = st.fixed_dictionaries(
    {"type": st.sampled_from(["A", "x/A", "y/A", "B", "x/B", "z/C", "T" * 315])},
    optional={"status": SAID, "reason": SAID, "message": SAID, "observedGeneration": SAID, "more": SAID},
)  # fmt: skip


def status_of(conditions: Any) -> msgspec.Raw:
    return msgspec.Raw(json.dumps({"status": "complete", "conditions": conditions}).encode())


@given(st.lists(ENTRY, max_size=6))
@settings(max_examples=400)
def test_a_list_that_is_in_step_is_one_that_needs_nothing(entries: list[dict[str, Any]]):
    raw = msgspec.Raw(json.dumps(entries).encode())
    for prefixes in (("x",), ("x", "y")):
        names = MirrorNames(prefixes, ("*", "!B"))
        if in_step(status_of(entries), names):
            given_ = read_conditions(raw)
            assert given_ is not None
            assert right_list(given_, None, names, Upkeep(make=True)) is given_


def test_pairs_that_agree_are_in_step_and_any_difference_is_seen():
    names = MirrorNames(("x",))
    agree = [{"type": kind, "status": "True", "message": "m"} for kind in ("A", "x/A", "x/Old")]
    assert in_step(status_of(agree), names)
    for field in ("status", "reason", "message", "observedGeneration"):
        differ = [agree[0], {**agree[1], field: "other"}]
        assert not in_step(status_of(differ), names), field
    for other in (agree[:1], "no list", None):
        assert not in_step(status_of(other), names)


def test_nothing_says_what_nothing_says():
    (one,) = read_conditions(msgspec.Raw(b'[{"type":"Ready"}]')) or ()
    assert says_the_same(None, None) is True
    assert says_the_same(one, None) is False
    assert says_the_same(None, one) is False
