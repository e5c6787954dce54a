"""What would be said on every write is said to its writer once an hour."""

from __future__ import annotations

from webhook.core.field import FieldPath
from webhook.core.finding import Finding, Severity
from webhook.core.writer import Writer
from webhook.reviews.verdict import Verdict
from webhook.server.rarely import HOUR, MOST_REMEMBERED, Rarely


def finding(rule="p.rare", place="a", *, rarely=True):
    return Finding(rule, FieldPath().child(place), Severity.WARN, "x", rarely=rarely)


def verdict(*warned):
    return Verdict(Writer.SERVICE_ACCOUNT, warned=warned)


class Clock:
    time = 1000.0

    def __call__(self):
        return self.time


def test_a_second_time_within_the_hour_it_is_audited_instead():
    clock = Clock()
    rarely = Rarely(clock)
    said = verdict(finding())
    assert rarely.hush(said, "bob") is not None
    assert rarely.hush(said, "bob").warned == ()
    assert rarely.hush(said, "bob").audited == said.warned
    clock.time += HOUR - 1
    assert rarely.hush(said, "bob").warned == ()
    clock.time += 1
    assert rarely.hush(said, "bob").warned == said.warned
    assert rarely.hush(said, "bob").warned == ()


def test_another_writer_and_another_rule_are_told_for_themselves():
    rarely = Rarely(Clock())
    assert rarely.hush(verdict(finding()), "bob").warned
    assert rarely.hush(verdict(finding()), "eve").warned
    assert rarely.hush(verdict(finding("p.other")), "bob").warned
    both = rarely.hush(verdict(finding(), finding("p.third")), "bob")
    assert [f.rule for f in both.warned] == ["p.third"]
    assert [f.rule for f in both.audited] == ["p.rare"]


def test_one_write_says_all_places_of_one_rule():
    both = verdict(finding(place="a"), finding(place="b"))
    assert Rarely(Clock()).hush(both, "bob").warned == both.warned


def test_other_warnings_are_always_said():
    rarely, always = Rarely(Clock()), finding("p.odd", rarely=False)
    said = verdict(always)
    assert rarely.hush(said, "bob") is said
    rarely.hush(verdict(finding()), "bob")
    again = rarely.hush(verdict(finding(), always), "bob")
    assert again.warned == (always,)


def test_the_memory_is_bounded_and_forgets_the_oldest():
    rarely = Rarely(Clock())
    for number in range(MOST_REMEMBERED + 1):
        rarely.hush(verdict(finding()), f"user-{number}")
    assert rarely.hush(verdict(finding()), f"user-{MOST_REMEMBERED}").warned == ()
    assert rarely.hush(verdict(finding()), "user-0").warned != ()
