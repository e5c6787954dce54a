"""Steps of rollouts are those of the Node annotations, each with who made it and whether it may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.corpus import reading
from webhook.replaying.judging import Judging, Line, Wanted

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine


def steps(engine: Engine, *names: str) -> list[Any]:
    lines = [
        Line("x", n, body) for n, body in enumerate(reading.lines(reading.CHECKED_IN, names=names))
    ]
    return Judging(engine, Wanted(steps=True)).part(lines).steps


def test_each_package_of_each_node_goes_from_where_it_was(engine: Engine) -> None:
    found = steps(engine, "replay-chainsaw-skyhook-interrupt-grouping.jsonl.gz")
    packages = [s for s in found if s.package]
    assert len(packages) >= 16
    here: dict[tuple[str, str, str], str] = {}
    for step in packages:
        key = (step.rollout, step.node, step.package)
        assert here.get(key, step.old) == step.old, step
        assert step.old != step.new
        assert step.wrong == 0
        here[key] = step.new
    assert any(
        value == "config/complete" or value.startswith("post-interrupt") for value in here.values()
    )
    assert [s.new for s in found if not s.package][-1] == "complete"


def test_illegal_steps_are_marked(engine: Engine) -> None:
    found = steps(engine, reading.EXCEPTION_FILE)
    wrong = [s for s in found if s.wrong == 2]
    assert {s.user for s in wrong} == {"platform-admin"}
    assert "zzz/complete" in {s.new for s in wrong}
