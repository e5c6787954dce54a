"""One installation as a list of objects, in the order in which they can be applied."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

from webhook.building import catalog_of
from webhook.manifests import access, alerts, dashboard, network, workload
from webhook.manifests.issuing import issuing
from webhook.manifests.options import Object, Options, Tls
from webhook.manifests.webhooks import ManifestError, configurations
from webhook.settings import load_settings

if TYPE_CHECKING:
    from webhook.settings import Settings

SPARE_SECONDS = 10
"""What a replica gets to end in, beside its delay and the calls under way."""


def render(options: Options) -> list[Object]:
    """The whole installation, as its own settings ask for it.

    Raises:
        ManifestError: a profile does not say enough to send its objects here, or settings want
            one replica and there are more.
        SettingsError, ProfileError: the settings can't be used.
    """
    settings = settings_of(options)
    if settings.cross_check == "memory" and options.replicas > 1:
        raise ManifestError(
            "cross_check: memory is right with one replica only, which has to see every review;"
            " ask for --replicas 1, or for cross_check: live"
        )
    options = replace(options, termination_seconds=_termination(settings))
    budget = workload.budget(options)
    return [
        workload.namespace(options),
        workload.quota(options),
        access.account(options),
        *_tls(options),
        workload.settings(options),
        *network.services(options),
        network.policy(options),
        *([budget] if budget else []),
        workload.deployment(options),
        *(_monitoring(options) if options.monitoring else []),
        # Last, when somebody is there to answer.
        *configurations(catalog_of(settings), options),
    ]


def settings_of(options: Options) -> Settings:
    """The settings that the replicas will have. Raises SettingsError."""
    return load_settings(options.overrides, dict(options.settings))


def key(obj: Object) -> tuple[str, str, str, str]:
    """What tells an object from all others: apiVersion, kind, namespace, name."""
    about = obj["metadata"]
    return obj["apiVersion"], obj["kind"], about.get("namespace", ""), about["name"]


def _termination(settings: Settings) -> int:
    return ceil(settings.shutdown_delay) + ceil(settings.shutdown_grace) + SPARE_SECONDS


def _tls(options: Options) -> list[Object]:
    """What only this way to a certificate needs."""
    issued = issuing(options) if options.tls is Tls.CERT_MANAGER else []
    return [*issued, *access.grants(options)]


def _monitoring(options: Options) -> list[Object]:
    """What the Prometheus operator and Grafana's sidecar read."""
    return [dashboard.service_monitor(options), alerts.rule(options), dashboard.dashboard(options)]
