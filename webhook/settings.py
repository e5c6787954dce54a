"""Settings: one model, from file, environment and flags, checked as a whole before they count.

Flags win over ``SKYHOOK_WEBHOOK_*`` variables, those over the file, that over the defaults.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings.exceptions import SettingsError as SourceError

from webhook.core.release import ALL, AUTO, ReleaseError, parse_choice
from webhook.core.window import Window, WindowError
from webhook.core.writer import UserGlobs
from webhook.reviews.breakglass import BreakGlass
from webhook.reviews.policy import Mode, ModeRule, Policy

MIB = 1024 * 1024
_SERVICE_LINK = re.compile(r"(?:tcp|udp|sctp)://")
"""What kubelet puts into a pod's environment for each Service: SKYHOOK_WEBHOOK_PORT for ours."""
_ADDRESS = re.compile(r"0?|.*:([0-9]{1,5})")


class SettingsError(ValueError):
    """Settings that cannot be used; a line for each reason, without any value."""


class ModeSetting(BaseModel):
    """One entry of ``modes``: a mode for some rules, some writers, or both."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Mode
    rules: list[str] = []
    writers: list[str] = []

    def compiled(self) -> ModeRule:
        """The entry as the policy uses it."""
        return ModeRule(self.mode, UserGlobs.of(self.rules), UserGlobs.of(self.writers))


class ConditionSettings(BaseModel):
    """``conditions``: how long and where old condition names are kept beside the bare ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    window: Any = "open"
    strip: bool = False
    project_ready: bool = False
    further_prefixes: dict[str, list[str]] = {}
    read_only: list[str] = []

    @field_validator("window")
    @classmethod
    def _readable(cls, value: Any) -> Any:
        try:
            Window.parse(value)
        except WindowError as error:
            raise ValueError(str(error)) from None
        return value


class RotationSettings(BaseModel):
    """``rotation``: with tls: self-signed, what a change of the CA waits for, in seconds.

    look: between two looks at the Secret; settle: from the next CA's announcement to its first
    leaf; retire: from the last replica's new leaf to the old CA's end. API servers keep a bundle
    with their connections: shorter than the defaults is for tests, longer for many API servers.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    look: float = Field(default=10.0, ge=0.2, le=600)
    settle: float = Field(default=60.0, ge=0.5, le=86400)
    retire: float = Field(default=600.0, ge=0.5, le=86400)

    def steps(self) -> tuple[float, float, float]:
        """Look, settle, retire."""
        return self.look, self.settle, self.retire


class BreakGlassSettings(BaseModel):
    """``break_glass``: who may let one object through, and for how long."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    users: list[str] = ["system:masters"]
    hours: float = Field(default=24.0, gt=0, le=24 * 7)

    def compiled(self) -> BreakGlass:
        """The setting as the policy uses it."""
        return BreakGlass(UserGlobs.of(self.users), timedelta(hours=self.hours))


class Settings(BaseSettings):
    """Everything that can be set. The description of each field is its help text."""

    model_config = SettingsConfigDict(
        env_prefix="SKYHOOK_WEBHOOK_", extra="forbid", frozen=True, env_nested_delimiter="__"
    )

    bind_address: str = Field("0.0.0.0", description="Address of the HTTPS listener")  # noqa: S104
    port: int = Field(9443, ge=0, le=65535, description="Port of the HTTPS listener")
    cert_dir: Path = Field(
        Path("certs/dev"),
        description="Folder with tls.crt and tls.key; an empty one gets a development certificate",
    )
    tls: Literal["folder", "self-signed"] = Field(
        "folder",
        description="Where certificates come from: cert_dir, or a Secret that replicas share",
    )
    service: str = Field(
        "skyhook-webhook", description="Our Service, for certificates and caBundles"
    )
    namespace: str | None = Field(None, description="Our namespace; default: the pod's own")
    secret: str = Field("skyhook-webhook-certs", description="The Secret of tls: self-signed")
    cluster_domain: str = Field("cluster.local", description="The cluster's DNS domain")
    kubeconfig: Path | None = Field(
        None, description="Outside a cluster: how to reach the API server"
    )
    rotation: RotationSettings = Field(
        RotationSettings(),
        description="With tls: self-signed: look, settle, retire, the steps of a change of the CA",
    )
    client_certificates: Literal["observe", "enforce"] = Field(
        "observe", description="With client_ca: count calls without a certificate, or refuse them"
    )
    client_ca: Path | None = Field(
        None, description="CA whose client certificates /validate and /mutate ask for"
    )
    metrics_bind_address: str = Field(":8080", description="host:port of /metrics; 0 for none")
    health_probe_bind_address: str = Field(
        ":8081", description="host:port of /healthz and /readyz; 0 for none"
    )
    workers: int = Field(1, ge=1, le=64, description="Server processes that share the port")
    shutdown_delay: float = Field(
        5.0, ge=0, le=300, description="Seconds of serving on after SIGTERM, not ready any more"
    )
    shutdown_grace: float = Field(
        20.0, ge=0, le=300, description="Seconds that requests under way get to finish after that"
    )
    max_body_bytes: int = Field(
        20 * MIB,
        ge=MIB,
        le=64 * MIB,
        description="Largest AdmissionReview: two Nodes of 1.5 MiB in etcd, each byte six in JSON",
    )
    max_convert_bytes: int = Field(
        64 * MIB, ge=MIB, le=1024 * MIB, description="Largest ConversionReview"
    )
    max_in_flight: int = Field(
        256, ge=1, le=65536, description="Calls under way at once; past it a quick 503"
    )
    max_in_flight_bytes: int = Field(
        256 * MIB,
        ge=MIB,
        description="Bytes of their bodies at once; past it a quick 503 for what is over 1 MiB",
    )
    body_timeout: float = Field(
        15.0, gt=0, le=300, description="Seconds within which a body must have arrived"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Least level that is logged"
    )
    record: Path | None = Field(
        None, description="Folder in which reviews are recorded, for `replay`; none: nothing is"
    )
    record_max_bytes: int = Field(
        1024 * MIB, ge=MIB, description="Bytes of all recordings; the oldest go first"
    )
    record_mask: bool = Field(
        False,
        description="Mask Node addresses and ids, env values and strangers' annotations in recordings",
    )
    mode: Mode = Field(Mode.ENFORCE, description="What becomes of a denial, in general")
    modes: list[ModeSetting] = Field(
        [], description="Modes for some rules or writers; the first entry that applies counts"
    )
    operators: list[str] = Field([], description="Further user names (globs) that are the operator")
    profiles: list[str] = Field(
        ["skyhook", "nodewright"],
        description="Profiles that judge: names of ours, files, or folders of them",
    )
    operator_version: Annotated[dict[str, str], NoDecode] = Field(
        {},
        description="Release of the operator: a version, auto (read from its Deployment) or"
        " auto:VERSION, for all profiles or as a map by profile; unset: the recorded one",
    )
    conditions: ConditionSettings = Field(
        ConditionSettings(),
        description="window (open, closed, until: DATE), strip, project_ready, further_prefixes, read_only",
    )
    break_glass: BreakGlassSettings = Field(
        BreakGlassSettings(),
        description="users (globs of users and groups) who may let a write through by an annotation,"
        " and the most hours ahead that it may expire",
    )
    strictness: Literal["recorded", "documented"] = Field(
        "recorded", description="documented: every step outside the operator's document warns"
    )
    cross_check: Literal["off", "memory", "live"] = Field(
        "live",
        description="Compare changed copies of Nodes in a status with the Nodes: by what reviews showed"
        " (memory), and never found untrue without a read (live, where we may get Nodes)",
    )
    cross_check_seconds: float = Field(
        30.0,
        ge=1,
        le=3600,
        description="So long a value that a Node had still counts once overwritten",
    )
    cross_check_bytes: int = Field(
        32 * MIB,
        ge=MIB,
        le=1024 * MIB,
        description="Bytes of Nodes' annotations that are remembered",
    )
    cross_check_reads: float = Field(
        20.0, ge=0, le=1000, description="Nodes that are read in a second, at most"
    )
    cross_check_timeout: float = Field(
        0.5, gt=0, le=3, description="Seconds that such reads may hold up a review"
    )
    usual_rules: bool = Field(False, description="Also audit relations that merely usually hold")

    @field_validator("operator_version", mode="before")
    @classmethod
    def _by_profile(cls, value: Any) -> Any:
        """One text is for every profile of an operator, under ``*``."""
        if isinstance(value, str) and value.lstrip().startswith("{"):
            try:
                value = json.loads(value)
            except ValueError:
                raise ValueError("a map by profile is written as JSON here") from None
        if isinstance(value, int | float):
            text = f"{value} is a number; put it in quotes: 0.20 is not 0.2"
            raise ValueError(text)  # noqa: TRY004 - pydantic tells a ValueError, and lets others out
        return ({ALL: value} if value else {}) if isinstance(value, str) else value

    @field_validator("operator_version")
    @classmethod
    def _readable(cls, value: dict[str, str]) -> dict[str, str]:
        for release in value.values():
            try:
                parse_choice(release)
            except ReleaseError as error:
                raise ValueError(str(error)) from None
        return value

    @field_validator("metrics_bind_address", "health_probe_bind_address")
    @classmethod
    def _an_address(cls, value: str) -> str:
        found = _ADDRESS.fullmatch(value)
        if found is None or int(found[1] or 0) > 65535:
            raise ValueError(f"{value!r} is no host:port, and not 0 for none")
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, then environment, then the file (handed over as ``file_values``)."""
        del dotenv_settings, file_secret_settings
        if isinstance(env_settings, EnvSettingsSource):
            env_settings.env_vars = {
                name: value
                for name, value in env_settings.env_vars.items()
                if value is None or not _SERVICE_LINK.match(value)
            }
        given = dict(getattr(init_settings, "init_kwargs", {}))
        from_file = given.pop(_FILE, {})
        return (
            InitSettingsSource(settings_cls, given),
            env_settings,
            InitSettingsSource(settings_cls, from_file),
        )

    def policy(self, operators: tuple[str, ...]) -> Policy:
        """The policy, given the operator identities that the profiles name."""
        return Policy(
            mode=self.mode,
            overrides=tuple(entry.compiled() for entry in self.modes),
            operators=UserGlobs.of((*operators, *self.operators)),
            documented=self.strictness == "documented",
            break_glass=self.break_glass.compiled(),
        )


_FILE = "file_values"


def load_settings(flags: Mapping[str, Any], file_values: Any = None) -> Settings:
    """Settings from flags, environment and the parsed file. Raises SettingsError."""
    if file_values is not None and not isinstance(file_values, Mapping):
        raise SettingsError("the settings file must be a map of settings")
    given = {key: value for key, value in flags.items() if value is not None}
    if given.get("operator_version") == {ALL: AUTO}:
        # Where nothing is seen, what is set elsewhere counts.
        without = {key: value for key, value in flags.items() if key != "operator_version"}
        otherwise = load_settings(without, file_values).operator_version.get(ALL, AUTO)
        given["operator_version"] = {ALL: otherwise if AUTO in otherwise else f"{AUTO}:{otherwise}"}
    try:
        return Settings(**{**given, _FILE: dict(file_values or {})})
    except ValidationError as error:
        raise SettingsError(_reasons(error)) from None
    except SourceError as error:  # a list or map in the environment that is no JSON
        raise SettingsError(str(error)) from None


def _reasons(error: ValidationError) -> str:
    lines = []
    for one in error.errors(include_input=False, include_url=False):
        place = ".".join(str(part) for part in one["loc"]) or "settings"
        lines.append(f"{place}: {one['msg'].removeprefix('Value error, ')}")
    return "\n".join(lines)
