"""The command lines of etcd and kube-apiserver, and the files that they read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.controlplane.build import Binaries

AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "omitManagedFields": True,
    "rules": [
        {
            "level": "RequestResponse",
            "verbs": ["create", "update", "patch", "delete", "deletecollection"],
            "resources": [
                {"group": "skyhook.nvidia.com"},
                {"group": "nodewright.nvidia.com"},
                {"group": "", "resources": ["nodes", "nodes/status"]},
            ],
        },
        {"level": "None"},
    ],
}


@dataclass(frozen=True, slots=True)
class Options:
    """How this API server differs from the plain one.

    `audit`: the RequestResponse audit log of writes to our kinds and to Nodes is kept in a file.
    `flags`: further kube-apiserver flags, last and therefore stronger.
    """

    audit: bool = False
    flags: tuple[str, ...] = ()


PLAIN = Options()


def etcd_command(binaries: Binaries, folder: Path, client_url: str, peer_url: str) -> list[str]:
    return [
        str(binaries.etcd),
        f"--data-dir={folder / 'etcd'}",
        f"--listen-client-urls={client_url}",
        f"--advertise-client-urls={client_url}",
        f"--listen-peer-urls={peer_url}",
        f"--initial-advertise-peer-urls={peer_url}",
        f"--initial-cluster=default={peer_url}",
        "--unsafe-no-fsync",  # the data never has to survive the machine
        "--log-level=warn",
    ]


def apiserver_command(
    binaries: Binaries, folder: Path, etcd_url: str, port: int, options: Options
) -> list[str]:
    service_account_key = folder / "service-account.key"
    return [
        str(binaries.kube_apiserver),
        f"--etcd-servers={etcd_url}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={port}",
        "--endpoint-reconciler-type=none",  # nobody reaches this server through a Service
        f"--tls-cert-file={folder / 'serving.crt'}",
        f"--tls-private-key-file={folder / 'serving.key'}",
        f"--token-auth-file={folder / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={service_account_key}",
        f"--service-account-signing-key-file={service_account_key}",
        "--service-cluster-ip-range=10.96.0.0/24",
        "--disable-admission-plugins=ServiceAccount",  # no controller makes the accounts it asks for
        *(_audit_flags(folder) if options.audit else ()),
        *options.flags,
    ]


def _audit_flags(folder: Path) -> Iterable[str]:
    policy = folder / "audit-policy.yaml"
    policy.write_text(json.dumps(AUDIT_POLICY))
    return (f"--audit-policy-file={policy}", f"--audit-log-path={folder / 'audit.jsonl'}")
