"""Settings that are read at once are what pydantic-settings makes of them; all else is left to it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.settings import Settings, SettingsError, load_settings
from webhook.settings.loading import PREFIX, _plain
from webhook.settings.sources import settings_from

VALUES = (
    0, 1, 5, 9443, 70000, -1, 0.5, 5.0, float("inf"), float("nan"), 10**12, True, False, None, "", "0", "true", "x", "a/b",
    "0.16", "auto", "auto:0.16", "off", "warn", "info", "live", "folder", "recorded", ":80", "127.0.0.1:99", [], ["a"], [1], {},
    {"until": "2027-01-01"}, {"window": "closed"}, {"window": "x"}, {"look": 1}, {"look": "5"}, {"users": ["a"], "hours": 1},
    [{"mode": "off"}], [{"mode": "off", "rules": ["a"]}], {"skyhook": "0.16"}, {"skyhook": 0.16}, '{"a": "0.15"}', Path("p"),
)  # fmt: skip
SOURCE = st.dictionaries(
    st.sampled_from([*Settings.__struct_fields__, "x"]), st.sampled_from(VALUES), max_size=2
)


@given(SOURCE, SOURCE)
def test_what_is_taken_at_once_is_what_pydantic_says(flags, in_file):
    flags = {name: value for name, value in flags.items() if value is not None}
    plain = _plain(flags, in_file)
    if plain is not None:
        assert repr(plain) == repr(settings_from(flags, in_file))


@pytest.mark.parametrize(
    ("flags", "environment", "in_file"),
    [
        ({"port": 1, "mode": "warn"}, {}, {"modes": [{"mode": "off", "rules": ["a.*"]}], "shutdown_delay": 2}),
        ({}, {"TLS": "folder", "CERT_DIR": "/certs", "NAMESPACE": "n", "SERVICE": "s"}, {"operator_version": "0.15"}),
        ({}, {"mode": "audit", "PORT": "tcp://10.0.0.1:443"}, {"mode": "off", "rotation": {"look": 1}}),
    ],
    ids=["flags and file", "as in a Pod", "any case, beside a Service's variables"],
)  # fmt: skip
def test_usual_settings_are_taken_at_once(monkeypatch, flags, environment, in_file):
    for name, value in environment.items():
        monkeypatch.setenv(f"{PREFIX}{name}", value)
    plain = _plain(flags, in_file)
    assert plain is not None
    assert plain == settings_from(flags, in_file)


@pytest.mark.parametrize(
    ("flags", "environment", "in_file"),
    [
        ({}, {"PORT": "1"}, {}),
        ({}, {"ROTATION__LOOK": "5"}, {}),
        ({}, {"OPERATORS": '["a"]'}, {}),
        ({"operator_version": {"a": "0.15"}}, {}, {"operator_version": {"b": "0.16"}}),
        ({}, {}, {"port": "1"}),
    ],
)
def test_what_needs_to_be_brought_into_its_form_is_left_to_pydantic(
    monkeypatch, flags, environment, in_file
):
    for name, value in environment.items():
        monkeypatch.setenv(f"{PREFIX}{name}", value)
    assert _plain(flags, in_file) is None
    assert load_settings(flags, in_file) == settings_from(flags, in_file)


def test_a_variable_that_a_flag_overrides_must_be_readable_all_the_same(monkeypatch):
    monkeypatch.setenv(f"{PREFIX}OPERATORS", "[")
    with pytest.raises(SettingsError, match="operators"):
        load_settings({"operators": ["a"]})


def test_usual_settings_and_the_profiles_of_ours_need_neither_pydantic_nor_yaml():
    code = (
        "import sys; from webhook.building import engine_of; from webhook.settings import load_settings;"
        "engine_of(load_settings({'port': 1}));"
        "bad = {'pydantic', 'pydantic_settings', 'yaml'} & set(sys.modules); assert not bad, bad"
    )
    root = Path(__file__).resolve().parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)
