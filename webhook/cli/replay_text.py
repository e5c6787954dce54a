"""What a replay comes to, for a person: counts, by rule, by writer, over time, then each write."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from webhook.replaying.summary import most

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webhook.replaying.judging import Part
    from webhook.replaying.occurrence import Occurrence
    from webhook.replaying.series import Bucket
    from webhook.replaying.summary import Summary

_ROWS: Final = 24
_NAMES: Final = 15
_BAR: Final = 30


def text_of_replay(total: Part, kept: Sequence[Occurrence], left: int) -> Iterator[str]:
    """The lines of the text; ``left``: how many writes are not told one by one."""
    summary = total.summary
    yield from _counts(summary)
    if summary.rules:
        yield from ("", "by rule")
        rows = sorted(summary.rules.items(), key=lambda r: (-r[1].deny, -r[1].warn, r[0]))
        for rule, effects in rows:
            parts = (("denied", effects.deny), ("warned", effects.warn), ("audited", effects.audit))
            told = ", ".join(f"{number:,} {word}" for word, number in parts if number)
            yield f"  {rule}: {told}"
    yield from _table("by writer", most(summary.writers))
    yield from _table("by kind", most(summary.kinds))
    yield from _over_time(summary)
    if kept:
        yield from ("", "each of them")
        for one in kept:
            yield from _told(one)
    if left:
        yield f"  and {left:,} more; -o jsonl has them all"
    yield from _unjudged(total)


def _counts(summary: Summary) -> Iterator[str]:
    span = ""
    if summary.first is not None and summary.last is not None:
        span = f" from {stamp(summary.first)} to {stamp(summary.last)}"
    if summary.writes:
        yield f"Of {_writes(summary.writes)}{span}, {summary.denied:,} would have been denied."
    else:
        yield "No write was judged: this says nothing about the cluster."
    if summary.would_deny:
        yield f"{summary.would_deny:,} more break rules that this policy does not enforce."
    if summary.warned:
        yield f"{summary.warned:,} would have been warned about."
    if summary.dry_runs:
        yield f"{summary.dry_runs:,} of them were dry runs."
    if summary.refused:
        both = f"{summary.refused_denied:,} of these would be denied here as well"
        yield f"{summary.refused:,} had been refused at the time; {both}."
    if summary.estimated:
        yield f"{summary.estimated:,} were judged on objects put together from requests (level Request)."
    missing = sum(summary.unjudged.values())
    if missing:
        more = "1 more write" if missing == 1 else f"{missing:,} more writes"
        yield f"{more} could not be judged; why is told at the end."


def _table(title: str, rows: object) -> Iterator[str]:
    listed: list[tuple[str, Bucket]] = list(rows)  # type: ignore[call-overload]
    if not listed:
        return
    yield from ("", title)
    for name, bucket in listed[:_NAMES]:
        yield f"  {name or '(nobody named)'}: {_bucket(bucket)}"
    if len(listed) > _NAMES:
        yield f"  and {len(listed) - _NAMES:,} more"


def _writes(number: int) -> str:
    return "1 write" if number == 1 else f"{number:,} writes"


def _bucket(bucket: Bucket) -> str:
    found = _writes(bucket.writes)
    if bucket.denied:
        found += f", {bucket.denied:,} denied"
    return found + (f", {bucket.warned:,} warned" if bucket.warned else "")


def _over_time(summary: Summary) -> Iterator[str]:
    series = summary.over_time.fit(_ROWS)
    rows = series.rows()
    if len(rows) < 2:
        return
    yield from ("", f"over time (UTC, {_width(series.width)} a line)")
    highest = max(bucket.writes for _, bucket in rows)
    for number, (start, bucket) in enumerate(rows):
        bar = "▇" * -(-bucket.writes * _BAR // highest)
        if bar:
            yield f"  {stamp(start)}  {bar:<{_BAR}}  {_bucket(bucket)}"
        elif rows[number - 1][1].writes:
            yield "  …  nothing"


def _width(seconds: int) -> str:
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds % length == 0:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"


def _told(one: Occurrence) -> Iterator[str]:
    when = f"{stamp(one.time)}  " if one.time is not None else ""
    what = f"{one.kind}{f'/{one.subresource}' if one.subresource else ''} {one.name}"
    then = f" ({one.outcome} at the time)" if one.outcome in ("refused", "dry-run") else ""
    yield f"  {when}{one.user or '(nobody named)'}  {one.operation} {what}{then}"
    for said in one.findings:
        averted = " (not enforced)" if said.rule in one.would_deny else ""
        at = f"{said.field}: " if said.field else ""
        yield f"    {said.severity}{averted}: {at}{said.message}"
    yield f"    {one.source}:{one.line} {one.uid}"


def _unjudged(total: Part) -> Iterator[str]:
    if not total.summary.unjudged:
        return
    yield from ("", "not judged")
    for why, number in sorted(total.summary.unjudged.items(), key=lambda item: -item[1]):
        yield f"  {number:,}: {why}"
        for one in [one for one in total.unjudged if one.why.value == why][:2]:
            yield f"    e.g. {one.source}:{one.line} {one.user} {one.what}".rstrip()
    for rule, number in sorted(total.summary.said.items()):
        yield f"  at the time our webhook said of {number:,} of them: {rule}"


def stamp(seconds: float) -> str:
    """A moment, as RFC 3339 without fractions."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
