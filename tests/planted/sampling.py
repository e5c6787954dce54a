"""An even, seeded choice among all places where the kinds can be planted."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final

from tests.planted.variant import Site, Writer
from tests.planted.view import View, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.planted.variant import Kind, Planted

KEPT_A_FORM: Final = 64
"""Upper bound for places kept of one form and writer; more only where `per_kind` asks."""


@dataclass(frozen=True, slots=True)
class Place:
    """A site with the packed review it was found in."""

    packed: bytes
    site: Site
    scenario: str
    seq: int

    def planted(self) -> tuple[View, Planted]:
        """A fresh copy of the review with the change in it."""
        view = unpack(self.packed)
        return view, self.site.plant(view)


@dataclass(slots=True)
class Reservoir:
    """A uniform sample of the places of one form, of bounded size (algorithm R)."""

    size: int
    seen: int = 0
    places: list[Place] = field(default_factory=list)

    def offer(self, view: View, site: Site, rng: Random) -> None:
        """Take a place, or not."""
        self.seen += 1
        index = len(self.places) if len(self.places) < self.size else rng.randrange(self.seen)
        if index >= self.size:
            return
        origin = view.review["scenario"], view.review["seq"]
        place = Place(view.packed, site, *origin)
        if index == len(self.places):
            self.places.append(place)
        else:
            self.places[index] = place


class Sample:
    """Places of one kind, by form and writer."""

    def __init__(self, kind: Kind, seed: int, per_kind: int) -> None:
        self.kind = kind
        self.rng = Random(f"{seed}/{kind.number}")
        self.size = max(4, min(per_kind, KEPT_A_FORM), per_kind // 4)
        self.strata: dict[tuple[str, Writer], Reservoir] = {}

    def look(self, view: View) -> None:
        """Offer every place of a review."""
        if view.scope not in self.kind.scopes or not (self.kind.every_writer or view.by_operator):
            return
        for site in self.kind.sites(view, self.rng):
            for writer in site.writers or self.kind.writers:
                stratum = self.strata.setdefault((site.form, writer), Reservoir(self.size))
                stratum.offer(view, site, self.rng)

    def chosen(self, count: int) -> Iterator[tuple[str, Writer, Place]]:
        """At most `count` places, one form after the other in turn."""
        names = sorted(self.strata)
        order = {name: self._shuffled(self.strata[name].places) for name in names}
        turn = 0
        while count > 0 and any(order.values()):
            name = names[turn % len(names)]
            turn += 1
            if order[name]:
                count -= 1
                yield *name, order[name].pop()

    def _shuffled(self, places: list[Place]) -> list[Place]:
        return self.rng.sample(places, len(places))
