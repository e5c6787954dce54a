"""Public bug reports about reading people's files (B54a-e)."""

from __future__ import annotations

import pytest

from tests.server.cases import case


@pytest.fixture
def done(cli, write):
    def run(name, *more):
        request = case(name)["request"]
        for file, content in request["files"].items() if "files" in request else ():
            write(file, content)
        return cli(*request["args"], *more, stdin=request.get("stdin", "").encode())

    return run


@pytest.mark.parametrize("name", ["B54a", "B54b", "B54c", "B54d", "B54e"])
def test_the_exit_code_is_as_expected(done, name):
    got = done(name)
    assert got.code == case(name)["expect"]["exit_code"], got.out + got.err
    assert "Traceback" not in got.out + got.err


def test_b54a_times_are_the_text_in_the_file(done):
    got = done("B54a", "-o", "json")
    assert got.json["summary"] == {
        "total": 1,
        "allowed": 1,
        "denied": 0,
        "warned": got.json["summary"]["warned"],
    }
    assert "datetime" not in got.out + got.err


def test_b54b_a_number_is_no_version_and_all_is_said_in_one_run(done):
    out = done("B54b").out
    assert "spec.packages.tuning.version" in out.replace("[tuning]", ".tuning")
    assert "quote" in out
    assert '"1.1"' not in out
    for name in ("tuning", "other", "third"):
        assert f"[{name}]" in out or f".{name}." in out
    third = next(line for line in out.splitlines() if "third" in line)
    assert "version" in third
    assert "required" in third.lower() or "missing" in third.lower()


def test_b54c_a_key_given_twice_is_said_with_its_place(done, cli):
    out = done("B54c").out
    assert "a.yaml:8:5: " in out
    assert '"tuning" is given twice' in out
    got = cli("validate", "b.json")
    assert got.code == 1
    assert "b.json:1:" in got.out
    assert '"priority" is given twice' in got.out


def test_b54d_of_a_rendered_bundle_the_right_objects_are_judged(done):
    got = done("B54d", "-o", "jsonl")
    assert [(r["name"], r["allowed"]) for r in got.rows] == [("gpu-init", True), ("second", False)]
    assert any("interruptionBudget" in f["field"] for f in got.rows[1]["findings"])
    assert "1 ConfigMap" in got.err
    assert "2 judged: 1 allowed, 1 denied" in got.err


def test_b54e_words_of_yaml_1_1_are_not_turned_into_text(done):
    lines = done("B54e").out.splitlines()
    enabled, mode = (
        [x for x in lines if f"[{key}]" in x or f".{key}" in x] for key in ("enabled", "mode")
    )
    assert len(enabled) == len(mode) == 1
    assert "string" in enabled[0]
    assert "string" in mode[0]
    assert "True" not in enabled[0]
    # 12:30:45 is a number in YAML 1.1, but no Go reader knows it: to the API server it is a text.
    assert not any("span" in x for x in lines)
    assert {x.split(":")[0] for x in lines if ": deny: " in x} == {"a.yaml", "b.json"}
