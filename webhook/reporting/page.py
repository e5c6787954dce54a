"""The HTML page: everything in one file, its data as JSON that is never markup, its script by hash."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import msgspec

from webhook.replaying.summary import most
from webhook.reporting.columns import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webhook.replaying.occurrence import Occurrence
    from webhook.replaying.rollout import Step
    from webhook.replaying.summary import Summary

SCRIPTS: Final = (
    "1-data.js",
    "2-summary.js",
    "3-writes.js",
    "4-rollout.js",
    "5-lanes.js",
    "6-moving.js",
    "7-page.js",
)
MOST_BUCKETS: Final = 120
_ENCODE: Final = msgspec.json.Encoder()


def page(
    summary: Summary,
    occurrences: Sequence[Occurrence],
    steps: Sequence[Step],
    version: str,
    left: int = 0,
) -> str:
    """The page.

    Args:
        summary: the counts, of all writes.
        occurrences: the writes to list.
        steps: the steps of rollouts.
        version: of this tool.
        left: writes with findings that are counted and not listed.
    """
    style, script = _text("page.css"), "".join(_text(name) for name in SCRIPTS)
    document = {
        "version": version,
        "left": left,
        "summary": summary_document(summary, MOST_BUCKETS),
        "writes": occurrences,
        "steps": columns(steps),
    }
    # Only strings can hold a "<" in JSON, and in a string this is the same character.
    data = _ENCODE.encode(document).replace(b"<", b"\\u003c").decode()
    parts = {
        "POLICY": _policy(style, script),
        "STYLE": style,
        "PLAIN": _plain(summary),
        "SCRIPT": script,
        "DATA": data,
    }
    pieces = _text("page.html").split("@@")
    return "".join(parts.get(piece, piece) for piece in pieces)


def summary_document(summary: Summary, most_buckets: int) -> dict[str, Any]:
    """The summary as data: the busiest writers first, time as a list."""
    document: dict[str, Any] = msgspec.to_builtins(summary)
    for name in ("writers", "kinds"):
        document[name] = {n: msgspec.to_builtins(b) for n, b in most(getattr(summary, name))}
    series = summary.over_time.fit(most_buckets)
    document["over_time"] = {
        "width": series.width,
        "buckets": [{"start": start, **msgspec.to_builtins(b)} for start, b in series.rows()],
    }
    return document


@cache
def _text(name: str) -> str:
    return (files("webhook") / "reporting" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Nothing is fetched, and nothing runs but what was written here."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _plain(summary: Summary) -> str:
    """What is told without scripts."""
    rows = "".join(
        f"<tr><td>{escape(rule)}</td><td>{effects.deny}</td><td>{effects.warn}</td></tr>"
        for rule, effects in sorted(summary.rules.items())
    )
    return (
        f"<p>Of {summary.writes} writes, {summary.denied} would have been denied. The lists and"
        " pictures on this page need JavaScript, which runs from this file alone.</p>"
        f"<table><tr><th>Rule</th><th>denied</th><th>warned</th></tr>{rows}</table>"
    )
