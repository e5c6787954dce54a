"""`--operator-version auto`: what the operator's Deployment shows, once, before anything is judged."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING

from webhook.building import assumptions, looks

if TYPE_CHECKING:
    from webhook.catalog import Catalog
    from webhook.certs.operators import Running
    from webhook.settings import Settings


def released(settings: Settings, kubeconfig: Path | None, context: str | None) -> Running:
    """The release that runs, where the settings ask for it; else, and where nothing is seen, none.

    By kubeconfig, by KUBECONFIG, as this Pod, or by ~/.kube/config, as kubectl.
    """
    from webhook.certs.cluster import in_cluster
    from webhook.certs.operators import Running, running

    if not looks(settings):
        return Running(None, "")
    if kubeconfig is None and not in_cluster():
        usual = Path(os.environ.get("KUBECONFIG") or Path.home() / ".kube" / "config")
        kubeconfig = usual if usual.is_file() else None
    return asyncio.run(running(kubeconfig, context))


def released_lines(shown: Running, settings: Settings, catalog: Catalog) -> list[str]:
    """What was found out about the release, and what is taken for granted, for a person."""
    if not shown.where:
        return []
    found = f"operator {shown.release}, by {shown.where}"
    said = found if shown.release else f"operator not seen: {shown.where}"
    return [said, *assumptions(settings, catalog)]
