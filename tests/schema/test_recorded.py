"""Every object that the API server really took passes the schema."""

from __future__ import annotations

from tests.corpus import reading
from webhook.core.finding import Severity
from webhook.schema import check_structure


def test_every_recorded_object_passes() -> None:
    count = 0
    for review in reading.distilled():
        request = review["request"]
        kind = (request["kind"]["group"], request["kind"]["kind"])
        value = request["object"]
        if value is None or kind[1] == "Node":
            continue
        count += 1
        denied = [f for f in check_structure(kind, value) if f.severity is Severity.DENY]
        assert not denied, (reading.origin(review), denied)
    assert count > 1000
