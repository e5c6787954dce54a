"""Checks of the CRDs that the operator's chart brought: what the operator of that release needs of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from webhook.building import releases_of, seen
from webhook.certs.cluster import Kind
from webhook.certs.operators import newest
from webhook.core.release import within
from webhook.doctor.diagnosis import Diagnosis, Level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.doctor.snapshot import Snapshot
    from webhook.settings import Settings

_STAGE: Final = ("status", "nodeState", "*", "*", "stage")


def settings_in_force(found: Snapshot) -> Settings:
    """The settings, with the release that runs where they ask for it. Raises as `Snapshot.settings`."""
    return seen(found.settings(), newest(list(found.operators())).release)


def chart_gaps(found: Snapshot) -> Iterator[Diagnosis]:
    """The CRD knows the fields and the stages that its operator reads and writes.

    Raises as `Snapshot.catalog`.
    """
    catalog = found.catalog()
    chosen = releases_of(settings_in_force(found), catalog.profiles)
    for profile in catalog.profiles:
        if profile.identity is None or profile.releases is None:
            continue
        release = chosen.get(profile.profile, profile.releases.assumed)
        name = f"{profile.identity.plural}.{profile.identity.group}"
        schema = _schema(found, name)
        if schema is None:
            continue
        lacks = [
            path
            for path, since in profile.history.fields.items()
            if within(release, f">={since}") and _at(schema, path.split(".")) is None
        ]
        known = (_at(schema, _STAGE) or {}).get("enum")
        stages = [
            stage
            for stage, since in profile.history.stages.items()
            if within(release, f">={since}") and known is not None and stage not in known
        ]
        remedy = f"apply the CRD of operator {release}, not the chart's; or leave these fields away"
        if lacks:
            text = (
                f"lacks {', '.join(lacks)}: the API server drops what operator {release} would read"
            )
            yield Diagnosis("crd-gaps", Level.WARNING, f"{Kind.CRD} {name}", text, remedy)
        if stages:
            text = f"does not know stage {', '.join(stages)}: a status of operator {release} is refused"
            yield Diagnosis("crd-gaps", Level.WARNING, f"{Kind.CRD} {name}", text, remedy)


def _schema(found: Snapshot, name: str) -> dict[str, Any] | None:
    for crd in found.of_kind("CustomResourceDefinition"):
        if crd["metadata"]["name"] == name:
            for version in crd["spec"].get("versions") or ():
                schema = (version.get("schema") or {}).get("openAPIV3Schema")
                if isinstance(schema, dict):
                    return schema
    return None


def _at(schema: Any, steps: list[str] | tuple[str, ...]) -> Any:
    """The schema of a place; ``*`` is any key of a map."""
    for step in steps:
        if not isinstance(schema, dict):
            return None
        inner = schema.get("additionalProperties") if step == "*" else None
        schema = inner if step == "*" else (schema.get("properties") or {}).get(step)
    return schema
