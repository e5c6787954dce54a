"""Every message of every rule on one page, as Markdown: what people read, for what they wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.drawing.ruling import answer_of, verdict_of
from webhook.drawing.wording import changes, source_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.lifecycle.model import Profile, _Rule
    from webhook.reviews.rulebook import Told

MOST_CHANGES: Final = 6
_HEAD: Final = """\
<!-- Made by `make messages`; a test keeps it in step. Edit the rules or their examples, never this. -->
# What the rules say

Each rule of profile `{profile}`, with writes that were really judged to make this page. A write is shown as what it
changes; then comes what the one who wrote it reads, as kubectl prints it: `*` begins a cause of a denial,
`Warning:` a warning. What is only noted (`log:`) goes to log, metric and audit annotation.
`skyhook-webhook explain {profile}.RULE` shows a rule alone.
"""
_WRITERS: Final = {
    "": "",
    "operator": " by the operator",
    "person": " by a person",
    "service-account": " by another service account",
}


def messages(profile: Profile, told: Iterable[Told]) -> Iterator[str]:
    """The page, line by line."""
    known = list(told)
    yield from _HEAD.format(profile=profile.profile).splitlines()
    for guard in profile.guards:
        yield ""
        yield f"## {guard.match.kind}"
        for rule in guard.rules():
            its = [t for t in known if t.sample.rule == rule.id and t.sample.guard is guard]
            yield from _rule(profile, rule, its)


def _rule(profile: Profile, rule: _Rule, told: list[Told]) -> Iterator[str]:
    yield ""
    yield f"### {profile.profile}.{rule.id}"
    yield ""
    if rule.why:
        yield f"{rule.why[0].upper()}{rule.why[1:]}."
    if rule.source:
        yield f"Source: {source_of(profile, rule.source)}."
    if told:
        yield ""
        yield "```"
        for number, one in enumerate(told):
            yield from ([""] if number else [])
            yield from _example(one)
        yield "```"


def _example(told: Told) -> Iterator[str]:
    sample = told.sample
    about = f" ({sample.why})" if sample.why else ""
    yield f"# {verdict_of(told)}{_WRITERS[sample.by]}{about}"
    lines = changes(sample.old, sample.new)
    yield from lines[:MOST_CHANGES]
    if len(lines) > MOST_CHANGES:
        yield f"and {len(lines) - MOST_CHANGES} more"
    yield from (answer_of(told, finding) for finding in told.findings)
