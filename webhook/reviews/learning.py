"""Which steps recorded writes make: counted per track, for a profile that does not know its edges yet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webhook.core.view import same
from webhook.lifecycle.path import START, Lookup, parse
from webhook.lifecycle.requires import places

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.model import Scalar, Track

Word = Any
"""A value of a track: a JSON scalar, or the parts of it joined by "/"."""


@dataclass(slots=True)
class Seen:
    """What was seen of one track.

    Attributes:
        steps: (from, to) -> how often.
        entries: where it began -> how often.
        removals: from where it vanished -> how often.
        words: each value that stood there after a write -> how often.
    """

    steps: Counter[tuple[Word, Word]] = field(default_factory=Counter)
    entries: Counter[Word] = field(default_factory=Counter)
    removals: Counter[Word] = field(default_factory=Counter)
    words: Counter[Word] = field(default_factory=Counter)

    def edges(self, at_least: int) -> dict[Word, list[Word]]:
        """Steps seen as often as that, most often first: from -> [to]."""
        return _rows(self.steps, lambda n: n >= at_least)

    def rare(self, at_least: int) -> dict[Word, list[Word]]:
        """Steps seen less often."""
        return _rows(self.steps, lambda n: n < at_least)


def _rows(steps: Counter[tuple[Word, Word]], wanted: Any) -> dict[Word, list[Word]]:
    rows: dict[Word, list[Word]] = {}
    for (old, new), times in steps.most_common():
        if wanted(times):
            rows.setdefault(old, []).append(new)
    return rows


class _Watched:
    """One track, and what has been seen of it."""

    def __init__(self, path: str, parts: Iterable[str], within: str | None) -> None:
        self.steps = parse(path)
        self.look = Lookup(path)
        self.parts = tuple(parts)
        self.run_key = Lookup(within) if within else None
        self.seen = Seen()

    def see(self, old: View | None, new: View | None) -> None:
        trails = {
            (t.stars, t.names): t for root in (new, old) for t in places(root, self.steps, START)
        }
        for trail in trails.values():
            was, now = (self._read(self.look(root, trail)) for root in (old, new))
            fresh = self.run_key is not None and not same(
                self.run_key(old, trail), self.run_key(new, trail)
            )
            self._count(None if fresh and now is not None else was, now)

    def _read(self, view: View | None) -> Word:
        if view is None or not self.parts:
            return None if view is None else view.value
        return "/".join(view.text(part) or "" for part in self.parts)

    def _count(self, was: Word, now: Word) -> None:
        if not isinstance(was, str | int | bool | float | None) or was == now:
            return
        if now is None:
            self.seen.removals[was] += 1
            return
        if not isinstance(now, str | int | bool | float):
            return
        self.seen.words[now] += 1
        if was is None:
            self.seen.entries[now] += 1
        else:
            self.seen.words[was] += 0
            self.seen.steps[was, now] += 1


class Learner:
    """Watches writes, and counts the steps of each track.

    Attributes:
        writes: how many writes were seen.
    """

    def __init__(
        self, tracks: Iterable[Track] = (), paths: Mapping[str, str] | None = None
    ) -> None:
        self._watched = {t.id: _Watched(t.path, t.parts, t.within) for t in tracks}
        self._watched |= {name: _Watched(path, (), None) for name, path in (paths or {}).items()}
        self.writes = 0

    def see(self, old: View | None, new: View | None) -> None:
        """Counts one write; a creation tells nothing of steps."""
        if old is None or new is None:
            return
        self.writes += 1
        for watched in self._watched.values():
            watched.see(old, new)

    def seen(self, track: str) -> Seen:
        """What was seen of a track, by its id."""
        return self._watched[track].seen


def unknown_words(seen: Seen, values: Iterable[Scalar]) -> list[Word]:
    """Values that were seen and are none of those the track has."""
    known = list(values)
    return [word for word in seen.words if word not in known]
