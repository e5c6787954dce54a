"""What can be set: each field with its default, its bounds and its help text."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from webhook.core.readable import Readable
from webhook.core.release import parse_choice
from webhook.core.window import Window
from webhook.core.writer import UserGlobs
from webhook.reviews.breakglass import BreakGlass
from webhook.reviews.policy import Mode, ModeRule, Policy

MIB: Final = 1024 * 1024
_ADDRESS: Final = re.compile(r"0?|.*:([0-9]{1,5})")


def _is_address(text: str) -> None:
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found[1] or 0) > 65535:
        raise ValueError(f"{text!r} is no host:port, and not 0 for none")


def _are_releases(chosen: dict[str, str]) -> None:
    for release in chosen.values():
        parse_choice(release)


class ModeSetting(Struct, frozen=True, forbid_unknown_fields=True):
    """One entry of ``modes``: a mode for some rules, some writers, or both."""

    mode: Mode
    rules: list[str] = []
    writers: list[str] = []

    def compiled(self) -> ModeRule:
        """The entry as the policy uses it."""
        return ModeRule(self.mode, UserGlobs.of(self.rules), UserGlobs.of(self.writers))


class ConditionSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """``conditions``: how long and where old condition names are kept beside the bare ones."""

    window: Annotated[Any, Readable(Window.parse)] = "open"
    strip: bool = False
    project_ready: bool = False
    further_prefixes: dict[str, list[str]] = {}
    read_only: list[str] = []


class RotationSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """``rotation``: with tls: self-signed, what a change of the CA waits for, in seconds.

    look: between two looks at the Secret; settle: from the next CA's announcement to its first
    leaf; retire: from the last replica's new leaf to the old CA's end. API servers keep a bundle
    with their connections: shorter than the defaults is for tests, longer for many API servers.
    """

    look: Annotated[float, Meta(ge=0.2, le=600)] = 10.0
    settle: Annotated[float, Meta(ge=0.5, le=86400)] = 60.0
    retire: Annotated[float, Meta(ge=0.5, le=86400)] = 600.0

    def steps(self) -> tuple[float, float, float]:
        """Look, settle, retire."""
        return self.look, self.settle, self.retire


class BreakGlassSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """``break_glass``: who may let one object through, and for how long."""

    users: list[str] = field(default_factory=lambda: ["system:masters"])
    hours: Annotated[float, Meta(gt=0, le=24 * 7)] = 24.0

    def compiled(self) -> BreakGlass:
        """The setting as the policy uses it."""
        return BreakGlass(UserGlobs.of(self.users), timedelta(hours=self.hours))


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that can be set. The description of each field is its help text."""

    bind_address: Annotated[str, Meta(description="Address of the HTTPS listener")] = "0.0.0.0"  # noqa: S104
    port: Annotated[int, Meta(ge=0, le=65535, description="Port of the HTTPS listener")] = 9443
    cert_dir: Annotated[
        Path,
        Meta(
            description="Folder with tls.crt and tls.key; an empty one gets a development certificate"
        ),
    ] = Path("certs/dev")
    tls: Annotated[
        Literal["folder", "self-signed"],
        Meta(description="Where certificates come from: cert_dir, or a Secret that replicas share"),
    ] = "folder"
    service: Annotated[str, Meta(description="Our Service, for certificates and caBundles")] = (
        "skyhook-webhook"
    )
    namespace: Annotated[str | None, Meta(description="Our namespace; default: the pod's own")] = (
        None
    )
    secret: Annotated[str, Meta(description="The Secret of tls: self-signed")] = (
        "skyhook-webhook-certs"  # noqa: S105 - its name
    )
    cluster_domain: Annotated[str, Meta(description="The cluster's DNS domain")] = "cluster.local"
    kubeconfig: Annotated[
        Path | None, Meta(description="Outside a cluster: how to reach the API server")
    ] = None
    rotation: Annotated[
        RotationSettings,
        Meta(
            description="With tls: self-signed: look, settle, retire, the steps of a change of the CA"
        ),
    ] = RotationSettings()
    client_certificates: Annotated[
        Literal["observe", "enforce"],
        Meta(description="With client_ca: count calls without a certificate, or refuse them"),
    ] = "observe"
    client_ca: Annotated[
        Path | None, Meta(description="CA whose client certificates /validate and /mutate ask for")
    ] = None
    metrics_bind_address: Annotated[
        str, Meta(description="host:port of /metrics; 0 for none"), Readable(_is_address)
    ] = ":8080"
    health_probe_bind_address: Annotated[
        str,
        Meta(description="host:port of /healthz and /readyz; 0 for none"),
        Readable(_is_address),
    ] = ":8081"
    workers: Annotated[
        int, Meta(ge=1, le=64, description="Server processes that share the port")
    ] = 1
    shutdown_delay: Annotated[
        float,
        Meta(ge=0, le=300, description="Seconds of serving on after SIGTERM, not ready any more"),
    ] = 5.0
    shutdown_grace: Annotated[
        float,
        Meta(ge=0, le=300, description="Seconds that requests under way get to finish after that"),
    ] = 20.0
    max_body_bytes: Annotated[
        int,
        Meta(
            ge=MIB,
            le=64 * MIB,
            description="Largest AdmissionReview: two Nodes of 1.5 MiB in etcd, each byte six in JSON",
        ),
    ] = 20 * MIB
    max_convert_bytes: Annotated[
        int, Meta(ge=MIB, le=1024 * MIB, description="Largest ConversionReview")
    ] = 64 * MIB
    max_in_flight: Annotated[
        int, Meta(ge=1, le=65536, description="Calls under way at once; past it a quick 503")
    ] = 256
    max_in_flight_bytes: Annotated[
        int,
        Meta(
            ge=MIB,
            description="Bytes of their bodies at once; past it a quick 503 for what is over 1 MiB",
        ),
    ] = 256 * MIB
    body_timeout: Annotated[
        float, Meta(gt=0, le=300, description="Seconds within which a body must have arrived")
    ] = 15.0
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="Least level that is logged")
    ] = "info"
    record: Annotated[
        Path | None,
        Meta(description="Folder in which reviews are recorded, for `replay`; none: nothing is"),
    ] = None
    record_max_bytes: Annotated[
        int, Meta(ge=MIB, description="Bytes of all recordings; the oldest go first")
    ] = 1024 * MIB
    record_mask: Annotated[
        bool,
        Meta(
            description="Mask Node addresses and ids, env values and strangers' annotations in recordings"
        ),
    ] = False
    mode: Annotated[Mode, Meta(description="What becomes of a denial, in general")] = Mode.ENFORCE
    modes: Annotated[
        list[ModeSetting],
        Meta(description="Modes for some rules or writers; the first entry that applies counts"),
    ] = []
    operators: Annotated[
        list[str], Meta(description="Further user names (globs) that are the operator")
    ] = []
    profiles: Annotated[
        list[str], Meta(description="Profiles that judge: names of ours, files, or folders of them")
    ] = field(default_factory=lambda: ["skyhook", "nodewright"])
    operator_version: Annotated[
        dict[str, str],
        Meta(
            description="Release of the operator: a version, auto (read from its Deployment) or"
            " auto:VERSION, for all profiles or as a map by profile; unset: the recorded one"
        ),
        Readable(_are_releases),
    ] = {}
    conditions: Annotated[
        ConditionSettings,
        Meta(
            description="window (open, closed, until: DATE), strip, project_ready, further_prefixes, read_only"
        ),
    ] = ConditionSettings()
    break_glass: Annotated[
        BreakGlassSettings,
        Meta(
            description="users (globs of users and groups) who may let a write through by an annotation,"
            " and the most hours ahead that it may expire"
        ),
    ] = BreakGlassSettings()
    strictness: Annotated[
        Literal["recorded", "documented"],
        Meta(description="documented: every step outside the operator's document warns"),
    ] = "recorded"
    cross_check: Annotated[
        Literal["off", "memory", "live"],
        Meta(
            description="Compare changed copies of Nodes in a status with the Nodes: by what reviews showed"
            " (memory), and never found untrue without a read (live, where we may get Nodes)"
        ),
    ] = "live"
    cross_check_seconds: Annotated[
        float,
        Meta(
            ge=1,
            le=3600,
            description="So long a value that a Node had still counts once overwritten",
        ),
    ] = 30.0
    cross_check_bytes: Annotated[
        int,
        Meta(ge=MIB, le=1024 * MIB, description="Bytes of Nodes' annotations that are remembered"),
    ] = 32 * MIB
    cross_check_reads: Annotated[
        float, Meta(ge=0, le=1000, description="Nodes that are read in a second, at most")
    ] = 20.0
    cross_check_timeout: Annotated[
        float, Meta(gt=0, le=3, description="Seconds that such reads may hold up a review")
    ] = 0.5
    usual_rules: Annotated[
        bool, Meta(description="Also audit relations that merely usually hold")
    ] = False

    def changed(self, **values: Any) -> Settings:
        """The same settings but for these."""
        return replace(self, **values)

    def policy(self, operators: tuple[str, ...]) -> Policy:
        """The policy, given the operator identities that the profiles name."""
        return Policy(
            mode=self.mode,
            overrides=tuple(entry.compiled() for entry in self.modes),
            operators=UserGlobs.of((*operators, *self.operators)),
            documented=self.strictness == "documented",
            break_glass=self.break_glass.compiled(),
        )
