"""Made-up replays, as large as asked for."""

from __future__ import annotations

import random

from webhook.replaying.occurrence import Difference, Occurrence, Said
from webhook.replaying.rollout import Step
from webhook.replaying.series import Bucket, Series
from webhook.replaying.summary import Effects, Summary

WALK = ("apply/in_progress", "apply/complete", "config/in_progress", "config/complete",
        "interrupt/in_progress", "interrupt/complete", "post-interrupt/in_progress", "post-interrupt/complete")  # fmt: skip
START = 1_795_966_535.0
OPERATOR = "system:serviceaccount:skyhook:skyhook-operator-controller-manager"


def steps(nodes: int, packages: int, each: int, seed: int = 1) -> list[Step]:
    """Nodes start one after the other and walk; one step in some hundred is illegal."""
    chance = random.Random(seed)
    found = []
    for node in range(nodes):
        for package in range(packages):
            time, before = START + node * 3.0, ""
            for number in range(each):
                time += chance.uniform(1, 60)
                value = WALK[number % len(WALK)]
                wrong = 2 if chance.random() < 0.002 else 1 if chance.random() < 0.004 else 0
                if chance.random() < 0.03:
                    value = value.partition("/")[0] + "/erroring"
                found.append(
                    Step(
                        round(time, 3),
                        "fleet",
                        f"node-{node}",
                        f"pkg-{package}|1.0.{package}",
                        before,
                        value,
                        wrong,
                        OPERATOR,
                    )
                )
                before = value
    return found


def occurrence(
    number: int, time: float | None, name: str, severity: str = "deny", **more: object
) -> Occurrence:
    given: dict[str, object] = {
        "source": "audit.log", "line": number + 1, "uid": f"uid-{number}", "time": time, "user": "platform-admin",
        "writer": "person", "kind": "Node", "namespace": "", "name": name, "operation": "UPDATE", "subresource": "",
        "outcome": "done", "estimated": False, "allowed": severity != "deny", "would_deny": [],
        "findings": [Said("skyhook.node-package-step.edge", f"metadata.annotations[x][{name}]", severity, f"cannot go from a to b (no. {number})")],
        "changes": [Difference("metadata.annotations[x].stage", '"apply"', '"config"')],
    }  # fmt: skip
    return Occurrence(**{**given, **more})  # type: ignore[arg-type]


def summary(writes: int, occurrences: list[Occurrence]) -> Summary:
    denied = sum(not one.allowed for one in occurrences)
    total = Summary(
        writes=writes,
        denied=denied,
        warned=len(occurrences) - denied,
        first=START,
        last=START + 3600,
    )
    total.rules = {"skyhook.node-package-step.edge": Effects(denied, len(occurrences) - denied)}
    total.writers = {
        "platform-admin": Bucket(len(occurrences), denied),
        OPERATOR: Bucket(writes - len(occurrences)),
    }
    total.kinds = {"Node UPDATE": Bucket(writes, denied)}
    for number in range(0, 3600, 60):
        total.over_time.merge(Series(1, {int(START) + number: Bucket(writes // 60, denied // 60)}))
    return total
