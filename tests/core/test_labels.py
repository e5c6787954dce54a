"""Names, label keys and label values are legal exactly where apimachinery says so."""

from __future__ import annotations

from tests.specs.oracle.questions import ANSWERS, load
from webhook.core.labels import wrong_with_domain, wrong_with_key, wrong_with_value


def test_names_agree_with_gos_own() -> None:
    asked = load(ANSWERS, "name")
    assert len(asked) >= 200
    for question in asked:
        legal = wrong_with_domain(question["text"]) is None
        assert legal == question["answer"]["ok"], question


def test_reasons_say_what_is_legal() -> None:
    assert wrong_with_key("a/b/c") == "may hold one / at most"
    assert wrong_with_key("Example.com/x") == (
        "the part before the / must be small letters, digits, - and .,"
        " every part beginning and ending with a letter or digit"
    )
    assert (
        wrong_with_key("x/" + "a" * 64)
        == "the part behind the / has 64 characters; 63 are the most"
    )
    assert wrong_with_value("a b") == (
        "must be empty, or letters, digits, -, _ and ., beginning and ending with a letter or digit"
    )
    assert wrong_with_value("") is None
