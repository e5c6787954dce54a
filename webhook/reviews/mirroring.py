"""From profiles and settings to what keeps conditions: keepers for writes, converters for reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from webhook.conversions.converter import Converter
from webhook.core.conditions import MirrorNames
from webhook.core.window import OPEN, Window
from webhook.mutations.keeper import Keeper

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from webhook.lifecycle.model import Profile


@dataclass(frozen=True, slots=True)
class MirrorSettings:
    """What can be set about condition names.

    Attributes:
        window: until when old names are kept.
        strip: after the window, mirrors go from v1alpha1 as well.
        project_ready: Ready for operators that write none.
        releases: release of the operator by profile name.
        further_prefixes: prefixes beside the profile's own, by profile name.
        read_only: names of profiles whose objects nobody may change any more.
    """

    window: Window = OPEN
    strip: bool = False
    project_ready: bool = False
    releases: Mapping[str, str] = field(default_factory=dict)
    further_prefixes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    read_only: frozenset[str] = frozenset()


def names_of(profile: Profile, further: Iterable[str] = ()) -> MirrorNames | None:
    """The condition names of a profile; None for one without identity or conditions."""
    identity, conditions = profile.identity, profile.conditions
    if identity is None or conditions is None:
        return None
    return MirrorNames(
        prefixes=(identity.prefix, *further),
        mirrored=tuple(conditions.mirrored),
        upstream=frozenset(conditions.upstream),
    )


def keepers_of(
    profiles: Iterable[Profile], settings: MirrorSettings
) -> dict[tuple[str, str], Keeper]:
    """How the conditions of each profile's kind are kept, by group and plural."""
    keepers = {}
    for profile in profiles:
        name = profile.profile
        names = names_of(profile, settings.further_prefixes.get(name, ()))
        if names is None or profile.identity is None:
            continue
        keepers[profile.identity.group, profile.identity.plural] = Keeper(
            names=names,
            window=settings.window,
            release=settings.releases.get(name),
            strip=settings.strip,
            project_ready=settings.project_ready,
            read_only=name in settings.read_only,
            bare_since=profile.history.conditions.get("Ready", "0.0"),
        )
    return keepers


def converters_of(profiles: Iterable[Profile], settings: MirrorSettings) -> dict[str, Converter]:
    """The converters of all profiles' kinds, by group."""
    kinds: dict[str, dict[str, MirrorNames]] = {}
    for profile in profiles:
        names = names_of(profile, settings.further_prefixes.get(profile.profile, ()))
        if names is not None and profile.identity is not None:
            kinds.setdefault(profile.identity.group, {})[profile.identity.kind] = names
    return {group: Converter(group, known, settings.window) for group, known in kinds.items()}
