"""Learned steps written into a profile, as its author wrote it: order, comments and quotes stay."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webhook.reviews.learning import Seen

_SEEN: Final = re.compile(r" +# seen:")
_LEARNED: Final = ("entry", "entry_skips", "edges", "skips")


def tracks_in(document: Mapping[str, Any]) -> set[str]:
    """Ids of the tracks that a profile's own text has, without those of its base."""
    return {track["id"] for track in document.get("tracks") or () if "id" in track}


def merged(text: str, seen: Mapping[str, Seen], added: Mapping[str, str], at_least: int) -> str:
    """The profile with what was seen of its tracks, and with a new track for each added path.

    Steps seen less often than ``at_least`` become skips. What the author wrote is kept, each row
    says how often its steps were seen.
    """
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    document = yaml.load(text)
    tracks = document.setdefault("tracks", CommentedSeq()) if added else document.get("tracks", [])
    for name, path in added.items():
        tracks.append(CommentedMap(id=name, path=path, values=_flow(list(seen[name].words))))
    for track in tracks:
        if track.get("id") in seen:
            _learn(track, seen[track["id"]], at_least)
    out = io.StringIO()
    yaml.dump(document, out)
    return _SEEN.sub("  # seen:", out.getvalue())


def _learn(track: CommentedMap, seen: Seen, at_least: int) -> None:
    _table(track, "edges", seen.edges(at_least), seen)
    if track.get("edges") is not None:  # skips alone would say nothing
        _table(track, "skips", seen.rare(at_least), seen)
    often = [word for word, n in seen.entries.most_common() if n >= at_least]
    _list(track, "entry", often, seen)
    if track.get("entry") is not None:
        rare = [word for word, n in seen.entries.most_common() if n < at_least]
        _list(track, "entry_skips", rare, seen)


def _table(track: CommentedMap, name: str, rows: Mapping[Any, list[Any]], seen: Seen) -> None:
    if not rows:
        return
    if track.get(name) is None:
        _insert(track, name, CommentedMap())
    table = track[name]
    other = track.get("edges" if name == "skips" else "skips") or {}
    for start, ends in rows.items():
        known = [*table.get(start, []), *other.get(start, []), *other.get("*", [])]
        new = [end for end in ends if end not in known]
        if new:
            table[start] = _flow([*table.get(start, []), *new])
            counts = ", ".join(f"{end} {seen.steps[start, end]}" for end in ends)
            table.yaml_add_eol_comment(f"seen: {counts}", start)


def _list(track: CommentedMap, name: str, words: list[Any], seen: Seen) -> None:
    known = [*(track.get("entry") or []), *(track.get("entry_skips") or [])]
    new = [word for word in words if word not in known]
    if new:
        _insert(track, name, _flow([*(track.get(name) or []), *new]))
        counts = ", ".join(f"{word} {seen.entries[word]}" for word in words)
        track.yaml_add_eol_comment(f"seen: {counts}", name)


def _insert(track: CommentedMap, name: str, value: Any) -> None:
    """Sets a field behind those that say what the track is: the last one carries the blank line."""
    if name in track:
        track[name] = value
        return
    first = ("id", "why", "source", "path", "noun", "parts", "values", *_LEARNED)
    track.insert(sum(key in track for key in first), name, value)


def _flow(words: list[Any]) -> CommentedSeq:
    row = CommentedSeq(words)
    row.fa.set_flow_style()
    return row
