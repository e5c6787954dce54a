"""What `validate` reads: files, folders, stdin, gzip, Lists, reviews, and both sides of a write."""

from __future__ import annotations

import gzip

import pytest

from tests.lifecycle.skyhook import entry, node, skyhook
from tests.reviews.builders import ACCOUNT, OPERATOR, PERSON, body

BEFORE = skyhook(
    status="in_progress", nodeStatus={"n1": "in_progress"}, nodeBootIds={"n1": "a"},
    nodeState={"n1": {"foo|1.0": entry("config/in_progress")}},
)  # fmt: skip
ILLEGAL = body(
    node({"foo|1.0": entry("apply/in_progress")}),
    node({"foo|1.0": entry("interrupt/skipped")}),
    PERSON,
)
LEGAL = body(skyhook(), skyhook(status="waiting"), OPERATOR)


def changed(**status):
    return {**BEFORE, "status": {**BEFORE["status"], **status}}


def ids(done):
    return [(row["source"], row["index"], row["kind"], row["name"]) for row in done.rows]


def test_stdin_is_named_so(cli):
    done = cli("validate", "-o", "jsonl", "-", stdin=ILLEGAL)
    assert [(r["source"], r["allowed"]) for r in done.rows] == [("<stdin>", False)]


@pytest.mark.parametrize("name", ["r.jsonl", "r.jsonl.gz", "r.json", "reviews"])
def test_reviews_one_a_line_by_any_name(cli, write, name):
    data = b"\n".join([ILLEGAL, LEGAL, b"", ILLEGAL]) + b"\n"
    write(name, gzip.compress(data) if name.endswith("gz") else data)
    done = cli("validate", "-o", "jsonl", name)
    assert [(r["source"], r["index"], r["allowed"]) for r in done.rows] == [
        (name, 0, False), (name, 1, True), (name, 3, False),
    ]  # fmt: skip


def test_gzip_on_stdin_is_unpacked(cli):
    done = cli("validate", "-o", "jsonl", "-", stdin=gzip.compress(ILLEGAL + b"\n" + LEGAL + b"\n"))
    assert [r["allowed"] for r in done.rows] == [False, True]


def test_one_review_in_a_file_of_its_own_in_json_or_yaml(cli, write):
    import json

    import yaml

    write("r.json", json.dumps(json.loads(ILLEGAL), indent=2))
    write("r.yaml", yaml.safe_dump(json.loads(ILLEGAL)))
    assert [r["allowed"] for r in cli("validate", "-o", "jsonl", "r.json", "r.yaml").rows] == [
        False,
        False,
    ]


def test_a_bad_line_is_said_and_the_rest_is_judged(cli, write):
    name = write("r.jsonl", LEGAL + b'\n{"kind":"Pod"}\nrubbish\n' + ILLEGAL + b"\n")
    done = cli("validate", "-o", "jsonl", name)
    assert [r["allowed"] for r in done.rows] == [True, False, False, False]
    assert [f["rule"] for r in done.rows[1:3] for f in r["findings"]] == ["document.review"] * 2
    assert [f["line"] for r in done.rows[1:3] for f in r["findings"]] == [2, 3]
    assert done.code == 1


def test_folders_are_walked_in_order_and_strangers_skipped(cli, write):
    write("d/b.yaml", skyhook())
    write("d/a/x.yml", {**skyhook(), "metadata": {"name": "second"}})
    write("d/c.jsonl", LEGAL)
    write("d/notes.txt", "no")
    write("d/.hidden.yaml", "a: [")
    done = cli("validate", "-o", "jsonl", "d")
    assert sorted(ids(done)) == [
        ("d/a/x.yml", 0, "Skyhook", "second"), ("d/b.yaml", 0, "Skyhook", "gpu"), ("d/c.jsonl", 0, "Skyhook", "gpu"),
    ]  # fmt: skip
    assert cli("validate", "-o", "jsonl", "d").out == done.out


LISTED = """\
# a comment
---
---
apiVersion: skyhook.nvidia.com/v1alpha1
kind: Skyhook
metadata: {name: one, creationTimestamp: null}
spec: {}
status: {}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: other}}
- {apiVersion: skyhook.nvidia.com/v1alpha1, kind: Skyhook, metadata: {name: two}, spec: {}}
"""


def test_documents_and_lists_are_taken_apart_and_the_rest_skipped_with_a_notice(cli, write):
    done = cli("validate", "-o", "jsonl", write("a.yaml", LISTED))
    assert [(r["name"], r["allowed"]) for r in done.rows] == [("one", True), ("two", True)]
    assert "skipped, as no profile guards them: 1 ConfigMap\n" in done.err
    assert "skipped" not in cli("validate", "-q", "-o", "jsonl", "a.yaml").err


def test_nothing_to_judge_is_said(cli, write):
    done = cli(
        "validate", write("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n")
    )
    assert "nothing to judge was found" in done.err
    assert done.out == "0 judged: 0 allowed, 0 denied, 0 with warnings\n"


def test_an_object_without_a_former_self_is_created(cli, write):
    (row,) = cli("validate", "-o", "jsonl", write("a.json", BEFORE)).rows
    assert (row["operation"], row["allowed"]) == ("CREATE", True)


@pytest.mark.parametrize(
    ("args", "rules"),
    [
        ([], []),
        (["--user", PERSON], ["skyhook.operator-only"]),
        (["--user", OPERATOR], []),
        (["--user", "mine", "--operator", "mi*"], []),
        (["--user", ACCOUNT], []),
        (["--subresource", "status", "--user", PERSON], ["skyhook.operator-only"]),
        (["--subresource", "main", "--user", PERSON], []),
    ],
)
def test_who_writes_and_where(cli, write, args, rules):
    write("old.json", BEFORE)
    write("new.json", changed(status="blocked"))
    done = cli("validate", "--old", "old.json", *args, "-o", "jsonl", "new.json")
    (row,) = done.rows
    assert [f["rule"] for f in row["findings"] if f["severity"] == "deny"] == rules
    assert row["operation"] == "UPDATE"
    assert row["subresource"] == ("status" if "status" in args else "")


def test_groups_count_for_modes(cli, write):
    write("c.yaml", "modes:\n- {mode: 'off', writers: ['break-glass']}\n")
    write("old.json", BEFORE)
    write("new.json", changed(status="blocked"))
    common = [
        "validate",
        "--config",
        "c.yaml",
        "--old",
        "old.json",
        "--user",
        PERSON,
        "-o",
        "jsonl",
        "new.json",
    ]
    assert cli(*common).code == 1
    assert cli(*common, "--group", "break-glass").code == 0


@pytest.mark.parametrize(
    ("subresource", "old", "new", "allowed"),
    [
        (
            "status",
            BEFORE,
            {**BEFORE, "spec": {"packages": {"Bad_Key": {"version": "x", "image": "i"}}}},
            True,
        ),
        ("main", BEFORE, changed(status="done"), True),
        ("status", BEFORE, changed(status="done"), False),
        ("status", BEFORE, {k: v for k, v in BEFORE.items() if k != "status"}, False),
        ("main", BEFORE, {k: v for k, v in BEFORE.items() if k != "status"}, True),
    ],
)
def test_what_an_endpoint_resets_is_reset(cli, write, subresource, old, new, allowed):
    write("old.json", old)
    write("new.json", new)
    done = cli(
        "validate", "--old", "old.json", "--subresource", subresource, "-o", "jsonl", "new.json"
    )
    assert [r["allowed"] for r in done.rows] == [allowed], done.out


def test_the_former_self_is_found_by_kind_and_name_in_a_folder(cli, write):
    write("was/a.yaml", changed(nodeStatus={"n1": "waiting"}))
    write("was/b.yaml", {**BEFORE, "metadata": {"name": "other"}})
    write("new.json", changed(nodeStatus={"n1": "done"}))
    (row,) = cli("validate", "--old", "was", "-o", "jsonl", "new.json").rows
    assert row["findings"][0]["message"].startswith('"waiting" -> "done" is not a node status')


def test_an_operation_can_be_said(cli, write):
    write("old.json", BEFORE)
    write("new.json", changed(status="blocked"))
    (row,) = cli(
        "validate",
        "--old",
        "old.json",
        "--operation",
        "CREATE",
        "--user",
        PERSON,
        "-o",
        "jsonl",
        "new.json",
    ).rows
    assert (row["operation"], row["allowed"]) == ("CREATE", True)
