"""The real API server of the tests: alive, and everybody is who they should be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.kube.actors import ACTORS
from tests.kube.crds import crds

if TYPE_CHECKING:
    from tests.kube.control_plane import ControlPlane


@pytest.mark.parametrize("actor", sorted(ACTORS))
def test_each_actor_is_who_its_name_says(control_plane: ControlPlane, actor: str):
    review = control_plane.kubectl(actor, "auth", "whoami", "-o", "json").stdout
    user = json.loads(review)["status"]["userInfo"]
    assert user["username"] == ACTORS[actor].user
    assert set(user["groups"]) == {*ACTORS[actor].groups, "system:authenticated"}


def test_our_crds_are_established(cluster: ControlPlane):
    for crd in crds():
        status, found = cluster.request("platform-admin", "GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{crd['metadata']['name']}")
        print(status, found.get("status"))
        assert status == 200
