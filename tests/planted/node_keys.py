"""Kinds 24 to 29 of list L: status_, cordon_ and the node conditions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from tests.planted.variant import Kind, Planted, Site
from tests.planted.view import (
    CORDON_KEY,
    PREFIX,
    STATUS_KEY,
    Scope,
    View,
    annotation,
    at,
    is_status,
    label,
    some,
)
from tests.planted.words import BAD_CORDONS, BAD_STATUSES, STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

FORBIDDEN: Final = {
    "in_progress": ("unknown",),
    "erroring": ("unknown",),
    "blocked": ("unknown",),
    "paused": ("blocked",),
    "disabled": ("blocked",),
    "unknown": ("blocked",),
}
"""C.1: what a status annotation never becomes in one write (from absent is left out)."""
LABEL_VALUE: Final = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?", re.ASCII)
NOT_READY: Final = (
    ("True", "Complete"),
    ("False", "Incomplete"),
    ("Unknown", "Incomplete"),
    ("Unknown", "Complete"),
    ("True", "Done"),
)
ERRORING: Final = (
    ("True", "Not Erroring"),
    ("False", "Package(s) Erroring or Unknown"),
    ("Unknown", "Not Erroring"),
    ("Unknown", "Package(s) Erroring or Unknown"),
    ("False", "Fine"),
)
LEGAL: Final = {
    "NotReady": {("True", "Incomplete"), ("False", "Complete")},
    "Erroring": {("True", "Package(s) Erroring or Unknown"), ("False", "Not Erroring")},
}


def holders(view: View, key: str) -> list[str]:
    """Skyhooks whose annotation `key` is there before and after, changed ones first."""
    old, new = view.old_annotations, view.annotations
    both = [k.removeprefix(key) for k in old if k.startswith(key) and k in new]
    return sorted(both, key=lambda sk: (old[key + sk] == new[key + sk], sk))


def set_status(skyhook: str, word: str, *, label_too: bool = True) -> Any:
    """Write the status annotation, and the label with it as the operator does."""
    where = (annotation(STATUS_KEY + skyhook),)

    def plant(view: View) -> Planted:
        old = view.old_annotations.get(STATUS_KEY + skyhook)
        view.annotations[STATUS_KEY + skyhook] = word
        if label_too:
            view.labels[STATUS_KEY + skyhook] = word
        touched = (*where, label(STATUS_KEY + skyhook)) if label_too else where
        return Planted(f"status_{skyhook} {old} -> {word!r}", where, touched)

    return plant


def outside_word(view: View, rng: Random) -> Iterator[Site]:
    """L24: a status annotation outside the eight."""
    for skyhook in holders(view, STATUS_KEY)[:2]:
        old = view.old_annotations[STATUS_KEY + skyhook]
        if not is_status(old):
            continue
        word = rng.choice(BAD_STATUSES)
        yield Site(f"alone-{old}", set_status(skyhook, word, label_too=False))
        words = [w for w in BAD_STATUSES if LABEL_VALUE.fullmatch(w)]
        yield Site("with-label", set_status(skyhook, rng.choice(words)))


def forbidden_word(view: View, rng: Random) -> Iterator[Site]:
    """L25: a change of status that C.1 has not."""
    for skyhook in holders(view, STATUS_KEY)[:3]:
        old = view.old_annotations[STATUS_KEY + skyhook]
        for new in FORBIDDEN.get(old, ()):
            yield Site(f"{old}-{new}", set_status(skyhook, new, label_too=rng.random() < 0.7))


def two_words(view: View, rng: Random) -> Iterator[Site]:
    """L26: annotation and label, equal before, both change and differ after."""
    for skyhook in holders(view, STATUS_KEY)[:2]:
        key = STATUS_KEY + skyhook
        old = view.old_annotations[key]
        if not is_status(old) or view.old_labels.get(key) != old or key not in view.labels:
            continue
        legal = [w for w in STATUSES if w != old and w not in FORBIDDEN.get(old, ())]
        first = rng.choice(legal)
        second = rng.choice([w for w in STATUSES if w not in {old, first}])
        yield Site(f"from-{old}", _two_words(skyhook, first, second))


def _two_words(skyhook: str, first: str, second: str) -> Any:
    key = STATUS_KEY + skyhook

    def plant(view: View) -> Planted:
        view.annotations[key] = first
        view.labels[key] = second
        return Planted(f"{key} annotation {first}, label {second}", (annotation(key), label(key)))

    return plant


def complete_but_cordoned(view: View, rng: Random) -> Iterator[Site]:
    """L27: status turns complete and the cordon stays."""
    del rng
    for key, value in view.old_annotations.items():
        skyhook = key.removeprefix(CORDON_KEY)
        if not key.startswith(CORDON_KEY) or value != "true":
            continue
        old = view.old_annotations.get(STATUS_KEY + skyhook)
        if is_status(old) and old != "complete" and STATUS_KEY + skyhook in view.annotations:
            real = view.annotations[STATUS_KEY + skyhook] == "complete"
            form = "put-back" if real else f"from-{old}"
            yield Site(form, _cordoned(skyhook))


def _cordoned(skyhook: str) -> Any:
    keys = (CORDON_KEY + skyhook, STATUS_KEY + skyhook)

    def plant(view: View) -> Planted:
        view.annotations[keys[0]] = "true"
        view.annotations[keys[1]] = view.labels[keys[1]] = "complete"
        if view.subresource == "main":
            view.object.setdefault("spec", {})["unschedulable"] = True
        fields = tuple(annotation(key) for key in keys)
        touched = (*fields, label(keys[1]), ("spec", "unschedulable"))
        return Planted(f"status_{skyhook} -> complete, cordon stays", fields, touched)

    return plant


def other_cordon(view: View, rng: Random) -> Iterator[Site]:
    """L28: a cordon annotation that is not "true"."""
    for skyhook in holders(view, CORDON_KEY)[:2]:
        if view.old_annotations[CORDON_KEY + skyhook] == "true":
            yield Site("changed", _cordon(skyhook, rng.choice(BAD_CORDONS)))
    for skyhook in holders(view, STATUS_KEY)[:1]:
        if CORDON_KEY + skyhook not in view.old_annotations:
            yield Site("added", _cordon(skyhook, rng.choice(BAD_CORDONS)))


def _cordon(skyhook: str, word: str) -> Any:
    where = annotation(CORDON_KEY + skyhook)

    def plant(view: View) -> Planted:
        view.annotations[CORDON_KEY + skyhook] = word
        return Planted(f"cordon_{skyhook} -> {word!r}", (where,))

    return plant


def node_conditions(view: View, rng: Random) -> Iterator[Site]:
    """L29: a node condition whose status and reason do not belong together."""
    if view.subresource != "status":
        return
    old = {c["type"]: c for c in view.old_status.get("conditions") or []}
    new = [c["type"] for c in view.status.get("conditions") or []]
    ours = [t for t in new if t.startswith(PREFIX) and t.rpartition("/")[2] in LEGAL]
    for type_ in some(rng, ours, 2):
        kind = type_.rpartition("/")[2]
        if type_ in old and (old[type_]["status"], old[type_]["reason"]) not in LEGAL[kind]:
            continue
        words = rng.choice(NOT_READY if kind == "NotReady" else ERRORING)
        yield Site(f"{kind}-{words[0]}-{words[1]}", _node_condition(type_, *words))


def _node_condition(type_: str, status: str, reason: str) -> Any:
    def plant(view: View) -> Planted:
        found = next(c for c in view.status["conditions"] if c["type"] == type_)
        found.update(status=status, reason=reason)
        return Planted(f"{type_} -> {status}/{reason}", (at("conditions", type_),))

    return plant


KINDS: Final = (
    Kind(24, (Scope.NODE,), outside_word),
    Kind(25, (Scope.NODE,), forbidden_word),
    Kind(26, (Scope.NODE,), two_words),
    Kind(27, (Scope.NODE,), complete_but_cordoned),
    Kind(28, (Scope.NODE,), other_cordon),
    Kind(29, (Scope.NODE,), node_conditions),
)
