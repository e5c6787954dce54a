"""From settings to an engine: profiles read, compiled, and bound to the policy."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from webhook import documents
from webhook.catalog import Catalog, base, shipped
from webhook.core.evidence import NoEvidence
from webhook.core.release import ALL, parse_choice, parse_release, within
from webhook.core.window import Window
from webhook.documents import DocumentError
from webhook.lifecycle.compile import ProfileError, is_recorded
from webhook.lifecycle.load import build_profile
from webhook.profile_files import is_path, profile_names
from webhook.reviews.engine import Engine
from webhook.reviews.mirroring import MirrorSettings, converters_of, keepers_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from webhook.core.evidence import Evidence
    from webhook.lifecycle.model import Profile
    from webhook.settings import Settings


Texts = Mapping[str, str]
"""Files that are not here, by their paths: what a ConfigMap holds for the Pods, say."""
NO_TEXTS: Final[Texts] = {}


def profile_of(name: str, texts: Texts = NO_TEXTS) -> Profile:
    """A profile by the name of one of ours, or from a file. Raises ProfileError."""
    if not is_path(name):
        try:
            return shipped(name)
        except FileNotFoundError:
            raise ProfileError(
                f"there is no profile {name!r} here; a profile of your own is given as a file,"
                " or with others in a folder, with a / at its end"
            ) from None
    path = Path(name)
    beside = partial(_beside, path.parent, texts)
    return build_profile(_read(path, name, texts), name, beside, base)


def _beside(folder: Path, texts: Texts, name: str) -> Mapping[str, Any]:
    body = _read(folder / name, str(folder / name), texts)
    if not isinstance(body, dict):
        raise ProfileError(f"{folder / name}: a body is a map")
    return body


def _read(path: Path, shown: str, texts: Texts) -> Any:
    text = texts.get(str(path))
    try:
        return documents.load_yaml(path.read_bytes() if text is None else text.encode(), shown)
    except OSError as error:
        raise ProfileError(f"{shown}: {error.strerror or error}") from None
    except DocumentError as error:
        raise ProfileError(str(error)) from None


def catalog_of(settings: Settings, texts: Texts = NO_TEXTS) -> Catalog:
    """What the settings enforce. Raises ProfileError."""
    profiles = [profile_of(name, texts) for name in profile_names(settings.profiles)]
    return Catalog.of(profiles, releases_of(settings, profiles), usually=settings.usual_rules)


def releases_of(settings: Settings, profiles: Iterable[Profile]) -> dict[str, str]:
    """By profile, the release that is set for it. Raises ProfileError.

    ``auto`` that nobody has seen through (`seen`) is the setting beside it, else the newest known.
    """
    by_name = {profile.profile: profile for profile in profiles}
    chosen = settings.operator_version
    for name in chosen:
        if name != ALL and name not in by_name:
            there = ", ".join(sorted(by_name))
            raise ProfileError(
                f"operator_version: no profile in use is called {name!r}; in use: {there}"
            )
    found = {}
    for name, profile in by_name.items():
        text = chosen.get(name) or (chosen.get(ALL) if profile.identity is not None else None)
        if text and profile.releases is not None:
            found[name] = parse_choice(text)[1] or profile.releases.newest
    return found


def looks(settings: Settings) -> bool:
    """Whether the operator's Deployment is asked for its release."""
    return any(parse_choice(text)[0] for text in settings.operator_version.values())


def seen(settings: Settings, release: str | None) -> Settings:
    """The settings with the release that the operator's Deployment shows, wherever that is asked for."""
    if release is None or not looks(settings):
        return settings
    chosen = settings.operator_version
    now = {name: release if parse_choice(text)[0] else text for name, text in chosen.items()}
    return settings.changed(operator_version=now)


def engine_of(
    settings: Settings,
    clock: Callable[[], datetime] | None = None,
    evidence: Evidence | None = None,
) -> Engine:
    """The engine that the settings ask for. Raises ProfileError."""
    catalog = catalog_of(settings)
    mirror = mirror_of(settings, catalog.profiles)
    return Engine(
        catalog,
        settings.policy(catalog.operators()),
        clock,
        evidence or NoEvidence(),
        keepers_of(catalog.profiles, mirror),
        converters_of(catalog.profiles, mirror),
    )


def mirror_of(settings: Settings, profiles: Iterable[Profile]) -> MirrorSettings:
    """How condition names are kept. Raises WindowError, ProfileError.

    Objects that a release made read-only are left alone from that release on.
    """
    conditions = settings.conditions
    releases = releases_of(settings, profiles)
    frozen = {
        profile.profile
        for profile in profiles
        if (about := profile.releases) is not None
        and about.read_only is not None
        and within(releases.get(profile.profile, about.assumed), f">={about.read_only}")
    }
    return MirrorSettings(
        window=Window.parse(conditions.window),
        strip=conditions.strip,
        project_ready=conditions.project_ready,
        releases=releases,
        further_prefixes={k: tuple(v) for k, v in conditions.further_prefixes.items()},
        read_only=frozenset({*conditions.read_only, *frozen}),
    )


def assumptions(settings: Settings, catalog: Catalog) -> list[str]:
    """What is taken for granted about releases, a line for each profile that has them."""
    lines = []
    chosen = releases_of(settings, catalog.profiles)
    for profile in catalog.profiles:
        if profile.releases is None:
            continue
        release = chosen.get(profile.profile, profile.releases.assumed)
        how = "as configured" if profile.profile in chosen else "assumed"
        known = (
            "" if is_recorded(profile, release) else "; not recorded, so only closed values deny"
        )
        newest = profile.releases.newest
        if parse_release(release) > parse_release(newest):
            known = f"; newer than {newest}, the newest known here, so only closed values deny"
        lines.append(f"profile {profile.profile}: release {release} ({how}{known})")
    return lines
