"""`--operator-version`: what a manifest is judged for, and what the operator's Deployment shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from webhook.building import catalog_of, looks, mirror_of, releases_of, seen
from webhook.certs.operators import Running, newest, release_of
from webhook.settings import SettingsError, load_settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.cli.conftest import Done

MANIFEST = """\
apiVersion: skyhook.nvidia.com/v1alpha1
kind: Skyhook
metadata: {name: gpu}
spec:
  nodeSelectors: {matchLabels: {pool: gpu}}
  drainConfig: {timeout: 10m}
  packages:
    tuning: {version: 1.2.3, image: "registry.example:5000/tuning"}
"""


def deployment(image: str, **labels: str) -> dict[str, Any]:
    template = {"spec": {"containers": [{"name": "manager", "image": image}]}}
    metadata = {"namespace": "skyhook", "name": "op", "labels": labels}
    return {"metadata": metadata, "spec": {"template": template}}


@pytest.mark.parametrize(
    ("image", "labels", "release"),
    [
        ("ghcr.io/nvidia/nodewright/operator:v0.18.0", {}, "0.18"),
        ("registry.example:5000/operator:0.20.1", {}, "0.20"),
        ("registry.example:5000/operator", {}, None),
        ("operator:v0.17.0@sha256:0123", {"app.kubernetes.io/version": "0.16.0"}, "0.17"),
        ("operator@sha256:0123", {"app.kubernetes.io/version": "0.19.1"}, "0.19"),
        ("operator:dev", {"helm.sh/chart": "skyhook-operator-v0.15.1"}, "0.15"),
        ("operator:dev", {}, None),
    ],
)
def test_a_deployment_shows_its_release_by_tag_or_chart(
    image: str, labels: dict[str, str], release: str | None
) -> None:
    assert release_of(deployment(image, **labels)) == release


def test_while_one_operator_follows_another_the_newer_one_counts() -> None:
    found = newest([deployment("o:v0.9.0"), deployment("o:v0.18.0"), deployment("o:dev")])
    assert found == Running("0.18", "Deployment skyhook/op")
    assert newest([]).release is None


@pytest.mark.parametrize(
    ("given", "unseen", "shown"),
    [
        ("auto", {"skyhook": "0.20", "nodewright": "0.20"}, "0.17"),
        ("auto:0.15", {"skyhook": "0.15", "nodewright": "0.15"}, "0.17"),
        ("0.17", {"skyhook": "0.17", "nodewright": "0.17"}, "0.17"),
    ],
)
def test_auto_is_what_is_seen_else_what_is_set_else_the_newest_known(
    given: str, unseen: dict[str, str], shown: str
) -> None:
    settings = load_settings({"operator_version": given})
    profiles = catalog_of(settings).profiles
    assert releases_of(settings, profiles) == unseen
    assert set(releases_of(seen(settings, "0.17"), profiles).values()) == {shown}
    assert looks(settings) is given.startswith("auto")


def test_auto_on_the_command_line_leaves_what_the_file_says_as_the_second_word() -> None:
    flags = {"operator_version": {"*": "auto"}}
    assert load_settings(flags, {"operator_version": "0.15"}).operator_version == {"*": "auto:0.15"}
    assert load_settings(flags, {}).operator_version == {"*": "auto"}


def test_the_environment_takes_a_version_a_word_and_a_map(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, read in (
        ("0.20", {"*": "0.20"}),
        ("auto", {"*": "auto"}),
        ('{"skyhook": "0.17"}', {"skyhook": "0.17"}),
    ):
        monkeypatch.setenv("SKYHOOK_WEBHOOK_OPERATOR_VERSION", text)
        assert load_settings({}).operator_version == read
    monkeypatch.setenv("SKYHOOK_WEBHOOK_OPERATOR_VERSION", "newest")
    with pytest.raises(SettingsError, match="'newest' is no release"):
        load_settings({})


@pytest.mark.parametrize(("release", "frozen"), [("0.17", set()), ("0.18", {"skyhook"})])
def test_from_0_18_on_the_mutator_leaves_the_old_objects_alone(
    release: str, frozen: set[str]
) -> None:
    settings = load_settings({"operator_version": release})
    assert mirror_of(settings, catalog_of(settings).profiles).read_only == frozen


def test_a_manifest_is_judged_for_the_release_that_is_named(
    cli: Callable[..., Done], write: Callable[[str, Any], str]
) -> None:
    write("a.yaml", MANIFEST)
    old = cli("validate", "--operator-version", "0.17", "a.yaml")
    assert "no such field before operator 0.18" in old.out
    assert "cuts an image at its first colon" in old.out
    new = cli("validate", "--operator-version", "0.20", "a.yaml")
    assert "drainConfig" not in new.out
    assert "first colon" not in new.out


def test_a_release_newer_than_all_that_are_known_is_named_as_such(
    cli: Callable[..., Done], write: Callable[[str, Any], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", ".")
    write("a.yaml", MANIFEST)
    found = cli("validate", "--operator-version", "auto:0.31", "a.yaml")
    assert "operator not seen: this is no Pod, and no kubeconfig is given" in found.err
    assert "release 0.31 (as configured; newer than 0.20, the newest known here" in found.err
