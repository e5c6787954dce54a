"""Both versions on a real API server: old readers and new readers see what they expect."""

from __future__ import annotations

import copy
import json
import ssl
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.e2e.converting import (
    ADMIN,
    CRD_PATH,
    GROUP,
    MERGE,
    OPERATOR,
    Converting,
    condition,
    path,
)
from tests.e2e.guarding import Guard
from tests.kube.apiserver import PLAIN
from webhook.conversions.crd import remove_spoke, serve_spoke

if TYPE_CHECKING:
    from collections.abc import Iterator

P = GROUP
VERSIONS = ("v1alpha1", "v1beta1")
OTHER = {"v1alpha1": "v1beta1", "v1beta1": "v1alpha1"}
READY = condition("Ready", reason="NodesConverged")


@pytest.fixture(scope="module")
def both(start_cluster, tmp_path_factory) -> Iterator[Converting]:
    """A control plane of its own: others need theirs with one version."""
    found = Converting(start_cluster(PLAIN), tmp_path_factory.mktemp("converting"))
    try:
        found.install()
        yield found
    finally:
        assert found.guard.stop() == 0


@pytest.mark.parametrize("version", VERSIONS)
def test_written_at_one_version_and_read_at_the_other(both: Converting, version: str):
    name = f"written-{version}"
    both.create(name, version)
    both.set_conditions(name, [READY, condition("Blocked")], version)
    for read in VERSIONS:
        found = both.must("GET", path(read, name))
        assert found["apiVersion"] == f"{P}/{read}"
        assert [c["type"] for c in found["status"]["conditions"]] == [
            "Ready",
            f"{P}/Ready",
            "Blocked",
            f"{P}/Blocked",
        ]
        assert found["status"]["conditions"][1] == {**READY, "type": f"{P}/Ready"}
    both.set_conditions(name, [], version)
    assert both.conditions(OTHER[version], name) == []


def test_an_operator_that_writes_prefixed_types_only_is_read_under_both(both: Converting):
    both.create("old-operator")
    both.set_conditions("old-operator", [{**READY, "type": f"{P}/Ready"}])
    for version in VERSIONS:
        assert both.types(version, "old-operator") == ["Ready", f"{P}/Ready"]


@pytest.mark.parametrize("kind", ["Ready", f"{P}/Ready"])
@pytest.mark.parametrize("resource", ["skyhook", f"skyhooks.v1alpha1.{P}", f"skyhooks.v1beta1.{P}"])
def test_kubectl_wait_returns_under_either_name(both: Converting, resource: str, kind: str):
    name = f"wait-{abs(hash((resource, kind))) % 10**8}"
    both.create(name)
    both.set_conditions(name, [condition("Ready", "False")])
    with ThreadPoolExecutor(1) as waiting:
        waited = waiting.submit(
            both.kubectl, "wait", f"--for=condition={kind}", f"{resource}/{name}", "--timeout=40s"
        )
        both.set_conditions(name, [READY])
        assert "condition met" in waited.result().stdout


def test_plain_kubectl_prefers_our_version(both: Converting):
    assert (
        json.loads(both.kubectl("get", "skyhook", "first", "-o", "json").stdout)["apiVersion"]
        == f"{P}/v1beta1"
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_owners_that_change_drop_and_omit_conditions(both: Converting, version: str):
    """Server-side apply: two owners, one at each version."""
    name, other = f"owners-{version}", OTHER[version]
    both.create(name)
    both.apply_status(name, "op", {"conditions": [condition("Mine"), READY]}, version)
    both.apply_status(name, "new", {"conditions": [condition("Applied")]}, other)
    for read in VERSIONS:
        assert set(both.types(read, name)) == {
            "Mine",
            f"{P}/Mine",
            "Ready",
            f"{P}/Ready",
            "Applied",
            f"{P}/Applied",
        }
    both.apply_status(name, "op", {"conditions": [condition("Mine", "False"), READY]}, version)
    for read in VERSIONS:
        said = {c["type"]: c["status"] for c in both.conditions(read, name)}
        assert said["Mine"] == said[f"{P}/Mine"] == "False"
    both.apply_status(name, "op", {"conditions": [READY]}, version)
    for read in VERSIONS:
        assert set(both.types(read, name)) == {"Ready", f"{P}/Ready", "Applied", f"{P}/Applied"}
    version_before = both.must("GET", path("v1alpha1", name))["metadata"]["resourceVersion"]
    both.apply_status(name, "op", {"conditions": [READY]}, version)
    assert both.must("GET", path("v1alpha1", name))["metadata"]["resourceVersion"] == version_before
    both.apply_status(name, "op", {"completeNodes": "1/1"}, version)
    for read in VERSIONS:
        assert {"Applied", f"{P}/Applied"} <= set(both.types(read, name))
        assert "Mine" not in both.types(read, name)
    both.apply_status(name, "new", {"packageList": "x"}, other)
    assert not {"Applied", f"{P}/Applied"} & set(both.types("v1alpha1", name))


def test_an_owner_that_leaves_only_a_prefixed_twin_is_no_error(both: Converting):
    """A null list passed through would be a 422 (apiserver-facts, conversion)."""
    both.create("twin")
    both.apply_status("twin", "op", {"conditions": [READY, {**READY, "type": f"{P}/Ready"}]})
    both.apply_status("twin", "new", {"conditions": [condition("Applied")]}, "v1beta1")
    both.apply_status("twin", "op", {"conditions": [{**READY, "type": f"{P}/Ready"}]})
    assert {"Ready", f"{P}/Ready"} <= set(both.types("v1beta1", "twin"))
    both.apply_status("twin", "new", {}, "v1beta1")
    both.apply_status("twin", "op", {})
    assert "Applied" not in both.types("v1alpha1", "twin")


@pytest.mark.nightly
def test_a_list_of_two_thousand_at_the_other_version(both: Converting):
    names = [f"many-{number:04d}" for number in range(2000)]
    with ThreadPoolExecutor(4) as writers:
        list(writers.map(both.create, names))
    started = time.monotonic()
    found = both.must("GET", path("v1beta1"))
    seconds = time.monotonic() - started
    items = [o for o in found["items"] if o["metadata"]["name"].startswith("many-")]
    assert [o["metadata"]["name"] for o in items] == names
    assert {o["apiVersion"] for o in items} == {f"{P}/v1beta1"}
    assert seconds < 60
    with ThreadPoolExecutor(4) as writers:
        list(writers.map(lambda n: both.must("DELETE", path("v1alpha1", n)), names))


def test_deletion_and_finalizers_at_either_version(both: Converting):
    for version in VERSIONS:
        name = f"dying-{version}"
        both.create(name, version)
        finalizers = {"metadata": {"finalizers": [f"{P}/skyhook"]}}
        both.must("PATCH", path(version, name), finalizers, MERGE)
        both.must("DELETE", path(OTHER[version], name))
        assert "deletionTimestamp" in both.must("GET", path(version, name))["metadata"]
        both.must("PATCH", path(OTHER[version], name), {"metadata": {"finalizers": None}}, MERGE)
        assert both.cluster.request(ADMIN, "GET", path(version, name))[0] == 404


def test_a_watch_at_the_other_version_goes_on(both: Converting):
    both.create("watched")
    version = both.must("GET", path("v1beta1"))["metadata"]["resourceVersion"]
    both.set_conditions("watched", [READY])
    where = f"{path('v1beta1')}?watch=1&timeoutSeconds=10&resourceVersion={version}"
    event = next(
        e for e in both.cluster.watch(ADMIN, where) if e["object"]["metadata"]["name"] == "watched"
    )
    assert [c["type"] for c in event["object"]["status"]["conditions"]] == ["Ready", f"{P}/Ready"]


def test_with_the_converter_away_the_operator_goes_on_and_one_command_restores_the_rest(
    both: Converting,
):
    both.create("away")
    both.apply_status("away", "new", {"conditions": [condition("Applied")]}, "v1beta1")
    live = both.crd()
    dead = {
        "spec": {
            "conversion": {"webhook": {"clientConfig": {"url": "https://127.0.0.1:9/convert"}}}
        }
    }
    both.must("PATCH", CRD_PATH, dead, MERGE)
    both.until(lambda: both.cluster.request(ADMIN, "GET", path("v1beta1", "away"))[0] == 500)
    with pytest.raises(AssertionError, match="conversion webhook"):
        both.apply_status("away", "op", {"conditions": [READY]})  # it has an owner at v1beta1
    # What goes on: every other read and write of the version that is stored. (Each change of a CRD fills
    # the watch caches anew; until then a LIST is a 429 that client-go retries.)
    both.until(lambda: both.cluster.request(OPERATOR, "GET", path("v1alpha1"))[0] == 200)
    both.set_conditions("away", [READY])
    both.must(
        "PATCH",
        path("v1alpha1", "away"),
        {"metadata": {"annotations": {"a": "b"}}},
        MERGE,
        by=OPERATOR,
    )
    both.create("born-meanwhile")
    # What fails: plain kubectl, and whoever lists in the preferred version.
    assert both.kubectl("get", "skyhook", "away", check=False).returncode != 0
    # 429: the watch cache of that version cannot be filled, "storage is (re)initializing".
    assert both.cluster.request(ADMIN, "GET", path("v1beta1"))[0] in (429, 500)
    metadata = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}
    assert listed(both, metadata) in (429, 500)
    # The way out, and back in.
    both.replace(serve_spoke(both.crd(), served=False))
    both.until_served(served=False)
    assert "away" in both.kubectl("get", "skyhook", "away").stdout
    assert both.crd()["status"]["storedVersions"] == ["v1alpha1"]
    restored = copy.deepcopy(live)
    restored["metadata"].pop("resourceVersion")
    both.replace(restored)
    both.until_served(served=True)
    both.until(lambda: both.types("v1beta1", "away") == ["Ready", f"{P}/Ready"])


def listed(both: Converting, headers: dict[str, str]) -> int:
    """The status of a metadata LIST at v1beta1, as garbage collection makes it."""
    config = json.loads(both.cluster.kubectl(ADMIN, "config", "view", "--raw", "-o", "json").stdout)
    bearer = {"Authorization": f"Bearer {config['users'][0]['user']['token']}"}
    request = urllib.request.Request(both.cluster.url + path("v1beta1"), headers=headers | bearer)
    context = ssl.create_default_context(cafile=str(both.cluster.ca_file))
    try:
        with urllib.request.urlopen(request, context=context) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_closed_the_new_version_shows_new_names_only(both: Converting, tmp_path):
    """And v1alpha1 as well with strip, as soon as somebody writes."""
    both.create("closing")
    both.set_conditions("closing", [READY, condition("Blocked")])
    closed = Guard(tmp_path, {"mode": "audit", "conditions": {"window": "closed", "strip": True}})
    try:
        with both.pointed_at(closed):
            both.until(lambda: both.types("v1beta1", "closing") == ["Ready", "Blocked"])
            assert both.types("v1alpha1", "closing") == [
                "Ready",
                f"{P}/Ready",
                "Blocked",
                f"{P}/Blocked",
            ]
            both.until(lambda: rewritten(both) == ["Ready", "Blocked"])
            assert both.types("v1alpha1", "closing") == ["Ready", "Blocked"]
    finally:
        closed.stop()
    both.until(
        lambda: (
            both.types("v1beta1", "closing") == ["Ready", f"{P}/Ready", "Blocked", f"{P}/Blocked"]
        )
    )


def rewritten(both: Converting) -> list[str]:
    """Writes the status as it is, and says which types it then has."""
    both.set_conditions("closing", both.conditions("v1alpha1", "closing"))
    return both.types("v1alpha1", "closing")


def test_removal_puts_the_crd_back_and_a_second_installation_works(both: Converting):
    with_us = both.crd()
    both.replace(remove_spoke(with_us))
    both.until_served(served=False)
    bare = both.crd()
    assert [v["name"] for v in bare["spec"]["versions"]] == ["v1alpha1"]
    assert bare["spec"]["conversion"] == {"strategy": "None"}
    assert both.must("GET", path("v1alpha1", "first"))["metadata"]["name"] == "first"
    with_us["metadata"].pop("resourceVersion")
    both.replace(with_us)
    both.until_served(served=True)
    both.until(lambda: both.cluster.request(ADMIN, "GET", path("v1beta1", "first"))[0] == 200)
