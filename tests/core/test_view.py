"""The lazy view of raw JSON."""

from __future__ import annotations

import msgspec
import pytest

from webhook.core.view import UNREADABLE, View, equal_values, same, view


def of(text: str | bytes) -> View:
    return View(msgspec.Raw(text if isinstance(text, bytes) else text.encode()))


def nested(depth: int, leaf: str) -> View:
    return of('{"a":' * depth + leaf + "}" * depth)


@pytest.mark.parametrize(
    ("text", "fields", "items", "value"),
    [
        ('{"a":1}', {"a": b"1"}, None, {"a": 1}),
        ("[1,[2]]", None, [b"1", b"[2]"], [1, [2]]),
        ('"x"', None, None, "x"),
        ("null", None, None, None),
        ("12345678901234567890123", None, None, 12345678901234567890123),
        ("1e999", None, None, UNREADABLE),
        ('"\\ud800"', None, None, UNREADABLE),
        ('{"\\ud800":1}', None, None, UNREADABLE),
        ("[" * 5000 + "]" * 5000, None, None, UNREADABLE),
        ("9" * 5000, None, None, UNREADABLE),
    ],
)
def test_a_view_reads_what_json_holds_and_never_raises(text, fields, items, value):
    seen = of(text)
    assert (
        None if seen.fields is None else {k: bytes(v) for k, v in seen.fields.items()}
    ) == fields
    assert (None if seen.items is None else [bytes(i.raw) for i in seen.items]) == items
    assert seen.value is value if value is UNREADABLE else seen.value == value
    assert seen.members == (seen.fields or {})


def test_unreadable_says_so():
    assert repr(UNREADABLE) == "unreadable"


def test_nothing_below_a_view_is_decoded_before_it_is_read(monkeypatch):
    decoded = []

    class Spy:
        def decode(self, raw):
            decoded.append(bytes(raw))
            return msgspec.json.decode(raw)

    monkeypatch.setattr("webhook.core.view._VALUE", Spy())
    seen = of('{"a":{"b":1},"c":[1,2,3]}')
    assert seen.text("a", "b") is None
    assert seen.number("a", "b") == 1
    assert decoded == [b"1"]


def test_what_was_read_once_is_not_decoded_again(monkeypatch):
    seen = of('{"a":{"b":1},"c":[{"type":"T"}],"d":"{}"}')
    first = (
        seen.fields,
        seen.child("c").items,
        seen.value,
        seen.child("d").inside,
        seen.child("c").kinds,
    )
    for name in ("_FIELDS", "_ITEMS", "_VALUE"):
        monkeypatch.setattr(f"webhook.core.view.{name}", None)
    again = (
        seen.fields,
        seen.child("c").items,
        seen.value,
        seen.child("d").inside,
        seen.child("c").kinds,
    )
    assert all(a is b for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize("text", ["1", "[]", '"s"', "1e999"])
def test_a_failed_read_is_remembered_too(text, monkeypatch):
    seen = of(text)
    assert seen.fields is None
    monkeypatch.setattr("webhook.core.view._FIELDS", None)
    assert seen.fields is None
    assert seen.members == {}


def test_null_counts_as_absent():
    seen = of('{"a":null,"b":{"c":null}}')
    assert seen.child("a") is None
    assert seen.at("b", "c") is None
    assert seen.at("b", "c", "d") is None
    assert seen.at("x", "y") is None
    assert seen.at() is seen
    assert view(None) is None
    assert view(msgspec.Raw(b"null")) is None
    assert view(msgspec.Raw(b"0")).value == 0


def test_children_are_kept_so_that_what_they_read_is_kept():
    seen = of('{"a":{"b":1}}')
    assert seen.child("a") is seen.child("a")
    assert seen.child("x") is None
    assert seen.child("x") is None


@pytest.mark.parametrize(
    ("text", "number", "string"),
    [
        ('{"a":1}', 1, None),
        ('{"a":true}', None, None),
        ('{"a":1.5}', None, None),
        ('{"a":"1"}', None, "1"),
        ('{"a":""}', None, ""),
        ("{}", None, None),
        ("[]", None, None),
    ],
)
def test_text_and_number_take_only_their_own_type(text, number, string):
    assert of(text).number("a") == number
    assert of(text).text("a") == string


def test_elements_are_found_by_type_and_the_first_of_each_counts():
    seen = of('[{"type":"A","n":1},{"type":"A","n":2},{"type":5},{"n":3},7,{"type":"B"}]')
    assert {k: v.number("n") for k, v in seen.types.items()} == {"A": 1, "B": None}
    assert of('{"type":"A"}').types == {}


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('"{\\"a\\": 1}"', b'{"a": 1}'),
        ('"[]"', b"[]"),
        ('"\\"x\\""', b'"x"'),
        ('"null"', b"null"),
        ('""', None),
        ('"{broken"', None),
        ('"{} {}"', None),
        ('"NaN"', None),
        ("5", None),
        ('{"a":1}', None),
        ('"' + "[" * 5000 + "]" * 5000 + '"', None),
    ],
)
def test_the_document_in_a_string(text, inside):
    seen = of(text).inside
    assert (None if seen is None else bytes(seen.raw)) == inside


def test_a_view_of_a_plain_value():
    assert View.of({"a": [1, True, None]}).value == {"a": [1, True, None]}
    assert bytes(View.of({"b": 1, "a": 2}).raw) == b'{"b":1,"a":2}'


def test_a_view_prints_its_first_bytes():
    assert repr(of('"' + "x" * 100 + '"')) == "View(" + repr(b'"' + b"x" * 59) + ")"


@pytest.mark.parametrize(
    ("old", "new", "equal"),
    [
        ("1", "1", True),
        ("1", "1.0", True),
        ("true", "1", False),
        ("0", "false", False),
        ('{"a":1,"b":2}', '{"b":2, "a":1}', True),
        ('{"a":1}', '{"a":1,"b":null}', False),
        ('{"a":1}', '{"a":2}', False),
        ('{"a":true}', '{"a":1}', False),
        ("[1,2]", "[1, 2]", True),
        ("[1,2]", "[1]", False),
        ("[1]", "[true]", False),
        ('"a"', '"\\u0061"', True),
        ("1e999", "1e999 ", False),
        ("1e999", "1", False),
        ("1", "1e999", False),
    ],
)
def test_same_compares_meaning_where_bytes_differ(old, new, equal):
    assert same(of(old), of(new)) is equal


def test_equal_bytes_are_the_same_even_where_they_cannot_be_read():
    assert same(of("1e999"), of("1e999"))


def test_absent_is_the_same_as_absent_only():
    assert same(None, None)
    assert not same(None, of("1"))
    assert not same(of("1"), None)


@pytest.mark.parametrize("depth", [100, 600, 900])
def test_a_change_below_any_depth_is_a_change(depth):
    assert not same(nested(depth, "1"), nested(depth, "2"))


def test_json_equality_of_values():
    assert equal_values({"a": [1, {"b": "c"}]}, {"a": [1.0, {"b": "c"}]})
    assert not equal_values({"a": 1}, [("a", 1)])
    assert not equal_values(UNREADABLE, UNREADABLE)
