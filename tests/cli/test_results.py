"""`validate -o json` and `-o jsonl`: the contract, field by field."""

from __future__ import annotations

import json

import pytest

from tests.lifecycle.skyhook import entry, node, skyhook
from tests.reviews.builders import OPERATOR, PERSON, UID, body

ILLEGAL = body(
    node({"foo|1.0": entry("apply/in_progress")}),
    node({"foo|1.0": entry("interrupt/skipped")}),
    PERSON,
)
ODD = body(
    node({"foo|1.0": entry("config/complete")}),
    node({"foo|1.0": entry("apply/in_progress")}),
    PERSON,
)
LEGAL = body(skyhook(), skyhook(status="waiting"), OPERATOR)
DELETED = body(skyhook(), None, PERSON, operation="DELETE")
PLACE = "metadata.annotations[skyhook.nvidia.com/nodeState_gpu][foo|1.0]"


@pytest.fixture
def lines(write):
    return write("reviews.jsonl", b"\n".join([ILLEGAL, LEGAL, ODD, DELETED]) + b"\n")


INSTEAD = (
    "to run a stage again use `kubectl skyhook package rerun`,"
    " to start the Node over `kubectl skyhook node reset`"
)


def test_json_is_one_document_with_results_and_summary(cli, lines):
    done = cli("validate", "-o", "json", lines)
    assert done.code == 1
    assert list(done.json) == ["results", "summary"]
    assert done.json["summary"] == {"total": 4, "allowed": 3, "denied": 1, "warned": 1}
    first, second, third, fourth = done.json["results"]
    assert first == {
        "source": "reviews.jsonl",
        "index": 0,
        "uid": UID,
        "kind": "Node",
        "name": "n1",
        "operation": "UPDATE",
        "subresource": "",
        "allowed": False,
        "warnings": [],
        "findings": [
            {
                "rule": "skyhook.node-package-step.edge",
                "field": PLACE,
                "severity": "deny",
                "message": "cannot go from apply/in_progress to interrupt/skipped; legal from apply/in_progress:"
                f" apply/complete, apply/erroring; {INSTEAD} (skyhook.node-package-step.edge)",
                "line": 1,
            }
        ],
    }
    assert (second["index"], second["allowed"], second["findings"], second["subresource"]) == (
        1,
        True,
        [],
        "status",
    )
    assert (third["allowed"], third["findings"][0]["severity"], third["findings"][0]["line"]) == (
        True,
        "warn",
        3,
    )
    assert (
        third["warnings"]
        == [
            (
                f"{PLACE}: config/complete -> apply/in_progress is unusual; usual from config/complete: interrupt/in_progress,"
                " config/in_progress, interrupt/skipped, uninstall/in_progress (skyhook.node-package-step.skip)"
            )
        ]
        or len(third["warnings"]) == 1
    )
    assert (fourth["operation"], fourth["allowed"]) == ("DELETE", True)


def test_jsonl_is_one_result_a_line_and_the_counts_go_to_stderr(cli, lines):
    whole, streamed = cli("validate", "-o", "json", lines), cli("validate", "-o", "jsonl", lines)
    assert streamed.rows == whole.json["results"]
    assert streamed.code == 1
    assert streamed.err == "4 judged: 3 allowed, 1 denied, 1 with warnings\n"
    assert cli("validate", "-q", "-o", "jsonl", lines).err == ""


def test_every_result_has_the_same_fields_in_the_same_order(cli, lines):
    for row in cli("validate", "-o", "jsonl", lines).rows:
        assert list(row) == [
            "source", "index", "uid", "kind", "name", "operation", "subresource", "allowed", "warnings", "findings",
        ]  # fmt: skip
        for finding in row["findings"]:
            assert list(finding)[:4] == ["rule", "field", "severity", "message"]


def test_what_is_only_audited_is_a_finding_too(cli, write):
    name = write("r.json", ILLEGAL)
    (row,) = cli("validate", "-o", "jsonl", "--mode", "audit", name).rows
    assert (row["allowed"], row["warnings"], row["findings"][0]["severity"]) == (True, [], "audit")


def test_text_says_place_kind_name_field_and_words(cli, lines):
    done = cli("validate", lines)
    denied, warned, counts = done.out.splitlines()
    assert denied == (
        f"reviews.jsonl:1: deny: Node n1: {PLACE}: cannot go from apply/in_progress to interrupt/skipped;"
        " legal from apply/in_progress: apply/complete, apply/erroring;"
        f" {INSTEAD} (skyhook.node-package-step.edge)"
    )
    assert warned.startswith(
        f"reviews.jsonl:3: warn: Node n1: {PLACE}: config/complete -> apply/in_progress is unusual"
    )
    assert counts == "4 judged: 3 allowed, 1 denied, 1 with warnings"
    assert (done.code, done.err) == (1, "")


def test_verbose_text_says_what_is_allowed_and_audited_too(cli, lines):
    out = cli("validate", "-v", "--mode", "audit", lines).out
    assert "reviews.jsonl: allowed: Skyhook gpu\n" in out
    assert f"reviews.jsonl:1: audit: Node n1: {PLACE}: " in out
    assert "audit" not in cli("validate", "--mode", "audit", lines).out


OLD_YAML = """\
apiVersion: skyhook.nvidia.com/v1alpha1
kind: Skyhook
metadata:
  name: gpu
spec: {}
status:
  status: waiting
  nodeStatus:
    n1: waiting
"""


def test_findings_in_manifests_have_line_and_column(cli, write):
    write("old.yaml", OLD_YAML)
    write("new.yaml", OLD_YAML.replace("n1: waiting", "n1: finished"))
    done = cli("validate", "--old", "old.yaml", "-o", "json", "new.yaml")
    (result,) = done.json["results"]
    assert (result["uid"], result["operation"], result["source"]) == (
        "Skyhook/gpu",
        "UPDATE",
        "new.yaml",
    )
    (finding,) = result["findings"]
    assert (finding["rule"], finding["field"], finding["line"], finding["column"]) == (
        "skyhook.node-status.value", "status.nodeStatus[n1]", 9, 5,
    )  # fmt: skip
    text = cli("validate", "--old", "old.yaml", "new.yaml").out
    assert text.startswith("new.yaml:9:5: deny: Skyhook gpu: status.nodeStatus[n1]: ")


def test_output_is_utf8_json_whatever_the_object_holds(cli, write):
    write("old.yaml", OLD_YAML)
    write("new.yaml", OLD_YAML.replace("n1: waiting", 'n1: "größer ✓ \\u2028"'))
    done = cli("validate", "--old", "old.yaml", "-o", "jsonl", "new.yaml")
    assert "größer ✓" in json.loads(done.out)["findings"][0]["message"]


TRAPS = """\
apiVersion: skyhook.nvidia.com/v1alpha1
kind: Skyhook
metadata:
  name: demo
  labels: {a: yes, b: 010}
spec:
  nodeSelectors: {matchLabels: {role: gpu}}
  priority: 010
  packages:
    tuning:
      version: 1.10
      image: r/x
      configMap: {when: 2026-11-29, at: 010, no: yes}
---
---
# nothing
---
apiVersion: v1
kind: List
items:
- apiVersion: skyhook.nvidia.com/v1alpha1
  kind: Skyhook
  metadata: {name: other}
  spec:
    packages:
      tuning:
        version: 2
        image: r/x
        image: r/y
---
apiVersion: skyhook.nvidia.com/v1alpha1
kind: Skyhook
spec: {priority: .nan, a: 1, a: 2}
"""
WHERE = {
    (5, "metadata.labels"): 2,
    (11, "spec.packages[tuning].version"): 1,
    (13, "spec.packages[tuning].configMap"): 2,
    (27, "spec.packages[tuning].version"): 1,
    (29, "spec.packages.tuning.image"): 1,
    (33, "spec"): 2,
}


def test_every_trap_of_yaml_is_told_where_it_stands(cli, write):
    """bug-reports.md G: B54a to B54e, each by line and column."""
    path = write("traps.yaml", TRAPS)
    done = cli("validate", "-o", "json", path)
    assert done.code == 1
    rows = [f for r in json.loads(done.out)["results"] for f in r["findings"]]
    traps = [f for f in rows if f["severity"] == "deny"]
    text = TRAPS.splitlines()
    for (line, field), least in WHERE.items():
        there = [f for f in traps if f["line"] == line and f["field"].startswith(field)]
        assert len({(f["column"], f["message"]) for f in there}) >= least, (line, there)
    for found in traps:
        assert text[found["line"] - 1][found["column"] - 1].strip(), found
    doubled = [f for f in traps if f["rule"] == "document.doubled-key"]
    assert [(f["line"], f["column"]) for f in doubled] == [(29, 9), (33, 30)]
    assert "deny: spec.priority: .nan" in cli("validate", path).out, "no name is no empty name"
