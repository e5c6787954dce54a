"""The profiles as JSON are what the YAML says, and count only while it says so."""

from __future__ import annotations

import json

import pytest

from tests.ready import NAMES, prepared
from webhook import catalog
from webhook.catalog import READY, base, built, shipped
from webhook.lifecycle.prepared import Prepared


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_is_what_the_yaml_says(name):
    kept = (READY / f"{name}.json").read_bytes()
    assert kept == prepared(name).text(), "run `make profiles`"
    assert Prepared.of(kept).profile == built(name)
    assert shipped(name) == built(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_file_that_a_profile_stands_on_is_marked(name):
    document = base(name)
    assert "extends" not in document, "mark the base, too"
    assert set(prepared(name).marks) == {
        f"{name}.yaml",
        *([document["body"]] if "body" in document else []),
    }


@pytest.mark.parametrize(
    "text", [b"{}", b'{"marks": {}, "profile": {"profile": "x", "new": 1}}', None]
)
def test_what_the_model_does_not_take_is_made_from_the_yaml(monkeypatch, tmp_path, text):
    monkeypatch.setattr(catalog, "READY", tmp_path)
    if text is not None:
        (tmp_path / "skyhook.json").write_bytes(text)
    assert catalog.shipped.__wrapped__("skyhook") == built("skyhook")


def test_a_name_of_no_profile_is_told_as_before():
    with pytest.raises(FileNotFoundError):
        shipped("no-such-profile")


def test_yaml_that_has_been_changed_counts_at_once(monkeypatch):
    monkeypatch.setattr(catalog, "marks_of", lambda folder, paths: dict.fromkeys(paths, 0))
    asked = []
    monkeypatch.setattr(catalog, "built", asked.append)
    catalog.shipped.__wrapped__("skyhook")
    assert asked == ["skyhook"]


def test_what_is_kept_is_plain_json():
    assert set(json.loads((READY / "skyhook.json").read_bytes())) == {"marks", "profile"}
