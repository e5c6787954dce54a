"""Each profile of ours judges its examples as they expect: verdict, and the rule that says so."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import SHARED
from webhook.catalog import Catalog, shipped
from webhook.core.finding import Severity
from webhook.documents import load_yaml
from webhook.reviews.examples import Example, read_examples, run_examples

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent / "examples"
DRAFT = SHARED / "profiles" / "examples"
SUFFIXES = (
    "value",
    "edge",
    "entry",
    "skip",
    "removal",
    "reserved",
    "gate",
    "down",
    "over",
    "flip",
    "format",
)


def documents(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(folder.glob("*.yaml")):
        document = load_yaml(path.read_bytes(), path.name)
        yield document["profile"], document


def cases(folder: Path) -> list[Any]:
    return [
        pytest.param(name, example, id=f"{name}-{example.id}")
        for name, document in documents(folder)
        for example in read_examples(document)
    ]


@cache
def catalog(name: str) -> Catalog:
    return Catalog.of([shipped(name)])


def check(name: str, example: Example) -> None:
    match = shipped(name).guards[0].match
    [outcome] = run_examples([example], match, catalog(name))
    found = [f"{f.severity} {f.rule} {f.field}: {f.message}" for f in outcome.findings]
    assert outcome.met, f"expected {example.expect} {example.rule}, got {outcome.got}: {found}"


@pytest.mark.parametrize(("name", "example"), cases(HERE))
def test_example_is_judged_as_expected(name: str, example: Example) -> None:
    check(name, example)


@pytest.mark.skipif(not DRAFT.is_dir(), reason="the shared folder is not here")
@pytest.mark.parametrize(("name", "example"), cases(DRAFT) if DRAFT.is_dir() else [])
def test_example_of_the_draft_is_judged_as_expected(name: str, example: Example) -> None:
    check(name, example)


def test_draft_examples_are_all_here() -> None:
    here = {(name, e.id, e.expect) for name, d in documents(HERE) for e in read_examples(d)}
    draft = {(name, e.id, e.expect) for name, d in documents(DRAFT) for e in read_examples(d)}
    assert draft <= here
    if draft:
        assert len(draft) == 116


@pytest.mark.parametrize("name", sorted({name for name, _ in documents(HERE)}))
def test_every_rule_that_denies_or_warns_has_an_example(name: str) -> None:
    """A rule without an example is a rule that nobody has seen say anything."""
    document = dict(documents(HERE))[name]
    shown = {e.rule for e in read_examples(document) if e.rule}
    shown |= {rule.removesuffix(f".{s}") for rule in shown for s in SUFFIXES}
    rules = {rule.id for guard in shipped(name).guards for rule in guard.rules()}
    assert rules <= shown, f"no example shows {sorted(rules - shown)}"


def test_an_example_that_is_not_met_is_told_apart() -> None:
    """The runner can fail: a wrong verdict and a wrong rule are both seen."""
    name, document = next(iter(documents(HERE)))
    match = shipped(name).guards[0].match
    for example in read_examples(document):
        wrong = Severity.ALLOW if example.expect is Severity.DENY else Severity.DENY
        for changed in ({"expect": wrong}, {"rule": "no-such-rule"}):
            fields = {f: getattr(example, f) for f in Example.__slots__} | changed
            [outcome] = run_examples([Example(**fields)], match, catalog(name))
            assert not outcome.met
