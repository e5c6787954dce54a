"""Steps of rollouts as columns of numbers: a hundred thousand of them are a few megabytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webhook.replaying.rollout import Step


class _Names:
    """Every text once."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self.known.setdefault(name, len(self.known))


def columns(steps: Sequence[Step]) -> dict[str, Any]:
    """``names`` and, for each step, its time (ms after ``base``) and numbers of names.

    Steps are sorted by time; ``span`` is the time of the last one and a little more, so that the
    last bars can be seen.
    """
    ordered = sorted(steps, key=lambda step: step.time)
    names = _Names()
    base = ordered[0].time if ordered else 0.0
    times = [round((step.time - base) * 1000) for step in ordered]
    last = times[-1] if times else 0
    found: dict[str, Any] = {"base": base, "time": times, "span": last + max(1000, last // 50)}
    for column, attribute in (
        ("rollout", "rollout"),
        ("node", "node"),
        ("package", "package"),
        ("old", "old"),
        ("now", "new"),
        ("user", "user"),
    ):
        found[column] = [names.number(getattr(step, attribute)) for step in ordered]
    found["wrong"] = [step.wrong for step in ordered]
    found["names"] = list(names.known)
    return found
