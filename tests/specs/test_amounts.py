"""Amounts that are legal and meant otherwise, with what may be meant."""

from __future__ import annotations

import pytest

from tests.specs.alone import told
from webhook.specs.amounts import odd_amounts

P = "spec.packages[tuning]"


@pytest.mark.parametrize(
    ("field", "amount", "text"),
    [
        ("memoryLimit", "512", '"512" is 512 bytes, with which no container starts; did you mean "512Mi"?'),
        ("memoryRequest", 64, '64 is 64 bytes, with which no container starts; did you mean "64Mi"?'),
        ("memoryLimit", "128k", '"128k" is 128000 bytes, with which no container starts; did you mean "128Mi"?'),
        ("memoryLimit", "1.5", '"1.5" is 1.5 bytes, with which no container starts'),
        ("cpuLimit", "5k", '"5k" is 5000 cores, which no Node has; did you mean "5m"?'),
        ("cpuRequest", "2Gi", '"2Gi" is 2147483648 cores, which no Node has; did you mean "2m"?'),
    ],
)  # fmt: skip
def test_an_amount_that_nothing_can_have_is_told(field: str, amount: object, text: str) -> None:
    assert told(odd_amounts({}), {field: amount}) == [(f"{P}.{field}", text)]


@pytest.mark.parametrize(
    "there",
    [
        {"memoryLimit": "512Mi"}, {"cpuLimit": "500m"}, {"cpuLimit": 2}, {"memoryLimit": "nonsense"},
        {"memoryLimit": True}, {"memoryLimit": 0}, {"cpuRequest": None}, {},
    ],
)  # fmt: skip
def test_other_amounts_are_silent(there: dict[str, object]) -> None:
    assert told(odd_amounts({}), there) == []
