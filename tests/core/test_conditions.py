"""Reading lists of conditions: what is understood, and what means the same."""

from __future__ import annotations

import msgspec
import pytest

from webhook.core.conditions import MirrorNames, read_conditions, says_the_same


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
