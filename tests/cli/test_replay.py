"""replay: the engine's verdicts on recorded writes, summed up and one by one, under any policy."""

from __future__ import annotations

import gzip
import io
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.corpus import reading
from tests.replaying import audit
from webhook.cli import main
from webhook.reviews.decode import decode_admission, request_of

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

EXCEPTIONS = str(reading.CHECKED_IN / reading.EXCEPTION_FILE)
CLEAN = str(reading.CHECKED_IN / "replay-chainsaw-skyhook-interrupt-grouping.jsonl.gz")


def run(capsys: Any, *arguments: str) -> tuple[int, str, str]:
    code = main(["replay", "--jobs", "1", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_every_distilled_review_gets_the_engines_verdict(engine: Engine, capsys: Any) -> None:
    path = reading.CHECKED_IN / reading.DISTILLED
    _, out, _ = run(capsys, "-o", "jsonl", "--least", "audit", str(path))
    rows = {row["line"]: row for row in map(json.loads, out.splitlines())}
    plain, seen = replace(engine, clock=None), 0
    for number, line in enumerate(reading.lines(reading.CHECKED_IN, names=[path.name]), 1):
        verdict = plain.judge_request(request_of(decode_admission(line)))
        row = rows.get(number)
        expected = [(f.rule, str(f.field)) for f in verdict.findings]
        assert (
            [(f["rule"], f["field"]) for f in row["findings"]] == expected if row else not expected
        )
        seen += bool(row)
        if row:
            assert row["allowed"] == verdict.allowed
            assert row["writer"] == verdict.writer.value
    assert seen == len(rows) > 0


def test_the_text_says_how_many_of_how_many_and_who_what_why(capsys: Any) -> None:
    code, out, _ = run(capsys, EXCEPTIONS, CLEAN)
    assert code == 1
    first = out.splitlines()[0]
    assert first.startswith("Of ")
    assert first.endswith(", 12 would have been denied.")
    assert "\nby rule\n  skyhook.node-state-json: 6 denied" in out
    assert "\nby writer\n  platform-admin: " in out
    assert "\nover time (UTC, " in out
    assert "platform-admin  UPDATE Node node-0\n    deny: metadata.annotations[" in out
    assert "exceptions.jsonl.gz:" in out
    code, out, _ = run(capsys, "--most", "2", EXCEPTIONS)
    assert "and 10 more; -o jsonl has them all" in out


def test_warnings_that_came_first_keep_no_denial_off_the_list(capsys: Any) -> None:
    warned = str(reading.CHECKED_IN / "replay-chainsaw-skyhook-uninstall-cancel.jsonl.gz")
    warnings = [warned] * 3
    assert run(capsys, *warnings)[1].count("\n    warn: ") == 3
    out = run(capsys, "--most", "1", *warnings, EXCEPTIONS)[1]
    assert out.count("\n    deny: ") == 1
    assert "\n    warn: " not in out


def test_where_nothing_could_be_judged_nothing_is_said_to_be_clean(
    tmp_path: Path, capsys: Any
) -> None:
    log = tmp_path / "audit.log"
    reviews = reading.reviews(reading.CHECKED_IN, names=[Path(CLEAN).name])
    with log.open("w") as stream:
        for _, event in audit.log(reviews):
            for body in ("requestObject", "responseObject"):
                event.pop(body, None)
            stream.write(json.dumps({**event, "level": "Metadata"}) + "\n")
    for given in (str(log), __file__):
        code, out, _ = run(capsys, given)
        assert code == 0
        assert out.startswith("No write was judged: this says nothing about the cluster.\n")
        assert "would have been denied" not in out
        assert run(capsys, "--require-match", given)[0] == 2


def test_a_clean_recording_is_said_to_be_clean(capsys: Any) -> None:
    code, out, err = run(capsys, CLEAN)
    assert code == 0
    assert ", 0 would have been denied." in out
    assert "each of them" not in out
    assert err == ""


def test_a_proposed_policy_is_tried_on_what_was_recorded(tmp_path: Path, capsys: Any) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("mode: audit\nmodes:\n- {mode: enforce, rules: [skyhook.node-state-json]}\n")
    code, out, _ = run(capsys, "--config", str(policy), EXCEPTIONS)
    assert code == 1
    assert "6 would have been denied.\n6 more break rules that this policy does not enforce." in out
    assert "audit (not enforced): " in out
    policy.write_text("mode: audit\n")
    assert run(capsys, "--config", str(policy), EXCEPTIONS)[0] == 0
    assert run(capsys, "--mode", "off", EXCEPTIONS)[1].startswith("Of 12 writes")
    code, out, _ = run(capsys, "--profile", "cluster-api-machine", EXCEPTIONS)
    assert (code, ", 0 would have been denied." in out) == (0, True)
    policy.write_text("mood: audit\n")
    assert run(capsys, "--config", str(policy), EXCEPTIONS)[0] == 2


def test_what_the_exit_code_says(tmp_path: Path, capsys: Any) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert run(capsys, EXCEPTIONS)[0] == 1
    assert run(capsys, "--fail-on", "nothing", EXCEPTIONS)[0] == 0
    assert run(capsys, "--mode", "warn", EXCEPTIONS)[0] == 0
    assert run(capsys, "--mode", "warn", "--fail-on", "warn", EXCEPTIONS)[0] == 1
    code, _, err = run(capsys, str(empty))
    assert (code, "nothing to judge was found" in err) == (0, True)
    assert run(capsys, "--require-match", str(empty))[0] == 2
    assert run(capsys, str(tmp_path / "missing"))[0] == 2
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(gzip.compress(b"x" * 1000)[:20])
    assert run(capsys, str(broken))[0] == 2


def test_json_and_yaml_are_one_document(capsys: Any) -> None:
    _, out, _ = run(capsys, "-o", "json", EXCEPTIONS)
    document = json.loads(out)
    assert document["summary"]["writes"] == 12
    assert document["summary"]["denied"] == len(document["results"]) == 12
    row = next(r for r in document["results"] if r["name"] == "node-0")
    assert row["user"] == "platform-admin"
    assert row["changes"][0][0].startswith("metadata.annotations[")
    assert sum(b["writes"] for b in document["summary"]["over_time"]["buckets"]) == 12
    again = yaml.safe_load(run(capsys, "-o", "yaml", EXCEPTIONS)[1])
    assert again["summary"]["denied"] == 12


def test_the_forms_of_validate_hold_the_writes_with_findings(capsys: Any) -> None:
    suites = ET.fromstring(run(capsys, "-o", "junit", EXCEPTIONS, CLEAN)[1])
    assert (suites.get("failures"), len(suites.findall(".//failure"))) == ("12", 12)
    sarif = json.loads(run(capsys, "-o", "sarif", EXCEPTIONS)[1])
    assert len(sarif["runs"][0]["results"]) >= 12
    github = run(capsys, "-o", "github", EXCEPTIONS)[1]
    assert github.count("::error ") >= 12


def test_a_place_in_sarif_is_a_uri(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "a name with ü.jsonl.gz"
    path.write_bytes(Path(EXCEPTIONS).read_bytes())
    sarif = json.loads(run(capsys, "-o", "sarif", str(path))[1])
    place = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"].endswith("a%20name%20with%20%C3%BC.jsonl.gz")


def test_standard_input_and_an_audit_log(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    names = ["replay-chainsaw-skyhook-malformed-node-state.jsonl.gz"]
    events = [e for _, e in audit.log(reading.reviews(reading.CHECKED_IN, names=names))]
    body = b"".join(json.dumps(e).encode() + b"\n" for e in events)

    class Stdin:
        buffer = io.BytesIO(body)

    monkeypatch.setattr(sys, "stdin", Stdin())
    code, out, _ = run(capsys, "-")
    assert code == 1
    assert "1 would have been denied." in out.splitlines()[0]
    assert "not judged\n  " in out
    metadata = tmp_path / "metadata.log"
    for event in events:
        event.pop("requestObject", None)
        event.pop("responseObject", None)
    metadata.write_text("".join(json.dumps({**e, "level": "Metadata"}) + "\n" for e in events))
    code, out, _ = run(capsys, str(metadata))
    assert code == 0
    assert "the log holds no bodies (level Metadata)" in out


@pytest.mark.nightly
def test_all_cores_say_the_same(capsys: Any) -> None:
    folder = str(reading.best_folder())
    one = run(capsys, "-o", "json", folder)
    code = main(["replay", "--jobs", "2", "-o", "json", folder])
    assert (code, capsys.readouterr().out) == one[:2]


def test_the_example_log_holds_recorded_writes_as_a_log_has_them() -> None:
    names = ["replay-chainsaw-skyhook-malformed-node-state.jsonl.gz"]
    made = [event for _, event in audit.log(reading.reviews(reading.CHECKED_IN, names=names))]
    with gzip.open(reading.ROOT / "examples" / "audit.log.gz") as stream:
        assert [json.loads(line) for line in stream] == made


def test_hours_in_which_nothing_happened_take_one_line(capsys: Any) -> None:
    names = ("malformed-node-state", "cli-lifecycle")
    kept = [str(p) for p in reading.files(reading.CHECKED_IN) if any(n in p.name for n in names)]
    out = run(capsys, *kept)[1]
    assert out.count("  …  nothing\n") == 1
    assert " 0 writes" not in out
