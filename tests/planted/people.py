"""The people of the recordings, as the API server names them in userInfo."""

from __future__ import annotations

from typing import Any, Final

PEOPLE: Final[tuple[dict[str, Any], ...]] = (
    {"username": "platform-admin", "groups": ["platform-team", "system:authenticated"]},
    {"username": "sre-oncall", "groups": ["sre-team", "system:authenticated"]},
    {"username": "kubernetes-admin", "groups": ["system:masters", "system:authenticated"]},
)
