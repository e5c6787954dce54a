"""Keys of configMap, globs of configInterrupts, switches."""

from __future__ import annotations

import pytest

from tests.specs.alone import told
from webhook.specs.config import config_globs, config_keys, switch_value

P = "spec.packages[tuning]"


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("a b", '; for example "a-b"'),
        ("-x.y z.", '; for example "x.y-z"'),
        ("a//b", '; for example "a-b"'),
        ("/", ""),
        (".", ""),
        ("..", ""),
        ("", ""),
    ],
)
def test_a_key_that_a_config_map_cannot_have_is_told_with_one_that_it_can(
    key: str, hint: str
) -> None:
    [(_, text)] = told(config_keys({}), {key: "x"})
    assert text == (
        f'"{key}" cannot be a key of a ConfigMap, so the operator cannot make it and the package never'
        f" starts; legal are letters, digits, -, _ and .{hint}"
    )


@pytest.mark.parametrize("key", ["a", "...", "A-b_c.d", "0", "x" * 253])
def test_a_key_that_it_can_have_is_silent(key: str) -> None:
    assert told(config_keys({}), {key: "x"}) == []


def test_another_wildcard_than_a_star_is_told_where_it_stands() -> None:
    patterns = {"*.con?": {}, "a*[bc]": {}, "*": {}, "plain": {}, "odd[1]*": {}}
    package = {"configMap": {"odd[1]*": "x"}, "configInterrupts": patterns}
    assert [
        (field, text.partition(" is a")[0]) for field, text in told(config_globs({}), package)
    ] == [
        (f"{P}.configInterrupts[*.con?]", '"*.con?": ?'),
        (f"{P}.configInterrupts[a*[bc]]", '"a*[bc]": ['),
    ]
    assert told(config_globs({}), {"configMap": {"a": "x"}}) == []


@pytest.mark.parametrize("value", ["True", " true", "1", "YES", "enabled"])
def test_a_switch_that_is_meant_to_be_on_is_told(value: str) -> None:
    assert len(told(switch_value({}), value)) == 1


@pytest.mark.parametrize("value", ["true", "false", "", "0", 1, True, None])
def test_a_switch_that_is_on_or_off_is_silent(value: object) -> None:
    assert told(switch_value({}), value) == []
