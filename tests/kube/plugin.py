"""Pytest's way to the control plane: `control_plane`, `cluster`, `start_cluster`; the `cluster` marker follows."""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from tests.controlplane.build import Binaries, GoMissingError, find_or_build
from tests.kube.apiserver import PLAIN, Options
from tests.kube.control_plane import ControlPlane, start_control_plane
from tests.kube.crds import install_crds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FIXTURES = frozenset({"control_plane_binaries", "control_plane", "cluster", "start_cluster"})


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever uses a living API server is marked so, wherever its fixture is asked for."""
    for item in items:
        if not FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def control_plane_binaries(pytestconfig: pytest.Config) -> Binaries:
    """Found or built once; a missing control plane is a failure in CI and a skip where Go is missing too."""
    capture = pytestconfig.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture else nullcontext():
        try:
            return find_or_build()
        except GoMissingError as error:
            reason = f"no control plane: {error}"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def start_cluster(
    control_plane_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[Options], ControlPlane]]:
    """Starts a further control plane with options of its own; all are ended with the session."""
    started: list[ControlPlane] = []

    def start(options: Options = PLAIN) -> ControlPlane:
        folder = tmp_path_factory.mktemp("control-plane")
        started.append(start_control_plane(control_plane_binaries, folder, options))
        return started[-1]

    yield start
    for control_plane in started:
        control_plane.stop()


@pytest.fixture(scope="session")
def control_plane(start_cluster: Callable[[Options], ControlPlane]) -> ControlPlane:
    """The session's own etcd and kube-apiserver; CRDs are there only once somebody asked for `cluster`."""
    return start_cluster(PLAIN)


@pytest.fixture(scope="session")
def cluster(control_plane: ControlPlane) -> ControlPlane:
    """The same with our CRDs established."""
    install_crds(control_plane)
    return control_plane
