"""A list of conditions that one party writes and another one copies, stamping what it saw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.checks.parameters import known, path, words
from webhook.core.view import same
from webhook.lifecycle.path import START
from webhook.lifecycle.rule import Mark, show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Lookup, Trail
    from webhook.lifecycle.rule import CheckJudge
    from webhook.lifecycle.run import Run


def conditions(root: View | None, place: Lookup) -> Mapping[str, View]:
    """The conditions of a list by type, the first of each."""
    there = place(root, START)
    return {} if there is None else there.types


def status_of(condition: View | None) -> str | None:
    """``status`` of a condition; None when there is none, or it is no text."""
    return None if condition is None else condition.text("status")


def mirror(parameters: Mapping[str, Any]) -> CheckJudge:
    """A copy stamped with the newest generation says what its source says at that generation.

    OLM stamps the generation of the object whose resourceVersion it sends
    (operatorcondition_controller.go:262-281), so a fresh copy that differs was never copied.

    Parameters: ``from``, ``to``: the two lists; ``except``: types that are no copies.
    """
    known(parameters, "from", "to", "except")
    source, copy = path(parameters, "from"), path(parameters, "to")
    own = frozenset(words(parameters, "except", ()))

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        if run.new is None or not _moved(run, source, copy):
            return
        generation = run.new.number("metadata", "generation")
        said = conditions(run.new, source)
        for kind, condition in conditions(run.new, copy).items():
            original = said.get(kind)
            stamped = condition.number("observedGeneration")
            if kind in own or original is None or stamped is None or stamped != generation:
                continue
            have, want = status_of(condition), status_of(original)
            if have != want:
                place = copy.field(START).key(kind).child("status")
                text = (
                    f"{show(have)}, stamped with generation {generation}, at which"
                    f" {source.text}[{kind}] says {show(want)}"
                )
                yield Mark(place, text)

    return judge


def _moved(run: Run, *places: Lookup) -> bool:
    return run.old is None or any(
        not same(place(run.old, START), place(run.new, START)) for place in places
    )


def orphan(parameters: Mapping[str, Any]) -> CheckJudge:
    """A type that leaves the source while its copy stays: the copy is never touched again.

    OLM walks the source only (operatorcondition_controller.go:266); the copy goes stale and
    then blocks every upgrade until the type is set again or overridden.

    Parameters: ``from``, ``to``: the two lists.
    """
    known(parameters, "from", "to")
    source, copy = path(parameters, "from"), path(parameters, "to")

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        if run.new is None:
            return
        after, copies = conditions(run.new, source), conditions(run.new, copy)
        for kind in conditions(run.old, source):
            if kind not in after and kind in copies:
                text = (
                    f"removed, while {copy.text}[{kind}] stays: nobody updates it any more,"
                    " so it is stale from now on; set the type again, or override it"
                )
                yield Mark(source.field(START).key(kind), text)

    return judge


def override_in_force(parameters: Mapping[str, Any]) -> CheckJudge:
    """An override that beats the condition it stands for (operatorconditions.go:34-41).

    Parameters: ``overrides``, ``over``: the list that wins, and the one it wins over;
    ``opens``: the only status that lets through, whatever the other list says.
    """
    known(parameters, "overrides", "over", "opens")
    overrides, under = path(parameters, "overrides"), path(parameters, "over")
    opens = str(parameters.get("opens", "True"))

    def judge(run: Run, _old: View | None, _new: View | None, _trail: Trail) -> Iterator[Mark]:
        before, beaten = conditions(run.old, overrides), conditions(run.new, under)
        for kind, override in conditions(run.new, overrides).items():
            if same(before.get(kind), override):
                continue
            have, said = status_of(override), status_of(beaten.get(kind))
            place = overrides.field(START).key(kind)
            if have not in (opens, "False"):
                yield Mark(place, f"{show(have)} blocks as well: only {show(opens)} lets through")
            elif said is not None and said != have:
                yield Mark(
                    place, f"{show(have)} beats {under.text}[{kind}], which says {show(said)}"
                )

    return judge
