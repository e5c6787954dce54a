"""`explain --review`: what every rule says of one recorded write, and where the rule comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webhook.building import engine_of, releases_of
from webhook.cli.failures import CallerError
from webhook.cli.replay_text import stamp
from webhook.core.plain import plain
from webhook.drawing.wording import source_of
from webhook.replaying.judging import Line, write_of
from webhook.replaying.recordings import Recordings
from webhook.replaying.write import Unjudged
from webhook.reviews.decode import ReviewError
from webhook.reviews.explaining import Standing, explain_request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.replaying.write import Write
    from webhook.reviews.explaining import Explained, RuleVerdict
    from webhook.settings import Settings

_LOOKS = 4
_LOUD = (Standing.DENIES, Standing.WARNS, Standing.AUDITS, Standing.SWITCHED_OFF)


def explain_review(place: str, settings: Settings) -> int:
    """Explains the reviews of FILE, or the one of FILE:LINE; returns 1 if one is denied.

    Raises CallerError, DocumentError, ProfileError.
    """
    engine = engine_of(settings)
    code = 0
    for number, write in enumerate(_writes(place, Recordings(engine))):
        if number:
            click.echo()
        explained = explain_request(
            write.request, engine, releases_of(settings, engine.catalog.profiles)
        )
        click.echo("\n".join(map(plain, text_of_review(write, explained))))
        code = code if explained.verdict.allowed else 1
    return code


def _writes(place: str, recordings: Recordings) -> Iterator[Write]:
    name, line = _split(place)
    found = False
    for item in recordings.items([name]):
        number = item.number if isinstance(item, Line) else item.line
        if line is not None and number != line:
            continue
        found = True
        if isinstance(item, Unjudged):
            raise CallerError(f"{place}: it cannot be judged: {item.why.value}")
        try:
            yield write_of(item) if isinstance(item, Line) else item
        except ReviewError as error:
            raise CallerError(f"{name}:{number}: {error.message}") from None
        if line is not None:
            return
    if not found:
        raise CallerError(f"{place}: there is no recorded write")


def _split(place: str) -> tuple[str, int | None]:
    name, colon, line = place.rpartition(":")
    return (name, int(line)) if colon and line.isdecimal() else (place, None)


def text_of_review(write: Write, explained: Explained) -> Iterator[str]:
    """The write, its verdict, then each rule: what it said, held or why it was not asked."""
    request, verdict = write.request, explained.verdict
    user = request.user_info.username if request.user_info is not None else ""
    what = f"{request.kind.kind}{f'/{request.sub_resource}' if request.sub_resource else ''}"
    when = f", {stamp(write.time)}" if write.time is not None else ""
    yield f"{request.operation} {what} {request.name} by {user or 'nobody named'}{when}"
    yield f"  judged as a write by: {verdict.writer.value}"
    yield f"  verdict: {'allowed' if verdict.allowed else 'denied'}"
    if not explained.kinds:
        yield f"  no profile in use guards {request.kind.kind} in version {request.kind.version!r}"
        return
    yield f"  profiles: {', '.join(explained.kinds)}"
    if not any(one.looks for one in explained.rules):
        yield "  no rule was asked: nothing is judged on DELETE, nor where nothing changed"
    before: Standing | None = None
    for one in explained.rules:
        if one.standing is not before:
            yield from ("", _TITLES[one.standing])
            before = one.standing
        yield from _rule(one)


def _rule(one: RuleVerdict) -> Iterator[str]:
    yield f"  {one.rule}"
    for finding in one.findings:
        at = f"{finding.field}: " if str(finding.field) else ""
        yield f"    {at}{finding.message}"
    if one.standing not in _LOUD:
        for look in one.looks[:_LOOKS]:
            change = f": {look.old} -> {look.new}" if look.old != look.new else ""
            yield f"    asked about {look.field}{change}"
        if len(one.looks) > _LOOKS:
            yield f"    and about {len(one.looks) - _LOOKS} more places"
    if one.standing is Standing.NOT_ASKED:
        return
    if one.why:
        yield f"    why: {one.why}"
    source = source_of(one.profile, one.source)
    if source:
        yield f"    source: {source}"


_TITLES = {
    Standing.DENIES: "denies",
    Standing.WARNS: "warns",
    Standing.AUDITS: "notes for the audit log only",
    Standing.SWITCHED_OFF: "would have something to say, and is switched off by the settings",
    Standing.HOLDS: "holds",
    Standing.NOT_ASKED: "was not asked: nothing that it reads was changed",
    Standing.NOT_IN_FORCE: "is not in force: another release, or only with `usual_rules`",
}
