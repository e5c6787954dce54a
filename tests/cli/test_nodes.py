"""`--nodes`: copies in Skyhook.status are compared with the Nodes there are (L1, L2, L39)."""

from __future__ import annotations

import pytest
import yaml

from tests.lifecycle.skyhook import entry, node, ready, skyhook
from tests.reviews.builders import ACCOUNT, OPERATOR, PERSON

BASE = {
    "status": "in_progress", "nodeStatus": {"n1": "erroring"}, "nodeBootIds": {"n1": "a", "n9": "b"},
    "nodeState": {"n1": {"foo|1.0": entry("config/in_progress")}}, "conditions": [ready()],
}  # fmt: skip
CLAIMS = {
    "L1": ({"nodeState": {"n1": {"foo|1.0": entry("config/complete")}}}, "skyhook.node-state-copy"),
    "L2": ({"nodeStatus": {"n1": "complete"}}, "skyhook.node-status-copy"),
    "L39": ({"nodeStatus": {"n1": "erroring", "n9": "waiting"}}, "skyhook.node-status-copy"),
}


@pytest.fixture
def judge(cli, write):
    def run(claim, nodes, user):
        write("old.json", skyhook(**BASE))
        write("new.json", skyhook(**{**BASE, **claim}))
        flags = [] if nodes is None else ["--nodes", nodes]
        return cli(
            "validate", "--old", "old.json", "--user", user, *flags, "-o", "jsonl", "new.json"
        ).rows[0]

    return run


@pytest.fixture
def nodes(write):
    """The Nodes there are: one, with two states, the later one last."""
    pairs = ("apply/in_progress", "config/in_progress")
    states = [node({"foo|1.0": entry(pair)}, status="erroring") for pair in pairs]
    return write("nodes.yaml", yaml.safe_dump_all(states))


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize(
    ("user", "severity"), [(PERSON, "deny"), (ACCOUNT, "warn"), (OPERATOR, "warn")]
)
def test_a_claim_that_no_node_bears_out_is_found(judge, nodes, name, user, severity):
    claim, rule = CLAIMS[name]
    found = {f["rule"]: f["severity"] for f in judge(claim, nodes, user)["findings"]}
    assert found[rule] == severity


@pytest.mark.parametrize("name", CLAIMS)
def test_without_nodes_nothing_is_compared(judge, name):
    claim, rule = CLAIMS[name]
    assert rule not in {f["rule"] for f in judge(claim, None, OPERATOR)["findings"]}


@pytest.mark.parametrize("pair", ["apply/in_progress", "config/in_progress"])
def test_a_value_that_the_node_has_or_had_is_a_copy(judge, nodes, pair):
    claim = {"nodeState": {"n1": {"foo|1.0": entry(pair, restarts=7)}}}
    assert "skyhook.node-state-copy" not in {
        f["rule"] for f in judge(claim, nodes, OPERATOR)["findings"]
    }


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a: [\n", "while parsing"),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", "holds no Node"),
        ("", "holds no Node"),
    ],
)
def test_nodes_that_cannot_be_read_are_an_error_and_not_absent(cli, write, content, words):
    write("old.json", skyhook(**BASE))
    write("new.json", skyhook(**{**BASE, "nodeStatus": {"n1": "complete"}}))
    done = cli("validate", "--old", "old.json", "--nodes", write("nodes.yaml", content), "new.json")
    assert done.code == 2
    assert "nodes.yaml" in done.err
    assert words in done.err
    assert done.out == ""
