"""`explain`: profiles, values, rules, pictures; what cannot be told is an error of the caller."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from webhook.catalog import PROFILES, shipped, shipped_names
from webhook.drawing.graph import graphs


def test_without_anything_it_lists_the_profiles(cli):
    done = cli("explain")
    names = [
        line.partition(":")[0].removesuffix(" (on by default)") for line in done.out.splitlines()
    ]
    assert (done.code, done.err, names) == (0, "", shipped_names())


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_is_told_as_text(cli, name):
    done = cli("explain", name)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"profile {name}: ")
    assert f"{name}.complete-needs-nodes" in done.out


def test_what_is_legal_from_a_value_and_for_whom(cli):
    done = cli("explain", "skyhook", "config/complete")
    assert done.code == 0
    assert done.out.count("config/complete: stage and state at ") == 2
    assert "never, by anybody: uninstall/complete" in done.out


def test_what_a_package_may_begin_with(cli):
    done = cli("explain", "skyhook", "absent")
    assert done.code == 0
    assert "(absent): stage and state at Node" in done.out


def test_a_word_that_is_no_value_is_told_as_what_it_is(cli):
    done = cli("explain", "skyhook", "cordon")
    assert done.out.startswith("cordon: cordoning happens before a stage")


def test_a_rule_shows_a_write_that_is_denied_and_one_that_passes(cli):
    done = cli("explain", "skyhook.complete-needs-nodes")
    assert done.code == 0
    assert "denied, for example by the operator" in done.out
    assert "passes, for example by the operator" in done.out
    assert "cluster_state_v2.go:792-853" in done.out


def test_of_a_wrong_shape_it_says_what_is_meant(cli):
    assert "severity: deny" in cli("explain", "skyhook.shape").out


def test_all_messages_come_on_one_page(cli):
    done = cli("explain", "skyhook", "--messages")
    assert done.code == 0
    for guard in shipped("skyhook").guards:
        for rule in guard.rules():
            assert f"### skyhook.{rule.id}\n" in done.out


@pytest.mark.parametrize("name", shipped_names())
@pytest.mark.parametrize("form", ["text", "mermaid", "dot", "svg"])
def test_every_track_of_every_profile_in_every_form(cli, name, form):
    if name == "conditions":
        assert cli("explain", name).code == 2
        return
    for graph in graphs(shipped(name)):
        done = cli("explain", name, "--track", graph.rule.partition(".")[2], "--format", form)
        assert (done.code, done.err) == (0, "")
        start = {"text": graph.title, "mermaid": "stateDiagram-v2", "dot": "digraph", "svg": "<svg"}
        assert done.out.startswith(start[form])
        if form == "svg":
            ET.fromstring(done.out)


def test_classes_are_chosen_by_name(cli):
    chosen = ("--track", "node-package-step", "--format", "mermaid", "--class", "human")
    done = cli("explain", "skyhook", *chosen)
    arrows = [line for line in done.out.splitlines() if "-->" in line]
    assert {line.rpartition(" : ")[2] for line in arrows} == {"human"}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("zzz",), "there is no profile 'zzz' here"),
        (("skyhook", "in_progres"), "knows no value 'in_progres'; did you mean \"in_progress\"?"),
        (("skyhook", "7777777"), "skyhook knows no value '7777777'; it knows complete, blocked"),
        (("skyhook.complete-needs-node",), 'did you mean "skyhook.complete-needs-nodes"?'),
        (("skyhook.qqqqqq",), "`explain skyhook` lists them"),
        (("zzz.rule",), "there is no profile 'zzz' here"),
        (("skyhook", "--format", "svg"), "say --track with one of: package-step, node-package-step"),
        (("skyhook", "--track", "zzz"), "say --track with one of"),
        (("skyhook", "--track", "node-package-step", "--format", "dot", "--class", "zzz"),
         "skyhook.node-package-step has no steps of class 'zzz'; it has documented, normal"),
        (("skyhook", "--track", "status", "--format", "dot", "--class", "zzz"), "any value may follow any other there"),
    ],
)  # fmt: skip
def test_what_it_cannot_tell_is_the_callers_error_and_says_what_there_is(cli, args, words):
    done = cli("explain", *args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_profile_of_ones_own_is_told_from_its_file(cli, write):
    profile = """
profile: lamp
match: {group: example.com, kind: Lamp, plural: lamps, versions: [v1]}
tracks:
  - {id: light, path: status.light, values: ["On", "Off"], edges: {"Off": ["On"], "On": ["Off"]}}
"""
    name = write("lamp.yaml", profile)
    assert "Off: light at Lamp status.light" in cli("explain", name, "Off").out
    assert cli("explain", name, "--format", "svg").out.startswith("<svg")
