"""The writers of an OperatorCondition: the operator, OLM's sync and its generator, an admin.

All of them Get and Update, so they send the resourceVersion they read (operator-lib conditions.go:59-76,
OLM operatorcondition_controller.go:262-281, operatorconditiongenerator_controller.go:99-173). A cache may
be one write old; then the API server refuses.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from tests.profiles.simulators.apiserver import (
    ApiServer,
    ConflictError,
    Object,
    Tally,
    find_condition,
    set_condition,
)

if TYPE_CHECKING:
    from random import Random

PROFILE = "olm-operatorcondition"
OPERATOR = "system:serviceaccount:operators:op"


class OperatorConditionWorld:
    """One OperatorCondition's life; with ``acknowledging`` OLM grants and denies locks."""

    def __init__(self, rng: Random, tally: Tally, *, acknowledging: bool = False) -> None:
        self.rng = rng
        created: Object = {
            "metadata": {"name": "op.v1", "namespace": "operators", "uid": "u"},
            "spec": {"serviceAccounts": ["op"], "deployments": ["op"]},
            "status": {},
        }
        self.api = ApiServer(PROFILE, created, tally)
        self.acknowledging = acknowledging
        self.upgrading = False

    def live(self) -> None:
        """Lives for a while."""
        acts = [self.operator_sets, self.olm_syncs, self.olm_syncs, self.generator_writes]
        acts += [self.admin_overrides, self.operator_forgets, self.upgrade_begins_or_ends]
        acts += [self.olm_answers] if self.acknowledging else []
        for _ in range(self.rng.randint(8, 50)):
            with suppress(ConflictError):
                self.rng.choice(acts)()
            if self.rng.random() < 0.005:
                self.api.delete()

    def _read(self) -> tuple[int, Object]:
        version = max(self.api.newest - (self.rng.random() < 0.2), 0)
        return version, self.api.read(version)

    def operator_sets(self) -> None:
        """The operator reports; most often what OLM reads."""
        version, there = self._read()
        condition = {
            "type": self.rng.choice(["Upgradeable", "Upgradeable", "x.io/Other"]),
            "status": self.rng.choice(["True", "False", "Unknown"]),
            "reason": "Reported",
            "message": str(self.rng.randint(0, 2)),
        }
        set_condition(there["spec"].setdefault("conditions", []), condition)
        self.api.update("operator", there, version, OPERATOR)

    def operator_forgets(self) -> None:
        """The operator removes conditions; the copies stay."""
        version, there = self._read()
        conditions = there["spec"].get("conditions", [])
        there["spec"]["conditions"] = [c for c in conditions if self.rng.random() < 0.5]
        self.api.update("operator", there, version, OPERATOR)

    def olm_syncs(self) -> None:
        """OLM copies what is new, stamped with the generation it read."""
        version, there = self._read()
        generation = there["metadata"]["generation"]
        copies = there["status"].setdefault("conditions", [])
        for condition in there["spec"].get("conditions", []):
            copied = find_condition(copies, condition["type"])
            fresh = copied is not None and copied.get("observedGeneration") == generation
            if not fresh or copied["status"] != condition["status"]:
                set_condition(copies, {**condition, "observedGeneration": generation})
        self.api.update_status("olm: sync", there, version)

    def generator_writes(self) -> None:
        """OLM's generator follows the ClusterServiceVersion."""
        version, there = self._read()
        there["spec"]["deployments"] = [f"op-{self.rng.randint(0, 3)}"]
        self.api.update("olm: generator", there, version)

    def admin_overrides(self) -> None:
        """A cluster admin decides, or lets go."""
        version, there = self._read()
        override = {
            "type": "Upgradeable",
            "status": self.rng.choice(["True", "False"]),
            "reason": "Admin",
            "message": "",
        }
        there["spec"]["overrides"] = self.rng.choice([[], [override]])
        self.api.update("admin", there, version)

    def upgrade_begins_or_ends(self) -> None:
        """An upgrade is under way, or over."""
        self.upgrading = not self.upgrading

    def olm_answers(self) -> None:
        """OLM answers the request that it reads: granted, or denied while it upgrades."""
        version, there = self._read()
        generation = there["metadata"]["generation"]
        request = find_condition(there["spec"].get("conditions", []), "Upgradeable")
        answers = there["status"].setdefault("conditions", [])
        answer = find_condition(answers, "Acknowledged")
        fresh = answer is not None and answer.get("observedGeneration") == generation
        granted = fresh and answer is not None and answer["status"] == "True"
        if request is None or request["status"] != "False" or granted:
            return
        reply = {
            "type": "Acknowledged",
            "status": str(not self.upgrading),
            "reason": "UpgradeInProgress" if self.upgrading else "Locked",
            "message": "",
            "observedGeneration": generation,
        }
        set_condition(answers, reply)
        self.api.update_status("olm: answer", there, version)


class LockingWorld(OperatorConditionWorld):
    """The same with OLM granting locks (issue 1973, first proposal)."""

    def __init__(self, rng: Random, tally: Tally) -> None:
        super().__init__(rng, tally, acknowledging=True)
