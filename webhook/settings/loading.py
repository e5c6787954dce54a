"""Settings from flags, environment and the parsed file: read at once where every value is as it should be.

Whatever is not (text for a number, a list in a variable, anything wrong) is for ``sources``, where
pydantic-settings brings it into its form, or refuses it with reasons.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from webhook.core.readable import check_marks
from webhook.core.release import ALL, AUTO
from webhook.settings.model import Settings

PREFIX: Final = "SKYHOOK_WEBHOOK_"
NESTED: Final = "__"
_RELEASES: Final = "operator_version"
_SERVICE_LINK: Final = re.compile(r"(?:tcp|udp|sctp)://")
"""What kubelet puts into a pod's environment for each Service: SKYHOOK_WEBHOOK_PORT for ours."""


class SettingsError(ValueError):
    """Settings that cannot be used; a line for each reason, without any value."""


def load_settings(flags: Mapping[str, Any], file_values: Any = None) -> Settings:
    """Settings from flags, environment and the parsed file. Raises SettingsError."""
    if file_values is not None and not isinstance(file_values, Mapping):
        raise SettingsError("the settings file must be a map of settings")
    given = {key: value for key, value in flags.items() if value is not None}
    if given.get(_RELEASES) == {ALL: AUTO}:
        # Where nothing is seen, what is set elsewhere counts.
        without = {key: value for key, value in flags.items() if key != _RELEASES}
        otherwise = load_settings(without, file_values).operator_version.get(ALL, AUTO)
        given[_RELEASES] = {ALL: otherwise if AUTO in otherwise else f"{AUTO}:{otherwise}"}
    return _plain(given, file_values or {}) or _from_sources(given, file_values or {})


def _plain(given: Mapping[str, Any], in_file: Mapping[str, Any]) -> Settings | None:
    """The settings, where all values have the form that they end up with; else None."""
    merged: dict[str, Any] = {}
    said = variables()
    if said.keys() & given.keys():
        return None  # a variable that does not count must be readable all the same
    for source in (in_file, said, given):
        for name, value in source.items():
            if isinstance(value, Mapping) and name in merged:
                return None  # two maps become one
            merged[name] = value
    try:
        if _RELEASES in merged:
            merged[_RELEASES] = by_profile(merged[_RELEASES])
        settings = msgspec.convert(merged, Settings, dec_hook=_custom)
        check_marks(settings)
    except ValueError:
        return None
    return settings


def variables() -> dict[str, str]:
    """The variables of the environment that name a setting, by its name."""
    found = {}
    for variable, value in os.environ.items():
        if variable.upper().startswith(PREFIX) and not is_service_link(value):
            name = variable[len(PREFIX) :].lower()
            if name.partition(NESTED)[0] in Settings.__struct_fields__:
                found[name] = (
                    value  # a part of a setting (rotation__look) is no field, so not plain
                )
    return found


def by_profile(value: Any) -> Any:
    """``operator_version`` as a map: one text is for every profile, under ``*``. Raises ValueError."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except ValueError:
            raise ValueError("a map by profile is written as JSON here") from None
    if isinstance(value, int | float):
        text = f"{value} is a number; put it in quotes: 0.20 is not 0.2"
        raise ValueError(text)  # noqa: TRY004 - the one that pydantic tells; it lets others out
    return ({ALL: value} if value else {}) if isinstance(value, str) else value


def is_service_link(value: str) -> bool:
    """Whether a variable is kubelet's, about a Service."""
    return _SERVICE_LINK.match(value) is not None


def _custom(kind: type, value: Any) -> Any:
    """A path, the one type here that is not JSON's."""
    if kind is Path and isinstance(value, str | Path):
        return Path(value)
    raise ValueError(f"no {kind.__name__}")


def _from_sources(given: dict[str, Any], in_file: Mapping[str, Any]) -> Settings:
    from webhook.settings.sources import settings_from

    return settings_from(given, dict(in_file))
