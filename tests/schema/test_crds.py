"""The shipped schemas are those of manifests/crds, and every file there is one of ours."""

from __future__ import annotations

import pytest

from tests.schema import build
from webhook.schema import guards


def test_the_shipped_schemas_are_made_from_the_manifests() -> None:
    assert build.TARGET.read_text() == build.build(), "run: python -m tests.schema.build"


@pytest.mark.parametrize(
    "kind_group",
    [
        ("skyhook.nvidia.com", "Skyhook"),
        ("skyhook.nvidia.com", "DeploymentPolicy"),
        ("nodewright.nvidia.com", "NodeWright"),
        ("nodewright.nvidia.com", "DeploymentPolicy"),
    ],
)
def test_each_kind_of_ours_has_a_schema(kind_group: tuple[str, str]) -> None:
    assert guards(kind_group)


def test_a_keyword_without_a_check_is_an_error() -> None:
    with pytest.raises(ValueError, match="no check for \\['multipleOf'\\]"):
        build.compact({"type": "integer", "multipleOf": 2}, "x")
