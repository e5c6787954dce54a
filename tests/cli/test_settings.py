"""Settings: flags over environment over file over defaults, and refused as a whole."""

from __future__ import annotations

import pytest
from msgspec import Meta
from msgspec.structs import fields

from webhook.reviews.policy import Mode
from webhook.settings import Settings, SettingsError, load_settings

PREFIX = "SKYHOOK_WEBHOOK_"


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    import os

    for name in list(os.environ):
        if name.startswith(PREFIX):
            monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("flag", "env", "file", "mode"),
    [
        (None, None, None, "enforce"),
        (None, None, "off", "off"),
        (None, "audit", None, "audit"),
        (None, "audit", "off", "audit"),
        ("warn", None, "off", "warn"),
        ("warn", "audit", None, "warn"),
        ("warn", "audit", "off", "warn"),
    ],
)
def test_flags_win_over_the_environment_and_that_over_the_file(monkeypatch, flag, env, file, mode):
    if env is not None:
        monkeypatch.setenv(f"{PREFIX}MODE", env)
    settings = load_settings({"mode": flag}, None if file is None else {"mode": file})
    assert settings.mode is Mode(mode)


def test_what_one_source_leaves_open_another_says(monkeypatch):
    monkeypatch.setenv(f"{PREFIX}PORT", "1234")
    monkeypatch.setenv(f"{PREFIX}OPERATORS", '["a*"]')
    settings = load_settings(
        {"bind_address": "127.0.0.1"}, {"log_level": "debug", "port": 1, "shutdown_grace": 3}
    )
    assert (settings.bind_address, settings.port, settings.log_level) == (
        "127.0.0.1",
        1234,
        "debug",
    )
    assert (settings.operators, settings.shutdown_grace, settings.workers) == (["a*"], 3.0, 1)


def test_the_defaults_are_those_that_design_and_readme_name():
    settings = load_settings({})
    assert (settings.bind_address, settings.port) == ("0.0.0.0", 9443)
    assert (settings.metrics_bind_address, settings.health_probe_bind_address) == (":8080", ":8081")
    assert (settings.mode, settings.modes, settings.operators) == (Mode.ENFORCE, [], [])
    assert settings.profiles == ["skyhook", "nodewright"]
    assert (settings.strictness, settings.usual_rules, settings.operator_version) == (
        "recorded",
        False,
        {},
    )
    assert (settings.max_body_bytes, settings.body_timeout) == (20 * 2**20, 15.0)
    assert (settings.shutdown_delay, settings.shutdown_grace) == (5.0, 20.0)


def test_a_port_that_kubelet_sets_for_a_service_of_our_name_is_none(monkeypatch):
    for name, value in {
        "PORT": "tcp://10.96.0.1:443", "SERVICE_HOST": "10.96.0.1", "SERVICE_PORT": "443", "SERVICE_PORT_HTTPS": "443",
        "PORT_443_TCP": "tcp://10.96.0.1:443", "PORT_443_TCP_PROTO": "tcp", "PORT_443_TCP_ADDR": "10.96.0.1",
    }.items():  # fmt: skip
        monkeypatch.setenv(PREFIX + name, value)
    assert load_settings({}).port == 9443
    assert load_settings({}, {"port": 1}).port == 1


@pytest.mark.parametrize(
    ("values", "reasons"),
    [
        ({"mode": "maybe"}, ["mode: Input should be 'enforce', 'warn', 'audit' or 'off'"]),
        ({"prot": 1}, ["prot: Extra inputs are not permitted"]),
        ({"port": 70000}, ["port: Input should be less than or equal to 65535"]),
        ({"workers": 0}, ["workers: Input should be greater than or equal to 1"]),
        ({"modes": [{"rules": ["x"]}]}, ["modes.0.mode: Field required"]),
        ({"modes": [{"mode": "off", "rule": ["x"]}]}, ["modes.0.rule: Extra inputs are not permitted"]),
        ({"operator_version": {"skyhook": "x"}}, ["operator_version: 'x' is no release; write it as 0.16"]),
        ({"operator_version": 0.2}, ["operator_version: 0.2 is a number; put it in quotes: 0.20 is not 0.2"]),
        ({"metrics_bind_address": "nowhere"}, ["metrics_bind_address: 'nowhere' is no host:port, and not 0 for none"]),
        ({"health_probe_bind_address": ":99999"}, ["health_probe_bind_address: ':99999' is no host:port, and not 0 for none"]),
        ({"strictness": "high"}, ["strictness: Input should be 'recorded' or 'documented'"]),
        ({"mode": "maybe", "port": -1, "x": 1}, ["port: Input should be greater than or equal to 0", "mode: Input should be 'enforce', 'warn', 'audit' or 'off'", "x: Extra inputs are not permitted"]),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_refused_as_a_whole(values, reasons):
    with pytest.raises(SettingsError) as raised:
        load_settings({}, values)
    assert sorted(str(raised.value).splitlines()) == sorted(reasons)


@pytest.mark.parametrize("address", ["0", "", ":8080", "127.0.0.1:0", "[::1]:65535"])
def test_addresses_that_can_be_used(address):
    assert load_settings({}, {"metrics_bind_address": address}).metrics_bind_address == address


@pytest.mark.parametrize("values", [[], "x", 5])
def test_a_file_that_is_no_map_is_refused(values):
    with pytest.raises(SettingsError, match="the settings file must be a map of settings"):
        load_settings({}, values)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MODE", "secret-value"),
        ("MODES", "[{secret-value"),
        ("PORT", "secret-value"),
        ("WORKERS", "-5"),
    ],
)
def test_a_bad_environment_is_refused_without_showing_its_value(monkeypatch, name, value):
    monkeypatch.setenv(PREFIX + name, value)
    with pytest.raises(SettingsError) as raised:
        load_settings({})
    assert name.lower() in str(raised.value)
    assert "secret-value" not in str(raised.value)


def test_a_bad_file_is_said_with_its_name_and_ends_in_2(cli, write):
    write("c.yaml", "mode: maybe\nprot: 1\n")
    done = cli("validate", "--config", "c.yaml", write("a.yaml", ""))
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("skyhook-webhook: c.yaml: settings: ")
    assert "prot: Extra inputs are not permitted" in done.err


@pytest.mark.parametrize("text", ["a: [", "mode: warn\nmode: off\n", "- 1\n"])
def test_a_file_that_is_no_yaml_map_is_refused(cli, write, text):
    done = cli("validate", "--config", write("c.yaml", text), write("a.yaml", ""))
    assert done.code == 2
    assert "c.yaml" in done.err


def test_the_policy_is_made_of_settings_and_of_the_profiles_operators():
    settings = load_settings({}, {
        "mode": "warn", "operators": ["mine"], "strictness": "documented",
        "modes": [{"mode": "off", "rules": ["a.*"], "writers": ["x"]}, {"mode": "audit"}],
    })  # fmt: skip
    policy = settings.policy(("theirs",))
    assert (policy.mode, policy.documented, policy.operators.globs) == (
        Mode.WARN,
        True,
        ("theirs", "mine"),
    )
    first, second = policy.overrides
    assert (first.mode, first.rules.globs, first.writers.globs) == (Mode.OFF, ("a.*",), ("x",))
    assert (second.mode, second.rules.globs, second.writers.globs) == (Mode.AUDIT, (), ())


def test_settings_are_frozen_and_every_one_is_described():
    settings = load_settings({})
    with pytest.raises(AttributeError, match="immutable"):
        settings.port = 1
    for one in fields(Settings):
        [about] = (mark for mark in one.type.__metadata__ if isinstance(mark, Meta))
        assert about.description, one.name
