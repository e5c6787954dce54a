"""`--operator-version auto`: what the operator's Deployment shows, once, before anything is judged."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from webhook.building import assumptions, looks

if TYPE_CHECKING:
    from pathlib import Path

    from webhook.catalog import Catalog
    from webhook.certs.operators import Running
    from webhook.settings import Settings


def released(settings: Settings, kubeconfig: Path | None, context: str | None) -> Running:
    """The release that runs, where the settings ask for it; else, and where nothing is seen, none."""
    from webhook.certs.operators import Running, running

    if not looks(settings):
        return Running(None, "")
    return asyncio.run(running(kubeconfig, context))


def released_lines(shown: Running, settings: Settings, catalog: Catalog) -> list[str]:
    """What was found out about the release, and what is taken for granted, for a person."""
    if not shown.where:
        return []
    found = f"operator {shown.release}, by {shown.where}"
    said = found if shown.release else f"operator not seen: {shown.where}"
    return [said, *assumptions(settings, catalog)]
