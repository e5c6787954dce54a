"""The names that the rename is about; the old group goes with operator 0.21."""

from __future__ import annotations

from typing import Final

OLD_GROUP: Final = "skyhook.nvidia.com"
NEW_GROUP: Final = "nodewright.nvidia.com"
KINDS: Final = {
    "Skyhook": "NodeWright",
    "SkyhookList": "NodeWrightList",
    "DeploymentPolicy": "DeploymentPolicy",
    "DeploymentPolicyList": "DeploymentPolicyList",
}
"""Kinds of the old group -> what they are called in the new one."""
REMOVED_IN: Final = "0.21"
LONGEST_NAME: Final = 50
"""Characters of a name that the longest key of operator 0.20 has room for (drainBlocked_NAME)."""


def new_version(api_version: str) -> str:
    """``skyhook.nvidia.com/v1alpha1`` -> ``nodewright.nvidia.com/v1alpha1``."""
    return f"{NEW_GROUP}/{api_version.partition('/')[2]}"


def is_old(api_version: object, kind: object) -> bool:
    """Whether this is an object that is renamed."""
    return (
        isinstance(api_version, str)
        and api_version.startswith(f"{OLD_GROUP}/")
        and isinstance(kind, str)
        and kind in KINDS
    )
