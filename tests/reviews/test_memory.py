"""What reviews showed of Nodes: kept for a while, within bounds, and never more sure than it is."""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from webhook.reviews.memory import MIB, Bounds, Memory

KEY, OTHER = "prefix/nodeState_gpu", "prefix/status_gpu"


def test_both_sides_of_a_review_may_be_what_the_node_holds():
    memory = Memory()
    memory.saw("n1", 0, {KEY: "a"}, {KEY: "b"})
    assert memory.held("n1", KEY, 0) == ("a", "b")


def test_the_last_review_counts_however_long_ago_it_was_and_earlier_ones_only_lately():
    memory = Memory(Bounds(lately=30))
    memory.saw("n1", 0, {KEY: "a"}, {KEY: "b"})
    assert memory.held("n1", KEY, 10_000) == ("a", "b")  # it may have failed
    memory.saw("n1", 100, {KEY: "b"}, {KEY: "c"})
    assert memory.held("n1", KEY, 100) == ("b", "c")
    memory.saw("n1", 120, {KEY: "c"}, {KEY: "d"})
    assert memory.held("n1", KEY, 125) == ("b", "c", "d")
    assert memory.held("n1", KEY, 131) == ("c", "d")


def test_absence_is_a_value_too():
    memory = Memory()
    memory.saw("n1", 0, {}, {KEY: "a"})
    memory.saw("n1", 1, {KEY: "a"}, {})
    assert memory.held("n1", KEY, 1) == ("a", None)
    assert memory.held("n1", OTHER, 1) == (None,)
    assert memory.held("n2", KEY, 1) == ()


def test_an_annotation_that_a_review_lacks_was_removed_before():
    memory = Memory(Bounds(lately=5))
    memory.saw("n1", 0, {KEY: "a"})
    memory.saw("n1", 20, {OTHER: "x"})
    assert memory.held("n1", KEY, 20) == (None,)


def test_a_node_is_known_from_its_first_review_on():
    memory = Memory()
    assert (memory.knows("n1"), memory.since("n1")) == (False, inf)
    memory.saw("n1", 7, {KEY: "a"})
    memory.saw("n1", 9, {KEY: "a"})
    assert (memory.knows("n1"), memory.since("n1")) == (True, 7)


def test_too_many_values_are_forgotten_oldest_first_and_that_is_known():
    memory = Memory(Bounds(lately=30, values=3))
    for second in range(5):
        memory.saw("n1", second, {KEY: str(second)}, {KEY: str(second + 1)})
    assert memory.held("n1", KEY, 4) == ("3", "4", "5")
    assert memory.since("n1") == 4


def test_what_is_too_old_is_forgotten_without_a_gap():
    memory = Memory(Bounds(lately=1, values=3))
    for second in range(0, 50, 10):
        memory.saw("n1", second, {KEY: str(second)}, {KEY: str(second + 10)})
    assert memory.since("n1") == 0


def test_bytes_are_bounded_and_the_node_written_the_longest_ago_goes_first():
    memory = Memory(Bounds(size=MIB))
    for number in range(40):
        memory.saw(f"n{number}", number, {KEY: "x" * 100_000})
        memory.saw("n0", number, {KEY: "small"})
    assert memory.size <= MIB
    assert memory.knows("n0")
    assert memory.knows("n39")
    assert not memory.knows("n1")


@pytest.mark.parametrize("seed", range(3))
def test_the_size_is_what_is_there_after_any_writes(seed):
    rng, memory = Random(seed), Memory(Bounds(lately=20, values=4, size=20_000))
    for second in range(2000):
        sides = [
            {key: "v" * rng.randrange(200) for key in (KEY, OTHER) if rng.random() < 0.8}
            for _ in range(rng.randrange(1, 3))
        ]
        memory.saw(f"n{rng.randrange(30)}", second, *sides)
    there = [
        h for node in memory._nodes.values() for held in node.annotations.values() for h in held
    ]
    assert memory.size == sum(one.size for one in there) <= 20_000
    assert len(memory) == len(memory._nodes) > 3
