"""Models made from structs: the same fields, names, defaults and bounds, in pydantic's words."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from msgspec import Meta, Struct, field
from pydantic import ValidationError

from webhook.core.readable import Readable, check_marks
from webhook.models import Models


class Inner(Struct, frozen=True, forbid_unknown_fields=True):
    size: Annotated[int, Meta(ge=1, le=9)] = 5


class Outer(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    one_of: list[str] | None = field(name="in", default=None)
    inner: Inner = Inner(size=7)
    rows: dict[str, list[Inner | str]] = {}
    number: Annotated[str, Readable(int)]
    free: Any = None


def complete(outer: Outer) -> Outer:
    if outer.one_of == []:
        raise ValueError("none is no choice")
    return outer


MODELS = Models({Outer: (complete,)})


def reasons(document):
    with pytest.raises(ValidationError) as raised:
        MODELS.read(Outer, document)
    return [(one["loc"], one["msg"]) for one in raised.value.errors()]


def test_a_document_becomes_structs_all_the_way_down():
    document = {
        "in": ["a"],
        "number": "3",
        "rows": {"x": [{"size": "2"}, "y"]},
        "free": {"k": [1]},
    }
    assert MODELS.read(Outer, document) == Outer(
        one_of=["a"], number="3", rows={"x": [Inner(size=2), "y"]}, free={"k": [1]}
    )
    assert MODELS.read(Outer, {"number": "1"}) == Outer(number="1")


def test_what_is_wrong_is_told_with_its_place_in_the_document():
    assert reasons({}) == [(("number",), "Field required")]
    assert reasons({"number": "x"}) == [
        (("number",), "Value error, invalid literal for int() with base 10: 'x'")
    ]
    assert reasons({"number": "1", "inner": {"size": 10}, "one_of": []}) == [
        (("inner", "size"), "Input should be less than or equal to 9"),
        (("one_of",), "Extra inputs are not permitted"),
    ]
    assert reasons({"number": "1", "in": []}) == [((), "Value error, none is no choice")]
    [(place, text)] = reasons({"number": "1", "inner": 3})
    assert (place, text) == (
        ("inner",),
        "Input should be a valid dictionary or instance of Inner",
    )


def test_marks_are_read_without_pydantic_too():
    check_marks(Outer(number="1"))
    with pytest.raises(ValueError, match="invalid literal"):
        check_marks(Outer(number="x"))
