"""What the checks look at: objects as they are stored, and the leaf that each replica shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from webhook.building import catalog_of
from webhook.certs.cabundle import ServiceKey
from webhook.certs.cluster import Kind
from webhook.certs.operators import OPERATORS
from webhook.documents import DocumentError, load_yaml
from webhook.manifests.options import (
    MOUNTED_SECRET,
    NAME,
    SETTINGS_FILE,
    SETTINGS_FOLDER,
    SHARED_SECRET,
    Options,
    Tls,
)
from webhook.manifests.render import settings_of
from webhook.manifests.webhooks import configurations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from webhook.catalog import Catalog
    from webhook.settings import Settings

Object = dict[str, Any]
_PREFIX: Final = "SKYHOOK_WEBHOOK_"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A cluster at one moment.

    Attributes:
        objects: everything that was fetched.
        namespace: where we should be.
        now: when.
        version: of this program.
        leaves: replica -> the PEM of the leaf that it showed, for those that could be dialled.
        unread: what could not be fetched, and why.
    """

    objects: tuple[Object, ...]
    namespace: str
    now: datetime
    version: str
    leaves: Mapping[str, bytes] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)

    @property
    def service_key(self) -> ServiceKey:
        """Our Service, as clientConfigs name it."""
        return ServiceKey(self.namespace, NAME)

    def of_kind(self, kind: str) -> Iterator[Object]:
        """All objects of a kind, in any namespace."""
        return (obj for obj in self.objects if obj.get("kind") == kind)

    def ours(self, kind: str, name: str = NAME) -> Object | None:
        """The object of ours by that name, in our namespace where the kind has one."""
        for obj in self.of_kind(kind):
            if obj["metadata"]["name"] == name and namespace_of(obj) in ("", self.namespace):
                return obj
        return None

    def inside(self, kind: str) -> Iterator[Object]:
        """All objects of a kind in our namespace."""
        return (obj for obj in self.of_kind(kind) if namespace_of(obj) == self.namespace)

    def configurations(self) -> Iterator[tuple[Kind, Object]]:
        """Every webhook configuration there is, ours or not."""
        for kind in (Kind.VALIDATING, Kind.MUTATING):
            for obj in self.of_kind(kind):
                yield kind, obj

    def operators(self) -> Iterator[Object]:
        """Deployments of the guarded operator."""
        for obj in self.of_kind("Deployment"):
            labels = obj["metadata"].get("labels") or {}
            if labels.get("app.kubernetes.io/name") in OPERATORS:
                yield obj

    def secret(self) -> Object | None:
        """The Secret that our certificate comes from."""
        return self.ours("Secret", SHARED_SECRET if self.tls is Tls.SELF_SIGNED else MOUNTED_SECRET)

    @property
    def tls(self) -> Tls:
        """Where the certificate comes from, as the Deployment says; self-signed without one."""
        if (
            environment(self.ours("Deployment")).get(f"{_PREFIX}TLS", "self-signed")
            == "self-signed"
        ):
            return Tls.SELF_SIGNED
        ours = self.ours(Kind.VALIDATING)
        annotations = (ours["metadata"].get("annotations") or {}) if ours else {}
        injected = "cert-manager.io/inject-ca-from" in annotations
        return Tls.CERT_MANAGER if injected else Tls.MOUNTED

    def options(self) -> Options:
        """The installation as its objects say it was rendered, as far as checks need it.

        Raises:
            DocumentError: the settings document can't be read.
        """
        deployment = self.ours("Deployment")
        return Options(
            version=self.version,
            namespace=self.namespace,
            tls=self.tls,
            settings=self._document(deployment),
            overrides=_overrides(environment(deployment)),
        )

    def settings(self) -> Settings:
        """The settings that the replicas have. Raises DocumentError, SettingsError."""
        return settings_of(self.options())

    def catalog(self) -> Catalog:
        """What they enforce. Raises DocumentError, SettingsError, ProfileError."""
        texts = self._settings_data(self.ours("Deployment"))[1]
        here = {f"{SETTINGS_FOLDER}/{name}": text for name, text in texts.items()}
        return catalog_of(self.settings(), here)

    def rendered(self) -> list[Object]:
        """The configurations as we would render them. Raises as `catalog`, and ManifestError."""
        return configurations(self.catalog(), self.options())

    def _document(self, deployment: Object | None) -> Mapping[str, Any]:
        """The settings file, wherever kustomize or Helm put it."""
        name, data = self._settings_data(deployment)
        if not data:
            return {}
        value = load_yaml(data[SETTINGS_FILE].encode(), f"ConfigMap {self.namespace}/{name}")
        if value is None or isinstance(value, Mapping):
            return value or {}
        raise DocumentError(f"ConfigMap {self.namespace}/{name}", None, None, "settings are a map")

    def _settings_data(self, deployment: Object | None) -> tuple[str, Mapping[str, str]]:
        """Name and content of the ConfigMap that has the settings, and the profiles beside them."""
        for volume in (pod(deployment).get("volumes") or ()) if deployment else ():
            name = (volume.get("configMap") or {}).get("name")
            found = self.ours("ConfigMap", name) if name else None
            data = (found or {}).get("data") or {}
            if name and SETTINGS_FILE in data:
                return name, data
        return "", {}


def namespace_of(obj: Object) -> str:
    """The object's namespace; "" for one without."""
    return str(obj["metadata"].get("namespace") or "")


def named(obj: Object) -> str:
    """`Kind namespace/name`, as a diagnosis says it."""
    place = namespace_of(obj)
    return f"{obj['kind']} {place + '/' if place else ''}{obj['metadata']['name']}"


def pod(workload: Object) -> Object:
    """The Pod's spec of a Deployment."""
    spec: Object = ((workload.get("spec") or {}).get("template") or {}).get("spec") or {}
    return spec


def environment(workload: Object | None) -> dict[str, str]:
    """The plain variables of all its containers."""
    containers = (pod(workload).get("containers") or ()) if workload else ()
    variables = (one for container in containers for one in container.get("env") or ())
    return {one["name"]: one["value"] for one in variables if "value" in one}


_OWN: Final = frozenset({"TLS", "CERT_DIR", "SERVICE", "NAMESPACE"})


def _overrides(variables: Mapping[str, str]) -> dict[str, Any]:
    """Settings that are given as variables; those that say where we are do not count."""
    found = {
        name.removeprefix(_PREFIX): value
        for name, value in variables.items()
        if name.startswith(_PREFIX) and "__" not in name
    }
    return {name.lower(): _value(text) for name, text in found.items() if name not in _OWN}


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def matching(labels: Mapping[str, str], selector: Mapping[str, str]) -> bool:
    """Whether a plain selector picks an object with these labels; an empty one picks nothing."""
    return bool(selector) and all(labels.get(key) == value for key, value in selector.items())


def by_name(items: Iterable[Object]) -> dict[str, Object]:
    """Items by their `name`."""
    return {item["name"]: item for item in items}
