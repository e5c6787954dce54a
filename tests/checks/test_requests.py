"""Rules about who asks, and through which version."""

from __future__ import annotations

from typing import Any

import pytest

from webhook.checks.requests import version_erases
from webhook.core.view import View
from webhook.lifecycle.path import START
from webhook.lifecycle.run import Run

JUDGE = version_erases({"versions": ["v1beta1"], "field": "spec.pause"})


def texts(entry: dict[str, Any], version: str = "v1beta1") -> list[str]:
    old = View.of({"metadata": {"managedFields": [{"fieldsV1": {"f:other": {}}}, entry]}})
    return [
        mark.message for mark in JUDGE(Run(old, View.of({}), version=version), None, None, START)
    ]


@pytest.mark.parametrize(
    ("who", "said"),
    [
        ({"manager": "kubectl", "apiVersion": "g/v1"}, "kubectl wrote through g/v1"),
        ({}, "somebody wrote through another version"),
    ],
)
def test_a_write_that_erases_says_whose_field_it_was(who: dict[str, str], said: str) -> None:
    [text] = texts({**who, "fieldsV1": {"f:spec": {"f:pause": {}}}})
    assert f"erases what {said}: v1beta1 has no such field" in text


def test_a_field_that_nobody_claims_or_a_version_that_knows_it_is_silent() -> None:
    assert texts({"fieldsV1": {"f:spec": {}}}) == []
    assert texts({"fieldsV1": {"f:spec": {"f:pause": {}}}}, "v1") == []
