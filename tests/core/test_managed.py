"""When something last changed, as managedFields tell; what they do not tell is not made up."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from webhook.core.managed import annotation_changed, status_changed
from webhook.core.view import View

KEY = "skyhook.nvidia.com/nodeState_gpu"
EARLY, LATE = "2026-11-29T10:00:00Z", "2026-11-29T11:00:00Z"


def owner(time, *keys, subresource=None):
    fields = {"f:metadata": {"f:annotations": {".": {}, **{f"f:{key}": {} for key in keys}}}}
    entry = {"manager": "m", "operation": "Update", "time": time, "fieldsV1": fields}
    return entry if subresource is None else {**entry, "subresource": subresource}


def look(*entries):
    return View.of({"metadata": {"managedFields": list(entries)}})


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ([owner(EARLY, KEY)], 10),
        ([owner(EARLY, KEY), owner(LATE, KEY, subresource="status")], 11),
        ([owner(EARLY, KEY), owner(LATE, "other")], 10),
        ([owner(EARLY, "other")], None),
        ([owner("yesterday", KEY)], None),
        ([owner("2026-11-29T10:00:00", KEY)], None),
        ([owner(None, KEY)], None),
        (["nothing"], None),
        ([], None),
    ],
)
def test_the_latest_write_of_an_annotation_is_that_of_its_owners(entries, found):
    wanted = None if found is None else datetime(2026, 11, 29, found, tzinfo=UTC)
    assert annotation_changed(look(*entries), KEY) == wanted


def test_a_status_write_is_one_through_the_subresource():
    assert status_changed(look(owner(LATE, KEY), owner(EARLY, subresource="status"))) == datetime(
        2026, 11, 29, 10, tzinfo=UTC
    )
    assert status_changed(look(owner(LATE, KEY))) is None


@pytest.mark.parametrize("body", [{}, {"metadata": {"managedFields": 7}}, [], "text"])
def test_objects_without_managed_fields_tell_nothing(body):
    assert annotation_changed(View.of(body), KEY) is None
    assert status_changed(View.of(body)) is None
