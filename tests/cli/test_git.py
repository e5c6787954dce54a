"""validate --git: the same verdicts as the engine's on the same writes, and no trap of git's."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.cli.histories import Recorder, git, repository
from tests.corpus import reading
from webhook.cli import main
from webhook.reviews.decode import decode_admission, request_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from webhook.reviews.engine import Engine

GUARDED = {"Skyhook", "Node", "DeploymentPolicy"}
Row = dict[str, Any]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[Row], str]:
    """Exit code, results, and stderr of `validate --git … -o jsonl`."""
    code = main(["validate", "-o", "jsonl", *arguments])
    printed = capsys.readouterr()
    return code, [json.loads(line) for line in printed.out.splitlines()], printed.err


def judged(engine: Engine, review: dict[str, Any]) -> set[tuple[str, str, str]]:
    """What the engine says of a recorded write by somebody unknown."""
    body = msgspec.json.encode(review)
    request = msgspec.structs.replace(request_of(decode_admission(body)), user_info=None)
    verdict = replace(engine, clock=None).judge_request(request)
    named = (("deny", verdict.denied), ("warn", verdict.warned), ("audit", verdict.audited))
    return {(effect, f.rule, str(f.field)) for effect, found in named for f in found}


def found(rows: Iterable[Row]) -> set[tuple[str, str, str]]:
    return {(f["severity"], f["rule"], f["field"]) for row in rows for f in row["findings"]}


def compare(
    engine: Engine, folder: Path, reviews: Iterable[dict[str, Any]], capsys: Any
) -> tuple[int, int]:
    """Makes a history, judges it in one run; returns how many writes agreed, and were denied."""
    recorder = Recorder(repository(folder))
    recorder.play(reviews)
    commits = recorder.finish()
    _, rows, _ = run(capsys, "-q", "--git", f"{commits[0]}..main", "--each-commit")
    by_commit: dict[str, list[Row]] = {}
    for row in rows:
        by_commit.setdefault(row["source"].partition(":")[0], []).append(row)
    denied = 0
    for number, review in recorder.writes.items():
        there = by_commit.get(commits[number - 1][:12], [])
        assert found(there) == judged(engine, review), (review["scenario"], review["seq"])
        assert len(there) <= 1, there
        denied += not all(row["allowed"] for row in there)
        if there:
            request = review["request"]
            assert there[0]["operation"] == request["operation"]
            assert there[0]["subresource"] == expected_endpoint(request)
    return len(recorder.writes), denied


def expected_endpoint(request: dict[str, Any]) -> str:
    """The recorded endpoint, where a history can tell: it is the half of the object that changed."""
    old, new = request.get("oldObject"), request.get("object")
    if not old or not new or (old.get("status") or {}) == (new.get("status") or {}):
        return ""
    return "status"


def recorded(folder: Path, *names: str) -> list[dict[str, Any]]:
    kept = [path.name for path in reading.files(folder) if not names or path.name in names]
    every = reading.reviews(folder, names=kept)
    return [r for r in every if r["request"]["kind"]["kind"] in GUARDED]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository, in which we are; whatever git hook or CI runs this test."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    made = repository(tmp_path / "repository")
    monkeypatch.chdir(made)
    return made


def test_histories_made_of_recordings_get_the_engines_verdicts(
    engine: Engine, folder: Path, capsys: Any
) -> None:
    names = (reading.EXCEPTION_FILE, "replay-chainsaw-skyhook-malformed-node-state.jsonl.gz",
             "replay-chainsaw-skyhook-interrupt-grouping.jsonl.gz", "replay-migration.jsonl.gz")  # fmt: skip
    writes, denied = compare(engine, folder, recorded(reading.CHECKED_IN, *names), capsys)
    assert writes > 200
    assert denied >= 12


@pytest.mark.nightly
@pytest.mark.skipif(not reading.SHARED.is_dir(), reason="../shared is not beside this clone")
@pytest.mark.parametrize("path", reading.files(reading.SHARED), ids=lambda p: p.name.split(".")[0])
def test_histories_made_of_all_recordings_get_the_engines_verdicts(
    engine: Engine, folder: Path, capsys: Any, path: Path
) -> None:
    compare(engine, folder, recorded(reading.SHARED, path.name), capsys)


SKYHOOK = """\
apiVersion: skyhook.nvidia.com/v1alpha1
kind: Skyhook
metadata:
  name: {name}
  generation: 1
spec:
  nodeSelectors: {{matchLabels: {{role: gpu}}}}
  packages:
    tuning: {{version: {version}, image: registry.example/pkgs/tuning, interrupt: {{type: reboot}}}}
status:
  status: in_progress
  completeNodes: 0/1
  nodesInProgress: 1
  packageList: tuning:{version}
  nodeStatus: {{node-a: in_progress}}
  nodeState:
    node-a:
      tuning|1.2.3: {{name: tuning, version: 1.2.3, image: registry.example/pkgs/tuning, stage: {stage}, state: complete}}
"""


def skyhook(name: str = "demo", version: str = "1.2.3", stage: str = "config") -> str:
    return SKYHOOK.format(name=name, version=version, stage=stage)


def commit(folder: Path, files: dict[str, str | None], message: str = "x") -> str:
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def brief(rows: Iterable[Row]) -> list[tuple[str, str, str, str, bool]]:
    return [(r["source"], r["name"], r["operation"], r["subresource"], r["allowed"]) for r in rows]


def test_a_step_that_nobody_makes_is_denied_in_the_work_tree_the_index_and_a_range(
    folder: Path, capsys: Any
) -> None:
    first = commit(folder, {"a.yaml": skyhook(), "readme.md": "x"})
    (folder / "a.yaml").write_text(skyhook(stage="nowhere"))
    expected = [("a.yaml", "demo", "UPDATE", "status", False)]
    code, rows, _ = run(capsys, "--git", "HEAD")
    assert (code, brief(rows)) == (1, expected)
    assert [f["line"] for f in rows[0]["findings"] if f["severity"] == "deny"] == [18]
    code, rows, said = run(capsys, "--git", "HEAD", "--staged")
    assert (code, rows) == (0, [])
    assert "nothing to judge" in said
    git(folder, "add", "a.yaml")
    assert brief(run(capsys, "--git", "HEAD", "--staged")[1]) == expected
    git(folder, "commit", "-q", "-m", "y")
    assert brief(run(capsys, "--git", f"{first}..HEAD")[1]) == expected
    assert brief(run(capsys, "--git", f"{first}..")[1]) == expected
    assert brief(run(capsys, "--git", "HEAD..HEAD")[1]) == []
    assert brief(run(capsys, "--git", f"HEAD..{first}")[1]) == [
        ("a.yaml", "demo", "UPDATE", "status", True)
    ], "from an illegal value every legal one is a repair"


def test_three_dots_compare_with_the_merge_base(folder: Path, capsys: Any) -> None:
    commit(folder, {"a.yaml": skyhook()})
    git(folder, "checkout", "-q", "-b", "side")
    commit(folder, {"b.yaml": skyhook("other")})
    git(folder, "checkout", "-q", "main")
    commit(folder, {"a.yaml": skyhook(version="1.2.4")})
    assert [r["name"] for r in run(capsys, "--git", "main...side")[1]] == ["other"]
    assert {r["name"] for r in run(capsys, "--git", "main..side")[1]} == {"demo", "other"}


def test_renames_are_followed_by_file_and_by_identity(folder: Path, capsys: Any) -> None:
    commit(folder, {"a.yaml": skyhook(), "two.yaml": f"{skyhook('first')}---\n{skyhook('second')}"})
    git(folder, "mv", "a.yaml", "moved name ü.yaml")
    (folder / "moved name ü.yaml").write_text(skyhook(stage="nowhere"))
    (folder / "two.yaml").write_text(skyhook("first"))
    (folder / "new").mkdir()
    (folder / "new" / "y.yaml").write_text(skyhook("second", stage="interrupt"))
    code, rows, said = run(capsys, "--git", "HEAD")
    assert code == 1, said
    assert brief(rows) == [
        ("moved name ü.yaml", "demo", "UPDATE", "status", False),
        ("new/y.yaml", "second", "UPDATE", "status", True),
    ]
    assert "deleted" not in said


def test_the_same_object_in_two_overlays_is_compared_with_its_own_file(
    folder: Path, capsys: Any
) -> None:
    commit(folder, {"base/a.yaml": skyhook(stage="apply"), "over/a.yaml": skyhook(stage="config")})
    commit(
        folder, {"base/a.yaml": skyhook(stage="config"), "over/a.yaml": skyhook(stage="interrupt")}
    )
    assert [r["allowed"] for r in run(capsys, "--git", "HEAD~..HEAD")[1]] == [True, True]


def test_deleted_objects_are_named(folder: Path, capsys: Any) -> None:
    commit(folder, {"a.yaml": skyhook(), "two.yaml": f"{skyhook('first')}---\n{skyhook('second')}"})
    commit(folder, {"a.yaml": None, "two.yaml": skyhook("first")})
    code, rows, said = run(capsys, "--git", "HEAD~..HEAD")
    assert code == 0
    assert brief(rows) == [
        ("a.yaml", "demo", "DELETE", "", True),
        ("two.yaml", "second", "DELETE", "", True),
    ]
    assert "deleted: Skyhook demo (a.yaml)" in said
    assert main(["validate", "--git", "HEAD~"]) == 0
    assert "a.yaml: deleted: Skyhook demo" in capsys.readouterr().out


def test_lists_and_many_documents_are_opened_and_what_did_not_change_is_left_out(
    folder: Path, capsys: Any
) -> None:
    def as_list(stage: str) -> str:
        items = (skyhook(), skyhook("second", stage=stage))
        nested = "".join("- " + text.replace("\n", "\n  ").rstrip() + "\n" for text in items)
        return f"apiVersion: v1\nkind: List\nitems:\n{nested}"

    commit(folder, {"list.yaml": as_list("config"), "many.yaml": f"# c\n---\n{skyhook('m')}"})
    commit(
        folder,
        {"list.yaml": as_list("nowhere"), "many.yaml": f"---\n{skyhook('m')}# other comment"},
    )
    _, rows, _ = run(capsys, "--git", "HEAD~..HEAD")
    assert brief(rows) == [("list.yaml", "second", "UPDATE", "status", False)]
    assert rows[0]["index"] == 1


def test_a_commit_that_changes_spec_and_status_is_two_writes(folder: Path, capsys: Any) -> None:
    commit(folder, {"a.yaml": skyhook()})
    commit(folder, {"a.yaml": skyhook(version="1.2.4", stage="nowhere")})
    _, rows, _ = run(capsys, "--git", "HEAD~..HEAD")
    assert [(r["subresource"], r["allowed"]) for r in rows] == [("", True), ("status", False)]
    _, rows, _ = run(capsys, "--git", "HEAD~..HEAD", "--subresource", "main")
    assert [(r["subresource"], r["allowed"]) for r in rows] == [("", True)]


def test_a_nodes_annotations_and_conditions_are_one_status_write(folder: Path, capsys: Any) -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata:\n  name: n\n  annotations: {a: '%s'}\nstatus: {phase: '%s'}\n"
    commit(folder, {"n.yaml": node % (1, 1)})
    commit(folder, {"n.yaml": node % (2, 2)})
    commit(folder, {"n.yaml": node % (3, 2)})
    _, rows, _ = run(capsys, "--git", "HEAD~2..", "--each-commit")
    assert [r["subresource"] for r in rows] == ["status", ""]


def test_each_commit_finds_what_the_two_ends_hide(folder: Path, capsys: Any) -> None:
    first = commit(folder, {"a.yaml": skyhook()})
    bad = commit(folder, {"a.yaml": skyhook(stage="nowhere")})
    commit(folder, {"a.yaml": skyhook()})
    assert run(capsys, "--git", f"{first}..")[0] == 0
    code, rows, _ = run(capsys, "--git", f"{first}..", "--each-commit")
    assert code == 1
    assert (rows[0]["source"], rows[0]["allowed"]) == (f"{bad[:12]}:a.yaml", False)


def test_a_merge_counts_as_what_it_brought_to_the_first_parent(folder: Path, capsys: Any) -> None:
    first = commit(folder, {"a.yaml": skyhook(), "b.yaml": skyhook("b")})
    git(folder, "checkout", "-q", "-b", "side")
    commit(folder, {"b.yaml": skyhook("b", stage="nowhere")})
    git(folder, "checkout", "-q", "main")
    commit(folder, {"a.yaml": skyhook(stage="interrupt")})
    git(folder, "merge", "-q", "--no-ff", "-m", "merge", "side")
    _, rows, _ = run(capsys, "--git", f"{first}..", "--each-commit")
    assert [(r["name"], r["allowed"]) for r in rows] == [("demo", True), ("b", False)]


def test_paths_limit_what_is_looked_at_and_are_taken_literally(
    folder: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(folder, {"x/a.yaml": skyhook(), "y/[b]*.yaml": skyhook("b")})
    commit(
        folder,
        {"x/a.yaml": skyhook(stage="interrupt"), "y/[b]*.yaml": skyhook("b", stage="interrupt")},
    )
    assert [r["name"] for r in run(capsys, "--git", "HEAD~", "x")[1]] == ["demo"]
    assert [r["name"] for r in run(capsys, "--git", "HEAD~", "y/[b]*.yaml")[1]] == ["b"]
    monkeypatch.chdir(folder / "y")
    assert [r["source"] for r in run(capsys, "--git", "HEAD~")[1]] == ["x/a.yaml", "y/[b]*.yaml"]
    assert [r["source"] for r in run(capsys, "--git", "HEAD~", ".")[1]] == ["y/[b]*.yaml"]
    (folder / "new.yaml").write_text(skyhook("new"))
    assert [r["name"] for r in run(capsys, "--git", "HEAD")[1]] == ["new"]


def test_templates_links_and_foreign_files_are_passed_over_and_named(
    folder: Path, capsys: Any
) -> None:
    commit(
        folder, {"t.yaml": "kind: {{ .Values.kind }}\n", "ci.yaml": "on: push\n", "x.json": "[1]"}
    )
    (folder / "t.yaml").write_text("kind: {{ .Values.kinds }}\n{{- if x }}\n")
    (folder / "ci.yaml").write_text("on: pull_request\n")
    (folder / "link.yaml").symlink_to("/etc/hostname")
    code, rows, said = run(capsys, "--git", "HEAD")
    assert (code, rows) == (0, [])
    assert "templates, not judged; pipe what they render to into `validate -`: t.yaml" in said
    git(folder, "add", "-A")
    assert run(capsys, "--git", "HEAD", "--staged")[:2] == (0, [])


def test_an_unreadable_text_is_said_and_a_former_one_is_a_repair(folder: Path, capsys: Any) -> None:
    commit(folder, {"a.yaml": skyhook()})
    commit(folder, {"a.yaml": "kind: [\n"})
    code, rows, _ = run(capsys, "--git", "HEAD~..HEAD")
    assert code == 2
    assert rows[0]["findings"][0]["rule"] == "document.syntax"
    commit(folder, {"a.yaml": skyhook()})
    code, rows, said = run(capsys, "--git", "HEAD~..HEAD")
    assert [r["operation"] for r in rows] == ["CREATE"]
    assert "could not be read before, judged as new: a.yaml" in said


def test_a_structure_that_was_wrong_before_only_warns(folder: Path, capsys: Any) -> None:
    wrong = skyhook().replace("role: gpu", "role: 7")
    commit(folder, {"a.yaml": wrong})
    commit(folder, {"a.yaml": wrong.replace("1.2.3", "1.2.4", 1)})
    code, rows, _ = run(capsys, "--git", "HEAD~..HEAD")
    assert code == 0
    assert "skyhook.schema" in {f["rule"] for f in rows[0]["findings"] if f["severity"] == "warn"}
    commit(folder, {"a.yaml": wrong.replace("role: 7", "role: 7, more: 8")})
    assert run(capsys, "--git", "HEAD~..HEAD")[0] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--git", "--output=evil"), "is no revision"),
        (("--git", "nowhere"), "'nowhere' names no commit here"),
        (("--git", "HEAD..nowhere"), "'nowhere' names no commit here"),
        (("--git", "HEAD", "--each-commit"), "only the commits of a range"),
        (("--git", "HEAD..HEAD", "--staged"), "not with a range"),
        (("--git", "HEAD", "--old", "a.yaml"), "leave --old and - away"),
        (("--staged", "a.yaml"), "go with --git"),
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(
    folder: Path, capsys: Any, arguments: tuple[str, ...], said: str
) -> None:
    commit(folder, {"a.yaml": skyhook()})
    code, rows, heard = run(capsys, *arguments)
    assert (code, rows) == (2, [])
    assert said in heard
    assert not (folder / "evil").exists()


def test_outside_of_a_repository_and_in_a_bare_one(
    folder: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = commit(folder, {"a.yaml": skyhook()})
    commit(folder, {"a.yaml": skyhook(stage="nowhere")})
    git(tmp_path, "clone", "-q", "--bare", str(folder), "bare")
    monkeypatch.chdir(tmp_path / "bare")
    assert run(capsys, "--git", f"{first}..main")[0] == 1
    code, _, said = run(capsys, "--git", "main")
    assert code == 2
    assert "a bare repository has no work tree" in said
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert "not a git repository" in run(capsys, "--git", "main")[2]


def test_a_program_named_in_the_repositorys_configuration_is_not_run(
    folder: Path, capsys: Any
) -> None:
    commit(folder, {"a.yaml": skyhook(), ".gitattributes": "*.yaml diff=evil\n"})
    evil = f"touch {folder / 'evil'}"
    for name in ("core.fsmonitor", "diff.external", "diff.evil.command", "diff.evil.textconv"):
        git(folder, "config", name, evil)
    (folder / "a.yaml").write_text(skyhook(stage="nowhere"))
    assert run(capsys, "--git", "HEAD")[0] == 1
    assert not (folder / "evil").exists()


def test_before_the_first_commit_everything_is_new(folder: Path, capsys: Any) -> None:
    (folder / "a.yaml").write_text(skyhook(stage="nowhere"))
    git(folder, "add", "a.yaml")
    for arguments in (("--git", "HEAD", "--staged"), ("--git", "HEAD")):
        code, rows, _ = run(capsys, *arguments)
        assert (code, [row["operation"] for row in rows]) == (1, ["CREATE"])
    assert "'HEAD~' names no commit here" in run(capsys, "--git", "HEAD~")[2]


def test_a_shallow_clone_is_told_as_what_it_is(
    folder: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for stage in ("config", "interrupt"):
        commit(folder, {"a.yaml": skyhook(stage=stage)})
    git(folder, "branch", "other", "HEAD~")
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", folder.as_uri(), "shallow")
    monkeypatch.chdir(tmp_path / "shallow")
    for revisions in ("HEAD~..HEAD", "origin/other...HEAD"):
        code, rows, said = run(capsys, "--git", revisions)
        assert (code, rows) == (2, [])
        assert "shallow: fetch the whole history" in said
