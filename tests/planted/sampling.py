"""An even, seeded choice among all places where the kinds can be planted."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final

from tests.planted.view import View, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.planted.variant import Kind, Planted, Site, Writer

KEPT_A_FORM: Final = 64
"""Upper bound for places kept of one form and writer; more only where `per_kind` asks."""
ENOUGH: Final = 60
"""After so many places for each variant asked for, only a part of the reviews is looked at."""
THINNED: Final = 0.2


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
        full = len(self.places) == self.size
        index = int(rng.random() * self.seen) if full else len(self.places)
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
        self.enough = ENOUGH * per_kind
        self.seen = 0
        self.strata: dict[tuple[str, Writer], Reservoir] = {}

    def look(self, view: View) -> None:
        """Offer every place of a review; of one review in a few once very many were seen."""
        if self.seen > self.enough and self.rng.random() > THINNED:
            return
        for site in self.kind.sites(view, self.rng):
            for writer in site.writers or self.kind.writers:
                self.seen += 1
                stratum = self.strata.get((site.form, writer))
                if stratum is None:
                    stratum = self.strata[site.form, writer] = Reservoir(self.size)
                stratum.offer(view, site, self.rng)

    def chosen(self, count: int) -> Iterator[tuple[str, Writer, Place]]:
        """At most `count` places, one form after the other in turn."""
        forms = sorted({form for form, _ in self.strata})
        self.rng.shuffle(forms)
        names = [key for form in forms for key in sorted(self.strata) if key[0] == form]
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
