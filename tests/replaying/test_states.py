"""States are bounded; the one not touched for longest goes first."""

from __future__ import annotations

from webhook.replaying.states import State, States

A, B, C = (("", "nodes", "", name) for name in "abc")


def test_the_oldest_goes_when_the_bound_is_met() -> None:
    states = States(most_bytes=10)
    states.put(A, State(b"x" * 4))
    states.put(B, State(b"x" * 4))
    states.put(A, State(b"y" * 4))
    states.put(C, State(b"x" * 4))
    assert states.get(B) is None
    assert states.was_forgotten(B)
    assert states.get(A) == State(b"y" * 4)
    assert not states.was_forgotten(A)
    states.put(B, State(b"x"))
    assert not states.was_forgotten(B)


def test_one_object_larger_than_the_bound_is_kept_alone() -> None:
    states = States(most_bytes=10)
    states.put(A, State(b"x"))
    states.put(B, State(b"x" * 50))
    assert states.get(A) is None
    assert states.get(B) is not None


def test_a_collection_is_dropped_by_namespace() -> None:
    states = States()
    one, two = ("g", "things", "one", "x"), ("g", "things", "two", "x")
    for place in (one, two, A):
        states.put(place, State(b"{}"))
    states.drop_all("g", "things", "one")
    assert [states.get(p) is None for p in (one, two, A)] == [True, False, False]
    states.drop_all("g", "things", "")
    assert [states.get(p) is None for p in (one, two, A)] == [True, True, False]


def test_what_a_log_shows_of_an_object() -> None:
    raw = b'{"apiVersion":"v1","metadata":{"resourceVersion":"7"}}'
    assert State.of(raw) == State(raw, "7", "v1")
    assert State.of(b"[]") == State(b"[]")
