"""Checks of what is taken for granted about the operator: its release and its identity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webhook.building import assumptions, releases_of
from webhook.certs.operators import release_of
from webhook.core.release import parse_release
from webhook.core.writer import Writer, classify
from webhook.doctor.diagnosis import Diagnosis, Level
from webhook.doctor.gaps import settings_in_force
from webhook.doctor.snapshot import named, namespace_of, pod
from webhook.manifests.options import NAME
from webhook.reviews.policy import Mode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.doctor.snapshot import Snapshot


def releases(found: Snapshot) -> Iterator[Diagnosis]:
    """The release that rules assume is the one that runs. Raises as `Snapshot.catalog`."""
    settings, catalog = settings_in_force(found), found.catalog()
    chosen = releases_of(settings, catalog.profiles)
    about = f"Deployment {found.namespace}/{NAME}"
    for line in assumptions(settings, catalog):
        yield Diagnosis("releases", Level.NOTE, about, line)
    running = [(operator, release_of(operator)) for operator in found.operators()]
    for profile in catalog.profiles:
        if profile.releases is None or profile.identity is None:
            continue
        assumed = chosen.get(profile.profile, profile.releases.assumed)
        for operator, release in running:
            if release is None or parse_release(release)[:2] == parse_release(assumed)[:2]:
                continue
            if not _guards(profile.identity.group, release):
                continue
            message = f"runs release {release}; profile {profile.profile} assumes {assumed}"
            remedy = f"set operator_version: {{{profile.profile}: '{release}'}}, or to auto"
            yield Diagnosis("releases", Level.WARNING, named(operator), message, remedy)


def identities(found: Snapshot) -> Iterator[Diagnosis]:
    """The operator is recognised by its ServiceAccount. Raises as `Snapshot.catalog`."""
    policy = found.settings().policy(found.catalog().operators())
    for operator in found.operators():
        account = pod(operator).get("serviceAccountName") or "default"
        user = f"system:serviceaccount:{namespace_of(operator)}:{account}"
        if classify(user, policy.operators) is not Writer.OPERATOR:
            message = (
                f"writes as {user}, which is not taken for the operator: each of its writes warns"
            )
            remedy = f"set operators: ['{user}']"
            yield Diagnosis("identities", Level.WARNING, named(operator), message, remedy)


def modes(found: Snapshot) -> Iterator[Diagnosis]:
    """Whether denials deny. Raises as `Snapshot.settings`."""
    mode = found.settings().mode
    if mode is not Mode.ENFORCE:
        message = f"mode {mode.value}: nothing is denied; skyhook_webhook_would_deny_total counts what would be"
        yield Diagnosis("modes", Level.NOTE, f"Deployment {found.namespace}/{NAME}", message)


def _guards(group: str, release: str) -> bool:
    """Whether an operator of that release writes objects of the group: the new one came with 0.18."""
    return group != "nodewright.nvidia.com" or parse_release(release) >= parse_release("0.18")
