"""Traps of files as people write them: each is rightly read, or an error with its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webhook.documents import Document, ProblemKind, Severity, read_documents

SKYHOOK = """\
apiVersion: skyhook.nvidia.com/v1alpha1
kind: Skyhook
metadata:
  name: gpu-init
  creationTimestamp: 2026-05-01T09:00:00Z
  annotations:
    example.com/date: 2026-05-01
spec:
  packages:
    tuning: {version: 1.10, image: registry.example/tuning}
    third:
      image: registry.example/third
"""


def read(text: str | bytes, source: str = "a.yaml") -> list[Document]:
    return list(read_documents(text.encode() if isinstance(text, str) else text, source))


def only(text: str | bytes, source: str = "a.yaml") -> Document:
    (document,) = read(text, source)
    return document


def problems(document: Document) -> list[tuple[str, str, str, tuple[str | int, ...]]]:
    return [(str(p.position), p.severity, p.kind, p.path) for p in document.problems]


def test_times_stay_the_text_that_was_written() -> None:
    metadata = only(SKYHOOK).value["metadata"]
    assert metadata["creationTimestamp"] == "2026-05-01T09:00:00Z"
    assert metadata["annotations"] == {"example.com/date": "2026-05-01"}
    assert only(SKYHOOK).problems == ()


def test_a_version_read_as_a_number_keeps_its_written_text() -> None:
    document = only(SKYHOOK)
    path = ("spec", "packages", "tuning", "version")
    assert document.value["spec"]["packages"]["tuning"]["version"] == 1.1
    assert document.written(path) == "1.10"
    assert str(document.position(path)) == "10:14"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("v: 1.10", "1.10"),
        ("v: 2", "2"),
        ("v: yes", "yes"),
        ("v: 010", "010"),
        ("v: plain text", "plain text"),
        ("v: !!str 1.10", "1.10"),
        ("v:", ""),
        ("v: ~", "~"),
        ("v: '1.10'", None),
        ('v: "1.10"', None),
        ("v: |\n  1.10", None),
        ("v: [1.10]", None),
        ("w: 1", None),
        ('{"v": 1.10}', "1.10"),
        ('{"v": true}', "true"),
        ('{"v": "1.10"}', None),
        ("w: &x 1.10\nv: *x", "1.10"),
    ],
)
def test_the_written_text_is_known_of_what_was_not_quoted(text: str, written: str | None) -> None:
    assert only(text).written(("v",)) == written


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), "1:1"),
        (("kind",), "2:1"),
        (("metadata", "name"), "4:3"),
        (("spec", "packages", "third"), "11:5"),
        (("spec", "packages", "third", "version"), "11:5"),
        (("spec", "packages", "fourth", "version"), "9:3"),
        (("spec", "packages", 0), "9:3"),
        (("nothing", "there"), "1:1"),
        (("kind", "deeper"), "2:1"),
    ],
)
def test_a_position_is_that_of_the_key_or_of_its_nearest_ancestor(
    path: tuple[str | int, ...], place: str
) -> None:
    assert str(only(SKYHOOK).position(path)) == place


def test_items_of_lists_have_positions_too() -> None:
    document = only("a:\n- b: 1\n- c: 2\n-   - x\n    - y\n")
    assert str(document.position(("a", 1))) == "3:3"
    assert str(document.position(("a", 1, "c"))) == "3:3"
    assert str(document.position(("a", 2, 1))) == "5:7"
    assert str(document.position(("a", 9))) == "1:1"
    assert str(document.position(("a", True))) == "1:1"  # True is no index


def test_columns_count_characters_and_lines_count_line_ends() -> None:
    document = only("😀é: {b: 1}\r\nc:\u2028  d: 1\r\nlast: 1\r\n")
    assert str(document.position(("😀é", "b"))) == "1:6"
    assert str(document.position(("last",))) == "3:1"


def test_positions_in_json_are_those_of_the_text() -> None:
    document = only('{\n  "a\\u0041": [1, {"b": null}],\n  "c": {}\n}\n', "a.json")
    assert str(document.position(("aA", 1, "b"))) == "2:19"
    assert str(document.position(("aA", 0))) == "2:15"
    assert str(document.position(("c", "d"))) == "3:3"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: 1\nb: 2\na: 3\n", "3:1"),
        ('{"a": 1,\n "a": 3, "b": 2}', "2:2"),
        ('{"a": 1,\n "\\u0061": 3, "b": 2}', "2:2"),
        ("{a: 1, b: 2, 'a': 3}", "1:14"),
    ],
)
def test_a_doubled_key_is_an_error_and_the_last_one_counts(text: str, place: str) -> None:
    document = only(text)
    assert document.value == {"a": 3, "b": 2}
    assert problems(document) == [(place, "error", "doubled-key", ("a",))]


def test_a_doubled_key_names_the_line_of_the_first() -> None:
    (problem,) = only("x:\n  a: 1\n  b: 2\n  a: 3\n").problems
    assert (
        problem.message == 'the key "a" is given twice (first on line 2); only the last one counts'
    )
    (problem,) = only("{a: 1, a: 2}").problems
    assert "twice on this line" in problem.message


def test_keys_that_become_equal_text_are_doubled() -> None:
    document = only('1: a\n"1": b\n')
    assert [kind for _, _, kind, _ in problems(document)] == ["key", "doubled-key"]


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("yes", "true"),
        ("on", "true"),
        ("n", "false"),
        ("1", "1"),
        ("1.10", "1.1"),
        ("010", "8"),
        (".inf", ".inf"),
    ],
)
def test_a_key_that_is_no_text_is_a_warning_and_read_as_kubectl_reads_it(
    key: str, name: str
) -> None:
    document = only(f"a:\n  {key}: 1\n")
    assert document.value == {"a": {name: 1}}
    assert problems(document) == [("2:3", "warning", "key", ("a", name))]
    assert f"unquoted key {key}" in document.problems[0].message


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        ("a: 1\n~: 2\n", "key", "2:1"),
        ("a: 1\n[1]: 2\nb: .nan\n", "key", "2:1"),
        ("a: {{ .Values.x }}\n", "key", "1:5"),
        ("{{ if x }}\na: 1\n", "key", "1:2"),
        ("{{- if x }}\na: 1\n{{- end }}\n", "key", "1:2"),
        ("18446744073709551615: a\n", "key", "1:1"),
        ("a: .nan\n", "number", "1:4"),
        ("a: [1, -.Inf]\n", "number", "1:8"),
        ("a: !!int abc\n", "tag", "1:4"),
        ("a: !!bool 1\n", "tag", "1:4"),
        ("a: !!int yes\n", "tag", "1:4"),
        ("a: {<<: 1}\n", "merge", "1:5"),
        ("a: *x\n", "alias", "1:4"),
        ("a: &x [*x]\n", "alias", "1:8"),
        ("a:\n\tb: 1\n", "syntax", "2:1"),
        ("a: b: c\n", "syntax", "1:5"),
        ("a: @b\n", "syntax", "1:4"),
        ("a: `b`\n", "syntax", "1:4"),
        ("a: %b\n", "syntax", "1:4"),
        ("a: 'b\n", "syntax", "2:1"),
        ("a: 1\n  b: 2\n", "syntax", "2:4"),
        ("é: \x01\n", "syntax", "1:4"),
        ("é: \x7f\n", "syntax", "1:4"),
        ("a: 1\n\ufeffb: 2\n", "encoding", "2:1"),
        (b"a: 1\nb: \xc3\xa9 \xff\n", "encoding", "2:6"),
        ("a: 1\n".encode("utf-16"), "encoding", "1:1"),
        ("a: 1\n".encode("utf-16-le"), "encoding", "1:1"),
        ("%YAML 1.1\na: 1\n", "syntax", "2:1"),
        ("[" * 257 + "]" * 257, "depth", "1:1"),
        ("a: " + "[" * 257 + "]" * 257, "depth", "1:259"),
        ("- " * 300 + "x", "depth", "1:513"),
        ('{"a":' * 999 + "1" + "}" * 999, "depth", "1:1"),
        ("[" * 100_000, "depth", "1:1"),
        ('{"a": 1e400}', "number", "1:7"),
        ('{"a": ' + "9" * 400 + "}", "number", "1:7"),
        ('{"a": ' + "9" * 5000 + "}", "number", "1:7"),
        ("--- {a: 1}\n", "separator", "1:1"),
        ("----\na: 1\n", "separator", "1:1"),
    ],
)
def test_what_kubectl_cannot_read_has_no_value_and_one_error_with_its_place(
    text: str | bytes, kind: str, place: str
) -> None:
    document = only(text)
    assert document.value is None
    assert not document.readable
    first = document.problems[0]
    assert (first.kind, str(first.position), first.severity) == (kind, place, Severity.ERROR)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("source", ["b.json", "<stdin>"])
def test_nan_and_infinity_are_no_json(word: str, source: str) -> None:
    document = only(f'{{"spec": {{"priority": {word}}}}}', source)
    assert not document.readable
    assert document.problems[0].message == f"not valid JSON: {word}"
    assert problems(document) == [("1:23", "error", "number", ("spec", "priority"))]


def test_reading_goes_on_after_an_error_inside_a_document() -> None:
    document = only("a: .nan\n? [x]\n: y\nb: !foo 1\nb: 2\n")
    assert [kind for _, _, kind, _ in problems(document)] == ["number", "key", "tag", "doubled-key"]


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        ("!!str 1.10", "1.10"),
        ("! 12", "12"),
        ('!!int "3"', 3),
        ("!!float 3", 3),
        ("!!bool y", True),
    ],
)
def test_tags_of_json_types_are_obeyed(tag: str, value: object) -> None:
    assert only(f"a: {tag}").value == {"a": value}
    assert only(f"a: {tag}").problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "!!binary aGk=",
        "!!timestamp 2026-01-01",
        "!foo bar",
        "!!python/object/apply:os.system [x]",
        "!!set {x}",
        "!!omap [x: 1]",
        "!!seq {x: 1}",
    ],
)
def test_every_other_tag_is_an_error_and_never_code(text: str) -> None:
    assert problems(only(f"a: {text}")) == [("1:4", "error", "tag", ("a",))]


def test_an_integer_beyond_64_bits_stays_exact_and_is_a_warning() -> None:
    for text in ("a: 123456789012345678901234567890\n", '{"a": 123456789012345678901234567890}'):
        document = only(text)
        assert document.value == {"a": 123456789012345678901234567890}
        assert [(p.severity, p.kind) for p in document.problems] == [("warning", "number")]
        assert "arrives as 1.2345678901234568e+29" in document.problems[0].message


def test_half_a_surrogate_pair_is_an_error_and_becomes_what_go_makes_of_it() -> None:
    document = only('{"a": "\\ud83d\\ude00", "\\udc00": "x\\ud800"}')
    assert document.value == {"a": "😀", "\ufffd": "x\ufffd"}
    assert {p.kind for p in document.problems} == {ProblemKind.SURROGATE}
    assert len(document.problems) == 2


def test_merge_keys_merge_and_explicit_keys_win() -> None:
    document = only("x: &x {p: 1, q: 2}\nw: {<<: *x, q: 3}\nz: {<<: [{p: 5}, *x]}\n")
    assert document.value["w"] == {"p": 1, "q": 3}
    assert document.value["z"] == {"p": 5, "q": 2}
    assert document.problems == ()
    assert str(document.position(("w", "p"))) == "1:8"
    assert document.written(("w", "q")) == "3"


def test_a_merge_behind_the_keys_it_overrides_is_a_warning() -> None:
    document = only("x: &x {p: 1, q: 2}\nw: {q: 3, <<: *x}\n")
    assert document.value["w"] == {"p": 1, "q": 2}  # as go-yaml 2 does, against the YAML page
    assert problems(document) == [("2:11", "warning", "merge", ("w",))]


def test_an_alias_gives_a_copy_of_its_own() -> None:
    value = only("a: &x {b: [1]}\nc: *x\n").value
    value["a"]["b"].append(2)
    assert value["c"] == {"b": [1]}


def test_aliases_that_multiply_are_an_error_in_bounded_time() -> None:
    laughs = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{new}: &{new} [{','.join(['*' + old] * 10)}]\n"
        for old, new in zip("abcdefghi", "bcdefghij", strict=True)
    )
    document = only(laughs)
    assert [p.kind for p in document.problems] == ["alias"]
    long = "a: &a " + "x" * 1_000_000 + "\nb: [*a,*a,*a,*a,*a]\n"
    assert [p.kind for p in only(long).problems] == ["alias"]


def test_aliases_cannot_nest_deeper_than_written_text() -> None:
    steps = "".join(f"k{n}: &k{n} {'[' * 100}*k{n - 1}{']' * 100}\n" for n in range(1, 4))
    document = only("k0: &k0 1\n" + steps)
    assert [p.kind for p in document.problems] == ["depth"]


def test_empty_documents_are_skipped_and_not_counted() -> None:
    text = "# Source: x\n---\n---\na: 1\n---\n# only a comment\n---\n~\n--- # c\nb: 2\n...\n---\n"
    assert [(d.index, d.value) for d in read(text)] == [(0, {"a": 1}), (1, {"b": 2})]
    assert str(read(text)[1].position(("b",))) == "10:1"
    assert read("") == read("\n\n") == read("---\n") == read("\ufeff") == []


def test_a_document_that_cannot_be_read_hides_no_other() -> None:
    documents = read(b"a: 1\n---\nb: [\n---\nc: \xff\n---\nd: 4\n")
    assert [d.value for d in documents] == [{"a": 1}, None, None, {"d": 4}]
    assert [d.index for d in documents] == [0, 1, 2, 3]
    assert [str(d.problems[0].position) for d in documents if d.problems] == ["4:1", "5:4"]


def test_what_follows_the_end_of_a_document_is_not_lost_in_silence() -> None:
    for text in ("a: 1\n...\nb: 2\n", "{a: 1} x\n"):
        document = only(text)
        assert document.value == {"a": 1}
        assert [p.kind for p in document.problems] == ["lost-text"]
    assert only("a: 1\n...\n# comment\n").problems == ()


def test_marks_and_line_ends_of_windows_change_nothing() -> None:
    text = "a: 1\r\n---\r\nb: |\r\n  x\r\n  y\r\n"
    assert [d.value for d in read("\ufeff" + text)] == [{"a": 1}, {"b": "x\ny\n"}]
    assert [d.value for d in read('\ufeff{"a": 1}\r\n')] == [{"a": 1}]
    assert [d.value for d in read("a: 1\n---\n\ufeffb: 2\n")] == [{"a": 1}, {"b": 2}]


def test_a_block_at_the_end_of_a_file_has_the_line_end_that_kubectl_adds() -> None:
    assert only("a: |\n  x").value == {"a": "x\n"}


def test_json_documents_may_follow_each_other() -> None:
    documents = read('{"a": 1}\n{"b": 2} {"c":\n3}\n# the end\n---\n{"d": 4}', "a.json")
    assert [d.value for d in documents] == [{"a": 1}, {"b": 2}, {"c": 3}, {"d": 4}]
    assert str(documents[2].position(("c",))) == "2:11"
    documents = read('{"a": 1}\n{"b": \n')
    assert [d.value for d in documents] == [{"a": 1}, None]
    assert str(documents[1].problems[0].position) == "3:1"


def test_a_list_of_json_is_one_document() -> None:
    assert only('[{"a": 1}]').value == [{"a": 1}]
    assert only("[a, b]").value == ["a", "b"]


def test_yaml_in_a_json_file_is_read_with_a_warning() -> None:
    document = only('{"a": 1,}\n', "a.json")
    assert document.value == {"a": 1}
    assert problems(document) == [("1:9", "warning", "json", ())]
    assert only("{a: 1}\n", "a.yaml").problems == ()
    broken = only('{"a": 1,\n"b" 2}', "a.json")
    assert [(p.kind, str(p.position)) for p in broken.problems] == [("syntax", "2:5")]


def test_whole_floats_are_the_integers_that_kubectl_sends() -> None:
    for text in ("a: 3.0\nb: 1e3\nc: 1.5\n", '{"a": 3.0, "b": 1e3, "c": 1.5}'):
        assert json.dumps(only(text).value) == '{"a": 3, "b": 1000, "c": 1.5}'


def test_problems_stand_in_the_order_of_the_text() -> None:
    document = only("a: &x {p: 1}\nb: {p: 2, <<: *x, p: 3}\n1: x\nc: !foo d\n")
    assert document.problems == tuple(sorted(document.problems, key=lambda p: p.position))


def test_a_thousand_problems_are_enough() -> None:
    assert len(only("\n".join(f"{n}: x" for n in range(3000))).problems) == 1000


def test_256_levels_are_read() -> None:
    assert only("[" * 256 + "]" * 256).readable
    assert only("- " * 256 + "x").readable


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_raise(text: bytes) -> None:
    for source in ("a.yaml", "a.json"):
        for document in read_documents(text, source):
            assert document.value is not None or document.problems
            document.position(("a", 0))


YAML_PIECES = [
    "a", "b: ", "- ", "\n", "  ", ": ", "{", "}", "[", "]", ",", "'", '"', "#", "&x ", "*x", "!!str ",
    "!t ", "? ", "|", ">-", "---\n", "...\n", "1", "010", "yes", "<<: ", "\t", "\n- ", "~", "\r\n", "%",
    "\\", "\\ud800", "\u2028", "\ufeff", "😀", "NaN", "kind: List\n", "items:\n", '{"items": [', "\x00",
]  # fmt: skip


@settings(deadline=None)
@given(st.lists(st.sampled_from(YAML_PIECES), max_size=25).map("".join))
def test_no_text_of_yaml_pieces_raises(text: str) -> None:
    for source in ("a.yaml", "a.json"):
        for document in read_documents(text.encode(), source):
            assert document.value is not None or document.problems
            json.dumps(document.value, allow_nan=False).encode()
            for problem in document.problems:
                assert problem.position.line >= 1
                assert problem.position.column >= 1
                assert problem.position.line <= text.count("\n") + 2
