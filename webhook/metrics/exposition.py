"""Series in the text form that Prometheus scrapes (version 0.0.4), without a library: counting is all we do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ESCAPES: Final = str.maketrans({"\\": r"\\", "\n": r"\n", '"': r"\""})


class Family(Protocol):
    """All series of one name.

    Attributes:
        name: as it is exposed; of a counter with ``_total``.
        kind: counter, gauge or histogram.
        about: what it counts.
        names: of its labels.
    """

    name: str
    kind: str
    about: str
    names: tuple[str, ...]

    def samples(self) -> Iterable[tuple[str, str, float]]:
        """Suffix of the name, labels as `labelled` writes them, and value of each series."""
        ...


class Registry:
    """Families in the order in which they are exposed."""

    def __init__(self) -> None:
        self.families: list[Family] = []

    def text(self) -> bytes:
        """The exposition."""
        return "".join(self._lines()).encode()

    def _lines(self) -> Iterator[str]:
        for family in self.families:
            name = family.name
            about = family.about.replace("\\", r"\\").replace("\n", r"\n")
            yield f"# HELP {name} {about}\n# TYPE {name} {family.kind}\n"
            for suffix, labels, value in family.samples():
                yield f"{name}{suffix}{labels} {value!r}\n"


def labelled(names: Iterable[str], values: Iterable[str]) -> str:
    """Labels behind a name, in the order of their names; nothing without any."""
    pairs = sorted(zip(names, values, strict=True))
    inside = ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in pairs)
    return f"{{{inside}}}" if inside else ""


class Number:
    """One series; no lock, so each has one thread that counts in it."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0.0

    def inc(self, amount: float = 1.0) -> None:
        """Counts."""
        self.value += amount

    def dec(self) -> None:
        """Takes one off."""
        self.value -= 1.0

    def set(self, value: float) -> None:
        """Says what it is now."""
        self.value = float(value)


class _Numbers(Number):
    """A family of numbers; one without labels is its own single series."""

    __slots__ = ("_series", "about", "name", "names")
    kind = ""

    def __init__(
        self, name: str, about: str, names: Iterable[str] = (), *, registry: Registry
    ) -> None:
        super().__init__()
        self.name, self.about, self.names = name, about, tuple(names)
        self._series: dict[tuple[str, ...], Number] = {} if self.names else {(): self}
        registry.families.append(self)

    def labels(self, *values: str) -> Number:
        """The series with these values of its labels, in their order."""
        found = self._series.get(values)
        if found is None:
            labelled(self.names, values)  # one value for each name
            found = self._series.setdefault(values, Number())
        return found

    def samples(self) -> Iterator[tuple[str, str, float]]:
        """For the exposition."""
        for values, number in tuple(self._series.items()):
            yield "", labelled(self.names, values), number.value


class Counter(_Numbers):
    """What only grows."""

    __slots__ = ()
    kind = "counter"


class Gauge(_Numbers):
    """What goes up and down."""

    __slots__ = ()
    kind = "gauge"
