"""Which modules are mutated, and the sample: so many of each package, the rest in its share."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from tests.mutants.operators import changes

ROOT = Path(__file__).resolve().parents[2]
FEWEST = 40
"""Mutants of each package at least: conversion is small and matters no less."""

MODULES: dict[str, tuple[str, ...]] = {
    "core": ("*",),
    "lifecycle": (
        "atoms", "compile", "edges", "extend", "load", "model", "monotone", "owned", "path", "plan",
        "relations", "requires", "rule", "run", "stamps", "texts", "track",
    ),
    "checks": ("*",),
    "specs": ("*",),
    "conversions": ("*",),
    "mutations": ("*",),
    "reviews": (
        "answer", "breakglass", "conversion", "decode", "engine", "mutation", "opening", "overlay",
        "policy", "rulebook", "verdict", "wire",
    ),
}  # fmt: skip
"""By package of `webhook`: rules, engine and conversion; not what draws, drafts or explains."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module.

    Attributes:
        module: the path from the root of the repository.
        number: which of the module's changes.
        kind, line, function, text: as in `operators.Change`.
    """

    module: str
    number: int
    kind: str
    line: int
    function: tuple[int, ...]
    text: str

    @property
    def package(self) -> str:
        """The package under `webhook`."""
        return Path(self.module).parts[1]

    def __str__(self) -> str:
        return f"{self.module}:{self.line} #{self.number} {self.kind}: {self.text}"


def modules() -> list[str]:
    """The paths of all modules that are mutated, in order."""
    found = []
    for package, names in MODULES.items():
        for name in names:
            found += (ROOT / "webhook" / package).glob(f"{name}.py")
    return sorted(p.relative_to(ROOT).as_posix() for p in found)


@cache
def mutants(module: str) -> tuple[Mutant, ...]:
    """All mutants of a module."""
    tree = ast.parse((ROOT / module).read_text())
    return tuple(
        Mutant(module, number, c.kind, c.line, c.function, c.text)
        for number, c in enumerate(changes(tree))
    )


def sample(count: int, seed: int) -> list[Mutant]:
    """About that many mutants, drawn by package; the same seed on the same text draws the same."""
    every: dict[str, list[Mutant]] = {}
    for module in modules():
        for mutant in mutants(module):
            every.setdefault(mutant.package, []).append(mutant)
    total = sum(map(len, every.values()))
    rest = max(0, count - FEWEST * len(MODULES))
    chance = Random(seed)
    drawn: list[Mutant] = []
    for package in MODULES:
        share = FEWEST + round(rest * len(every[package]) / total)
        drawn += chance.sample(every[package], min(share, len(every[package])))
    return drawn
