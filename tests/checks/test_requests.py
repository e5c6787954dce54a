"""Rules about who asks, and through which version."""

from __future__ import annotations

from typing import Any

import pytest

from webhook.checks.requests import version_erases, writers
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


OWN = writers({"accounts": "spec.accounts", "may": ["spec.state"], "exempt": ["admin"]})


@pytest.mark.parametrize(
    ("user", "told"),
    [
        ("system:serviceaccount:ns:op", True),
        ("system:serviceaccount:other:op", False),
        ("system:serviceaccount:ns:else", False),
        ("op", False),
        ("admin", False),
    ],
)
def test_only_the_accounts_that_an_object_lists_are_held_to_their_fields(
    user: str, told: bool
) -> None:
    def thing(**spec: Any) -> View:
        return View.of({"metadata": {"namespace": "ns"}, "spec": {"accounts": ["op"], **spec}})

    run = Run(thing(size=1, state="a"), thing(size=2, state="b"), user=user)
    assert [str(mark.field) for mark in OWN(run, None, None, START)] == ["spec.size"] * told
    nobody = View.of({"metadata": {"namespace": "ns"}, "spec": {"size": 1}})
    assert list(OWN(Run(nobody, thing(), user=user), None, None, START)) == []
