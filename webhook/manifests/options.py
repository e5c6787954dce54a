"""What can be chosen about an installation, and the names that are the same in all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from webhook.profile_files import is_path, profile_names

if TYPE_CHECKING:
    from collections.abc import Mapping

Object = dict[str, Any]

NAME: Final = "skyhook-webhook"
"""Service, Deployment, both webhook configurations: one name, so that a rename never leaves a stale one.

It sorts after the operator's `skyhook-operator-…` and `nodewright-…`: mutating configurations are called
in the order of their names, and ours has to see what theirs did.
"""
NAMESPACE: Final = "skyhook-webhook-system"
SHARED_SECRET: Final = "skyhook-webhook-certs"  # noqa: S105 - a name
MOUNTED_SECRET: Final = "skyhook-webhook-tls"  # noqa: S105 - a name
METRICS_SERVICE: Final = f"{NAME}-metrics"
SETTINGS: Final = f"{NAME}-settings"
SETTINGS_FILE: Final = "settings.yaml"
SETTINGS_FOLDER: Final = "/etc/skyhook-webhook"
"""Where the Pods find the settings, and profiles that are not ours."""
USER_ID: Final = 65532


class Tls(StrEnum):
    """Where certificates come from; `mounted` is a Secret that somebody else fills."""

    MOUNTED = "mounted"
    SELF_SIGNED = "self-signed"
    CERT_MANAGER = "cert-manager"


@dataclass(frozen=True, slots=True)
class Options:
    """One installation.

    Attributes:
        version: of this program; label and image tag.
        termination_seconds: what the kubelet gives a replica to end; render sets it by the settings.
        image: the whole reference; empty for `skyhook-webhook:<version>`.
        settings: the document of `serve --config`.
        overrides: further settings, as variables that win over the document.
        profile_files: texts of the profiles that ``settings`` names by their paths, by base name.
        ipv6_only: listen on IPv6 addresses.
        fail_specs: refuse spec writes while nobody answers; status, Nodes and conditions never are.
        conversion: caBundles of CRDs are kept as well.
        monitoring: ServiceMonitor, PrometheusRule and dashboard.
        cross_check: our account may get Nodes and Skyhooks; with tls: self-signed it may anyway.
    """

    version: str
    namespace: str = NAMESPACE
    image: str = ""
    tls: Tls = Tls.SELF_SIGNED
    replicas: int = 2
    port: int = 9443
    metrics_port: int = 8080
    health_port: int = 8081
    host_network: bool = False
    ipv6_only: bool = False
    fail_specs: bool = False
    timeout_seconds: int = 3
    priority_class: str = "system-cluster-critical"
    termination_seconds: int = 35
    settings: Mapping[str, Any] = field(default_factory=dict)
    overrides: Mapping[str, Any] = field(default_factory=dict)
    profile_files: Mapping[str, str] = field(default_factory=dict)
    conversion: bool = False
    monitoring: bool = False
    cross_check: bool = False

    @property
    def document(self) -> dict[str, Any]:
        """The settings as the Pods read them: profiles that came as files lie beside them there."""
        document = dict(self.settings)
        if self.profile_files:
            document["profiles"] = [
                f"{SETTINGS_FOLDER}/{name.rpartition('/')[2]}" if is_path(name) else name
                for name in profile_names(document["profiles"])
            ]
        return document

    @property
    def asks(self) -> bool:
        """Whether we ever call the API server."""
        return self.tls is Tls.SELF_SIGNED or self.cross_check

    @property
    def reference(self) -> str:
        """The image to run."""
        return self.image or f"{NAME}:{self.version}"


def labels(options: Options) -> dict[str, str]:
    """Labels of every object: never one that the operator's Services or policies select on."""
    return {
        **selector(),
        "app.kubernetes.io/version": options.version,
        "app.kubernetes.io/component": "webhook",
        "app.kubernetes.io/part-of": NAME,
        "app.kubernetes.io/managed-by": NAME,
    }


def selector() -> dict[str, str]:
    """What Services, policies and the Deployment select our Pods by; never changes."""
    return {"app.kubernetes.io/name": NAME, "app.kubernetes.io/instance": NAME}


def metadata(options: Options, name: str = NAME, *, namespaced: bool = True) -> Object:
    """The metadata of an object of ours."""
    place = {"namespace": options.namespace} if namespaced else {}
    return {"name": name, **place, "labels": labels(options)}
