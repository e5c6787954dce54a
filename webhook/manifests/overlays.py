"""What can be laid over the base: by name, each a change of the options, to be combined freely."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from webhook.manifests.options import Options, Tls

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Overlay:
    """A change of an installation.

    Attributes:
        about: one sentence for people.
        tls: where the certificate comes from; None where it changes nothing about that.
        settings: settings that it makes; as variables, so that they win over the document.
    """

    about: str
    tls: Tls | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    conversion: bool = False
    monitoring: bool = False
    cross_check: bool = False

    def applied(self, options: Options) -> Options:
        """The options with this overlay."""
        return replace(
            options,
            tls=self.tls or options.tls,
            overrides={**options.overrides, **self.settings},
            conversion=self.conversion or options.conversion,
            monitoring=self.monitoring or options.monitoring,
            cross_check=self.cross_check or options.cross_check,
        )


OVERLAYS: Final[Mapping[str, Overlay]] = {
    "self-signed": Overlay(
        "Certificates of our own in a Secret that all replicas share; caBundles are kept by us.",
        tls=Tls.SELF_SIGNED,
    ),
    "cert-manager": Overlay(
        "cert-manager issues the certificate and writes the caBundles.", tls=Tls.CERT_MANAGER
    ),
    "audit-only": Overlay(
        "Nothing is denied: what would be is logged and counted. The first step that we recommend.",
        settings={"mode": "audit"},
    ),
    "nodewright": Overlay(
        "Only the new API group (nodewright.nvidia.com), for clusters without Skyhooks.",
        settings={"profiles": ["nodewright"]},
    ),
    "conversion": Overlay(
        "We may keep the caBundles of the operator's CRDs: the second version can be served.",
        conversion=True,
    ),
    "monitoring": Overlay(
        "ServiceMonitor, PrometheusRule and a Grafana dashboard.", monitoring=True
    ),
    "cross-check": Overlay(
        "We may get Nodes and Skyhooks, as the self-signed mode always may.", cross_check=True
    ),
}


def with_overlays(options: Options, names: Iterable[str]) -> Options:
    """The options with all of these overlays. Raises KeyError for a name there is none of."""
    for name in names:
        options = OVERLAYS[name].applied(options)
    return options
