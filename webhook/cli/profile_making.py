"""`profile new`, `learn`, `test` and `diff`: a profile of one's own, from nothing to guarded."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webhook.building import profile_of
from webhook.catalog import Catalog
from webhook.cli.failures import CallerError
from webhook.cli.writes import requests_of, writes_of
from webhook.core.writer import UserGlobs
from webhook.documents import load_yaml, walk_inputs
from webhook.lifecycle.difference import differences
from webhook.lifecycle.draft import CrdError, draft_from_crd
from webhook.lifecycle.draftyaml import draft_text
from webhook.lifecycle.model import Word
from webhook.profile_files import profile_names
from webhook.reviews.examples import ExampleError, read_examples, run_examples
from webhook.reviews.learning import Learner, unknown_words
from webhook.reviews.policy import Policy
from webhook.reviews.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webhook.core.finding import Finding
    from webhook.lifecycle.model import Profile, Track
    from webhook.reviews.examples import Example, Outcome
    from webhook.reviews.learning import Seen

SEEN_OFTEN = 3


@click.command()
@click.option("--from-crd", "crd", required=True, metavar="FILE", help="The CRD, or - for stdin.")
@click.option("--kind", help="Which kind, where FILE holds several CRDs.")
@click.option("--name", default="", help="What to call the profile. Default: the kind.")
def new(crd: str, kind: str | None, name: str) -> int:
    """Draft a profile from a CRD: closed values, conditions, stamps, and examples that hold."""
    found = [d.value for s in walk_inputs([crd]) for d in s.documents() if _is_crd(d.value)]
    if kind is not None:
        found = [v for v in found if v["spec"]["names"]["kind"] == kind]
    if len(found) != 1:
        kinds = ", ".join(str(v["spec"]["names"]["kind"]) for v in found) or "none"
        raise CallerError(f"{crd}: one CRD is drafted from, found: {kinds} (choose with --kind)")
    try:
        click.echo(draft_text(draft_from_crd(found[0]), name), nl=False)
    except CrdError as error:
        raise CallerError(f"{crd}: {error}") from None
    return 0


def _is_crd(value: Any) -> bool:
    return isinstance(value, dict) and value.get("kind") == "CustomResourceDefinition"


@click.command()
@click.argument("reviews", nargs=-1, required=True, metavar="REVIEWS…|-")
@click.option("--into", required=True, metavar="FILE", help="The profile whose tracks are learned.")
@click.option("--path", "paths", multiple=True, help="A value that is no track yet. Repeatable.")
@click.option(
    "--at-least",
    type=click.IntRange(1),
    default=SEEN_OFTEN,
    show_default=True,
    help="Steps seen less often are written as skips: legal, with a warning.",
)
def learn(reviews: tuple[str, ...], into: str, paths: tuple[str, ...], at_least: int) -> int:
    """Propose edges from recorded writes: print the profile with the steps that were seen.

    REVIEWS are recorded AdmissionReviews, or what `kubectl get … -w -o json` printed.
    """
    from webhook.cli.learned import merged, tracks_in

    profile = profile_of(into)
    guard, own = profile.guards[0], tracks_in(load_yaml(Path(into).read_bytes(), into))
    tracks = [track for track in guard.tracks if track.id in own]
    added = {_track_id(path): path for path in paths}
    learner = Learner(tracks, added)
    for old, now in writes_of(reviews, guard.match):
        learner.see(old, now)
    for track in tracks:
        _notice(track, learner.seen(track.id))
    seen = {name: learner.seen(name) for name in (*(t.id for t in tracks), *added)}
    click.echo(merged(Path(into).read_text(), seen, added, at_least), nl=False)
    click.echo(f"learned from {learner.writes} writes", err=True)
    return 0


def _notice(track: Track, seen: Seen) -> None:
    """Says where declared and seen values differ."""
    words = [v.word if isinstance(v, Word) else v for v in track.values]
    for word in unknown_words(seen, words):
        click.echo(f"{track.id}: seen, but none of its values: {word}", err=True)
    for word in (w for w in words if w not in seen.words):
        click.echo(f"{track.id}: never seen, so no step leads to it or from it: {word}", err=True)


def _track_id(path: str) -> str:
    return path.rpartition(".")[2].lower()


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE|FOLDER…")
def test(files: tuple[str, ...]) -> int:
    """Judge a profile's own examples: those in FILE, and in FILE's neighbour .examples.yaml."""
    unmet = 0
    for file in profile_names(files):
        profile = profile_of(file)
        examples = _examples(file)
        if not examples:
            raise CallerError(f"{file}: there are no examples, neither in it nor beside it")
        catalog = Catalog.of([profile])
        outcomes = list(run_examples(examples, profile.guards[0].match, catalog))
        for outcome in outcomes:
            if not outcome.met:
                unmet += 1
                click.echo(_unmet(file, outcome))
        kinds = Counter(o.example.expect.value for o in outcomes)
        counts = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
        good = sum(o.met for o in outcomes)
        click.echo(f"{file}: {good} of {len(outcomes)} examples as expected ({counts})")
    return 1 if unmet else 0


def _examples(file: str) -> list[Example]:
    path = Path(file)
    beside = path.with_name(f"{path.stem}.examples.yaml")
    found: list[Example] = []
    for place, document in (
        (path, (load_yaml(path.read_bytes(), file) or {}).get("examples")),
        (beside, load_yaml(beside.read_bytes(), str(beside)) if beside.exists() else None),
    ):
        try:
            found += read_examples(document) if document else []
        except ExampleError as error:
            raise CallerError(f"{place}: {error}") from None
    return found


def _unmet(file: str, outcome: Outcome) -> str:
    example = outcome.example
    wanted = f"{example.expect} {example.rule}".strip()
    said = "".join(
        f"\n    {f.severity} {f.field}: {f.message} ({f.rule})" for f in outcome.findings
    )
    return f"{file}: {example.id}: expected {wanted}, got {outcome.got}{said}"


@click.command()
@click.argument("old", metavar="A")
@click.argument("new", metavar="B")
@click.argument("reviews", nargs=-1, metavar="[REVIEWS…]")
def diff(old: str, new: str, reviews: tuple[str, ...]) -> int:
    """Say what profile B would newly deny, compared with A: by their tables, and by REVIEWS.

    Exit 1 when B denies something that A does not; with REVIEWS only what was written counts.
    """
    before, after = profile_of(old), profile_of(new)
    changes = differences(before, after)
    for change in sorted(changes, key=lambda change: not change.harsher):
        click.echo(f"{'harsher' if change.harsher else 'milder '}  {change.sentence()}")
    if not changes:
        click.echo("both judge alike")
    if not reviews:
        return int(any(change.newly_denied for change in changes))
    denied = _replayed(before, after, reviews)
    for (rule, place), times in denied.most_common():
        click.echo(f"newly denied ({times}): {rule} at {place}")
    return int(bool(denied))


def _replayed(before: Profile, after: Profile, reviews: Sequence[str]) -> Counter[tuple[str, str]]:
    """What of the recorded writes is denied by the one and not by the other: (rule, first field)."""
    found: Counter[tuple[str, str]] = Counter()
    judges = [
        (c, Policy(operators=UserGlobs.of(c.operators()))) for c in map(_catalog, (before, after))
    ]
    total = 0
    for request in requests_of(reviews):
        total += 1
        was, now = (judge(request, catalog, policy) for catalog, policy in judges)
        if was.allowed and not now.allowed:
            first: Finding = now.denied[0]
            found[first.rule, str(first.field)] += 1
    click.echo(f"{total} recorded writes: {found.total()} newly denied", err=True)
    return found


def _catalog(profile: Profile) -> Catalog:
    return Catalog.of([profile])


COMMANDS = (new, learn, test, diff)
"""For the group `profile`."""
