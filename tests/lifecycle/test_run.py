"""The settled run: the old object on both sides, by the same writer."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.lifecycle.small import look
from webhook.core.evidence import GivenNodes, NoEvidence
from webhook.core.writer import Writer
from webhook.lifecycle.run import Run


def test_a_settled_run_has_the_old_object_on_both_sides_and_its_own_memory():
    old, new, now, nodes = look({"a": 1}), look({"a": 2}), datetime.now(UTC), GivenNodes()
    run = Run(old, new, Writer.PERSON, "bob", "v1", now, nodes, documented=True, memo={"k": 1})
    settled = run.settled()
    assert (settled.old, settled.new) == (old, old)
    assert (settled.writer, settled.user, settled.version) == (Writer.PERSON, "bob", "v1")
    assert (settled.now, settled.evidence) == (now, nodes)
    assert settled.memo == {}


def test_by_default_nobody_known_writes_without_a_clock_or_evidence():
    run = Run(None, None)
    assert (run.writer, run.user, run.version, run.now) == (Writer.UNKNOWN, "", "", None)
    assert isinstance(run.evidence, NoEvidence)
    assert run.documented is False
