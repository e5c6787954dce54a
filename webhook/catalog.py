"""The catalog: everything enforced is named here."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import yaml

from webhook.checks.completion import node_complete
from webhook.checks.copies import node_state_copy, node_status_copy
from webhook.checks.counts import (
    compartment,
    complete_nodes,
    in_progress_fits,
    matched_total,
    offset_counts,
    sorted_list,
)
from webhook.checks.entries import json_map, package_entry
from webhook.checks.shapes import batch_reset, order_reset
from webhook.checks.twins import only_mirrored, twin_follows
from webhook.checks.versions import lower_version
from webhook.lifecycle.compile import Code, CompiledGuard, compile_profile
from webhook.lifecycle.load import build_profile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from webhook.lifecycle.atoms import Predicate
    from webhook.lifecycle.model import Profile
    from webhook.lifecycle.rule import CheckFactory, SiblingTest

PROFILES: Final = ("skyhook", "nodewright")
"""The profiles that are on by default, in the order in which they judge."""

CHECKS: Final[Mapping[str, CheckFactory]] = {
    "compartment": compartment,
    "complete_nodes": complete_nodes,
    "in_progress_fits": in_progress_fits,
    "json_map": json_map,
    "matched_total": matched_total,
    "node_complete": node_complete,
    "node_state_copy": node_state_copy,
    "node_status_copy": node_status_copy,
    "offset_counts": offset_counts,
    "package_entry": package_entry,
    "sorted_list": sorted_list,
    "twin_follows": twin_follows,
}
SIBLINGS: Final[Mapping[str, SiblingTest]] = {"lower_version": lower_version}


def predicates(profile: Profile) -> Mapping[str, Predicate]:
    """The named conditions in code, for one profile's identity."""
    prefix = profile.identity.prefix if profile.identity else ""
    return {
        "batch_reset": batch_reset,
        "only_mirrored": only_mirrored(prefix),
        "order_reset": order_reset,
    }


def profile_code(profile: Profile) -> Code:
    """All named rules in code, as a profile may use them."""
    return Code(CHECKS, predicates(profile), SIBLINGS)


@cache
def shipped(name: str) -> Profile:
    """A profile of ours, by name. Raises ProfileError, FileNotFoundError."""
    folder = files("webhook") / "profiles"

    def read(path: str) -> Mapping[str, Any]:
        text = (folder / path).read_bytes()
        loaded = yaml.load(text, Loader=yaml.CSafeLoader)
        return dict(loaded)

    return build_profile(read(f"{name}.yaml"), f"{name}.yaml", read)


@dataclass(frozen=True, slots=True)
class Catalog:
    """What is enforced, ready to judge.

    Attributes:
        profiles: the profiles, in order.
        guards: (group, kind) -> the guards that judge objects of that kind.
    """

    profiles: tuple[Profile, ...]
    guards: Mapping[tuple[str, str], tuple[CompiledGuard, ...]] = field(repr=False)

    @classmethod
    def of(
        cls,
        profiles: Iterable[Profile],
        releases: Mapping[str, str] | None = None,
        *,
        usually: bool = False,
    ) -> Catalog:
        """Compiles profiles, each for the release named for it. Raises ProfileError."""
        kept = tuple(profiles)
        guards: dict[tuple[str, str], tuple[CompiledGuard, ...]] = {}
        for profile in kept:
            release = (releases or {}).get(profile.profile)
            for guard in compile_profile(profile, profile_code(profile), release, usually=usually):
                key = (guard.match.group, guard.match.kind)
                guards[key] = (*guards.get(key, ()), guard)
        return cls(kept, guards)

    @classmethod
    def default(cls) -> Catalog:
        """The profiles that are on by default, for the releases they assume."""
        return cls.of(shipped(name) for name in PROFILES)

    def operators(self) -> tuple[str, ...]:
        """The globs of every profile's operator identities."""
        globs = (g for p in self.profiles if p.identity for g in p.identity.operators)
        return tuple(dict.fromkeys(globs))
