"""Which release a write was made for: what an object itself says of it is a lower bound, no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.core.release import ReleaseError, parse_release
from webhook.core.writer import CONTROLLERS
from webhook.lifecycle.rule import Mark, show
from webhook.lifecycle.swift import Swift

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run


def not_older(_parameters: Mapping[str, Any]) -> CheckJudge:
    """The operator writes its version once and never again: it is that one, or a newer one (SC:546).

    Told to people, who can say what runs. Asked on the annotation.
    """

    def judge(run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        value = new.value if new is not None else None
        if not isinstance(value, str) or run.writer in CONTROLLERS:
            return
        try:
            older = parse_release(run.release) < parse_release(value)
        except ReleaseError:
            return  # `dev`, and what is no version
        if older:
            yield Mark(
                trail.field,
                f"{show(value)}: the operator is not older than that, and this was judged for {run.release};"
                " say which release runs by operator_version, or auto",
                rarely=True,
            )

    return Swift(judge, _unread)


def _unread(run: Run, new: Any, _key: str) -> bool:
    return run.writer in CONTROLLERS or type(new) is not str
