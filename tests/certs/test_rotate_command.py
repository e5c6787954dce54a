"""`certs rotate` begins a rotation in the Secret that replicas share, and leaves a running one alone."""

from __future__ import annotations

import base64
import subprocess
import sys
from typing import TYPE_CHECKING

from webhook.certs.apiclient import ApiCluster
from webhook.certs.authority import service_names
from webhook.certs.chain import certificates
from webhook.certs.clock import utc_now
from webhook.certs.keyring import Keyring, Lives
from webhook.certs.shared import SECRET
from webhook.certs.store import KeyringStore

if TYPE_CHECKING:
    from tests.kube.control_plane import ControlPlane

ADMIN = "kubernetes-admin"


def rotate(control_plane: ControlPlane, namespace: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "webhook", "certs", "rotate", "-n", namespace]
    config = str(control_plane.kubeconfig(ADMIN))
    return subprocess.run(
        [*command, "--kubeconfig", config], capture_output=True, text=True, timeout=90, check=False
    )


async def test_a_new_ca_stands_beside_the_one_in_use(
    control_plane: ControlPlane, namespace: str
) -> None:
    nothing = rotate(control_plane, namespace)
    assert nothing.returncode == 2
    assert f"Secret {namespace}/{SECRET} can't be rotated: there is none" in nothing.stderr

    config = control_plane.kubeconfig(ADMIN)
    cluster = await ApiCluster.connect(namespace=namespace, kubeconfig=config)
    try:
        names = service_names("skyhook-webhook", namespace)
        store = KeyringStore(cluster, SECRET, names, now=utc_now, lives=Lives())
        await store.save(Keyring.fresh(names, now=utc_now(), lives=Lives()), None)
        said = [rotate(control_plane, namespace) for _ in range(2)]
        secret = await cluster.get_secret(SECRET)
    finally:
        await cluster.close()
    assert [one.stdout for one in said] == [f"Secret {namespace}/{SECRET}: publishing\n"] * 2
    assert secret is not None
    assert len(certificates(base64.b64decode(secret["data"]["ca.crt"]), "CA")) == 2
