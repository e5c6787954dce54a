"""The policies that a profile comes to, against the engine: the same verdict for the rules that they cover."""

from __future__ import annotations

import copy
import json
from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus.reading import CHECKED_IN, DISTILLED, reviews
from tests.planted.generator import odd_but_legal, variants
from tests.profiles.cluster.crds import crd, install
from tests.profiles.cluster.policies import SETUP, apply, denied, grant, until_denied
from tests.profiles.cluster.replay import Store, states
from tests.profiles.cluster.skyhooks import SKYHOOKS, Stage
from tests.profiles.simulators.apiserver import Tally, decode, encode
from tests.profiles.test_simulators import WORLDS
from webhook.catalog import MORE_PROFILES, Catalog, shipped
from webhook.core.finding import Severity
from webhook.core.writer import UserGlobs
from webhook.manifests.policy import Choices, PolicySet, policy_set
from webhook.reviews.decode import decode_admission, request_of
from webhook.reviews.policy import Policy
from webhook.reviews.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tests.kube.control_plane import ControlPlane
    from tests.profiles.simulators.apiserver import ApiServer
    from webhook.core.finding import Finding

CHOICES = Choices(exempt=(SETUP,), fail=True)
"""Fail: an expression that errs or costs too much would refuse a legal write, and be seen."""
NIGHTLY = pytest.mark.nightly
BY_DAY = ("cluster-api", "olm", "pr531")
"""Worlds that are lived in on every day; the others have theirs at night."""


@pytest.fixture(scope="module")
def plane(start_cluster: Callable[..., ControlPlane]) -> ControlPlane:
    """An API server of our own: the CRDs here check nothing, so that the policies have to."""
    control_plane = start_cluster()
    grant(control_plane)
    return control_plane


def covered(made: PolicySet, findings: Iterable[Finding]) -> set[str]:
    """The rules that deny a write and that the policies have."""
    return {
        f.rule
        for f in findings
        if f.severity is Severity.DENY and made.covered.get(f.rule) is Severity.DENY
    }


def profile_name(api: ApiServer) -> str:
    matches = {name: shipped(name).guards[0].match for name in MORE_PROFILES}
    return next(name for name, match in matches.items() if match == api.match)


@pytest.mark.parametrize("lives", [1, pytest.param(40, marks=NIGHTLY)])
@pytest.mark.parametrize(
    "name",
    [name if name in BY_DAY else pytest.param(name, marks=NIGHTLY) for name in WORLDS],
)
def test_policies_judge_simulated_lives_as_the_engine_does(
    plane: ControlPlane, name: str, lives: int
) -> None:
    seen: Counter[bool] = Counter()
    for life in range(lives):
        world = WORLDS[name][0](Random(f"{name} 7 {life}"), Tally())
        world.live()
        made = policy_set(shipped(profile_name(world.api)), CHOICES)
        store = guarded_store(plane, world.api, made)
        for what, by_engine, by_policy in compared(store, world.api, made, WORLDS[name][1]):
            assert by_engine == by_policy, what
            seen[by_policy] += 1
    assert seen[True] >= lives, seen
    assert seen[False] >= 5 * lives, seen


def guarded_store(plane: ControlPlane, api: ApiServer, made: PolicySet) -> Store:
    """The kind's CRD and policies, in force."""
    install(plane, crd(api.match))
    apply(plane, made)
    store = Store(plane, api.match, SETUP, "writer")
    first = decode(api.history[0])
    name = store.create(first)
    bad = store.read(name)
    bad["status"] = {
        "observedGeneration": 99,
        "conditions": [{"type": "Upgradeable", "status": "?"}],
    }
    bad["status"] |= {"phase": "?", "currentStatus": {"phase": "?"}}
    until_denied(plane, "PUT", store.path(name, "status"), bad)
    store.release(name)
    return store


def compared(
    store: Store, api: ApiServer, made: PolicySet, plantings: Iterable[Any]
) -> Iterator[tuple[Any, bool, bool]]:
    """(what was written, whether the engine denies it, whether the policies do) along a life."""
    history = [decode(stored) for stored in api.history]
    name = store.create(history[0])
    for old, new in states(history):
        for it in tried(old, new, plantings):
            findings = api.verdict(encode(old), encode(it))
            by_engine = bool(covered(made, findings))
            answer = store.attempt(name, old, it)
            what = (old, it, [(f.rule, f.severity) for f in findings], answer.body.get("message"))
            yield what, by_engine, denied(answer)
        store.walk(name, old, new)
    store.release(name)


def tried(old: Any, new: Any, plantings: Iterable[Any]) -> Iterator[Any]:
    """The legitimate write, where it is no delete, and what can be planted in its place."""
    if "deletionTimestamp" in old["metadata"] or "deletionTimestamp" not in new["metadata"]:
        yield new
    for planting in plantings:
        it = copy.deepcopy(old)
        if not planting.version and planting.plant(it):
            yield it


@pytest.fixture(scope="module")
def skyhook_policies(plane: ControlPlane) -> PolicySet:
    """Skyhook's policies in force, for Skyhooks and for Nodes."""
    profile = shipped("skyhook")
    made = policy_set(profile, CHOICES)
    document = crd(profile.guards[0].match)
    document["spec"]["scope"] = "Cluster"
    install(plane, document)
    ours = [o for o in made.objects if "deploymentpolicies" not in o["metadata"]["name"]]
    apply(plane, PolicySet(ours, made.covered, made.left_out))
    bad = {
        "apiVersion": "skyhook.nvidia.com/v1alpha1",
        "kind": "Skyhook",
        "metadata": {"name": "probe"},
        "spec": {},
    }
    status, there = plane.request(SETUP, "POST", SKYHOOKS, bad)
    assert status in (201, 409)
    status, there = plane.request(SETUP, "GET", f"{SKYHOOKS}/probe")
    until_denied(plane, "PUT", f"{SKYHOOKS}/probe/status", {**there, "status": {"status": "?"}})
    return made


@pytest.mark.parametrize(("per_kind", "recorded"), [(1, 30), pytest.param(6, 4_000, marks=NIGHTLY)])
def test_policies_judge_skyhook_writes_as_the_engine_does(
    plane: ControlPlane, skyhook_policies: PolicySet, per_kind: int, recorded: int
) -> None:
    known = list(reviews(CHECKED_IN, names={DISTILLED}))
    writes = [v.review for v in variants(known, seed=1, per_kind=per_kind)]
    writes += [v.review for v in odd_but_legal(known, seed=1, per_kind=per_kind)]
    writes += Random(3).sample(known, min(recorded, len(known)))
    catalog = Catalog.of([shipped("skyhook")])
    policy = Policy(operators=UserGlobs.of(catalog.operators()))
    stage, seen = Stage(plane), Counter[bool]()
    for review in writes:
        request = review["request"]
        answer = stage.attempt(request) if request["operation"] == "UPDATE" else None
        if answer is None:
            continue
        body = json.dumps({k: review[k] for k in ("apiVersion", "kind", "request")}).encode()
        verdict = judge(request_of(decode_admission(body)), catalog, policy)
        by_engine = covered(skyhook_policies, verdict.denied)
        by_policy = denied(answer)
        assert bool(by_engine) == by_policy, (by_engine, answer.body.get("message"), request)
        seen[by_policy] += 1
    assert seen[True] >= 10 * per_kind, seen
    assert seen[False] >= 50, seen


@pytest.mark.nightly
@pytest.mark.parametrize(("nodes", "packages"), [(1_000, 6), (5_000, 1)])
def test_policies_stay_within_the_cost_limits_of_cel(
    plane: ControlPlane, skyhook_policies: PolicySet, nodes: int, packages: int
) -> None:
    """With failurePolicy Fail an expression over its budget would refuse a legal write."""
    del skyhook_policies
    name = f"large-{nodes}"
    body = {
        "apiVersion": "skyhook.nvidia.com/v1alpha1",
        "kind": "Skyhook",
        "metadata": {"name": name},
        "spec": {},
    }
    status, there = plane.request(SETUP, "POST", SKYHOOKS, body)
    assert status == 201, there
    path = f"{SKYHOOKS}/{name}/status"
    there["status"] = large_status(nodes, packages, "in_progress")
    status, there = plane.request(SETUP, "PUT", path, there)
    assert status == 200, there
    done = {**there, "status": large_status(nodes, packages, "complete")}
    assert not denied(plane.call("writer", "PUT", f"{path}?dryRun=All", done))
    last = done["status"]["nodeState"][f"node-{nodes - 1:05}"]["p0|1.0"]
    last["stage"] = "apply-check"
    assert denied(plane.call("writer", "PUT", f"{path}?dryRun=All", done))


def large_status(nodes: int, packages: int, state: str) -> dict[str, Any]:
    names = [f"node-{number:05}" for number in range(nodes)]
    entry = {"name": "p", "version": "1.0", "stage": "apply", "state": state}
    state_of = {f"p{number}|1.0": {**entry, "name": f"p{number}"} for number in range(packages)}
    return {
        "status": "in_progress",
        "nodeStatus": dict.fromkeys(names, "in_progress"),
        "nodeState": {name: copy.deepcopy(state_of) for name in names},
    }


def test_a_denial_says_the_step_and_what_is_legal(plane: ControlPlane) -> None:
    world = WORLDS["pr531"][0](Random("text"), Tally())
    made = policy_set(shipped("machine-pr531"), CHOICES)
    store = guarded_store(plane, world.api, made)
    name = store.create({"metadata": {}, "status": {"phase": "Pending"}})
    there = store.read(name)
    there["status"] = {"phase": "Unknown"}
    answer = plane.call("writer", "PUT", store.path(name, "status"), there)
    assert answer.status == 422
    assert (
        "status.phase: cannot go from Pending to Unknown; legal from there: Available, Running,"
        " Terminating, Failed" in answer.body["message"]
    )
    assert "(machine-pr531.phase.edge)" in answer.body["message"]


def test_people_are_warned_of_what_is_odd(plane: ControlPlane) -> None:
    world = WORLDS["pr531"][0](Random("text"), Tally())
    made = policy_set(shipped("machine-pr531"), CHOICES)
    store = guarded_store(plane, world.api, made)
    name = store.create({"metadata": {}, "status": {"phase": "Running"}})
    there = store.read(name)
    there["status"] = {"phase": "Failed", "lastOperation": {"state": "Failed"}}
    answer = plane.call("writer", "PUT", store.path(name, "status"), there)
    assert answer.status == 200
    assert any("unusual to go from Running to Failed" in text for text in answer.warnings)
