"""The move from Skyhook to NodeWright on a real API server: old operator, hold, new operator, readers at both names.

Everybody is asked about with `failurePolicy: Fail`, enforcing: nothing of it may be denied.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import reading
from tests.e2e import stage
from tests.e2e.guarding import Guard
from tests.e2e.stage import HAND, Stage
from tests.e2e.test_live_replay import replayable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.kube.client import Response
    from tests.kube.control_plane import ControlPlane

OLD, NEW = "skyhook.nvidia.com", "nodewright.nvidia.com"
OPERATOR, SUCCESSOR, PERSON = "operator", "nodewright-operator", "platform-admin"
MERGE = "application/merge-patch+json"
DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments"
SKYHOOKS, NODEWRIGHTS = (
    f"/apis/{OLD}/v1alpha1/skyhooks",
    f"/apis/{NEW}/v1alpha1/nodewrights",
)
SCENARIO = f"{reading.REPLAY_PREFIX}chainsaw-skyhook-package-upgrade.jsonl.gz"
SETTINGS = {
    "modes": [{"mode": "off", "writers": [HAND]}],
    "operator_version": "auto",
    "conditions": {"further_prefixes": {"nodewright": [OLD]}},
}


def recorded() -> list[dict[str, Any]]:
    """A rollout with an upgrade, up to the deletion of its Skyhook."""
    found = []
    for review in reading.reviews(reading.CHECKED_IN, names=[SCENARIO]):
        request = review["request"]
        if request["kind"]["kind"] == "Skyhook" and request["operation"] == "DELETE":
            break
        if replayable(review):
            found.append(review)
    return found


def renamed(review: dict[str, Any]) -> dict[str, Any]:
    """The same write by the new operator, of the new kind, with the new keys."""
    text = json.dumps(review).replace(f"{OLD}/skyhook", f"{NEW}/nodewright").replace(OLD, NEW)
    new: dict[str, Any] = json.loads(text.replace('"Skyhook"', '"NodeWright"'))
    user = new["request"]["userInfo"]
    if user["username"].endswith("-operator-controller-manager"):
        user["username"] = "system:serviceaccount:nodewright:nodewright-controller-manager"
    return new


class Move:
    """The cluster in the middle of it."""

    def __init__(self, cluster: ControlPlane) -> None:
        self.cluster = cluster
        self.name = ""

    def ok(
        self, actor: str, method: str, path: str, body: Any = None, form: str = MERGE
    ) -> Response:
        form = form if method == "PATCH" else "application/json"
        answer = self.cluster.call(actor, method, path, body, form)
        assert answer.status in stage.WENT_THROUGH, (actor, method, path, answer.body)
        return answer

    def get(self, path: str) -> dict[str, Any]:
        return self.ok(PERSON, "GET", path).body

    def nodes(self) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = self.get("/api/v1/nodes")["items"]
        return [n for n in listed if self.ours(n["metadata"].get("annotations"), OLD)]

    def ours(self, keys: dict[str, str] | None, group: str) -> dict[str, str]:
        return {k: v for k, v in (keys or {}).items() if k.startswith(f"{group}/")}

    def conditions(self, path: str) -> dict[str, tuple[str, str]]:
        status = self.get(path).get("status") or {}
        return {c["type"]: (c["status"], c["reason"]) for c in status.get("conditions", ())}

    def operator_runs(self, image: str) -> None:
        labels = {"app.kubernetes.io/name": "skyhook-operator"}
        template = {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": "manager", "image": image}]},
        }
        body = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "operator", "labels": labels},
            "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": template},
        }
        self.cluster.request(HAND, "DELETE", f"{DEPLOYMENT}/operator")
        self.ok(HAND, "POST", DEPLOYMENT, body)


@pytest.fixture(scope="module")
def move(cluster: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Move]:
    """After the old operator's rollout, which was judged as 0.17 by us."""
    found = Move(cluster)
    found.operator_runs("example.com/operator:v0.17.0")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KUBECONFIG", str(cluster.kubeconfig(HAND)))
        patch.setitem(stage.PATHS, "NodeWright", NODEWRIGHTS)
        with guarded(cluster, tmp_path_factory.mktemp("old")) as guard:
            assert "release 0.17 (as configured" in guard.log_file.read_text()
            old = Stage(cluster)
            for review in recorded():
                old.play(review)
            assert not old.refused, old.refused[:3]
            assert old.written > 80
            found.name = next(r["request"]["name"] for r in recorded() if r["request"]["kind"]["kind"] == "Skyhook" and r["request"]["name"])  # fmt: skip
            hold(found)
        found.operator_runs("example.com/operator:v0.18.0")
        with guarded(cluster, tmp_path_factory.mktemp("new")) as guard:
            assert "release 0.18 (as configured" in guard.log_file.read_text()
            yield found
            Stage(cluster).remove("NodeWright", found.name)
    Stage(cluster).remove("Skyhook", found.name)
    cluster.request(HAND, "DELETE", f"{DEPLOYMENT}/operator")


class guarded:  # noqa: N801 - used as a function
    """A guard of its own for a while, which saw no fault."""

    def __init__(self, cluster: ControlPlane, folder: Any) -> None:
        self.cluster, self.guard = cluster, Guard(folder, SETTINGS)

    def __enter__(self) -> Guard:
        self.guard.register(self.cluster)
        return self.guard

    def __exit__(self, *_: object) -> None:
        self.guard.unregister(self.cluster)
        assert self.guard.stop() == 0


def hold(move: Move) -> None:
    """Nobody works on it: the same manifest is applied again, kubelets go on, readers read."""
    path = f"{SKYHOOKS}/{move.name}"
    live = move.get(path)
    before = live["metadata"]["generation"]
    again = move.ok("argocd-application-controller", "PATCH", path, {"spec": live["spec"]})
    assert again.body["metadata"]["generation"] == before
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "ready"}
    for node in move.nodes():
        beat = {"status": {"conditions": [{**ready, "lastHeartbeatTime": "2026-11-29T20:00:00Z"}]}}
        where = f"/api/v1/nodes/{node['metadata']['name']}/status"
        move.ok("node-controller", "PATCH", where, beat, "application/strategic-merge-patch+json")
    seen = move.conditions(path)
    assert seen["Ready"] == seen[f"{OLD}/Ready"]


def test_the_new_operator_takes_over_and_readers_at_all_names_see_the_same(move: Move) -> None:
    old = move.get(f"{SKYHOOKS}/{move.name}")
    about = {"name": move.name, "annotations": {f"{NEW}/mirrored-from": move.name}}
    body = {"apiVersion": f"{NEW}/v1alpha1", "kind": "NodeWright", "metadata": about}
    made = move.ok(SUCCESSOR, "POST", NODEWRIGHTS, {**body, "spec": old["spec"]}).body
    copied = 0
    for node in move.nodes():
        copied += copy_keys(move, node)
    assert copied >= 4
    status = json.loads(json.dumps(old["status"]).replace(OLD, NEW))
    path = f"{NODEWRIGHTS}/{move.name}"
    status["conditions"] = [
        {**c, "observedGeneration": 1} if "observedGeneration" in c else c
        for c in status["conditions"]
    ]
    status["observedGeneration"] = 1
    move.ok(SUCCESSOR, "PUT", f"{path}/status", {**made, "status": status})
    move.ok(SUCCESSOR, "PATCH", path, {"metadata": {"finalizers": [f"{NEW}/nodewright"]}})
    seen = move.conditions(path)
    assert seen["Ready"] == seen[f"{NEW}/Ready"] == seen[f"{OLD}/Ready"]
    assert move.conditions(f"{SKYHOOKS}/{move.name}")["Ready"] == seen["Ready"]


def copy_keys(move: Move, node: dict[str, Any]) -> int:
    """All of the operator's keys of one Node, to the new prefix, in one patch; its conditions in another."""
    about = node["metadata"]
    keys = {
        field: {k.replace(OLD, NEW): v for k, v in move.ours(about.get(field), OLD).items()}
        for field in ("annotations", "labels")
    }
    where = f"/api/v1/nodes/{about['name']}"
    move.ok(SUCCESSOR, "PATCH", where, {"metadata": keys})
    mine = [c for c in node["status"].get("conditions", ()) if c["type"].startswith(f"{OLD}/")]
    new = [{**c, "type": c["type"].replace(OLD, NEW)} for c in mine]
    strategic = "application/strategic-merge-patch+json"
    move.ok(SUCCESSOR, "PATCH", f"{where}/status", {"status": {"conditions": new}}, strategic)
    return sum(map(len, keys.values()))


def test_people_work_on_the_new_object_and_are_told_about_the_old_one(move: Move) -> None:
    pause = {"metadata": {"annotations": {f"{NEW}/pause": "true"}}}
    assert not move.ok(PERSON, "PATCH", f"{NODEWRIGHTS}/{move.name}", pause).warnings
    spec = {"spec": {"priority": 150}}
    assert not move.ok(PERSON, "PATCH", f"{NODEWRIGHTS}/{move.name}", spec).warnings
    [warning] = move.ok(PERSON, "PATCH", f"{SKYHOOKS}/{move.name}", spec).warnings
    assert "change the NodeWright of that name" in warning
    again = move.ok(PERSON, "PATCH", f"{SKYHOOKS}/{move.name}", {"spec": {"priority": 151}})
    assert not again.warnings  # told once an hour


def test_the_old_keys_are_pruned_and_the_old_object_goes(move: Move) -> None:
    pruned = 0
    for node in move.nodes():
        about = node["metadata"]
        gone = {
            field: dict.fromkeys(move.ours(about.get(field), OLD))
            for field in ("annotations", "labels")
        }
        pruned += len(gone["annotations"])
        move.ok(SUCCESSOR, "PATCH", f"/api/v1/nodes/{about['name']}", {"metadata": gone})
    assert pruned
    assert not move.nodes()
    path = f"{SKYHOOKS}/{move.name}"
    move.ok(PERSON, "DELETE", path)
    if move.cluster.request(PERSON, "GET", path)[0] == 200:  # its finalizer holds it
        move.ok(SUCCESSOR, "PATCH", path, {"metadata": {"finalizers": None}})
    assert move.cluster.request(PERSON, "GET", path)[0] == 404
    assert move.get(f"{NODEWRIGHTS}/{move.name}")["metadata"]["name"] == move.name


def test_a_rollout_of_the_new_kind_goes_through(move: Move, cluster: ControlPlane) -> None:
    new = Stage(cluster)
    for review in recorded():
        new.play(renamed(review))
    assert not new.refused, new.refused[:3]
    assert new.written > 80
