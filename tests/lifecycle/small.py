"""Small profiles for the tests of the language, and what they say of a write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.core.view import View
from webhook.lifecycle.compile import Code, compile_profile
from webhook.lifecycle.load import build_profile
from webhook.lifecycle.run import Run

if TYPE_CHECKING:
    from webhook.core.finding import Finding
    from webhook.lifecycle.compile import CompiledGuard

NO_CODE = Code({}, {}, {})
MATCH = {"group": "g.io", "kind": "K", "plural": "ks", "versions": ["v1"]}


def profile(**document: Any):
    """A profile called ``p`` for kind K, from what its YAML would say."""
    whole = {"profile": "p", "match": MATCH, **document}
    return build_profile(whole, "p.yaml", lambda _: {})


def guard(
    *, code: Code = NO_CODE, release: str | None = None, usually: bool = False, **document: Any
) -> CompiledGuard:
    """The one guard of such a profile."""
    (compiled,) = compile_profile(profile(**document), code, release, usually=usually)
    return compiled


def look(value: Any) -> View | None:
    return None if value is None else View.of(value)


def judge(rules: CompiledGuard, old: Any, new: Any, **run: Any) -> list[Finding]:
    """Findings on a write from plain ``old`` to plain ``new``; None is no object."""
    return rules.plan.judge(Run(look(old), look(new), **run))


def said(findings: list[Finding]) -> list[tuple[str, str, str]]:
    """(severity, rule without the profile's name, field) of each."""
    return [(f.severity.value, f.rule.removeprefix("p."), str(f.field)) for f in findings]


def texts(findings: list[Finding]) -> list[str]:
    return [f.message for f in findings]
