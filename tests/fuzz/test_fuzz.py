"""The short run of every target: recorded inputs as they are, then damaged, each time the same."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.corpora import seeds
from tests.fuzz.gojson import GoError, node_state
from tests.fuzz.mutating import mutated
from tests.fuzz.targets import TARGETS

RUNS = 150
QUIET = settings(
    max_examples=RUNS, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("name", TARGETS)
def test_every_seed_passes_its_target(name: str) -> None:
    found = seeds(name)
    assert len(found) > 5
    for seed in found[:40]:
        TARGETS[name](seed)


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_seeds_pass_their_target(name: str) -> None:
    begin = seeds(name)

    @QUIET
    @given(st.integers(0, len(begin) - 1), st.integers(0, 2**32))
    def run(which: int, seed: int) -> None:
        data = begin[which]
        chance = Random(seed)
        for _ in range(chance.randint(1, 3)):
            data = mutated(data, chance)
        TARGETS[name](data)

    run()


@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes_pass_every_target(name: str) -> None:
    @QUIET
    @given(st.binary(max_size=200))
    def run(data: bytes) -> None:
        TARGETS[name](data)

    run()


def test_go_reads_what_its_documentation_says() -> None:
    """The oracle itself: case, repetition, null, types."""
    read = node_state(
        '{"a|1":{"Name":"x","NAME":"a","stage":"apply","stage":null,"\u017ftate":"s"}}'
    )
    assert (read["a|1"]["name"], read["a|1"]["stage"], read["a|1"]["state"]) == ("a", "apply", "s")
    assert node_state('{"a":null}')["a"]["stage"] == ""
    assert node_state("null") == {}
    for text in (
        "",
        "[]",
        '{"a":[]}',
        '{"a":{"stage":1}}',
        '{"a":{"restarts":1.0}}',
        "{} {}",
        "NaN",
    ):
        with pytest.raises(GoError):
            node_state(text)
