"""Writes that no actor makes, planted on objects that the actors really reach.

A planting changes the object in place and says whether there was a place for it; the rule that it
breaks must deny it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.profiles.simulators.apiserver import Object, find_condition

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Planting:
    """One kind of illegal write.

    Attributes:
        rule: the rule that must deny it, without the profile's name.
        plant: changes the new object; false where it cannot be planted.
        version: through which version it is written; empty for the newest.
    """

    rule: str
    plant: Callable[[Object], bool]
    version: str = ""


def _field(
    holder: Callable[[Object], Object], name: str, value: object
) -> Callable[[Object], bool]:
    def plant(it: Object) -> bool:
        holder(it)[name] = value
        return True

    return plant


def _status(it: Object) -> Object:
    status: Object = it["status"]
    return status


def _step(
    holder: Callable[[Object], Object],
    name: str,
    new: str,
    *sources: str,
    deleted: bool | None = None,
) -> Callable[[Object], bool]:
    """The field goes from one of the sources to ``new``."""

    def plant(it: Object) -> bool:
        there = holder(it)
        gone = "deletionTimestamp" in it["metadata"]
        if there.get(name) not in sources or (deleted is not None and gone is not deleted):
            return False
        there[name] = new
        return True

    return plant


def _wiped(holder: Callable[[Object], Object], name: str) -> Callable[[Object], bool]:
    return lambda it: holder(it).pop(name, None) is not None


def _stamped(place: str, kind: str, by: int) -> Callable[[Object], bool]:
    """The stamp of a condition moves ahead of the generation, or back."""

    def plant(it: Object) -> bool:
        condition = find_condition(it[place].get("conditions", []), kind)
        if condition is None or "observedGeneration" not in condition:
            return False
        stamp = it["metadata"]["generation"] if by > 0 else condition["observedGeneration"]
        condition["observedGeneration"] = stamp + by
        return stamp + by >= 0

    return plant


def _twice(place: str, name: str) -> Callable[[Object], bool]:
    def plant(it: Object) -> bool:
        entries = it[place].get(name)
        if not entries:
            return False
        entries.append({**entries[0], "status": "False", "reason": "Twice"})
        return True

    return plant


def _generation(by: int) -> Callable[[Object], bool]:
    """The stamp of the whole status moves ahead of the generation, or back."""

    def plant(it: Object) -> bool:
        status, generation = it["status"], it["metadata"]["generation"]
        stamp = generation if by > 0 else status.get("observedGeneration", 0)
        status["observedGeneration"] = stamp + by
        return by > 0 or stamp > 0

    return plant


ALIVE = ("Pending", "Provisioning", "Provisioned", "Running", "Updating")


def _begun(it: Object) -> Object:
    begun: Object = it["status"].setdefault("initialization", {})
    return begun


def _unlatched(name: str) -> Callable[[Object], bool]:
    def plant(it: Object) -> bool:
        return _begun(it).get(name) is True and _begun(it).update({name: False}) is None

    return plant


def _runs_without_node(it: Object) -> bool:
    status = it["status"]
    if status.get("phase") not in ALIVE or status["phase"] == "Running" or "nodeRef" in status:
        return False
    status["phase"] = "Running"
    return True


def _drains_undeleted(it: Object) -> bool:
    it["status"]["deletion"] = {"nodeDrainStartTime": "2026-01-01T00:00:00Z"}
    return "deletionTimestamp" not in it["metadata"]


CLUSTER_API = (
    Planting("phase.value", _field(_status, "phase", "Terminating")),
    Planting("phase.removal", _wiped(_status, "phase")),
    Planting("phase.edge", _step(_status, "phase", "Failed", *ALIVE, "Deleting")),
    Planting("phase.edge", _step(_status, "phase", "Unknown", *ALIVE, "Deleting")),
    Planting("phase.edge", _step(_status, "phase", "Deleted", *ALIVE)),
    Planting("phase.edge", _step(_status, "phase", "Pending", "Running", "Deleting")),
    Planting("phase.edge", _step(_status, "phase", "Running", "Deleting")),
    Planting("deleting-needs-deletion", _step(_status, "phase", "Deleting", *ALIVE, deleted=False)),
    Planting("running-needs-node", _runs_without_node),
    Planting("infra-latch.down", _unlatched("infrastructureProvisioned")),
    Planting("bootstrap-latch.down", _unlatched("bootstrapDataSecretCreated")),
    Planting("deletion-status-needs-deletion", _drains_undeleted),
    Planting("observed-generation.over", _generation(1)),
    Planting("observed-generation.down", _generation(-1)),
    Planting("condition-generation.over", _stamped("status", "Deleting", 1)),
    Planting("condition-generation.down", _stamped("status", "Updating", -1)),
)


CLUSTER_API_V1BETA1 = (
    Planting("phase.value", _field(_status, "phase", "Updating")),
    Planting("phase.removal", _wiped(_status, "phase")),
    Planting("phase.edge", _step(_status, "phase", "Unknown", *ALIVE, "Failed", "Deleting")),
    Planting("phase.edge", _step(_status, "phase", "Pending", "Running", "Deleting")),
    Planting("phase.edge", _step(_status, "phase", "Failed", "Deleting")),
    Planting(
        "deleting-needs-deletion",
        _step(_status, "phase", "Deleting", *ALIVE, "Failed", deleted=False),
    ),
    Planting("running-needs-node", _runs_without_node),
    Planting("observed-generation.over", _generation(1)),
    Planting("observed-generation.down", _generation(-1)),
)


def _operation(it: Object) -> Object:
    operation: Object = it["status"].setdefault("lastOperation", {})
    return operation


def _machine(phase_of: Callable[[Object], Object], *, word: str) -> tuple[Planting, ...]:
    """What no release of machine-controller-manager does."""
    undeleted = ("Pending", "Running", "Unknown", "Failed")
    return (
        Planting("phase.value", _field(phase_of, "phase", word)),
        Planting("phase.removal", _wiped(phase_of, "phase")),
        Planting("phase.edge", _step(phase_of, "phase", "Unknown", "Pending", "Failed")),
        Planting("phase.edge", _step(phase_of, "phase", "Pending", "Terminating")),
        Planting("phase.edge", _step(phase_of, "phase", "Unknown", "Terminating")),
        Planting("phase.edge", _step(phase_of, "phase", "Available", "Running", "Unknown")),
        Planting(
            "terminating-needs-deletion",
            _step(phase_of, "phase", "Terminating", *undeleted, deleted=False),
        ),
        Planting("operation-type.value", _field(_operation, "type", "Reboot")),
        Planting("operation-state.value", _field(_operation, "state", "Succeeded")),
        Planting("operation-type.edge", _step(_operation, "type", "Update", "Delete")),
        Planting(
            "delete-needs-deletion",
            _step(_operation, "type", "Delete", "Create", "HealthCheck", deleted=False),
        ),
    )


def _current(it: Object) -> Object:
    current: Object = it["status"].setdefault("currentStatus", {})
    return current


PR_531 = _machine(_status, word="Provisioning")
GARDENER = _machine(_current, word="Provisioning")


def _fresh_copy(it: Object) -> Object | None:
    condition = find_condition(it["status"].get("conditions", []), "Upgradeable")
    generation = it["metadata"]["generation"]
    fresh = condition is not None and condition.get("observedGeneration") == generation
    return condition if fresh else None


def _copy_lies(it: Object) -> bool:
    """A copy at the newest generation that says what spec.conditions does not."""
    condition = _fresh_copy(it)
    said = find_condition(it["spec"].get("conditions", []), "Upgradeable")
    if condition is None or said is None:
        return False
    condition["status"] = "False" if said["status"] == "True" else "True"
    return True


def _flips_in_place(it: Object) -> bool:
    condition = _fresh_copy(it)
    if condition is None:
        return False
    condition["status"] = "False" if condition["status"] == "True" else "True"
    return True


def _flips_late(it: Object) -> bool:
    condition = find_condition(it["status"].get("conditions", []), "Upgradeable")
    if condition is None or condition["observedGeneration"] > it["metadata"]["generation"] - 2:
        return False
    condition["status"] = "False" if condition["status"] == "True" else "True"
    condition["observedGeneration"] += 1
    return True


def _added(place: str, name: str, kind: str) -> Callable[[Object], bool]:
    def plant(it: Object) -> bool:
        it[place].setdefault(name, []).append({"type": kind, "status": "True"})
        it["metadata"]["generation"] += place == "spec"
        return True

    return plant


def _written_through_v1(it: Object) -> bool:
    it["metadata"].setdefault("labels", {})["through"] = "v1"
    return "conditions" in it["spec"]


def _answer(it: Object) -> Object | None:
    answer = find_condition(it["status"].get("conditions", []), "Acknowledged")
    return (
        answer if answer and answer["observedGeneration"] == it["metadata"]["generation"] else None
    )


def _revoked(it: Object) -> bool:
    answer = _answer(it)
    if answer is None or answer["status"] != "True":
        return False
    answer["status"] = "False"
    return True


def _lock_dropped(it: Object) -> bool:
    answer = _answer(it)
    request = find_condition(it["spec"].get("conditions", []), "Upgradeable")
    held = answer is not None and answer["status"] == "True"
    if not held or request is None or request["status"] != "False":
        return False
    conditions = it["status"]["conditions"]
    it["status"]["conditions"] = [c for c in conditions if c["type"] != "Acknowledged"]
    return True


def _answered_in_other_words(it: Object) -> bool:
    answer = _answer(it)
    return answer is not None and answer.update({"status": "Granted"}) is None


OPERATOR_CONDITION = (
    Planting("status-generation.over", _stamped("status", "Upgradeable", 1)),
    Planting("status-generation.down", _stamped("status", "Upgradeable", -1)),
    Planting("mirror", _copy_lies),
    Planting("upgradeable.edge", _flips_in_place),
    Planting("upgradeable-stamp.flip", _flips_late),
    Planting("self-acknowledged", _added("spec", "conditions", "Acknowledged")),
    Planting("acknowledged-override", _added("spec", "overrides", "Acknowledged")),
    Planting("spec-conditions-unique", _twice("spec", "conditions")),
    Planting("status-conditions-unique", _twice("status", "conditions")),
    Planting("overrides-unique", _twice("spec", "overrides")),
    Planting("v1-erases", _written_through_v1, version="v1"),
)
LOCKING = (
    Planting("acknowledged.edge", _revoked),
    Planting("ack-lock", _lock_dropped),
    Planting("acknowledged.value", _answered_in_other_words),
    Planting("status-generation.over", _stamped("status", "Acknowledged", 3)),
)


def _asked(text: str) -> Callable[[Object], bool]:
    return lambda it: (
        it["metadata"]["annotations"].update({"operator-sdk.io/can-upgrade": text}) is None
    )


def _asked_again_lower(it: Object) -> bool:
    annotations = it["metadata"]["annotations"]
    number = int(annotations.get("operator-sdk.io/can-upgrade", "0"))
    annotations["operator-sdk.io/can-upgrade"] = str(number - 1)
    return number > 0


def _upgradable_word(it: Object) -> bool:
    condition = find_condition(it["status"].get("conditions", []), "Upgradable")
    return condition is not None and condition.update({"status": "Maybe"}) is None


CAN_UPGRADE = (
    Planting("question.format", _asked("yes")),
    Planting("question.format", _asked("-1")),
    Planting("question.down", _asked_again_lower),
    Planting("condition-generation.over", _stamped("status", "Upgradable", 1)),
    Planting("condition-generation.down", _stamped("status", "Upgradable", -1)),
    Planting("status-conditions-unique", _twice("status", "conditions")),
    Planting("upgradable.value", _upgradable_word),
    Planting("observed-generation.over", _generation(4)),
)
