"""`profile new`, `learn`, `test` and `diff`, beyond what the tutorial shows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT
from webhook.cli import main
from webhook.documents import load_yaml
from webhook.lifecycle.draft import CrdError, draft_from_crd

if TYPE_CHECKING:
    from pathlib import Path

PHASES = ["Pending", "Ready", "true", "on"]


def crd(status: dict[str, Any], **more: Any) -> dict[str, Any]:
    version = {"name": "v1", "served": True, "storage": True}
    schema = {
        "openAPIV3Schema": {"properties": {"status": {"type": "object", "properties": status}}}
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{**version, "schema": schema}],
            **more,
        },
    }


def write(folder: Path, name: str, *documents: Any) -> str:
    file = folder / name
    text = [d if isinstance(d, str) else json.dumps(d) for d in documents]
    file.write_text("\n---\n".join(text) if name.endswith(".yaml") else "\n".join(text))
    return str(file)


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = main(["profile", *args])
    out = capsys.readouterr()
    return code, out.out, out.err


def state(phase: str | None, name: str = "w", **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": name, "uid": name},
        "status": {} if phase is None else {"phase": phase},
        **more,
    }


PROFILE = """\
profile: widget   # mine
match: {group: example.com, kind: Widget, versions: [v1]}
tracks:
  # what it goes through
  - id: phase
    path: status.phase
    values: [Pending, Ready, Failed]
    edges:
      Pending: [Ready]   # by design
"""


def test_new_knows_closed_values_stamps_times_and_conditions() -> None:
    element = {"type": "object", "properties": {"type": {}, "status": {}}}
    draft = draft_from_crd(
        crd(
            {
                "phase": {"type": "string", "enum": ["Pending", "Ready", ""]},
                "perNode": {
                    "type": "object",
                    "additionalProperties": {"properties": {"state": {"type": "string"}}},
                },
                "lastSync": {"type": "string", "format": "date-time"},
                "part": {"properties": {"observedGeneration": {"type": "integer"}}},
                "steps": {
                    "type": "array",
                    "items": {"properties": {"phase": {"enum": ["A", "B"]}}},
                },
                "conditions": {"type": "array", "items": element},
                "x.io/level": {"enum": ["low", "high"]},
            }
        )
    )
    assert draft.tracks == {
        "status.phase": ["Pending", "Ready"],
        'status."x.io/level"': ["low", "high"],
    }
    assert draft.open == ["status.perNode.*.state"]
    assert draft.times == ["status.lastSync"]
    assert draft.stamps == ["status.part.observedGeneration"]
    assert draft.conditions == ["status.conditions"]
    assert draft.beyond == ["status.steps[].phase"]


def test_versions_that_look_alike_share_a_profile() -> None:
    whole = crd({"phase": {"enum": PHASES}})
    stored = whole["spec"]["versions"][0]
    other = crd({"state": {"enum": ["A"]}})["spec"]["versions"][0]
    whole["spec"]["versions"] = [
        {**stored, "name": "v1beta1", "storage": False},
        {**other, "name": "v1alpha1", "storage": False},
        {**stored, "name": "v1alpha0", "served": False, "storage": False},
        stored,
    ]
    draft = draft_from_crd(whole)
    assert (draft.versions, draft.others) == (["v1", "v1beta1"], ["v1alpha1"])


@pytest.mark.parametrize(
    "document",
    [None, {}, {"kind": "Widget"}, {"kind": "CustomResourceDefinition"}, crd({}, versions=[])],
)
def test_what_is_no_crd_is_refused(document: Any) -> None:
    with pytest.raises(CrdError):
        draft_from_crd(document)


def test_a_draft_holds_and_quotes_what_yaml_would_misread(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, "crd.yaml", crd({"phase": {"enum": PHASES}}))
    code, text, _ = run(capsys, "new", "--from-crd", file, "--name", "w")
    assert code == 0
    document = load_yaml(text, "draft")
    assert document["profile"] == "w"
    assert document["tracks"][0]["values"] == PHASES
    assert run(capsys, "test", write(tmp_path, "w.yaml", text))[0] == 0


@pytest.mark.parametrize(
    "file", sorted((ROOT / "manifests" / "crds").glob("*.yaml")), ids=lambda p: p.stem
)
def test_our_own_crds_give_drafts_that_hold(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text, _ = run(capsys, "new", "--from-crd", str(file))
    assert code == 0
    draft = write(tmp_path, "draft.yaml", text)
    assert run(capsys, "check", draft)[0] == 0
    if "examples:" in text:
        assert run(capsys, "test", draft)[0] == 0


def test_which_of_several_crds_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(
        tmp_path, "crds.yaml", crd({}), crd({}, names={"kind": "Other", "plural": "others"})
    )
    code, _, err = run(capsys, "new", "--from-crd", file)
    assert code == 2
    assert "Widget, Other" in err
    assert "kind: Other" in run(capsys, "new", "--from-crd", file, "--kind", "Other")[1]


def learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *states: Any, args: tuple[str, ...] = ()
) -> tuple[str, dict[str, Any], str]:
    profile = write(tmp_path, "widget.yml", PROFILE)
    watched = write(tmp_path, "watched.json", *states)
    code, text, err = run(capsys, "learn", "--into", profile, watched, *args)
    assert code == 0, err
    return text, load_yaml(text, "learned"), err


def test_learned_steps_join_those_of_the_author(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    states = [state(p) for p in [None, *(["Pending", "Ready", "Failed"] * 4)]]
    text, document, err = learned(tmp_path, capsys, *states)
    [track] = document["tracks"]
    assert track["edges"] == {"Pending": ["Ready"], "Ready": ["Failed"], "Failed": ["Pending"]}
    assert track["entry_skips"] == ["Pending"] if "entry" in track else "entry_skips" not in track
    assert "# mine" in text
    assert "# by design" in text
    assert "Failed: [Pending]  # seen: Pending 3" in text
    assert "learned from 12 writes" in err


def test_rare_steps_are_skips_and_strange_words_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, document, err = learned(tmp_path, capsys, *map(state, ["Ready", "Pending", "Broken"]))
    assert document["tracks"][0]["skips"] == {"Ready": ["Pending"], "Pending": ["Broken"]}
    assert "phase: seen, but none of its values: Broken" in err
    assert "phase: never seen, so no step leads to it or from it: Failed" in err


def test_a_path_that_is_no_track_becomes_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    states = [state("Ready", spec={"mode": mode}) for mode in ["a", "b", "a", "b", "a"]]
    args = ("--path", "spec.mode", "--at-least", "2")
    _, document, _ = learned(tmp_path, capsys, *states, args=args)
    assert document["tracks"][1] == {
        "id": "mode",
        "path": "spec.mode",
        "values": ["b", "a"],
        "edges": {"a": ["b"], "b": ["a"]},
    }


def test_watch_events_and_reviews_are_read_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = {
        "uid": "x",
        "operation": "UPDATE",
        "kind": {"group": "example.com", "version": "v1", "kind": "Widget"},
        "object": state("Failed"),
        "oldObject": state("Pending"),
    }
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    events = [
        {"type": "ADDED", "object": state("Ready", "a")},
        {"type": "MODIFIED", "object": state("Failed", "a")},
        {"type": "DELETED", "object": state("Failed", "a")},
        {"type": "ADDED", "object": state("Pending", "a")},
    ]
    _, document, err = learned(
        tmp_path, capsys, review, *events, {"kind": "Other"}, args=("--at-least", "1")
    )
    edges = document["tracks"][0]["edges"]
    assert edges == {"Pending": ["Ready", "Failed"], "Ready": ["Failed"]}
    assert "learned from 2 writes" in err


def test_an_example_that_is_not_met_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    beside = "deny:\n  - {id: fine, old: {status.phase: Ready}, new: {status.phase: Pending}, rule: phase.edge}\n"
    inside = "examples:\n  odd:\n    - {id: wrong, old: {status.phase: Pending}, new: {status.phase: Ready}}\n"
    file = write(tmp_path, "widget.yaml", PROFILE + inside)
    write(tmp_path, "widget.examples.yaml", beside)
    code, out, _ = run(capsys, "test", file)
    assert code == 1
    assert f"{file}: wrong: expected warn, got allow" in out
    assert "1 of 2 examples as expected" in out


def test_a_profile_without_examples_is_not_taken_for_tested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, "test", write(tmp_path, "widget.yaml", PROFILE))
    assert code == 2
    assert "there are no examples" in err


def test_diff_says_what_is_newly_denied(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = write(tmp_path, "a.yaml", PROFILE)
    new = write(tmp_path, "b.yaml", PROFILE.replace("Pending: [Ready]", "Ready: [Failed]"))
    code, out, _ = run(capsys, "diff", old, new)
    assert code == 1
    assert "harsher  phase: Pending -> Ready: allow -> deny" in out
    assert "milder   phase: Ready -> Failed: deny -> allow" in out
    assert run(capsys, "diff", old, old) == (0, "both judge alike\n", "")
    seen = write(tmp_path, "seen.json", *map(state, ["Pending", "Ready", "Ready"]))
    code, out, _ = run(capsys, "diff", old, new, seen)
    assert code == 1
    assert "newly denied (1): widget.phase.edge at status.phase" in out
    quiet = write(tmp_path, "quiet.json", *map(state, ["Failed", "Failed"]))
    assert run(capsys, "diff", old, new, quiet)[0] == 0


def test_diff_sees_each_kind_of_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = (
        "monotone:\n  - {id: stamp, path: status.stamp, order: int, down: warn}\n"
        "requires:\n  - {id: never, severity: warn, when: [{path: status.x, present: true}]}\n"
    )
    changed = (
        "monotone:\n  - {id: stamp, path: status.stamp, order: int}\n"
        "requires:\n  - {id: never, severity: warn, when: [{path: status.y, present: true}]}\n"
    )
    old = write(tmp_path, "a.yaml", PROFILE + rules)
    new = write(tmp_path, "b.yaml", PROFILE.replace("Failed]", "Broken]") + changed)
    code, out, _ = run(capsys, "diff", old, new)
    assert code == 1
    assert set(out.splitlines()) == {
        "harsher  phase: the word Failed: allow -> deny",
        "milder   phase: the word Broken: deny -> allow",
        "harsher  stamp: down: warn -> deny",
        "harsher  never: its conditions: changed; only recorded writes show what that means",
    }
