"""The writers of a Cluster API Machine, release 1.12 and later.

The controller's pass: each step may fail, the phase is derived all the same, and three patches follow,
of which the last carries no resourceVersion (util/patch/patch.go:171-243). Its cache may be a few
writes old, and never goes back. Besides it: a health check, users, and deletion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.profiles.simulators.apiserver import (
    ApiServer,
    Clock,
    Denial,
    Object,
    Tally,
    decode,
    merge_patch,
    set_condition,
)

if TYPE_CHECKING:
    from random import Random

OLDEST_CACHE = 3  # the writes of one pass that the next may not have seen
UPDATING = "in-place-updates.internal.cluster.x-k8s.io/update-in-progress"


def derived_phase(machine: Object) -> str:
    """The phase as the controller derives it: the old one, then each fact that holds wins."""
    spec, status = machine["spec"], machine["status"]
    begun = status.get("initialization", {})
    provisioned = begun.get("infrastructureProvisioned", False)
    facts = (
        ("Provisioning", begun.get("bootstrapDataSecretCreated") and not provisioned),
        ("Provisioned", spec.get("providerID")),
        ("Running", status.get("nodeRef") and provisioned),
        ("Updating", UPDATING in machine["metadata"]["annotations"]),
        ("Deleting", "deletionTimestamp" in machine["metadata"]),
    )
    phase: str = status.get("phase") or "Pending"
    for word, holds in facts:
        if holds:
            phase = word
    return phase


def is_lost_update(denial: Denial) -> bool:
    """Running -> Pending by the controller: the one legitimate write that is denied, on purpose.

    A pass begins with a cached copy that had no phase yet, and its infrastructure step fails. What it
    writes cannot be told from damage; the denial makes the controller read again, and without it a
    healthy machine would be shown as a new one.
    """
    before, after = (decode(raw)["status"] for raw in (denial.old, denial.new))
    step = (before.get("phase"), after.get("phase"))
    return denial.who == "controller: status" and step == ("Running", "Pending")


class MachineWorld:
    """One Machine's life, under release 1.12 and later."""

    profile = "cluster-api-machine"

    def __init__(self, rng: Random, tally: Tally) -> None:
        self.rng, self.clock = rng, Clock(rng)
        created: Object = {
            "metadata": {"name": "m", "uid": "u", "annotations": {}},
            "spec": {"clusterName": "c"},
            "status": {},
        }
        if rng.random() < 0.2:
            created["spec"]["providerID"] = "given"
        self.api = ApiServer(self.profile, created, tally)
        self.bootstrap_by_reference = rng.random() < 0.8
        self.facts = {"bootstrap": False, "infrastructure": False, "node": False}
        self.seen = 0

    def live(self) -> None:
        """Lives for a while."""
        for _ in range(self.rng.randint(8, 40)):
            chance = self.rng.random()
            if chance < 0.5:
                self.reconcile()
            elif chance < 0.75:
                self.something_happens()
            else:
                self.somebody_writes()

    def something_happens(self) -> None:
        """Bootstrap, infrastructure and node come up, in this order."""
        ready = {
            "bootstrap": True,
            "infrastructure": self.facts["bootstrap"] or not self.bootstrap_by_reference,
            "node": self.facts["infrastructure"],
        }
        fact = self.rng.choice(list(ready))
        self.facts[fact] = self.facts[fact] or ready[fact]

    def somebody_writes(self) -> None:
        """A user, a health check, an in-place update, a deletion."""
        machine = self.api.read()
        spec, annotations = machine["spec"], machine["metadata"]["annotations"]
        match self.rng.choice(["annotate", "spec", "provider", "health", "delete"]):
            case "annotate":
                if annotations.pop(UPDATING, None) is None and self.rng.random() < 0.5:
                    annotations[UPDATING] = ""
                self.api.update("user", machine)
            case "spec":
                spec["version"] = str(self.rng.random())
                self.api.update("user", machine)
            case "provider":
                if not self.facts["infrastructure"]:
                    if spec.pop("providerID", None) is None:
                        spec["providerID"] = "given"
                    self.api.update("user", machine)
            case "health":
                self._set(machine, "HealthCheckSucceeded", self.rng.choice(["True", "False"]))
                self.api.update_status("machine health check", machine)
            case "delete":
                if self.rng.random() < 0.3:
                    self.api.delete()

    def reconcile(self) -> None:
        """One pass of the Machine controller."""
        oldest = max(self.seen, self.api.newest - OLDEST_CACHE, 0)
        self.seen = self.rng.randint(oldest, self.api.newest)
        before = self.api.read(self.seen)
        machine = self.api.read(self.seen)
        self._steps(machine)
        status = machine["status"]
        phase = self.derived(machine)
        if phase != status.get("phase"):
            status["phase"], status["lastUpdated"] = phase, self.clock.now()
        if self.rng.random() < 0.8:
            status["observedGeneration"] = machine["metadata"]["generation"]
        if not all([self._patch_conditions(before, machine), self._patch(before, machine)]):
            self.seen = self.api.newest  # an error: back off, and see everything by then

    def _steps(self, machine: Object) -> None:
        spec, status = machine["spec"], machine["status"]
        deleted = "deletionTimestamp" in machine["metadata"]
        begun = status.setdefault("initialization", {})
        if self.bootstrap_by_reference and self.facts["bootstrap"] and self._works():
            begun["bootstrapDataSecretCreated"] = True
        if self.facts["infrastructure"] and self._works():
            spec["providerID"], begun["infrastructureProvisioned"] = "given", True
        if spec.get("providerID") and self.facts["node"] and self._works():
            status.setdefault("nodeRef", {"name": "n"})
        self._set(machine, "Deleting", str(deleted))
        self._set(machine, "Updating", str(UPDATING in machine["metadata"]["annotations"]))
        if deleted and self.rng.random() < 0.5:
            deletion = status.setdefault("deletion", {})
            deletion.setdefault("nodeDrainStartTime", self.clock.now())

    def derived(self, machine: Object) -> str:
        """The phase that this release derives."""
        return derived_phase(machine)

    def conditions(self, machine: Object) -> list[Object]:
        """The conditions that carry stamps."""
        found: list[Object] = machine["status"].setdefault("conditions", [])
        return found

    def _works(self) -> bool:
        return self.rng.random() > 0.1

    def _set(self, machine: Object, kind: str, status: str) -> None:
        generation = machine["metadata"]["generation"]
        condition = {"type": kind, "status": status, "observedGeneration": generation}
        set_condition(self.conditions(machine), condition)

    def _patch_conditions(self, before: Object, machine: Object) -> bool:
        """Merged onto the newest by type, with its resourceVersion, again on conflict."""
        was, latest = self.conditions(before), self.api.read()
        for condition in self.conditions(machine):
            if condition not in was:
                set_condition(self.conditions(latest), condition)
        return not self._works() or self.api.update_status("controller: conditions", latest)

    def _patch(self, before: Object, machine: Object) -> bool:
        """The spec, then the rest of the status; one that fails does not stop the other."""
        latest = self.api.read()
        merge_patch(latest["spec"], before["spec"], machine["spec"])
        went = not self._works() or self.api.update("controller: spec", latest)
        latest = self.api.read()
        merge_patch(latest["status"], _rest(before), _rest(machine))
        return (not self._works() or self.api.update_status("controller: status", latest)) and went


def _rest(machine: Object) -> dict[str, Any]:
    """The status without its conditions, which are patched on their own."""
    return {k: v for k, v in machine["status"].items() if k not in ("conditions", "v1beta2")}


class LegacyMachineWorld(MachineWorld):
    """The same under release 1.8 and older: ready is copied both ways, and failures are a phase."""

    profile = "cluster-api-machine-v1beta1"

    def __init__(self, rng: Random, tally: Tally) -> None:
        super().__init__(rng, tally)
        self.fails = False

    def something_happens(self) -> None:
        """As later; and the infrastructure is unready for a while, or has failed for good."""
        match self.rng.randint(0, 9):
            case 0 if self.facts["infrastructure"]:
                self.facts["infrastructure"] = False
            case 1:
                self.fails = not self.fails
            case _:
                super().something_happens()

    def conditions(self, machine: Object) -> list[Object]:
        """From 1.9 on the later conditions stand beside the older ones."""
        later = machine["status"].setdefault("v1beta2", {})
        found: list[Object] = later.setdefault("conditions", [])
        return found

    def derived(self, machine: Object) -> str:
        """As later without Updating; a failure wins over everything but a deletion."""
        spec, status = machine["spec"], machine["status"]
        ready = status.get("infrastructureReady", False)
        phase: str = status.get("phase") or "Pending"
        for word, holds in (
            ("Provisioning", status.get("bootstrapReady") and not ready),
            ("Provisioned", spec.get("providerID")),
            ("Running", status.get("nodeRef") and ready),
            ("Failed", status.get("failureMessage")),
            ("Deleting", "deletionTimestamp" in machine["metadata"]),
        ):
            if holds:
                phase = word
        return phase

    def _steps(self, machine: Object) -> None:
        spec, status = machine["spec"], machine["status"]
        if self.bootstrap_by_reference and self.facts["bootstrap"] and self._works():
            status["bootstrapReady"] = True
        if self._works():
            status["infrastructureReady"] = self.facts["infrastructure"]
            if self.facts["infrastructure"]:
                spec["providerID"] = "given"
        if spec.get("providerID") and self.facts["node"] and self._works():
            status.setdefault("nodeRef", {"name": "n"})
        if self.fails and self._works():
            status["failureMessage"] = "the infrastructure failed"
        elif not self.fails:
            status.pop("failureMessage", None)  # cleared by hand
        self._set(machine, "Ready", str(bool(status.get("nodeRef"))))
