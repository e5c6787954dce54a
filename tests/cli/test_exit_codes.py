"""0 nothing denied, 1 something would be denied, 2 usage or unreadable input, 3 our fault."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.lifecycle.skyhook import entry, node, skyhook
from tests.reviews.builders import PERSON, body
from tests.server.process import ROOT
from webhook.cli import main

ILLEGAL = body(
    node({"foo|1.0": entry("apply/in_progress")}),
    node({"foo|1.0": entry("interrupt/skipped")}),
    PERSON,
)
LEGAL = body(skyhook(), skyhook(status="waiting"), PERSON.replace("sre", "x"), operation="DELETE")
NOTHING = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"


@pytest.mark.parametrize(
    ("files", "args", "code"),
    [
        ({"a.json": LEGAL}, ["a.json"], 0),
        ({"a.json": ILLEGAL}, ["a.json"], 1),
        ({"a.json": ILLEGAL}, ["--mode", "warn", "a.json"], 0),
        ({"a.json": ILLEGAL, "b.json": b'{"kind":"AdmissionReview"}'}, ["a.json", "b.json"], 1),
        ({"a.json": LEGAL, "b.json": b'{"kind":"AdmissionReview"}'}, ["a.json", "b.json"], 2),
        ({"a.jsonl": LEGAL + b"\nrubbish\n"}, ["a.jsonl"], 2),
        ({"a.yaml": "a: [\n"}, ["a.yaml"], 2),
        ({"a.yaml": NOTHING}, ["a.yaml"], 0),
        ({"a.yaml": ""}, ["a.yaml"], 0),
        ({}, ["none.yaml"], 2),
        ({}, [], 2),
        ({}, ["--no-such-flag", "x"], 2),
        ({"a.json": LEGAL}, ["-o", "xml", "a.json"], 2),
        ({"a.json": LEGAL}, ["--mode", "maybe", "a.json"], 2),
        ({"a.json": LEGAL}, ["--config", "none.yaml", "a.json"], 2),
        ({"a.json": LEGAL}, ["--profile", "none", "a.json"], 2),
        ({"a.json": LEGAL}, ["--profile", "none.yaml", "a.json"], 2),
        ({"a.json": LEGAL}, ["--operator-version", "skyhook", "a.json"], 2),
        ({"a.json": LEGAL}, ["--operator-version", "skyhook=x", "a.json"], 2),
        ({"a.json": LEGAL}, ["--operator-version", "none=0.16", "a.json"], 2),
        ({"a.json": LEGAL}, ["--old", "none.yaml", "a.json"], 2),
        ({"a.json": LEGAL, "o.yaml": "a: ["}, ["--old", "o.yaml", "a.json"], 2),
        ({"a.json": LEGAL, "o.jsonl": LEGAL}, ["--old", "o.jsonl", "a.json"], 2),
        ({"a.json": LEGAL}, ["--nodes", "none.yaml", "a.json"], 2),
        ({"a.json": LEGAL, "n.yaml": "a: ["}, ["--nodes", "n.yaml", "a.json"], 2),
        ({"a.json": LEGAL, "n.yaml": NOTHING}, ["--nodes", "n.yaml", "a.json"], 2),
    ],
)  # fmt: skip
def test_validate_ends_with(cli, write, files, args, code):
    for name, content in files.items():
        write(name, content)
    done = cli("validate", *args)
    assert done.code == code, done.err
    assert "Traceback" not in done.err + done.out
    if code == 2:
        assert done.err or "document." in done.out


@pytest.mark.parametrize(
    "args",
    [
        ["--help"],
        ["-h"],
        ["--version"],
        ["validate", "--help"],
        ["serve", "-h"],
        ["profile", "check", "--help"],
    ],
)
def test_help_and_version_are_no_failure(cli, args):
    done = cli(*args)
    assert done.code == 0
    assert done.out
    assert done.err == ""


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["no-such-verb"],
        ["profile", "check"],
        ["serve", "--port", "x"],
        ["serve", "--workers", "0"],
    ],
)
def test_wrong_usage_is_2_and_said_on_stderr(cli, args):
    done = cli(*args)
    assert done.code == 2
    assert done.out == ""
    assert done.err


def test_a_fault_of_ours_is_3_and_says_how_to_see_more(cli, write, monkeypatch):
    write("a.json", ILLEGAL)

    def broken(*_args, **_kwargs):
        raise KeyError("inside")

    monkeypatch.setattr("webhook.reviews.engine.Engine.judge_request", broken)
    done = cli("validate", "a.json")
    assert done.code == 3
    assert done.err.splitlines() == [
        "skyhook-webhook: a fault of ours: KeyError: 'inside'",
        "Set SKYHOOK_WEBHOOK_TRACE=1 to see where, and report it please.",
    ]
    monkeypatch.setenv("SKYHOOK_WEBHOOK_TRACE", "1")
    assert "Traceback" in cli("validate", "a.json").err


def test_ctrl_c_is_130(cli, write, monkeypatch):
    write("a.json", ILLEGAL)

    def interrupted(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("webhook.reviews.engine.Engine.judge_request", interrupted)
    assert cli("validate", "a.json").code == 130


def test_the_module_and_the_script_are_one(tmp_path):
    (tmp_path / "a.json").write_bytes(ILLEGAL)
    script = [sys.executable, "-m", "webhook", "validate", str(tmp_path / "a.json")]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "1 judged: 0 allowed, 1 denied, 0 with warnings"
    assert done.stderr == ""


def test_main_takes_arguments_and_returns_a_code():
    assert main(["--version"]) == 0
