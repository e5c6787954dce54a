"""The writers of an operator's own singleton under OLM issue 1973's second proposal.

OLM asks by counting an annotation up; the operator reports whenever it reconciles, stamped with the
generation it read; users edit the spec. A report may be late, and may change while nobody asks.
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

PROFILE = "olm-can-upgrade"
QUESTION = "operator-sdk.io/can-upgrade"


class CanUpgradeWorld:
    """One singleton's life."""

    def __init__(self, rng: Random, tally: Tally) -> None:
        self.rng = rng
        created: Object = {
            "metadata": {"name": "hco", "uid": "u", "annotations": {}},
            "spec": {"storageLayer": "PostgreSQL"},
            "status": {},
        }
        self.api = ApiServer(PROFILE, created, tally)
        self.busy = False

    def live(self) -> None:
        """Lives for a while."""
        acts = [self.olm_asks, self.olm_withdraws, self.user_edits, self.work_begins_or_ends]
        acts += [self.operator_reports] * 3
        for _ in range(self.rng.randint(8, 50)):
            with suppress(ConflictError):
                self.rng.choice(acts)()

    def olm_asks(self) -> None:
        """The next question: a number that was never used before."""
        there = self.api.read()
        annotations = there["metadata"]["annotations"]
        annotations[QUESTION] = str(int(annotations.get(QUESTION, "0")) + self.rng.randint(1, 3))
        self.api.update("olm", there)

    def olm_withdraws(self) -> None:
        """The upgrade is off."""
        there = self.api.read()
        there["metadata"]["annotations"].pop(QUESTION, None)
        self.api.update("olm", there)

    def user_edits(self) -> None:
        """A change that may need a migration."""
        there = self.api.read()
        there["spec"]["storageLayer"] = self.rng.choice(["PostgreSQL", "MariaDB"])
        self.api.update("user", there)

    def work_begins_or_ends(self) -> None:
        """A migration of the fleet, which needs no change of the spec."""
        self.busy = not self.busy

    def operator_reports(self) -> None:
        """The operator answers, from a copy that may be one write old; the API server then refuses."""
        version = max(self.api.newest - (self.rng.random() < 0.2), 0)
        there = self.api.read(version)
        generation = there["metadata"]["generation"]
        conditions = there["status"].setdefault("conditions", [])
        standing = find_condition(conditions, "Upgradable")
        if QUESTION in there["metadata"]["annotations"] and standing is not None:
            answered = standing["observedGeneration"] == generation
            if answered and standing["status"] == "True":
                return  # an operator that takes part keeps its word while it is asked
        report = {
            "type": "Upgradable",
            "status": self.rng.choice(["Unknown", str(not self.busy)]),
            "reason": "Busy" if self.busy else "OperatorIdle",
            "observedGeneration": generation,
        }
        set_condition(conditions, report)
        there["status"]["observedGeneration"] = generation
        self.api.update_status("operator", there, version)
