"""The writers of machine-controller-manager's Machines: as in 2018 (PR 531's contract), and as today.

Every status write sends the resourceVersion it read, so none is lost.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tests.profiles.simulators.apiserver import ApiServer, Clock, ConflictError, Object, Tally

if TYPE_CHECKING:
    from random import Random


class Pr531World:
    """A Machine under the controller of 2018 (b5bf00a77, pkg/controller/machine.go)."""

    def __init__(self, rng: Random, tally: Tally) -> None:
        self.rng, self.clock = rng, Clock(rng)
        created: Object = {"metadata": {"name": "m", "uid": "u"}, "spec": {}, "status": {}}
        self.api = ApiServer("machine-pr531", created, tally)
        self.vm = self.node = self.waiting = False

    def live(self) -> None:
        """Lives for a while."""
        for _ in range(self.rng.randint(8, 50)):
            if self.rng.random() < 0.05:
                self.api.delete()
            elif self.rng.random() < 0.15:
                self.node = self.vm and not self.node
            elif not self.health():
                self.lifecycle()

    def _put(self, who: str, phase: str | None, kind: str, state: str) -> None:
        machine = self.api.read()
        status = machine["status"]
        if phase is not None:
            status["phase"] = phase
        status["lastOperation"] = {
            "type": kind,
            "state": state,
            "description": who,
            "lastUpdated": self.clock.now(),
        }
        self.api.update_status(who, machine)

    def _status(self) -> tuple[str | None, Object]:
        status = self.api.read()["status"]
        return status.get("phase"), status.get("lastOperation", {})

    def health(self) -> bool:
        """Follows the node, but for a Machine that terminates; whether it wrote."""
        phase, operation = self._status()
        if phase is None or phase == "Terminating":
            return False
        if not self.node and phase == "Running" and self.rng.random() < 0.7:
            self._put("node is lost", "Unknown", "HealthCheck", "Processing")
            self.waiting = True
            return True
        if self.node and phase != "Running":
            creating = operation.get("type") == "Create" and operation["state"] != "Successful"
            kind = "Create" if creating else "HealthCheck"
            self._put("node joined", "Running", kind, "Successful")
            self.waiting = False
            return True
        return False

    def lifecycle(self) -> None:
        """Creates, updates, gives up, deletes."""
        phase, operation = self._status()
        if "deletionTimestamp" in self.api.read()["metadata"]:
            self._delete(phase)
        elif self.waiting:
            if self.rng.random() < 0.3 and phase != "Running":
                self._put("time-out", "Failed", operation.get("type", "Create"), "Failed")
                self.waiting = False
        elif phase == "Failed":
            return
        elif not self.vm:
            self._create()
        elif self.rng.random() < 0.2:
            self._put("provider id", None, "Update", "Successful")
        elif self.rng.random() < 0.1:
            self.vm = self.node = False

    def _create(self) -> None:
        if self.rng.random() < 0.3:
            self._put("creation failed", "Failed", "Create", "Failed")
        else:
            self._put("creation", "Pending", "Create", "Processing")
            self.vm = self.waiting = True

    def _delete(self, phase: str | None) -> None:
        if phase != "Terminating":
            self._put("deletion", "Terminating", "Delete", "Processing")
            self.waiting = False
        elif self.rng.random() < 0.3:
            self._put("drain failed", None, "Delete", "Failed")
        elif self.rng.random() < 0.3:
            self._put("deletion failed", "Failed", "Delete", "Failed")


class GardenerWorld:
    """A Machine under today's controllers: machine, safety and MachineSet."""

    def __init__(self, rng: Random, tally: Tally) -> None:
        self.rng, self.clock = rng, Clock(rng)
        created: Object = {
            "metadata": {"name": "m", "uid": "u", "labels": {}},
            "spec": {},
            "status": {},
        }
        self.api = ApiServer("machine-controller-manager", created, tally)
        self.healthy = self.timed_out = self.selected = False
        self.result = ""

    def live(self) -> None:
        """Lives for a while."""
        acts = [self.reconcile] * 4 + [self.something_happens] * 3
        acts += [self.safety_resets, self.preserve, self.user_writes]
        for _ in range(self.rng.randint(8, 60)):
            with suppress(ConflictError):
                self.rng.choice(acts)()
            if self.rng.random() < 0.03:
                self.api.delete()
                self.machine_set_terminates()

    def something_happens(self) -> None:
        """The node comes and goes, time passes, updates are wanted and end."""
        match self.rng.choice(["health", "time", "select", "result"]):
            case "health":
                self.healthy = not self.healthy
            case "time":
                self.timed_out = self.rng.random() < 0.5
            case "select":
                self.selected = self.rng.random() < 0.5
            case "result":
                self.result = self.rng.choice(["", "successful", "failed"])

    def _read(self) -> tuple[int, Object]:
        version = max(self.api.newest - (self.rng.random() < 0.2), 0)
        return version, self.api.read(version)

    def _write(
        self, who: str, version: int, machine: Object, phase: str | None, kind: str, state: str
    ) -> None:
        status, now = machine["status"], self.clock.now()
        status["lastOperation"] = {
            "type": kind,
            "state": state,
            "description": who,
            "lastUpdateTime": now,
        }
        if phase is not None:
            kept = status.get("currentStatus", {}).get("preserveExpiryTime")
            status["currentStatus"] = {"phase": phase, "lastUpdateTime": now}
            if kept is not None and phase != "Terminating":
                status["currentStatus"]["preserveExpiryTime"] = kept
        self.api.update_status(who, machine, version)

    def reconcile(self) -> None:
        """One pass: deletion; or health, update in place, creation."""
        version, machine = self._read()
        phase = machine["status"].get("currentStatus", {}).get("phase")
        if "deletionTimestamp" in machine["metadata"]:
            self._terminate(version, machine, phase)
        elif "node" in machine["metadata"]["labels"] and phase is not None:
            if self._health(version, machine, phase) or self._update(version, machine):
                return
            if not machine["spec"].get("providerID"):
                self._create(version, machine, phase)
        elif not machine["spec"].get("providerID") or phase in (None, "CrashLoopBackOff"):
            self._create(version, machine, phase)

    def _create(self, version: int, machine: Object, phase: str | None) -> None:
        if self.rng.random() < 0.3:
            failed = "Failed" if self.timed_out else "CrashLoopBackOff"
            self._write("creation failed", version, machine, failed, "Create", "Failed")
        elif not machine["spec"].get("providerID") or "node" not in machine["metadata"]["labels"]:
            machine["spec"]["providerID"] = "aws:///m"
            machine["metadata"]["labels"]["node"] = "n"
            self.api.update("machine controller: labels", machine, version)
        elif phase in (None, "CrashLoopBackOff"):
            self._write("creation", version, machine, "Pending", "Create", "Processing")

    def _health(self, version: int, machine: Object, phase: str) -> bool:
        operation = machine["status"].get("lastOperation", {})
        updating = phase in ("InPlaceUpdating", "InPlaceUpdateFailed")
        if not updating and self.healthy and phase != "Running":
            creating = operation.get("type") == "Create" and operation["state"] != "Successful"
            kind = "Create" if creating else "HealthCheck"
            self._write("joined", version, machine, "Running", kind, "Successful")
        elif not updating and not self.healthy and phase == "Running":
            self._write("unhealthy", version, machine, "Unknown", "HealthCheck", "Processing")
        elif updating and self.result == "successful":
            word = "InPlaceUpdateSuccessful"
            self._write("updated", version, machine, word, "InPlaceUpdate", "Successful")
        elif phase == "InPlaceUpdating" and (self.result == "failed" or self.timed_out):
            word = "InPlaceUpdateFailed"
            self._write("not updated", version, machine, word, "InPlaceUpdate", "Failed")
        elif phase in ("Pending", "Unknown", "InPlaceUpdateFailed") and self.timed_out:
            kind = operation.get("type", "Create")
            self._write("time-out", version, machine, "Failed", kind, "Failed")
        else:
            return False
        return True

    def _update(self, version: int, machine: Object) -> bool:
        if not self.selected:
            return False
        if self.rng.random() < 0.3:
            self._write("drain failed", version, machine, None, "DrainNode", "Processing")
        else:
            word = "InPlaceUpdating"
            self._write("update", version, machine, word, "InPlaceUpdate", "Processing")
            self.selected, self.result = False, ""
        return True

    def _terminate(self, version: int, machine: Object, phase: str | None) -> None:
        if phase != "Terminating":
            self._write("termination", version, machine, "Terminating", "Delete", "Processing")
        else:
            state = self.rng.choice(["Processing", "Failed"])
            self._write("deletion flow", version, machine, None, "Delete", state)

    def machine_set_terminates(self) -> None:
        """The MachineSet controller writes Terminating itself, right after its DELETE."""
        version, machine = self.api.newest, self.api.read()
        self._write("machine set", version, machine, "Terminating", "Delete", "Processing")

    def safety_resets(self) -> None:
        """The API server was away: what the cache shows as Unknown is Running, whatever a fresh GET says."""
        _, cached = self._read()
        if cached["status"].get("currentStatus", {}).get("phase") == "Unknown":
            version, machine = self.api.newest, self.api.read()
            self._write("safety", version, machine, "Running", "HealthCheck", "Successful")

    def preserve(self) -> None:
        """A failed machine is kept for a while, or no longer."""
        version, machine = self._read()
        current = machine["status"].get("currentStatus")
        if current is None or "deletionTimestamp" in machine["metadata"]:
            return
        if current.pop("preserveExpiryTime", None) is None:
            current["preserveExpiryTime"] = "2026-02-01T00:00:00Z"
        current["lastUpdateTime"] = self.clock.now()
        self.api.update_status("preservation", machine, version)

    def user_writes(self) -> None:
        """Labels, the spec, and now and then a lost providerID."""
        version, machine = self._read()
        if self.rng.random() < 0.2:
            machine["spec"].pop("providerID", None)
        else:
            machine["spec"]["drainTimeout"] = f"{self.rng.randint(1, 9)}h"
        self.api.update("user", machine, version)
