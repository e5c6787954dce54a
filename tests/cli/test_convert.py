"""`convert`: files as people have them, in another version, with all else as it was."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conversions.objects import objects
from webhook.cli.convert import convert
from webhook.cli.failures import CallerError
from webhook.documents import DocumentError, dump_yaml, read_documents

if TYPE_CHECKING:
    from pathlib import Path

P = "skyhook.nvidia.com"


def run(text: str, *args: str, code: int = 0, name: str = "-") -> str:
    done = CliRunner().invoke(
        convert, [*args, name], input=text, standalone_mode=False, catch_exceptions=False
    )
    assert (done.return_value or 0) == code, done.output
    return done.stdout_bytes.decode()


def to(version: str, text: str, *args: str, code: int = 0) -> str:
    return run(text, "--to", version, *args, code=code)


MANIFEST = textwrap.dedent(
    f"""\
    # a head
    apiVersion: {P}/v1alpha1   # the version
    kind: Skyhook

    metadata:
      name: demo
      annotations: {{a: 'x',   b: "y"}}
    spec:
      packages:
          tuning:                    # oddly indented
              version: 1.2.3
              configMap:
                # kept
                a.txt: |
                  line

                  last
                b: !!str 010
                c: 1.10
                d: 2026-05-01T10:00:00Z
    # a tail
    """
)


def test_only_the_version_changes_in_a_manifest():
    assert to("v1beta1", MANIFEST) == MANIFEST.replace("v1alpha1", "v1beta1")
    assert to("v1alpha1", to("v1beta1", MANIFEST)) == MANIFEST
    assert to(f"{P}/v1beta1", MANIFEST) == MANIFEST.replace("v1alpha1", "v1beta1")
    assert to("nodewright.nvidia.com/v1beta1", MANIFEST) == MANIFEST


@pytest.mark.parametrize("quote", ["'", '"'])
def test_quotes_and_line_ends_stay(quote: str):
    given_ = MANIFEST.replace(f"{P}/v1alpha1 ", f"{quote}{P}/v1alpha1{quote} ").replace(
        "\n", "\r\n"
    )
    assert to("v1beta1", given_) == given_.replace("v1alpha1", "v1beta1")


EXPORTED = f"""\
apiVersion: v1
items:
- apiVersion: {P}/v1alpha1
  kind: Skyhook
  metadata:
    name: demo
  status:
    completeNodes: 1/1   # a comment
    conditions:
    # of Ready
    - lastTransitionTime: "2026-05-01T10:00:00Z"
      message: "1/1 nodes complete (a): \\"done\\""
      observedGeneration: 9007199254740993
      reason: NodesConverged
      status: "True"
      type: Ready   # behind it
    # of Transition
    - message: |
        two
        lines
      type: {P}/Transition
      status: "True"
    nodeState: {{}}
- apiVersion: v1
  kind: ConfigMap
  data: {{x: "1"}}
kind: List
"""


def test_a_mirror_is_put_behind_its_twin_and_every_line_of_the_rest_stays():
    text = to("v1beta1", EXPORTED)
    lines = text.splitlines()
    first = lines.index("      type: Ready   # behind it") + 1
    assert lines[first].startswith("    - ")
    del lines[first : first + 6]
    assert lines == EXPORTED.replace(f"{P}/v1alpha1", f"{P}/v1beta1").splitlines()
    conditions = yaml.safe_load(text)["items"][0]["status"]["conditions"]
    assert [c["type"] for c in conditions] == ["Ready", f"{P}/Ready", f"{P}/Transition"]
    assert conditions[1] == {**conditions[0], "type": f"{P}/Ready"}
    assert conditions[1]["observedGeneration"] == 9007199254740993
    assert text.index("behind it") < text.index(f"{P}/Ready") < text.index("# of Transition")


def test_closed_it_is_taken_out_again_with_nothing_else():
    both = to("v1beta1", EXPORTED)
    assert to("v1beta1", both.replace("v1beta1", "v1alpha1"), "--window", "closed") == (
        EXPORTED.replace(f"{P}/v1alpha1", f"{P}/v1beta1")
    )


def test_a_mirror_that_differs_follows_where_it_stands():
    both = to("v1beta1", EXPORTED)
    differing = both.replace("      reason: NodesConverged", "      reason: Other", 2).replace(
        "      reason: Other", "      reason: NodesConverged", 1
    )
    assert differing != both
    conditions = yaml.safe_load(to("v1alpha1", differing))["items"][0]["status"]["conditions"]
    assert conditions[1]["reason"] == "NodesConverged"
    assert "# of Transition" in to("v1alpha1", differing)


@pytest.mark.parametrize("null", ["", " null", " ~", "   # nothing"])
def test_null_conditions_go_with_their_line(null: str):
    given_ = (
        f"apiVersion: {P}/v1alpha1\nkind: Skyhook\nstatus:\n  a: 1\n  conditions:{null}\n  b: 2\n"
    )
    assert (
        to("v1beta1", given_)
        == f"apiVersion: {P}/v1beta1\nkind: Skyhook\nstatus:\n  a: 1\n  b: 2\n"
    )


def test_a_list_in_flow_style_stays_one():
    given_ = (
        f"apiVersion: {P}/v1alpha1\nkind: Skyhook\nstatus:\n  conditions: [{{type: Ready}}] # c\n"
    )
    assert (
        to("v1beta1", given_).splitlines()[3]
        == f'  conditions: [{{"type":"Ready"}}, {{"type":"{P}/Ready"}}] # c'
    )


ANCHORED = f"""\
apiVersion: {P}/v1alpha1
kind: Skyhook
# lost
status:
  conditions:
  - &ready {{type: Ready, status: "True"}}
  other: *ready
"""


def test_what_cannot_be_cut_is_written_anew_and_said_so():
    done = CliRunner().invoke(
        convert, ["--to", "v1beta1", "-"], input=ANCHORED, standalone_mode=False
    )
    assert "laid out anew" in done.stderr
    assert [c["type"] for c in yaml.safe_load(done.stdout)["status"]["conditions"]] == [
        "Ready",
        f"{P}/Ready",
    ]
    assert yaml.safe_load(done.stdout)["status"]["other"] == {"type": "Ready", "status": "True"}
    assert "layout and comments are lost" in to("v1beta1", ANCHORED, "--check", code=1)


OBJECT: dict[str, Any] = {
    "apiVersion": f"{P}/v1alpha1",
    "kind": "Skyhook",
    "metadata": {"name": "a"},
    "status": {"conditions": [{"type": "Ready"}]},
}
WANTED = {
    **OBJECT,
    "apiVersion": f"{P}/v1beta1",
    "status": {"conditions": [{"type": "Ready"}, {"type": f"{P}/Ready"}]},
}


@pytest.mark.parametrize("layout", [{"indent": 2}, {"indent": 4}, {}, {"separators": (",", ":")}])
def test_json_stays_json_in_its_layout(layout: dict[str, Any]):
    assert to("v1beta1", json.dumps(OBJECT, **layout)) == json.dumps(WANTED, **layout) + "\n"


def test_numbers_in_json_keep_their_digits():
    given_ = f'{{\n  "apiVersion": "{P}/v1alpha1",\n  "kind": "Skyhook",\n  "spec": {{\n    "a": 1.10,\n    "b": 9007199254740993\n  }}\n}}\n'
    assert to("v1beta1", given_) == given_.replace("v1alpha1", "v1beta1")


def test_a_stream_and_lines_of_json():
    one = json.dumps(OBJECT)
    assert to("v1beta1", f"{one}\n{one}\n") == (json.dumps(WANTED) + "\n") * 2
    assert json.loads(to("v1beta1", f"{one} ")) == WANTED


@pytest.mark.parametrize("named", [True, False])
def test_a_typed_list_changes_with_its_items(named: bool):
    item = OBJECT if named else {k: v for k, v in OBJECT.items() if k not in ("apiVersion", "kind")}
    wanted = (
        WANTED if named else {k: v for k, v in WANTED.items() if k not in ("apiVersion", "kind")}
    )
    listed = {
        "apiVersion": f"{P}/v1alpha1",
        "kind": "SkyhookList",
        "metadata": {},
        "items": [item, item],
    }
    after = {**listed, "apiVersion": f"{P}/v1beta1", "items": [wanted, wanted]}
    assert json.loads(to("v1beta1", json.dumps(listed))) == after
    assert yaml.safe_load(to("v1beta1", dump_yaml(listed))) == after


@pytest.mark.parametrize(
    "other",
    [
        {"apiVersion": f"{P}/v1alpha1", "kind": "DeploymentPolicy"},
        {"apiVersion": "apps/v1", "kind": "Skyhook"},
        {"apiVersion": f"{P}/v1alpha1", "kind": "DeploymentPolicyList", "items": []},
        {"kind": "Skyhook"},
    ],
)
def test_other_documents_pass_as_they_are(other: dict[str, Any]):
    for text in (json.dumps(other, indent=3) + "\n", "# c\n" + dump_yaml(other)):
        assert to("v1beta1", text) == text


def test_many_documents_keep_their_separators_and_comments():
    given_ = f"---\n# one\n{MANIFEST}--- # two\n---\n# nothing\n---\n{MANIFEST}"
    assert to("v1beta1", given_) == given_.replace("v1alpha1", "v1beta1")


def test_a_folder_is_written_as_one_stream(tmp_path: Path):
    (tmp_path / "a.yaml").write_text(MANIFEST)
    (tmp_path / "b.json").write_text(json.dumps(OBJECT))
    (tmp_path / "c.yml").write_text(MANIFEST)
    (tmp_path / "d.txt").write_text("no manifest")
    text = run("", "--to", "v1beta1", name=str(tmp_path))
    documents = list(read_documents(text.encode(), "x"))
    assert [d.value["apiVersion"] for d in documents] == [f"{P}/v1beta1"] * 3
    assert not any(d.problems for d in documents)


def test_check_says_nothing_of_what_survives():
    assert to("v1beta1", MANIFEST, "--check") == ""
    assert to("v1beta1", EXPORTED, "--check") == ""


def test_check_names_what_is_lost():
    both = to("v1beta1", EXPORTED).replace("v1beta1", "v1alpha1")
    differing = (
        both.replace("type: Ready", "type: X")
        .replace(f"type: {P}/Ready", "type: Ready")
        .replace("type: X", f"type: {P}/Ready")
    )
    said = to("v1beta1", differing.replace("NodesConverged", "Other", 1), "--check", code=1)
    assert (
        said
        == f"<stdin>:11:7: status.conditions[{P}/Ready] follows its bare twin and loses its reason\n"
    )
    closed = to(
        "v1beta1",
        both.replace("NodesConverged", "Other", 1),
        "--check",
        "--window",
        "closed",
        code=1,
    )
    assert f"status.conditions[{P}/Ready] is dropped, with its reason" in closed


@pytest.mark.parametrize("version", ["v9", "v1", f"{P}/v2", "apps/v1beta1", "", "/v1beta1"])
def test_a_version_that_is_not_served_is_named(version: str):
    with pytest.raises(CallerError, match=f"{P}/v1alpha1, {P}/v1beta1"):
        to(version, MANIFEST)


def test_a_window_that_is_none_is_refused():
    with pytest.raises(CallerError, match="--window"):
        to("v1beta1", MANIFEST, "--window", "ajar")


@pytest.mark.parametrize("text", ["a: [", "a: 1\na: 2\n", '{"a":1,"a":2}', "\tx: 1"])
def test_what_cannot_be_read_is_refused_with_its_place(text: str):
    with pytest.raises(DocumentError, match=r"<stdin>:\d+:\d+"):
        to("v1beta1", text)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(objects("v1alpha1"), st.booleans())
def test_any_object_in_yaml_says_the_same_as_in_json(text: str, closed: bool):
    if "1e999" in text or "\\ud" in text:
        return  # no YAML reader holds these
    value = json.loads(text)
    window = ("--window", "closed") if closed else ()
    as_json = json.loads(to("v1beta1", json.dumps(value), "-q", *window))
    try:
        as_yaml = list(read_documents(to("v1beta1", dump_yaml(value), "-q", *window).encode(), "x"))
    except DocumentError:
        return  # what kubectl would not read either, such as a doubled key
    assert [d.value for d in as_yaml] == [as_json]
