"""All checks, by the id that their diagnoses carry, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from webhook.doctor import certificates, configurations, conversion, gaps, installation, releases
from webhook.doctor.diagnosis import Diagnosis, Level
from webhook.documents import DocumentError
from webhook.lifecycle.compile import ProfileError
from webhook.manifests.options import NAME
from webhook.manifests.webhooks import ManifestError
from webhook.settings import SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webhook.doctor.snapshot import Snapshot

Check = Callable[["Snapshot"], Iterable[Diagnosis]]

CHECKS: Final[Mapping[str, Check]] = {
    "installed": installation.installed,
    "replicas": installation.replicas,
    "service-links": installation.service_links,
    "namespace-clash": installation.namespace_clash,
    "label-clash": installation.label_clash,
    "secret": certificates.secret,
    "expiry": certificates.expiry,
    "service-names": certificates.service_names,
    "ca-bundle": certificates.ca_bundles,
    "rotation": certificates.rotation,
    "policies": configurations.policies,
    "foreign": configurations.foreign,
    "stale": configurations.stale,
    "second-version-rules": configurations.second_version_rules,
    "operator-configurations": configurations.operator_configurations,
}
NEED_SETTINGS: Final[Mapping[str, Check]] = {
    "drift": configurations.drift,
    "crd-versions": conversion.crd_versions,
    "converters": conversion.converters,
    "releases": releases.releases,
    "crd-gaps": gaps.chart_gaps,
    "identities": releases.identities,
    "modes": releases.modes,
}
"""Checks that ask what is enforced; with unreadable settings they have nothing to go by."""

_UNUSABLE: Final = (DocumentError, SettingsError, ProfileError, ManifestError)


def diagnose(found: Snapshot) -> list[Diagnosis]:
    """Everything that the checks say, the worst first."""
    diagnoses = [
        Diagnosis(
            "unread",
            Level.WARNING,
            what,
            f"could not be read: {why}",
            "what depends on it is unchecked",
        )
        for what, why in found.unread.items()
    ]
    diagnoses += [one for check in CHECKS.values() for one in check(found)]
    if found.ours("Deployment") is not None:
        diagnoses += _by_settings(found)
    return sorted(diagnoses, key=lambda one: list(Level).index(one.level))


def _by_settings(found: Snapshot) -> list[Diagnosis]:
    try:
        found.rendered()
    except _UNUSABLE as error:
        about = f"Deployment {found.namespace}/{NAME}"
        message = f"its settings can't be used, so no replica starts with them: {error}"
        return [Diagnosis("settings", Level.ERROR, about, message)]
    return [one for check in NEED_SETTINGS.values() for one in check(found)]
