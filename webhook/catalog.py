"""The catalog: everything enforced is named here."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from webhook import documents
from webhook.checks.completion import node_complete
from webhook.checks.conditions import condition_fields, transition_time
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
from webhook.checks.locks import ack_lock, answer_revoked
from webhook.checks.mirrors import mirror, orphan, override_in_force
from webhook.checks.owners import uninstall_asked
from webhook.checks.requests import version_erases, writers
from webhook.checks.shapes import batch_reset, order_reset
from webhook.checks.twins import only_mirrored, twin_follows
from webhook.checks.versions import lower_version
from webhook.lifecycle.compile import Code, CompiledGuard, compile_profile
from webhook.lifecycle.load import build_profile
from webhook.lifecycle.prepared import Prepared, marks_of
from webhook.specs import SPEC_CHECKS, WARNING_CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from webhook.lifecycle.atoms import Predicate
    from webhook.lifecycle.model import Profile
    from webhook.lifecycle.rule import CheckFactory, SiblingTest

PROFILES: Final = ("skyhook", "nodewright")
"""The profiles that are on by default, in the order in which they judge."""

_HERE: Final = Path(__file__).parent
_PROFILES: Final = _HERE / "profiles"
READY: Final = _PROFILES / "ready"
"""Our profiles as they were joined and checked once (`make profiles`), for a quick start."""

_EXAMPLES: Final = (
    "profiles/examples/skyhook.yaml",
    "specs/examples.yaml",
    "specs/further-examples.yaml",
    "specs/warnings.yaml",
)

_OWN_EXAMPLES: Final = {"skyhook": ("specs/rename.yaml",)}

MORE_PROFILES: Final = (
    "cluster-api-machine",
    "cluster-api-machine-v1beta1",
    "machine-pr531",
    "machine-controller-manager",
    "olm-operatorcondition",
    "olm-can-upgrade",
)
"""Further profiles of ours, each switched on by its name; ``conditions`` is a base to extend."""

CHECKS: Final[Mapping[str, CheckFactory]] = {
    "ack_lock": ack_lock,
    "answer_revoked": answer_revoked,
    "compartment": compartment,
    "complete_nodes": complete_nodes,
    "condition_fields": condition_fields,
    "in_progress_fits": in_progress_fits,
    "json_map": json_map,
    "matched_total": matched_total,
    "mirror": mirror,
    "node_complete": node_complete,
    "node_state_copy": node_state_copy,
    "node_status_copy": node_status_copy,
    "offset_counts": offset_counts,
    "orphan": orphan,
    "override_in_force": override_in_force,
    "package_entry": package_entry,
    "sorted_list": sorted_list,
    "transition_time": transition_time,
    "twin_follows": twin_follows,
    "uninstall_asked": uninstall_asked,
    **SPEC_CHECKS,
    **WARNING_CHECKS,
    "version_erases": version_erases,
    "writers": writers,
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


def _document(path: str) -> Mapping[str, Any]:
    return dict(_parsed(path))


@cache
def _parsed(path: str) -> Mapping[str, Any]:
    """Once: two profiles stand on one body, and its text is the slowest part of a start."""
    return _yaml(_PROFILES / path, path)


def _yaml(path: Path, shown: str) -> dict[str, Any]:
    return dict(documents.load_yaml(path.read_bytes(), shown))


def base(name: str) -> Mapping[str, Any]:
    """The document of a profile of ours, to build on (``extends``). Raises FileNotFoundError."""
    return _document(f"{name}.yaml")


def shipped_names() -> list[str]:
    """The profiles that come with us, those on by default first."""
    found = sorted(
        path.name.removesuffix(".yaml")
        for path in _PROFILES.iterdir()
        if path.name.endswith(".yaml")
    )
    return [*PROFILES, *(name for name in found if name not in PROFILES)]


@cache
def rule_examples(name: str) -> tuple[Mapping[str, Any], ...]:
    """Documents of writes that show what the rules of a profile of ours do (reviews/rulebook.py)."""
    return tuple(
        _yaml(_HERE / path, path)
        for path in (*(_EXAMPLES if name in PROFILES else ()), *_OWN_EXAMPLES.get(name, ()))
    )


@cache
def shipped(name: str) -> Profile:
    """A profile of ours, by name. Raises ProfileError, FileNotFoundError."""
    known = name in (*PROFILES, *MORE_PROFILES)
    ready = _ready(name) if known else None
    return built(name) if ready is None else ready


def _ready(name: str) -> Profile | None:
    """A profile from its JSON; none while somebody works on its YAML, or on the model."""
    try:
        kept = Prepared.of((READY / f"{name}.json").read_bytes())
    except (OSError, ValueError):
        return None
    return kept.profile if kept.marks == marks_of(_PROFILES, kept.marks) else None


def built(name: str) -> Profile:
    """The same from its YAML, as a profile of anybody's. Raises ProfileError, FileNotFoundError."""
    return build_profile(base(name), f"{name}.yaml", _document, base)


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
