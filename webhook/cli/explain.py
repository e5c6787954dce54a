"""`explain`: what is legal, for whom, and where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from webhook.building import profile_of
from webhook.catalog import PROFILES, Catalog, rule_examples, shipped_names
from webhook.cli.failures import CallerError
from webhook.cli.options import policy_options, settings_of
from webhook.cli.relying import explain_locked, explain_stale
from webhook.core.nearest import did_you_mean
from webhook.drawing.diagrams import dot, mermaid
from webhook.drawing.graph import START, Graph, graphs
from webhook.drawing.messages import messages
from webhook.drawing.ruling import rule_text
from webhook.drawing.svg import svg
from webhook.drawing.telling import graph_text, profile_text, value_text
from webhook.lifecycle.compile import ProfileError
from webhook.reviews.rulebook import samples, told

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from webhook.lifecycle.model import Profile
    from webhook.reviews.rulebook import Told

_FORMS = {"mermaid": mermaid, "dot": dot, "svg": svg}


@click.command(short_help="Show what is legal, for whom, and where that comes from.")
@click.argument("what", required=False, metavar="[PROFILE|RULE]")
@click.argument("value", required=False, metavar="[VALUE]")
@click.option("--track", "track_id", metavar="ID", help="One track of the profile only.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", *_FORMS]),
    default="text",
    show_default=True,
    help="A text, or a diagram of one track.",
)
@click.option(
    "--class",
    "classes",
    multiple=True,
    metavar="NAME",
    help="Draw edges of this class. Repeatable.",
)
@click.option(
    "--messages",
    "page",
    is_flag=True,
    help="Every message of every rule on one page (Markdown), by judging examples.",
)
@click.option(
    "--stale",
    "stale",
    multiple=True,
    metavar="FILE",
    help="May one rely on what these objects say?",
)
@click.option(
    "--locked", "locked", multiple=True, metavar="FILE", help="Is the lock held, by whose word?"
)
@click.option(
    "--review",
    metavar="FILE[:LINE]",
    help="What every rule says of a recorded write: an AdmissionReview, or a line of an audit log.",
)
@policy_options
def explain(
    what: str | None,
    value: str | None,
    track_id: str | None,
    form: str,
    classes: tuple[str, ...],
    page: bool,
    stale: tuple[str, ...],
    locked: tuple[str, ...],
    review: str | None,
    config: Path | None,
    **flags: Any,
) -> int:
    """Explain a profile, a value of it, or a rule.

    \b
    skyhook-webhook explain                              the profiles there are
    skyhook-webhook explain skyhook                      all levels, values and steps
    skyhook-webhook explain skyhook config/complete      what is legal from there, for whom
    skyhook-webhook explain skyhook config-check         what a word is that is no value
    skyhook-webhook explain skyhook.complete-needs-nodes a rule
    skyhook-webhook explain skyhook --track node-package-step --format svg
    skyhook-webhook explain skyhook --messages           all that it says, with examples
    skyhook-webhook explain --stale operatorcondition.yaml
    skyhook-webhook explain --review examples/review.json
    """  # noqa: D301 - click reads the \b, so it must be one
    if review is not None:
        from webhook.cli.explain_review import explain_review

        return explain_review(review, settings_of(config, flags))
    if stale or locked:
        profiles = [what] if what is not None else []
        code = explain_stale(stale, profiles) if stale else 0
        return (explain_locked(locked, profiles) if locked else 0) or code
    if what is None:
        _list()
        return 0
    if "." in what and not what.endswith((".yaml", ".yml")) and "/" not in what:
        return _rule(what)
    profile = profile_of(what)
    if page:
        click.echo("\n".join(messages(profile, _told(profile))))
        return 0
    if form != "text":
        graph = _track(profile, track_id)
        click.echo("\n".join(_FORMS[form](graph, _classes(graph, classes))))
        return 0
    click.echo("\n".join(_text(profile, value, track_id)))
    return 0


def _list() -> None:
    for name in shipped_names():
        on = " (on by default)" if name in PROFILES else ""
        try:
            about = profile_of(name).about.strip()
        except ProfileError:
            about = "a base to extend; it guards nothing by itself"
        click.echo(f"{name}{on}: {about}")


def _text(profile: Profile, value: str | None, track_id: str | None) -> Iterable[str]:
    if value is None:
        track = _track(profile, track_id) if track_id else None
        return profile_text(profile) if track is None else graph_text(profile, track)
    lines = value_text(profile, START if value == "absent" else value)
    if not lines:
        known = list(dict.fromkeys(v for g in graphs(profile) for v in (*g.values, *g.notes)))
        hint = did_you_mean(value, known) or f"; it knows {', '.join(known)}"
        raise CallerError(f"{profile.profile} knows no value {value!r}{hint}")
    return lines


def _classes(graph: Graph, asked: tuple[str, ...]) -> frozenset[str]:
    known = list(dict.fromkeys(step.cls for step in graph.steps))
    for name in asked:
        if name not in known:
            there = (
                f"it has {', '.join(known)}" if known else "any value may follow any other there"
            )
            raise CallerError(f"{graph.rule} has no steps of class {name!r}; {there}")
    return frozenset(asked)


def _told(profile: Profile) -> list[Told]:
    """What becomes of the examples of a profile's rules, judged now."""
    known = samples(profile, rule_examples(profile.profile))
    return list(told(profile, Catalog.of([profile], usually=True), known)) if known else []


def _rule(rule_id: str) -> int:
    profile = profile_of(rule_id.partition(".")[0])
    lines = rule_text(profile, rule_id, _told(profile))
    if not lines:
        known = (f"{profile.profile}.{r.id}" for g in profile.guards for r in g.rules())
        hint = did_you_mean(rule_id, list(known)) or f"; `explain {profile.profile}` lists them"
        raise CallerError(f"there is no rule {rule_id!r}{hint}")
    click.echo("\n".join(lines))
    return 0


def _track(profile: Profile, track_id: str | None) -> Graph:
    found = {g.rule.partition(".")[2]: g for g in graphs(profile)}
    steps = [name for name, graph in found.items() if not graph.free]
    if track_id is None and len(steps) == 1:
        return found[steps[0]]
    if track_id not in found:
        raise CallerError(f"say --track with one of: {', '.join(steps or found)}")
    return found[track_id]
