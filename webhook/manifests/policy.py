"""ValidatingAdmissionPolicies from a profile: a guard that the API server keeps without us.

What CEL cannot see or say is listed, never dropped in silence. Rules that deny and rules that warn are
two policies, since a binding has one action for all of its policy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from webhook.core.finding import Severity
from webhook.documents import dump_yaml
from webhook.lifecycle.compile import is_recorded
from webhook.lifecycle.model import Check, Monotone, Owned, Projection, Requires, Track, Unique
from webhook.manifests.cel import Cel, UnseenError, literal
from webhook.manifests.celorder import monotone
from webhook.manifests.celrules import projection, requires, unique
from webhook.manifests.celtracks import track
from webhook.manifests.validation import LeftOut, Validation, wanted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webhook.lifecycle.model import Guard, Profile, _Rule

API_VERSION: Final = "admissionregistration.k8s.io/v1"
_ACTIONS: Final = {Severity.DENY: "Deny", Severity.WARN: "Warn"}
_SUFFIXES: Final = {Severity.DENY: "", Severity.WARN: "-odd"}
_LONGEST_MESSAGE: Final = 1000
LEFT_OUT: Final = "skyhook-webhook/left-out"


@dataclass(frozen=True, slots=True)
class Choices:
    """How policies are made.

    Attributes:
        exempt: user names that are never judged.
        odd: also warn of what is legal but unusual; people are told, service accounts are not.
        fail: refuse writes while a policy cannot be evaluated, in place of letting them through.
    """

    exempt: tuple[str, ...] = ()
    odd: bool = True
    fail: bool = False


@dataclass(frozen=True, slots=True)
class PolicySet:
    """What a profile comes to without a server.

    Attributes:
        objects: policies and bindings, as Kubernetes objects.
        covered: ids of the rules, or of the parts of rules, that they hold; with severities.
        left_out: what they do not hold, and why.
    """

    objects: list[dict[str, Any]]
    covered: dict[str, Severity]
    left_out: list[LeftOut]


def policy_set(profile: Profile, choices: Choices | None = None) -> PolicySet:
    """Policies and bindings for all guards of a profile."""
    chosen = choices or Choices()
    objects: list[dict[str, Any]] = []
    covered: dict[str, Severity] = {}
    left_out: list[LeftOut] = []
    for guard in profile.guards:
        cel, parts = Cel(), list[Validation | LeftOut]()
        for rule in guard.rules():
            if wanted(profile, rule):
                parts += _translated(cel, rule, profile)
        left = [part for part in parts if isinstance(part, LeftOut)]
        found = [_certain(part, profile) for part in parts if isinstance(part, Validation)]
        for severity in _ACTIONS if chosen.odd else (Severity.DENY,):
            these = [v for v in found if v.severity is severity]
            covered |= {_full(profile, v.rule): severity for v in these}
            if these:
                policy = _policy(profile, guard, cel, these, severity, chosen)
                if severity is Severity.DENY and left:
                    policy["metadata"]["annotations"] = {LEFT_OUT: _rules(left)}
                objects += [policy, _binding(policy, severity)]
        left_out += left
    return PolicySet(objects, covered, left_out)


def policy_text(found: PolicySet, profile: Profile) -> str:
    """The objects as YAML; what is left out stands above them."""
    lines = [f"# Profile {profile.profile} as policies of the API server itself."]
    if found.left_out:
        lines.append("# Not covered, for these there is the webhook:")
    lines += [f"#   {part.rule}: {part.why}" for part in found.left_out]
    return "\n".join(lines) + "\n" + "".join(f"---\n{dump_yaml(o)}" for o in found.objects)


def _full(profile: Profile, rule: str) -> str:
    return f"{profile.profile}.{rule}"


def _certain(part: Validation, profile: Profile) -> Validation:
    """Of a release that was not recorded only closed values deny, as in the engine."""
    release = profile.releases.assumed if profile.releases else ""
    certain = part.closed or is_recorded(profile, release)
    if certain or part.severity is not Severity.DENY:
        return part
    return replace(part, severity=Severity.WARN)


def _translated(cel: Cel, rule: _Rule, profile: Profile) -> Iterator[Validation | LeftOut]:
    """A rule's validations; or why there are none."""
    try:
        yield from list(_family(cel, rule, profile))
    except UnseenError as error:
        yield LeftOut(rule.id, f"CEL cannot see {error}")


def _family(cel: Cel, rule: _Rule, profile: Profile) -> Iterator[Validation | LeftOut]:
    match rule:
        case Track():
            yield from track(cel, rule, profile)
        case Monotone():
            yield from monotone(cel, rule)
        case Requires():
            yield from requires(cel, rule)
        case Projection():
            yield from projection(cel, rule)
        case Unique():
            yield from unique(cel, rule)
        case Owned():
            yield LeftOut(rule.id, "who writes, and in which shape a tool of his does, is code")
        case Check():
            yield LeftOut(rule.id, f"the check {rule.use} is code")


def _policy(
    profile: Profile,
    guard: Guard,
    cel: Cel,
    chosen: list[Validation],
    severity: Severity,
    choices: Choices,
) -> dict[str, Any]:
    match = guard.match
    name = f"{profile.profile}-{match.plural or match.kind.lower()}{_SUFFIXES[severity]}"
    spec: dict[str, Any] = {
        "failurePolicy": "Fail" if choices.fail else "Ignore",
        "matchConstraints": {"resourceRules": [_resource_rule(guard)]},
        "variables": cel.declared(),
        "validations": [_validation(profile, v) for v in chosen],
    }
    conditions = _conditions(severity, choices.exempt)
    if conditions:
        spec["matchConditions"] = conditions
    kind = "ValidatingAdmissionPolicy"
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _binding(policy: dict[str, Any], severity: Severity) -> dict[str, Any]:
    name = policy["metadata"]["name"]
    return {
        "apiVersion": API_VERSION,
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": [_ACTIONS[severity]]},
    }


def _rules(left_out: list[LeftOut]) -> str:
    return ", ".join(dict.fromkeys(part.rule for part in left_out))


def _resource_rule(guard: Guard) -> dict[str, Any]:
    match = guard.match
    plural = match.plural or f"{match.kind.lower()}s"
    return {
        "apiGroups": [match.group],
        "apiVersions": list(match.versions),
        "operations": ["CREATE", "UPDATE"],
        "resources": [f"{plural}/{sub}" if sub else plural for sub in match.subresources],
    }


def _conditions(severity: Severity, exempt: tuple[str, ...]) -> list[dict[str, str]]:
    """Who is judged, and who is told: controllers log every warning that they get."""
    found = []
    if exempt:
        text = f"!(request.userInfo.username in {literal(list(exempt))})"
        found.append({"name": "not-exempt", "expression": text})
    if severity is Severity.WARN:
        text = '!request.userInfo.username.startsWith("system:serviceaccount:")'
        found.append({"name": "a-person", "expression": text})
    return found


def _validation(profile: Profile, part: Validation) -> dict[str, str]:
    tail = f" ({_full(profile, part.rule)})"
    message = part.message.replace("\n", " ")[: _LONGEST_MESSAGE - len(tail)] + tail
    said = {"expression": part.holds, "reason": "Invalid", "message": message}
    if part.telling:
        said["messageExpression"] = f"{part.telling} + {literal(tail)}"
    return said
