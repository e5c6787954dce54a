"""Settings: one model, from file, environment and flags, checked as a whole before they count.

Flags win over ``SKYHOOK_WEBHOOK_*`` variables, those over the file, that over the defaults.
"""

from __future__ import annotations

from webhook.settings.loading import SettingsError, load_settings
from webhook.settings.model import (
    MIB,
    BreakGlassSettings,
    ConditionSettings,
    ModeSetting,
    RotationSettings,
    Settings,
)

__all__ = [
    "MIB",
    "BreakGlassSettings",
    "ConditionSettings",
    "ModeSetting",
    "RotationSettings",
    "Settings",
    "SettingsError",
    "load_settings",
]
