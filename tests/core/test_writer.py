"""Who writes."""

from __future__ import annotations

import pytest

from webhook.catalog import Catalog
from webhook.core.writer import NOBODY, UserGlobs, Writer, classify

SA = "system:serviceaccount:"


@pytest.fixture(scope="module")
def operators():
    return UserGlobs.of(Catalog.default().operators())


@pytest.mark.parametrize(
    "name",
    [
        "skyhook:skyhook-operator-controller-manager",
        "skyhook:anything-controller-manager",
        "nodewright:nodewright-controller-manager",
        "gpu-system:my-release-skyhook-operator-controller-manager",
        "gpu-system:nodewright-controller-manager",
    ],
)
def test_the_shipped_globs_know_the_operator(operators, name):
    assert classify(SA + name, operators) is Writer.OPERATOR


@pytest.mark.parametrize(
    ("name", "writer"),
    [
        (SA + "skyhook:default", Writer.SERVICE_ACCOUNT),
        (SA + "kube-system:node-controller", Writer.SERVICE_ACCOUNT),
        (SA + "other:something-controller-manager", Writer.SERVICE_ACCOUNT),
        (SA + "skyhook:x-controller-manager-2", Writer.SERVICE_ACCOUNT),
        ("system:node:node-a", Writer.PERSON),
        ("kubernetes-admin", Writer.PERSON),
        ("argocd-application-controller", Writer.PERSON),
        ("system:kube-controller-manager", Writer.PERSON),
        ("skyhook:skyhook-operator-controller-manager", Writer.PERSON),
        ("", Writer.UNKNOWN),
        (None, Writer.UNKNOWN),
    ],
)
def test_everybody_else(operators, name, writer):
    assert classify(name, operators) is writer


def test_a_person_may_be_named_as_the_operator():
    assert classify("ops-bot", UserGlobs.of(["ops-*"])) is Writer.OPERATOR


def test_a_glob_matches_a_whole_name_and_its_case():
    globs = UserGlobs.of(["team-?", "*.admin"])
    assert globs.match("team-a")
    assert globs.match("nobody", "cluster.admin")
    for name in ("team-ab", "xteam-a", "Team-a", "team-a\n", "cluster.admin.x", ""):
        assert not globs.match(name), name


def test_no_globs_match_nobody():
    assert UserGlobs.of([]) == NOBODY
    assert not NOBODY.match("", "anybody")
    assert NOBODY.pattern is None


def test_globs_are_kept_as_configured():
    assert UserGlobs.of(["a*", "b"]).globs == ("a*", "b")


def test_writers_are_the_words_of_the_profile_language():
    assert [w.value for w in Writer] == ["operator", "service-account", "person", "unknown"]
