"""By rule, writes that it denies, warns about or lets pass: kept as data, judged for real.

    by: operator                     # who writes, unless an example says otherwise
    base: {Skyhook: {...}, Node: {...}}
    rules:
      complete-needs-nodes:
        denied: {at: status.status, old: {...}, new: {...}}
        passes: [{new: {...}}]

``old`` lies over the base of its kind, ``new`` over both (``webhook.reviews.overlay``); without base
and ``old`` it is a CREATE. Without ``rules`` the document is the rules alone. ``part`` names what a rule
says of its own (``edge`` of a track), ``nodes`` lie over the base of Node and are what is known,
``release`` is the one it is judged for, and ``delete: true`` makes it the deletion of ``old``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import asdict

from webhook.core.evidence import GivenNodes
from webhook.core.finding import Severity
from webhook.core.view import View
from webhook.core.writer import UserGlobs
from webhook.lifecycle.extend import fill
from webhook.reviews.overlay import overlaid
from webhook.reviews.policy import Policy
from webhook.reviews.verdict import judge
from webhook.reviews.wire import NULL, AdmissionRequest, GroupVersionKind, UserInfo

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from webhook.catalog import Catalog
    from webhook.core.finding import Finding
    from webhook.lifecycle.model import Guard, Profile
    from webhook.reviews.verdict import Verdict

GROUPS: Final = ("denied", "warned", "audited", "passes")
CLOCK: Final = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)
"""When the examples are written, for rules about the future."""
PERSON: Final = "sre-oncall"
SERVICE_ACCOUNT: Final = "system:serviceaccount:fleet:rollouts"
_KEYS: Final = frozenset(
    {"at", "part", "kind", "old", "new", "by", "nodes", "owners", "why", "release", "delete"}
)


class RulebookError(ValueError):
    """An example that cannot be read; the text says which and why."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One write that shows what a rule does.

    Attributes:
        rule: the rule's id without the profile's name.
        group: what it shows: denied, warned, audited or passes.
        part: which of the rule's findings, such as ``edge``; empty for rules that have one only.
        at: the field that the finding names; empty where it passes.
        guard: whose objects are written.
        old: the object before; None for a CREATE.
        new: the object after.
        nodes: the Nodes that are known, by name; None where nothing is.
        owners: objects of the profile's own kind that are known, by name.
        by: operator, person, service-account; empty for somebody unknown.
        user: the writer's name.
        why: what is worth knowing about it.
        release: the release that it is judged for; empty for the one that is assumed.
        delete: whether ``old`` is deleted.
        context: the example's own paths of ``old``, as they are filled in.
        changes: its paths of ``new``.
    """

    rule: str
    group: str
    part: str
    at: str
    guard: Guard
    old: dict[str, Any] | None
    new: dict[str, Any]
    nodes: Mapping[str, dict[str, Any]] | None
    by: str
    user: str
    owners: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    why: str = ""
    release: str = ""
    delete: bool = False
    context: Mapping[str, Any] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)

    def request(self) -> AdmissionRequest:
        """The review of this write, as the API server would send it."""
        match = self.guard.match
        kind = GroupVersionKind(match.group, match.versions[0], match.kind)
        return AdmissionRequest(
            uid=f"{self.rule}-{self.group}",
            operation="DELETE" if self.delete else "CREATE" if self.old is None else "UPDATE",
            kind=kind,
            request_kind=kind,
            name=str(self.new.get("metadata", {}).get("name", "")),
            user_info=UserInfo(self.user),
            object=NULL if self.delete else View.of(self.new).raw,
            old_object=NULL if self.old is None else View.of(self.old).raw,
        )


@dataclass(frozen=True, slots=True)
class Told:
    """A sample and what became of it.

    Attributes:
        sample: the write.
        verdict: on the whole of it.
        findings: those of the sample's own rule and part.
    """

    sample: Sample
    verdict: Verdict
    findings: tuple[Finding, ...]


def samples(profile: Profile, documents: Iterable[Mapping[str, Any]]) -> list[Sample]:
    """The examples of documents, read for one profile. Raises RulebookError, PathError."""
    return [s for document in documents for s in _read(profile, document)]


def told(profile: Profile, catalog: Catalog, known: Iterable[Sample]) -> Iterator[Told]:
    """Judges each, in mode ``enforce``; ``catalog``: of this profile, with what usually holds."""
    policy = Policy(operators=UserGlobs.of(catalog.operators()))
    of_release = {"": catalog}
    for sample in known:
        nodes = {name: (View.of(node),) for name, node in (sample.nodes or {}).items()}
        evidence = GivenNodes(nodes, sample.nodes is not None, _owners(profile, sample))
        release = sample.release
        if release not in of_release:
            chosen = {profile.profile: release}
            of_release[release] = type(catalog).of([profile], chosen, usually=True)
        judged_by = of_release[release]
        verdict = judge(sample.request(), judged_by, policy, now=CLOCK, evidence=evidence)
        ids = _ids(profile, sample)
        own = tuple(f for f in verdict.findings if f.rule in ids or f.rule.startswith(ids[0] + "."))
        exact = tuple(f for f in own if f.rule == ids[-1]) if sample.part else own
        yield Told(sample, verdict, exact)


def _owners(profile: Profile, sample: Sample) -> dict[str, tuple[View, ...]]:
    of = profile.identity
    if of is None:
        return {}
    at = f"/apis/{of.group}/v1alpha1/{of.plural}"
    return {f"{at}/{name}": (View.of(owner),) for name, owner in sample.owners.items()}


def _ids(profile: Profile, sample: Sample) -> list[str]:
    rule = f"{profile.profile}.{sample.rule}"
    return [rule, f"{rule}.{sample.part}"] if sample.part else [rule]


def expected(sample: Sample, finding: Finding, *, certain: bool) -> bool:
    """Whether a finding is what the sample's group says.

    ``certain``: not where the release was never recorded; there only closed values deny.
    """
    wanted = {"denied": Severity.DENY, "warned": Severity.WARN, "audited": Severity.AUDIT}
    want = wanted.get(sample.group)
    if want is Severity.DENY and not certain and not finding.closed:
        want = Severity.WARN
    return finding.severity is want


def _read(profile: Profile, document: Mapping[str, Any]) -> Iterator[Sample]:
    names = asdict(profile.identity) if profile.identity is not None else {}
    filled = fill(dict(document), names.get)
    if "rules" not in filled:
        filled = {"rules": filled}
    for rule, groups in filled["rules"].items():
        guards = [g for g in profile.guards if rule in {r.id for r in g.rules()}]
        if not guards:
            raise RulebookError(f"{rule}: {profile.profile} has no such rule")
        for group, entries in groups.items():
            if group not in GROUPS:
                raise RulebookError(f"{rule}: {group!r} is none of {', '.join(GROUPS)}")
            for entry in entries if isinstance(entries, list) else [entries]:
                guard = next((g for g in guards if g.match.kind == entry.get("kind")), guards[0])
                yield _sample(profile, filled, rule, group, guard, entry)


def _sample(
    profile: Profile,
    document: Mapping[str, Any],
    rule: str,
    group: str,
    guard: Guard,
    entry: Mapping[str, Any],
) -> Sample:
    for name in entry:
        if name not in _KEYS:
            raise RulebookError(f"{rule}: {name!r} is no part of an example")
    bases = document.get("base") or {}
    base, before = bases.get(guard.match.kind), entry.get("old")
    old = None if base is None and before is None else overlaid(base or {}, before or {})
    by = str(entry.get("by", document.get("by", "")))
    nodes = entry.get("nodes")
    return Sample(
        rule=rule,
        group=group,
        part=str(entry.get("part", "")),
        at=str(entry.get("at", "")),
        guard=guard,
        old=old,
        new=overlaid(old or {}, entry.get("new") or {}),
        nodes=None
        if nodes is None
        else {name: overlaid(bases.get("Node") or {}, over or {}) for name, over in nodes.items()},
        owners={
            name: overlaid(bases.get(profile.identity.kind if profile.identity else "") or {}, over)
            for name, over in (entry.get("owners") or {}).items()
        },
        by=by,
        user=_user(profile, by),
        why=str(entry.get("why", "")),
        release=str(entry.get("release", "")),
        delete=entry.get("delete") is True,
        context=before or {},
        changes=entry.get("new") or {},
    )


def _user(profile: Profile, by: str) -> str:
    known = {"": "", "person": PERSON, "service-account": SERVICE_ACCOUNT}
    if by == "operator" and profile.identity is not None:
        return profile.identity.operators[0].replace("*", profile.profile)
    if by not in known:
        raise RulebookError(f"{by!r} is no writer: operator, {', '.join(filter(None, known))}")
    return known[by]
