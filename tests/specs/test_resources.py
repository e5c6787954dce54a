"""Requests and limits: all four or none, more than nothing, and in order; the parts of an image."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs.alone import told
from webhook.specs.images import Reference
from webhook.specs.resources import package_resources

P = "spec.packages[tuning]"
FOUR = {"cpuRequest": "1", "cpuLimit": "2", "memoryRequest": "1Gi", "memoryLimit": "2Gi"}


@pytest.mark.parametrize(
    ("there", "field", "text"),
    [
        ({**FOUR, "memoryLimit": "1Mi"}, ".memoryLimit",
         '"1Mi" is less than memoryRequest, which is "1Gi"; a limit is at least its request'),
        ({**FOUR, "cpuLimit": "500m"}, ".cpuLimit",
         '"500m" is less than cpuRequest, which is "1"; a limit is at least its request'),
        ({**FOUR, "cpuLimit": 0}, "",
         "cpuLimit missing (0 counts as not set) beside cpuRequest, memoryRequest, memoryLimit; set all four, or none"),
        ({"memoryRequest": "1Gi"}, "",
         "cpuRequest, cpuLimit, memoryLimit missing beside memoryRequest; set all four, or none"),
        ({**FOUR, "cpuRequest": "-1"}, ".cpuRequest", '"-1" must be more than 0'),
    ],
)  # fmt: skip
def test_what_is_told(there: dict[str, Any], field: str, text: str) -> None:
    assert told(package_resources({}), there) == [(f"{P}{field}", text)]


@pytest.mark.parametrize("there", [FOUR, {}, {"cpuLimit": 0}, {**FOUR, "memoryLimit": "1Gi"}])
def test_what_is_silent(there: dict[str, Any]) -> None:
    assert told(package_resources({}), there) == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("reg:5000/a/b:1.2@sha256:0f", ("reg:5000/a/b", "1.2", "sha256:0f")),
        ("a@sha256:0f", ("a", "", "sha256:0f")),
        ("reg/a:1", ("reg/a", "1", "")),
        ("reg:5000/a", ("reg:5000/a", "", "")),
        ("a", ("a", "", "")),
    ],
)
def test_an_image_has_a_name_a_tag_and_a_digest(text: str, parts: tuple[str, str, str]) -> None:
    image = Reference.of(text)
    assert (image.text, image.name, image.tag, image.digest) == (text, *parts)
    assert image.cut == text.partition(":")[0]
