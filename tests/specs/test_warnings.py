"""What upstream lets through warns: once, people only, in words that say what to do; the corpus's warnings, listed."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import reading
from tests.specs import write
from tests.specs.test_recorded import judged, specs
from webhook.catalog import Catalog, shipped
from webhook.core.evidence import GivenNodes
from webhook.core.finding import Severity
from webhook.core.view import View
from webhook.core.writer import UserGlobs
from webhook.documents import load_yaml
from webhook.reviews.engine import Engine
from webhook.reviews.policy import Policy
from webhook.reviews.rulebook import samples, told
from webhook.specs import WARNING_CHECKS

if TYPE_CHECKING:
    from webhook.reviews.verdict import Verdict

RULES: dict[str, Any] = load_yaml(
    (files("webhook.specs") / "warnings.yaml").read_bytes(), "warnings.yaml"
)
OPERATOR = "system:serviceaccount:skyhook:skyhook-operator-controller-manager"
ARGO = "system:serviceaccount:argocd:argocd-application-controller"


RENAME: dict[str, Any] = load_yaml(
    (files("webhook.specs") / "rename.yaml").read_bytes(), "rename.yaml"
)


def warning_rules() -> set[str]:
    guards = shipped("skyhook").guards
    return {c.id for guard in guards for c in guard.checks if c.use in WARNING_CHECKS}


def test_every_rule_beyond_upstream_warns_and_has_examples() -> None:
    rules = [c for g in shipped("skyhook").guards for c in g.checks if c.use in WARNING_CHECKS]
    assert {rule.severity for rule in rules} == {Severity.WARN}
    assert warning_rules() <= {*RULES["rules"], *RENAME["rules"]}
    assert {rule.use for rule in rules} == set(WARNING_CHECKS)


@pytest.mark.parametrize("name", ["skyhook", "nodewright"])
def test_each_trap_warns_once_and_says_what_to_do(name: str) -> None:
    profile = shipped(name)
    documents = [RULES, RENAME] if name == "skyhook" else [RULES]
    for one in told(profile, Catalog.of([profile]), samples(profile, documents)):
        if one.sample.group != "warned":
            continue
        assert one.verdict.allowed
        rule = f"{name}.{one.sample.rule}"
        warned = [f for f in one.verdict.warned if rule == f.rule or f.rule != "skyhook.old-group"]
        assert len(warned) == 1, warned
        [finding] = warned
        assert finding.rule == rule
        assert len(finding.message) <= 250, finding.message
        way_out = finding.message.rpartition("; ")[2].rpartition(": ")[2]
        assert len(way_out) > 15, finding.message


def findings(user: str, new: dict[str, Any], old: dict[str, Any] | None = None) -> Verdict:
    catalog = Catalog.default()
    engine = Engine(catalog, Policy(operators=UserGlobs.of(catalog.operators())))
    return write.judge(engine, new, old, user=user)


CYCLE = {"spec": {"packages": {"a-b": write.package(dependsOn={"a-b": "1.2.3"})}}}


@pytest.mark.parametrize("user", [OPERATOR, ARGO])
def test_controllers_are_told_nothing_but_it_is_audited(user: str) -> None:
    verdict = findings(user, CYCLE)
    assert verdict.allowed
    assert not verdict.warned
    assert [f.rule for f in verdict.audited] == ["skyhook.dependency-cycle"]


def test_what_stood_there_is_not_said_again_when_something_else_changes() -> None:
    image = "registry.example:5000/pkgs/tuning"
    old = {"spec": {"packages": {"tuning": write.package(image=image)}}}
    new = {"spec": {"packages": {"tuning": write.package(image=image, version="1.2.4")}}}
    [first] = findings(write.PERSON, old).warned
    assert 'pulls "registry.example:1.2.3"' in first.message
    [again] = findings(write.PERSON, new, old).warned  # another version: another image is pulled
    assert 'pulls "registry.example:1.2.4"' in again.message
    env = [{"name": "A", "value": "b"}]
    same = {"spec": {"packages": {"tuning": write.package(image=image, env=env)}}}
    assert not findings(write.PERSON, same, old).findings


def test_circles_are_found_wherever_they_are_and_each_is_told_once() -> None:
    def ring(*names: str) -> dict[str, Any]:
        following = (*names[1:], names[0])
        return {
            n: write.package(dependsOn={f: "1.2.3"}) for n, f in zip(names, following, strict=True)
        }

    packages = {**ring("aa", "bb", "cc"), **ring("xx", "yy")}
    packages["before"] = write.package(dependsOn={"aa": "1.2.3", "xx": "1.2.3"})
    packages["behind"] = write.package()
    packages["cc"]["dependsOn"]["behind"] = "1.2.3"
    told = findings(write.PERSON, {"spec": {"packages": packages}}).warned
    assert [str(f.field) for f in told] == [
        "spec.packages[aa].dependsOn[bb]",
        "spec.packages[xx].dependsOn[yy]",
    ]
    assert told[0].message.startswith("aa -> bb -> cc -> aa: ")


def test_thousands_of_packages_in_circles_are_judged_in_linear_time() -> None:
    names = [f"p{n}x" for n in range(4000)]
    packages = {n: write.package(dependsOn={n: "1.2.3", names[0]: "1.2.3"}) for n in names}
    found = findings(write.PERSON, {"spec": {"packages": packages}}).warned
    assert 1 <= len([f for f in found if f.rule == "skyhook.dependency-cycle"]) <= 20


def test_a_selector_is_judged_by_nodes_only_where_all_of_them_are_known() -> None:
    catalog = Catalog.default()
    policy = Policy(operators=UserGlobs.of(catalog.operators()))
    node = View.of({"metadata": {"name": "node-a", "labels": {"pool": "gpu"}}})
    new = {"spec": {"nodeSelectors": {"matchLabels": {"pool": "gpus"}}}}
    for complete, said in ((True, 1), (False, 0)):
        evidence = GivenNodes({"node-a": (node,)}, complete=complete)
        verdict = write.judge(Engine(catalog, policy, None, evidence), new)
        assert len(verdict.warned) == said


CORPUS = {
    "deletion-held": 5,
    "deletion-erring": 1,
    "uninstall-cancelled": 16,
    "uninstall-of-nothing": 9,
    "package-image": 6,
    "package-downgrade": 4,
    "finalizer-stripped": 3,
    "serial-packages": 1,
}
"""Every warning on the recorded spec writes; each was looked at: docs/traps.md tells what it is about.

uninstall-of-nothing: no Node had the package in eight of them; in the ninth half of the Nodes had not.
package-image: `agentless:bogus` with version 1.2.3. finalizer-stripped: by hand, with packages on Nodes.
"""


@pytest.mark.skipif(not reading.SHARED.is_dir(), reason="../shared is not beside this clone")
def test_the_recorded_writes_of_specs_warn_where_they_hold_a_trap_and_nowhere_else(
    engine: Engine,
) -> None:
    counts: Counter[str] = Counter()
    for review in specs():
        for finding in judged(engine, review).warned:
            counts[finding.rule.removeprefix("skyhook.")] += 1
    assert counts == CORPUS
    assert sum(counts.values()) <= 100
