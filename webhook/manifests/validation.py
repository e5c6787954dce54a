"""One rule of a profile as CEL, and what none can be made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webhook.core.release import within
from webhook.manifests.cel import NEW, OLD, either
from webhook.manifests.celtests import any_of

if TYPE_CHECKING:
    from webhook.core.finding import Severity
    from webhook.lifecycle.model import Profile, _Rule
    from webhook.manifests.cel import Bound, Cel


@dataclass(frozen=True, slots=True)
class Validation:
    """One rule, or a part of it, as CEL.

    Attributes:
        rule: the id that the engine's findings carry, without the profile's name.
        severity: what becomes of a write that does not hold.
        holds: the expression that is true of a write that may pass.
        message: what is said otherwise.
        telling: an expression of that, where old and new value can be said.
        closed: a value domain, which holds for every release.
    """

    rule: str
    severity: Severity
    holds: str
    message: str
    telling: str = ""
    closed: bool = False


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A rule, or a part of it, that a policy cannot have.

    Attributes:
        rule: its id, without the profile's name.
        why: what CEL cannot see or say.
    """

    rule: str
    why: str


def unless(cel: Cel, rule: _Rule, bound: Bound, holds: str) -> str:
    """``holds``, or one of the rule's excuses. Raises UnseenError."""
    return either(any_of(cel, rule.unless, bound), holds) if rule.unless else holds


def changed(cel: Cel, path: str, bound: Bound) -> str:
    """That the value at a path is another one than before."""
    return f"{cel.value(path, NEW, bound)} != {cel.value(path, OLD, bound)}"


def wanted(profile: Profile, rule: _Rule) -> bool:
    """Whether the release that is assumed has the rule, and the rule always holds."""
    release = profile.releases.assumed if profile.releases else "0.0"
    return within(release, rule.releases) and not rule.usually
