"""Tracks with a table of edge classes, and what becomes of an edge by writer."""

from __future__ import annotations

import pytest

from tests.lifecycle.small import NO_CODE, guard, judge, profile, said, texts
from webhook.core.writer import Writer
from webhook.lifecycle.compile import Code, ProfileError, compile_profile

CLASSES = {
    "documented": {"documented": True},
    "normal": {},
    "human": {"writers": {"person": "warn", "operator": "deny"}},
    "odd": {"default": "warn", "changes_only": False},
}
STEP = {
    "id": "step",
    "path": "status.map.*",
    "parts": {"stage": ["apply", "config", "stop"], "state": ["ip", "c", "x"]},
    "values": ["apply/ip", "apply/c", "config/ip", "config/c", "stop/c"],
    "notes": {"apply-check": "it is part of the stage apply"},
    "noun": "stage and state",
    "table": {
        "documented": {
            "absent": ["apply/ip"],
            "apply/ip": ["apply/c"],
            "apply/c": ["config/ip"],
            "config/ip": ["config/c"],
        },
        "normal": {"apply/ip": ["config/ip"], "*": ["absent"]},
        "human": {"absent": ["config/ip"], "config/c": ["apply/ip"]},
        "odd": {"absent": ["stop/c"], "config/c": ["stop/c"]},
    },
}


def entry(pair):
    if pair is None:
        return {}
    stage, _, state = pair.partition("/")
    return {"k": {"stage": stage, "state": state}}


def found(old, new, writer=Writer.OPERATOR, step=STEP, documented=False, code=NO_CODE):
    rules = guard(classes=CLASSES, tracks=[step], code=code)
    return judge(
        rules,
        {"status": {"map": entry(old)}},
        {"status": {"map": entry(new)}},
        writer=writer,
        documented=documented,
    )


@pytest.mark.parametrize("writer", list(Writer))
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("apply/ip", "apply/c"),
        ("apply/ip", "config/ip"),
        ("apply/c", None),
        (None, "apply/ip"),
        ("config/c", None),
    ],
)
def test_edges_of_legal_classes_are_silent_for_everybody(old, new, writer):
    assert found(old, new, writer) == []


@pytest.mark.parametrize(
    ("old", "new", "writer", "severity"),
    [
        ("config/c", "apply/ip", Writer.PERSON, "warn"),
        ("config/c", "apply/ip", Writer.SERVICE_ACCOUNT, None),
        ("config/c", "apply/ip", Writer.UNKNOWN, None),
        ("config/c", "stop/c", Writer.OPERATOR, "warn"),
        ("config/c", "stop/c", Writer.PERSON, "warn"),
    ],
)
def test_a_class_says_what_becomes_of_its_edges_by_writer(old, new, writer, severity):
    findings = found(old, new, writer)
    assert said(findings) == (
        [] if severity is None else [(severity, "step.skip", "status.map[k]")]
    )


def test_an_unusual_edge_says_what_is_usual():
    assert texts(found("config/c", "apply/ip", Writer.PERSON)) == [
        "config/c -> apply/ip is unusual"
    ]


def test_a_value_that_appears_is_never_odd_unless_its_class_says_so():
    assert found(None, "config/ip", Writer.PERSON) == []
    findings = found(None, "stop/c", Writer.PERSON)
    assert said(findings) == [("warn", "step.entry", "status.map[k]")]
    assert texts(findings) == ["absent -> stop/c is unusual"]


@pytest.mark.parametrize(
    ("old", "new", "rule", "text"),
    [
        ("config/ip", "apply/c", "step.edge", "cannot go from config/ip to apply/c; legal from config/ip: config/c"),
        ("apply/ip", "config/c", "step.edge",
         ("cannot go from apply/ip to config/c; legal from apply/ip: apply/c, config/ip;"
         " step by step it is apply/ip -> apply/c -> config/ip -> config/c")),
        ("stop/c", "config/c", "step.edge", "cannot go from stop/c to config/c; legal from stop/c: nothing"),
        (None, "apply/c", "step.entry", "cannot start at apply/c; legal to start at: apply/ip, config/ip"),
    ],
)  # fmt: skip
def test_an_edge_of_no_class_is_denied(old, new, rule, text):
    findings = found(old, new)
    assert said(findings) == [("deny", rule, "status.map[k]")]
    assert texts(findings) == [text]


def test_a_removal_that_is_no_edge_is_denied():
    step = {**STEP, "table": {"documented": {"absent": ["apply/ip"], "apply/ip": ["apply/c"]}}}
    findings = found("apply/ip", None, step=step)
    assert said(findings) == [("deny", "step.removal", "status.map[k]")]
    assert texts(findings) == ["cannot go from apply/ip to absent; legal from apply/ip: apply/c"]


@pytest.mark.parametrize(
    ("old", "new", "found_fields"),
    [
        ("apply/ip", "apply-check/ip", {"status.map[k].stage"}),
        ("apply/ip", "apply/done", {"status.map[k].state"}),
        ("apply/ip", "nope/done", {"status.map[k].stage", "status.map[k].state"}),
        ("apply/ip", "/", {"status.map[k].stage", "status.map[k].state"}),
        ("apply/ip", "stop/ip", {"status.map[k]"}),
    ],
)
def test_of_a_value_in_parts_the_wrong_part_is_named(old, new, found_fields):
    findings = found(old, new)
    assert {str(f.field) for f in findings} == found_fields
    assert {(f.rule, f.severity.value, f.closed) for f in findings} == {
        ("p.step.value", "deny", True)
    }


def test_a_wrong_part_says_what_would_be_legal_and_what_the_word_is():
    assert texts(found("apply/ip", "apply-check/ip")) == [
        '"apply" -> "apply-check" is not a stage; legal: apply, config, stop; it is part of the stage apply'
    ]
    assert texts(found(None, "x/ip")) == ['"x" is not a stage; legal: apply, config, stop']
    assert texts(found("stop/c", "stop/ip")) == [
        (
            '"stop/c" -> "stop/ip" is not a stage and state;'
            " legal: apply/ip, apply/c, config/ip, config/c, stop/c"
        )
    ]


def test_an_entry_that_is_no_object_has_no_parts():
    findings = judge(
        guard(classes=CLASSES, tracks=[STEP]),
        {"status": {"map": {}}},
        {"status": {"map": {"k": "apply/ip"}}},
    )
    assert texts(findings) == [
        "absent is not a stage; legal: apply, config, stop",
        "absent is not a state; legal: ip, c, x",
    ]


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("apply/ip", "apply/c", None),
        ("apply/ip", "config/ip", "warn"),
        ("apply/c", None, None),
        (None, "config/ip", None),
        ("config/ip", "apply/c", "deny"),
    ],
)
def test_strictness_documented_warns_outside_the_document(old, new, severity):
    findings = found(old, new, documented=True)
    assert [f.severity.value for f in findings] == ([] if severity is None else [severity])


def sibling_code(answer):
    asked = []

    def test(container, key):
        asked.append((container and sorted(container.members), key))
        return answer

    return Code({}, {}, {"beside": test}), asked


NEEDY = {
    **STEP,
    "siblings": [
        {
            "to": ["config/ip"],
            "unless_from": ["apply/c"],
            "needs": "beside",
            "why": "it needs a friend",
        }
    ],
}


@pytest.mark.parametrize(
    ("old", "new", "answer", "rule"),
    [
        ("apply/ip", "config/ip", False, "step.needs"),
        ("apply/ip", "config/ip", True, None),
        ("apply/c", "config/ip", False, None),
        (None, "config/ip", False, "step.needs"),
        ("apply/ip", "apply/c", False, None),
    ],
)
def test_an_edge_may_need_something_beside_it(old, new, answer, rule):
    code, _ = sibling_code(answer)
    findings = found(old, new, step=NEEDY, code=code)
    assert said(findings) == ([] if rule is None else [("deny", rule, "status.map[k]")])


def test_a_sibling_is_looked_for_in_the_new_container_under_the_entrys_key():
    code, asked = sibling_code(False)
    findings = found("apply/ip", "config/ip", step=NEEDY, code=code)
    assert asked == [(["k"], "k")]
    assert texts(findings) == ["cannot go from apply/ip to config/ip: it needs a friend"]


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (
            {"strange": {"apply/ip": ["apply/c"]}},
            "edge class 'strange' is not declared; declared: documented, normal, human, odd",
        ),
        (
            {"normal": {"apply/ip": ["nope/c"]}},
            "class 'normal' names 'nope/c', which is no value here",
        ),
        (
            {"normal": {"nope/c": ["apply/c"]}},
            "class 'normal' names 'nope/c', which is no value here",
        ),
    ],
)
def test_a_table_that_does_not_add_up_is_refused(table, reason):
    document = profile(classes=CLASSES, tracks=[{**STEP, "table": table}])
    with pytest.raises(ProfileError) as raised:
        compile_profile(document, NO_CODE)
    assert str(raised.value) == f"profile p: guards[0].tracks[step]: {reason}"


def test_a_step_to_itself_is_no_edge():
    table = {"normal": {"*": ["apply/ip", "apply/c"]}}
    rules = guard(classes=CLASSES, tracks=[{**STEP, "table": table}])
    assert ("apply/ip", "apply/ip") not in rules.tracks["step"].table.edges
    assert rules.tracks["step"].table.edges["apply/c", "apply/ip"] == "normal"


def test_of_two_classes_that_name_an_edge_the_first_counts():
    table = {"human": {"apply/ip": ["apply/c"]}, "documented": {"apply/ip": ["apply/c"]}}
    rules = guard(classes=CLASSES, tracks=[{**STEP, "table": table}])
    assert rules.tracks["step"].table.edges["apply/ip", "apply/c"] == "human"


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("apply/ip", "config/c",
         "apply/ip -> config/c; legal from apply/ip, for the operator: apply/c"),
        (None, "config/c", "absent -> config/c"),
        ("apply/ip", None, "apply/ip -> absent; legal from apply/ip, for the operator: apply/c"),
        ("apply/ip", "apply/ip", "apply/ip -> apply/ip"),
    ],
)  # fmt: skip
def test_a_track_tells_other_rules_the_steps_between_two_values(old, new, text):
    from tests.lifecycle.small import look

    track = guard(classes=CLASSES, tracks=[STEP]).tracks["step"]
    values = look(entry(old).get("k")), look(entry(new).get("k"))
    assert track.steps(*values) + track.onward_for(*values) == text
