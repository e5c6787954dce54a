"""One exposition out of those of several processes: counters and histograms add up, also over restarts."""

from __future__ import annotations

from typing import Final

_LEAST: Final = frozenset({"skyhook_webhook_settings_generation"})
"""Gauges of which the least counts: what has reached every worker."""
_GREATEST: Final = frozenset({"skyhook_webhook_settings_broken"})

Samples = dict[str, float]


class Exposition:
    """Samples by name and labels, and the HELP and TYPE lines of each family, in order."""

    def __init__(self, text: str) -> None:
        self.heads: dict[str, list[str]] = {}
        self.samples: dict[str, Samples] = {}
        self.kinds: dict[str, str] = {}
        family = ""
        for line in text.splitlines():
            if line.startswith("#"):
                _, word, family, *rest = line.split(" ", 3)
                self.heads.setdefault(family, []).append(line)
                self.samples.setdefault(family, {})
                if word == "TYPE":
                    self.kinds[family] = rest[0]
            elif line:
                key, _, value = line.rpartition(" ")
                self.samples.setdefault(family, {})[key] = float(value)

    def counted(self) -> Exposition:
        """What outlives the process: everything but gauges."""
        kept = Exposition("")
        kept.heads, kept.kinds = dict(self.heads), dict(self.kinds)
        kept.samples = {
            family: {} if self.kinds.get(family) == "gauge" else dict(samples)
            for family, samples in self.samples.items()
        }
        return kept

    def add(self, other: Exposition) -> None:
        """Takes another process's in."""
        for family, lines in other.heads.items():
            self.heads.setdefault(family, lines)
            self.kinds.setdefault(family, other.kinds.get(family, ""))
        for family, samples in other.samples.items():
            mine = self.samples.setdefault(family, {})
            for key, value in samples.items():
                mine[key] = _joined(family, mine[key], value) if key in mine else value

    def text(self) -> str:
        """As Prometheus reads it."""
        lines: list[str] = []
        for family, heads in self.heads.items():
            lines += heads
            lines += [f"{key} {value!r}" for key, value in self.samples.get(family, {}).items()]
        return "\n".join(lines) + "\n"


def _joined(family: str, one: float, other: float) -> float:
    if family in _LEAST:
        return min(one, other)
    return max(one, other) if family in _GREATEST else one + other
