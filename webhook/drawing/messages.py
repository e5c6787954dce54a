"""Every message of every rule on one page, as Markdown: what people read, for what they wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webhook.drawing.ruling import answer_of, verdict_of
from webhook.drawing.wording import changes, source_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webhook.lifecycle.model import Guard, Profile, _Rule
    from webhook.reviews.rulebook import Told

MOST_CHANGES: Final = 6
_HEAD: Final = """\
<!-- Made by `make messages`; a test keeps it in step. Edit the rules or their examples, never this. -->
# What the rules say

Each rule of profile `{profile}`, with writes that were really judged to make this page: what changed, and what
the one who wrote it reads. A denial is shown as kubectl prints it, one line for each cause; a warning as kubectl
prints it; what is only noted goes to log, metric and audit annotation. `skyhook-webhook explain {profile}.RULE`
shows more of each.
"""


def messages(profile: Profile, told: Iterable[Told]) -> Iterator[str]:
    """The page, line by line."""
    known = list(told)
    yield from _HEAD.format(profile=profile.profile).splitlines()
    for guard in profile.guards:
        yield ""
        yield f"## {guard.match.kind}"
        for rule in guard.rules():
            its = [t for t in known if t.sample.rule == rule.id and t.sample.guard is guard]
            yield from _rule(profile, guard, rule, its)


def _rule(profile: Profile, guard: Guard, rule: _Rule, told: list[Told]) -> Iterator[str]:
    del guard
    yield ""
    yield f"### {profile.profile}.{rule.id}"
    yield ""
    about = [rule.why, source_of(profile, rule.source)]
    yield "; ".join(
        f"{text[0].upper()}{text[1:]}" if n == 0 else text
        for n, text in enumerate(filter(None, about))
    )
    for one in told:
        yield ""
        yield from _example(one)


def _example(told: Told) -> Iterator[str]:
    sample = told.sample
    who = f", by {'an' if sample.by == 'operator' else 'a'} {sample.by}" if sample.by else ""
    who = who.replace("an operator", "the operator").replace("service-account", "service account")
    yield f"- {verdict_of(told)}{who}{f': {sample.why}' if sample.why else ''}"
    yield ""
    yield "  ```"
    lines = changes(sample.old, sample.new)
    yield from (f"  {line}" for line in lines[:MOST_CHANGES])
    if len(lines) > MOST_CHANGES:
        yield f"  and {len(lines) - MOST_CHANGES} more"
    if told.findings:
        yield ""
    yield from (f"  {answer_of(told, finding)}" for finding in told.findings)
    yield "  ```"
