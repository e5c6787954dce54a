"""What stands on the terminal of the one who wrote: kubectl's own words around ours, to the letter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e import rollout
from tests.e2e.rollout import NODE_STATE, NODE_STATUS, PACKAGE, SKYHOOK, node_state
from tests.kube.client import MERGE_PATCH

if TYPE_CHECKING:
    from subprocess import CompletedProcess

    from tests.e2e.stage import Stage

ENTRY = f"metadata.annotations[{NODE_STATE}][{PACKAGE}]"
CORDON = "skyhook.nvidia.com/cordon_gpu"
STATUSES = "complete, blocked, waiting, disabled, paused, in_progress, erroring, unknown"
AGAIN = (
    "to run a stage again use `kubectl skyhook package rerun`,"
    " to start the Node over `kubectl skyhook node reset`"
)
FROM_CONFIG = "legal from config/in_progress: config/complete, config/erroring"
BAD = {"Tuning_1": {"version": "1.02", "image": "registry.example/tuning"}}
BAD_SAID = (
    '* spec.packages[Tuning_1]: "Tuning_1" is no package name; legal: 2 to 43 characters: small letters, digits and -,'
    ' beginning and ending with a letter; for example "tuning" (skyhook.package-key)\n'
    '* spec.packages[Tuning_1].version: "1.02" is no semantic version; write MAJOR.MINOR.PATCH, such as "1.2.3";'
    ' did you mean "1.2"? (skyhook.package-version)\n'
)
ASSIGN = ["annotate", "node", "node-1", "--overwrite"]
STATUS_PATCH = ["patch", "skyhook", "gpu", "--subresource=status", "--type=merge", "-p"]


def run(
    stage: Stage, *args: str, who: str = "sre-oncall", body: Any = None
) -> CompletedProcess[str]:
    text = None if body is None else json.dumps(body)
    return stage.cluster.kubectl(who, *args, input=text, check=False)


def manifest(name: str = "gpu", **packages: Any) -> dict[str, Any]:
    whole = rollout.skyhook()
    spec = {**whole["spec"], "packages": packages or whole["spec"]["packages"]}
    return {
        "apiVersion": whole["apiVersion"],
        "kind": whole["kind"],
        "metadata": {"name": name},
        "spec": spec,
    }


DENIED = {
    "a step that nobody takes": (
        [*ASSIGN, f"{NODE_STATE}={node_state('interrupt/skipped')}"],
        (f'The Node "node-1" is invalid: {ENTRY}: cannot go from config/in_progress to interrupt/skipped;'
        f" {FROM_CONFIG}; {AGAIN} (skyhook.node-package-step.edge)\n"),
    ),
    "the same through the status of the Node": (
        ["patch", "node", "node-1", "--subresource=status", "--type=merge", "-p",
         json.dumps({"metadata": {"annotations": {NODE_STATE: node_state("uninstall/in_progress")}}})],
        (f'The Node "node-1" is invalid: {ENTRY}: cannot go from config/in_progress to uninstall/in_progress;'
        f" {FROM_CONFIG}; {AGAIN} (skyhook.node-package-step.edge)\n"),
    ),
    "a word of the status document that is no stage": (
        [*ASSIGN, f"{NODE_STATE}={node_state('config-check/complete')}"],
        (f'The Node "node-1" is invalid: {ENTRY}.stage: "config" -> "config-check" is not a stage; legal: apply, config,'
        " interrupt, post-interrupt, upgrade, uninstall, uninstall-interrupt; the check is part of the stage config,"
        " its name is no value of the API (skyhook.node-package-step.value)\n"),
    ),
    "an annotation that nobody can read": (
        [*ASSIGN, f"{NODE_STATE}={{broken"],
        (f'The Node "node-1" is invalid: metadata.annotations[{NODE_STATE}]: "{{broken" is not JSON, and the operator'
        ' stops on it; write a JSON map from "<name>|<version>" to package entries, or remove the annotation'
        " (skyhook.node-state-json)\n"),
    ),
    "a label outside the closed set": (
        ["label", "node", "node-1", "--overwrite", f"{NODE_STATUS}=done"],
        (f'The Node "node-1" is invalid: metadata.labels[{NODE_STATUS}]: "in_progress" -> "done" is not a node status;'
        f" legal: {STATUSES} (skyhook.node-status-label.value)\n"),
    ),
    "a cordon that is no cordon": (
        [*ASSIGN, f"{CORDON}=false"],
        (f'The Node "node-1" is invalid: metadata.annotations[{CORDON}]: "false" is not a value of this annotation;'
        " legal: true; remove the annotation to lift the cordon (skyhook.cordon.value)\n"),
    ),
    "a rollout reported as done": (
        [*STATUS_PATCH, '{"status": {"status": "complete"}}'],
        ('The Skyhook "gpu" is invalid: \n'
        '* status.status: "in_progress" -> "complete" while status.nodePriority still holds node-1;'
        " a complete Skyhook has no node waiting for its turn (skyhook.complete-needs-empty-priority)\n"
        '* status.status: "in_progress" -> "complete" while status.nodeStatus[node-1] is "in_progress";'
        " a Skyhook is complete when each of its nodes is (skyhook.complete-needs-nodes)\n"
        '* status.status: "in_progress" -> "complete" while status.conditions[Ready].status is "False";'
        " Ready turns True/NodesConverged in the same write (skyhook.complete-needs-ready)\n"
        '* status.status: "in_progress" -> "complete": only the operator writes this; it follows from the nodes: to hold it'
        " use `kubectl skyhook pause` or `disable`, to start over `kubectl skyhook reset` (skyhook.operator-only)\n"),
    ),
    "a node status by JSON patch": (
        ["patch", "skyhook", "gpu", "--subresource=status", "--type=json", "-p",
         '[{"op": "replace", "path": "/status/nodeStatus/node-1", "value": "erroring"}]'],
        ('The Skyhook "gpu" is invalid: status.nodeStatus[node-1]: "in_progress" -> "erroring": only the operator writes this;'
        " the Node's annotation decides: to run a package again use `kubectl skyhook package rerun`,"
        " to start a node over `kubectl skyhook node reset` (skyhook.operator-only)\n"),
    ),
    "a status that is taken away": (
        [*STATUS_PATCH, '{"status": {"status": null}}'],
        ('The Skyhook "gpu" is invalid: \n'
        '* status.status: "in_progress" -> absent: only the operator writes this; it follows from the nodes: to hold it'
        " use `kubectl skyhook pause` or `disable`, to start over `kubectl skyhook reset` (skyhook.operator-only)\n"
        '* status.status: "in_progress" -> absent: a status, once set, stays set (skyhook.status.removal)\n'),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", DENIED)
def test_a_denial_says_field_value_and_what_to_do(stage: Stage, what: str) -> None:
    args, said = DENIED[what]
    done = run(stage, *args)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", said)


@pytest.mark.parametrize(
    ("name", "verb"),
    [
        ("gpu", "apply --server-side --force-conflicts -f -"),
        ("gpu", "replace -f -"),
        ("new", "apply -f -"),
        ("new", "create -f -"),
        ("new", "create --dry-run=server -f -"),
        ("new", "apply --server-side -f -"),
    ],
)
def test_a_spec_is_told_all_that_is_wrong_with_it_by_every_verb(
    stage: Stage, name: str, verb: str
) -> None:
    done = run(stage, *verb.split(), body=manifest(name, **BAD))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f'The Skyhook "{name}" is invalid: \n{BAD_SAID}'


WARNED = {
    "a step back by hand": (
        [*ASSIGN, f"{NODE_STATE}={node_state('apply/in_progress')}"],
        "sre-oncall",
        (f"Warning: {ENTRY}: config/in_progress -> apply/in_progress is unusual;"
        " usual from config/in_progress: config/complete, config/erroring (skyhook.node-package-step.skip)\n"),
    ),
    "labels that match no Pod": (
        ["patch", "skyhook", "gpu", "--type=merge", "-p",
         '{"spec": {"podNonInterruptLabels": {"matchLabels": {"app": "a b"}}}}'],
        "platform-admin",
        ('Warning: spec.podNonInterruptLabels.matchLabels[app]: "a b" is no label value: must be empty, or letters, digits,'
        " -, _ and ., beginning and ending with a letter or digit (skyhook.pod-labels)\n"),
    ),
    "an operator under another name": (
        [*STATUS_PATCH, '{"status": {"status": "erroring"}}'],
        "bystander",
        ('Warning: status.status: "in_progress" -> "erroring": only the operator writes this, and'
        " system:serviceaccount:fleet:rollouts is not it as configured; if it is, add it to the setting `operators`"
        " (skyhook.operator-only)\n"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WARNED)
def test_a_warning_lets_the_write_through_and_says_why(stage: Stage, what: str) -> None:
    args, who, said = WARNED[what]
    done = run(stage, *args, who=who)
    assert (done.returncode, done.stderr) == (0, said)
    assert done.stdout.endswith(("annotated\n", "patched\n"))


def test_an_uninstall_that_is_called_off_is_warned_about(stage: Stage) -> None:
    block = {"enabled": True, "apply": True}
    old = rollout.skyhook()
    old["spec"]["packages"]["tuning"]["uninstall"] = block
    stage.set("Skyhook", old)
    stop = {"spec": {"packages": {"tuning": {"uninstall": {"apply": False}}}}}
    done = run(stage, "patch", "skyhook", "gpu", "--type=merge", "-p", json.dumps(stop))
    assert (done.returncode, done.stderr) == (
        0,
        (
            "Warning: spec.packages[tuning].uninstall.apply: true -> false cancels the uninstall; nodes where it is done"
            " will install the package again (skyhook.uninstall-cancelled)\n"
        ),
    )


SILENT = {
    "pause": "annotate skyhook gpu skyhook.nvidia.com/pause=true",
    "resume": "annotate skyhook gpu skyhook.nvidia.com/pause-",
    "label": "label skyhook gpu team=gpu",
    "ignore a Node": "label node node-1 skyhook.nvidia.com/ignore=true",
    "cordon": "cordon node-1",
    "node reset": f"annotate node node-1 {NODE_STATE}-",
    "reset, step by step": f"label node node-1 {NODE_STATUS}-",
    "priority": 'patch skyhook gpu --type=merge -p {"spec":{"priority":7}}',
    "delete": "delete skyhook gpu --wait=false",
}  # fmt: skip


@pytest.mark.parametrize("what", SILENT)
def test_what_people_may_do_goes_through_without_a_word(stage: Stage, what: str) -> None:
    done = run(stage, *SILENT[what].split())
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("verb", ["apply --server-side --force-conflicts -f -", "replace -f -"])
def test_a_good_manifest_goes_through_without_a_word(stage: Stage, verb: str) -> None:
    done = run(stage, *verb.split(), body=manifest())
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_damaged_may_be_repaired_by_hand(stage: Stage) -> None:
    old = rollout.node()
    old["metadata"]["annotations"][NODE_STATE] = "{broken"
    stage.set("Node", old)
    done = run(stage, *ASSIGN, f"{NODE_STATE}={node_state('post-interrupt/complete')}")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_controller_reads_the_first_finding_and_how_many_more_there_are(stage: Stage) -> None:
    change = {"status": {"status": "complete"}}
    answer = stage.cluster.call("operator", "PATCH", f"{SKYHOOK}/status", change, MERGE_PATCH)
    assert answer.body["message"] == (
        'admission webhook "validate-status.guard.skyhook.nvidia.com" denied the request: Skyhook "gpu" is invalid:'
        ' status.status: "in_progress" -> "complete" while status.nodePriority still holds node-1; a complete Skyhook has'
        " no node waiting for its turn (skyhook.complete-needs-empty-priority) (and 2 more)"
    )
