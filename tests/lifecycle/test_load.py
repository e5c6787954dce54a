"""A profile is refused whole, with file, place and reason."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import MATCH
from webhook.lifecycle.compile import ProfileError
from webhook.lifecycle.load import build_profile

TRACK = {"id": "t", "path": "a", "values": ["x", "y"]}
MONOTONE = {"id": "m", "path": "a", "order": "int"}
REQUIRES = {"id": "r", "severity": "deny", "when": [{"path": "a", "present": True}]}
IDENTITY = {
    "group": "g.io", "kind": "K", "plural": "ks", "prefix": "p.io", "finalizer": "p.io/k", "tool": "tool",
    "operators": ["op"],
}  # fmt: skip


def build(document, bodies=None):
    return build_profile(document, "dir/p.yaml", lambda name: (bodies or {})[name])


def flat(**families):
    return {"profile": "p", "match": MATCH, **families}


@pytest.mark.parametrize(
    ("families", "reasons"),
    [
        ({"trackz": []}, ["trackz: Extra inputs are not permitted"]),
        ({"tracks": [{**TRACK, "colour": 1}]}, ["tracks.0.colour: Extra inputs are not permitted"]),
        ({"tracks": [{"id": "t"}]}, ["tracks.0.path: Field required", "tracks.0.values: Field required"]),
        ({"tracks": [TRACK, TRACK]}, ["profile: two rules are called 't'"]),
        ({"tracks": [TRACK], "monotone": [{**MONOTONE, "id": "t"}]}, ["profile: two rules are called 't'"]),
        ({"tracks": [{**TRACK, "path": "a..b"}]}, ["tracks.0.path: 'a..b' is no path: it ends at 'a..b'"]),
        ({"tracks": [{**TRACK, "path": 'a."{1x}"'}]},
         ["tracks.0.path: 'a.\"{1x}\"' is no path: bad character in group name '1x' at position 4"]),
        ({"tracks": [{**TRACK, "within": "a["}]}, ["tracks.0.within: 'a[' is no path: it ends at '['"]),
        ({"tracks": [{**TRACK, "gate": {"path": "", "in": []}}]}, ["tracks.0.gate.path: '' is no path: it ends at ''"]),
        ({"tracks": [{**TRACK, "edges": {}, "table": {}}]}, ["tracks.0: a track has `edges` or a `table`, not both"]),
        ({"tracks": [{**TRACK, "edges": {"x": ["z"]}}]}, ["tracks.0: 'z' is none of its values"]),
        ({"tracks": [{**TRACK, "edges": {"z": ["x"]}}]}, ["tracks.0: 'z' is none of its values"]),
        ({"tracks": [{**TRACK, "edges": {"*": ["x"]}, "skips": {"x": ["z"]}}]}, ["tracks.0: 'z' is none of its values"]),
        ({"tracks": [{**TRACK, "entry": ["z"]}]}, ["tracks.0: 'z' is none of its values"]),
        ({"tracks": [{**TRACK, "entry_skips": ["z"]}]}, ["tracks.0: 'z' is none of its values"]),
        ({"tracks": [{**TRACK, "terminal": ["z"]}]}, ["tracks.0: 'z' is none of its values"]),
        ({"tracks": [{**TRACK, "parts": {"a": ["x"], "b": ["y"]}}]}, ["tracks.0: 'x' is not made of the words of its parts"]),
        ({"tracks": [{**TRACK, "parts": {"a": ["x"], "b": ["y"]}, "values": ["x/y", "x/z"]}]},
         ["tracks.0: 'x/z' is not made of the words of its parts"]),
        ({"tracks": [{**TRACK, "releases": "0.16"}]},
         ["tracks.0.releases: '0.16' is no range of releases; write it as >=0.16,<0.18"]),
        ({"tracks": [{**TRACK, "id": "Bad Id"}]},
         ["tracks.0.id: String should match pattern '^[a-z0-9][a-z0-9.-]*$'"]),
        ({"monotone": [{**MONOTONE, "order": "up"}]}, ["monotone.0.order: Input should be 'int', 'time' or 'latch'"]),
        ({"monotone": [{**MONOTONE, "latch_on": True}]}, ["monotone.0: `latch_on` says nothing with order int here"]),
        ({"monotone": [{**MONOTONE, "grace": 1}]}, ["monotone.0: `grace` says nothing with order int here"]),
        ({"monotone": [{**MONOTONE, "ahead": 5}]}, ["monotone.0: `ahead` says nothing with order int here"]),
        ({"monotone": [{**MONOTONE, "order": "time", "least": 0}]}, ["monotone.0: `least` says nothing with order time here"]),
        ({"monotone": [{**MONOTONE, "order": "time", "climb": {"up": 1}}]},
         ["monotone.0: `climb` says nothing with order time here"]),
        ({"monotone": [{**MONOTONE, "order": "latch", "bound": "b"}]}, ["monotone.0: `bound` says nothing with order latch here"]),
        ({"monotone": [{**MONOTONE, "flip": {"path": "b", "severity": "warn"}}]},
         ["monotone.0: `flip` says nothing with order int here"]),
        ({"requires": [{**REQUIRES, "severity": "maybe"}]},
         ["requires.0.severity: Input should be 'deny', 'warn', 'audit' or 'allow'"]),
        ({"requires": [{**REQUIRES, "when": []}]},
         ["requires.0.when: List should have at least 1 item after validation, not 0"]),
        ({"requires": [{**REQUIRES, "when": [{"predicate": "x"}]}]},
         ["requires.0: `when` names no path, so nothing would ask it"]),
        ({"requires": [{**REQUIRES, "when": [{"path": "a"}]}]},
         ["requires.0.when.0: a test names a path and what must hold there, or a predicate"]),
        ({"requires": [{**REQUIRES, "when": [{"present": True}]}]},
         ["requires.0.when.0: a test names a path and what must hold there, or a predicate"]),
        ({"requires": [{**REQUIRES, "when": [{"path": "a", "predicate": "b"}]}]},
         ["requires.0.when.0: a test names a path and what must hold there, or a predicate"]),
        ({"requires": [{**REQUIRES, "when": [{"path": "a", "matches": "("}]}]},
         ["requires.0.when.0.matches: '(' is no regular expression: missing ), unterminated subpattern at position 0"]),
        ({"unique": [{"id": "u", "severity": "deny", "path": "a."}]}, ["unique.0.path: 'a.' is no path: it ends at 'a.'"]),
        ({"owned": [{"id": "o", "others": {"everybody": "deny"}, "paths": [{"path": "a"}]}]},
         ["owned.0.others.everybody.[key]: Input should be 'operator', 'service-account', 'person' or 'unknown'"]),
        ({"checks": [{"id": "c", "use": "x y", "severity": "deny"}]},
         ["checks.0.use: String should match pattern '^[a-z_]+$'"]),
        ({"releases": {"assumed": "dev"}}, ["releases.assumed: 'dev' is no release; write it as 0.16"]),
        ({"releases": {"assumed": "0.16", "recorded": ["x"]}},
         ["releases.recorded.0: 'x' is no release; write it as 0.16"]),
        ({"profile": "Bad Name"}, ["profile: String should match pattern '^[a-z0-9][a-z0-9-]*$'"]),
    ],
)  # fmt: skip
def test_a_bad_profile_is_refused_with_file_place_and_reason(families, reasons):
    with pytest.raises(ProfileError) as raised:
        build(flat(**families))
    assert str(raised.value).splitlines() == [f"dir/p.yaml: {reason}" for reason in reasons]


def test_all_faults_are_said_at_once():
    with pytest.raises(ProfileError) as raised:
        build(
            flat(tracks=[{**TRACK, "path": "a."}], monotone=[{**MONOTONE, "order": "x"}], other=1)
        )
    assert len(str(raised.value).splitlines()) == 3


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (None, "a profile is a map, not NoneType"),
        ([], "a profile is a map, not list"),
        ("x", "a profile is a map, not str"),
        ({"profile": "p", "body": ["b"]}, "body: must be the path of a file"),
        ({"profile": "p", "body": "list.yaml"}, "body: list.yaml is no map"),
    ],
)
def test_what_is_no_profile_at_all(document, reason):
    with pytest.raises(ProfileError) as raised:
        build(document, {"list.yaml": []})
    assert str(raised.value) == f"dir/p.yaml: {reason}"


def test_a_profile_without_a_match_says_so():
    with pytest.raises(ProfileError, match=r"dir/p\.yaml: match: is missing"):
        build({"profile": "p", "tracks": [TRACK]})


def test_places_in_a_body_begin_with_the_guard():
    body = {"guards": [{"match": MATCH, "tracks": [{**TRACK, "path": "a."}]}]}
    with pytest.raises(ProfileError) as raised:
        build({"profile": "p", "body": "b.yaml"}, {"b.yaml": body})
    assert (
        str(raised.value) == "dir/p.yaml: guards.0.tracks.0.path: 'a.' is no path: it ends at 'a.'"
    )


def test_two_identities_share_one_body():
    body = {
        "words": {"unused": ["$nothing"]},
        "guards": [{"match": {**MATCH, "group": "$group", "kind": "$kind"}, "tracks": [
            {"id": "t", "path": 'a."$prefix/x_{s}"', "values": ["v"], "notes": {"$kind": "is $tool"}}]}],
        "about": "of the body",
    }  # fmt: skip
    built = build(
        {"profile": "p", "body": "b.yaml", "identity": IDENTITY, "about": "own"}, {"b.yaml": body}
    )
    (only,) = built.guards
    assert (only.match.group, only.match.kind) == ("g.io", "K")
    assert only.tracks[0].path == 'a."p.io/x_{s}"'
    assert only.tracks[0].notes == {"K": "is tool"}
    assert built.about == "own"


@pytest.mark.parametrize("identity", [None, IDENTITY])
def test_a_name_that_the_identity_lacks_is_refused(identity):
    document = flat(tracks=[{**TRACK, "path": "$nothing.a"}])
    with pytest.raises(ProfileError) as raised:
        build(document if identity is None else {**document, "identity": identity})
    assert (
        str(raised.value) == "dir/p.yaml: $nothing is used, but identity has no text of that name"
    )


def test_a_dollar_that_begins_no_name_stays():
    built = build(
        flat(
            requires=[{**REQUIRES, "when": [{"path": "a", "matches": "x$"}], "message": "costs 5$"}]
        )
    )
    assert built.guards[0].requires[0].when[0].matches == "x$"


def test_nothing_of_the_document_that_was_given_is_changed():
    document = flat(tracks=[dict(TRACK)], words={"a": 1})
    before = repr(document)
    build(document)
    assert repr(document) == before
