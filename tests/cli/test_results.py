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
