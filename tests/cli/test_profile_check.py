"""`profile check`: a bad profile is refused with file, place and reason, never half loaded."""

from __future__ import annotations

import pytest

GOOD = """\
profile: mine
match: {group: g.io, kind: K, plural: ks, versions: [v1]}
tracks:
- {id: phase, path: status.phase, values: [a, b], edges: {a: [b]}}
"""


def test_a_good_profile_is_counted(cli, write):
    done = cli("profile", "check", write("p.yaml", GOOD))
    assert done.code == 0
    assert done.out.startswith("p.yaml: profile mine: 1 rules for K")
    assert done.err == ""


@pytest.mark.parametrize("name", ["skyhook", "nodewright"])
def test_shipped_profiles_are_whole(cli, name):
    done = cli("profile", "check", name)
    assert done.code == 0
    assert done.out.startswith(f"{name}: profile {name}: ")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (GOOD.replace("status.phase", "status..phase"), "tracks.0.path: 'status..phase' is no path: it ends at 'status..phase'"),
        (GOOD.replace("{a: [b]}", "{a: [c]}"), "tracks.0: 'c' is none of its values"),
        (GOOD.replace("tracks:", "trackz:"), "trackz: Extra inputs are not permitted"),
        (GOOD + "checks:\n- {id: c, use: none, severity: deny}\n", "profile mine: guards[0].checks[c]: nothing here is called 'none'"),
        (GOOD + "requires:\n- {id: r, severity: deny, when: [{predicate: x}]}\n", "requires.0: `when` names no path, so nothing would ask it"),
        (GOOD + "monotone:\n- {id: m, path: a, order: time, least: 0}\n", "monotone.0: `least` says nothing with order time here"),
        (GOOD + "releases: {assumed: dev}\n", "releases.assumed: 'dev' is no release; write it as 0.16"),
        (GOOD + "profile: twice\n", '5:1: the key "profile" is given twice (first on line 1)'),
        ("", "a profile is a map, not NoneType"),
        ("- 1\n", "a profile is a map, not list"),
        ("a: [\n", "2:1: while parsing a flow node"),
        ("profile: p\nbody: nope.yaml\n", "nope.yaml: No such file or directory"),
    ],
)  # fmt: skip
def test_a_bad_one_says_file_place_and_reason(cli, write, text, reason):
    done = cli("profile", "check", write("p.yaml", text))
    assert done.code == 2
    assert done.out == ""
    (line,) = [x for x in done.err.splitlines() if x]
    assert line.startswith(("p.yaml:", "nope.yaml:"))
    assert reason in line


def test_all_faults_of_all_files_are_said_and_good_ones_too(cli, write):
    write("a.yaml", GOOD.replace("status.phase", "a.").replace("[a, b]", "5"))
    write("b.yaml", GOOD)
    write("c.yaml", "- 1\n")
    done = cli("profile", "check", "a.yaml", "b.yaml", "c.yaml")
    assert done.code == 2
    assert [line.split(":")[0] for line in done.err.splitlines()] == ["a.yaml", "a.yaml", "c.yaml"]
    assert done.out.startswith("b.yaml: ")


@pytest.mark.parametrize("verb", [["validate", "x.yaml"], ["serve", "--port", "0"]])
def test_a_bad_profile_is_never_half_loaded(cli, write, verb):
    write("x.yaml", "")
    done = cli(*verb, "--profile", write("p.yaml", GOOD.replace("status.phase", "a.")))
    assert done.code == 2
    assert done.out == ""
    assert done.err == "skyhook-webhook: p.yaml: tracks.0.path: 'a.' is no path: it ends at 'a.'\n"


def test_a_profile_of_ones_own_judges(cli, write):
    write("p.yaml", GOOD)
    for name, phase in (("old.yaml", "a"), ("new.yaml", "b"), ("back.yaml", "a")):
        write(
            name,
            {
                "apiVersion": "g.io/v1",
                "kind": "K",
                "metadata": {"name": "x"},
                "status": {"phase": phase},
            },
        )
    assert cli("validate", "--profile", "p.yaml", "--old", "old.yaml", "new.yaml").code == 0
    done = cli("validate", "--profile", "p.yaml", "--old", "new.yaml", "-o", "jsonl", "back.yaml")
    assert [f["rule"] for f in done.rows[0]["findings"]] == ["mine.phase.edge"]
