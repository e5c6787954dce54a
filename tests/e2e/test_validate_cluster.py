"""validate --cluster: what the real API server makes of the same manifest, known beforehand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from webhook.cli import main
from webhook.cli.cluster import applied

if TYPE_CHECKING:
    from pathlib import Path

    from tests.kube.control_plane import ControlPlane

ADMIN, MERGE = "kubernetes-admin", "application/merge-patch+json"
SKYHOOK = "/apis/skyhook.nvidia.com/v1alpha1/skyhooks/offline"


def manifest(version: str = "1.2.3", **packages: Any) -> dict[str, Any]:
    tuning = {
        "version": version,
        "image": "registry.example/tuning",
        "env": [{"name": "A", "value": "1"}],
    }
    return {
        "apiVersion": "skyhook.nvidia.com/v1alpha1", "kind": "Skyhook", "metadata": {"name": "offline", "labels": {"team": "gpu"}},
        "spec": {"nodeSelectors": {"matchLabels": {"role": "gpu"}}, "packages": {"tuning": tuning, **packages}},
    }  # fmt: skip


def results(capsys: Any, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    code = main(["validate", "--cluster", "-o", "jsonl", "-q", *arguments])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_manifest_is_judged_as_applied_over_what_the_cluster_holds(
    cluster: ControlPlane, tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "skyhook.yaml"
    kubeconfig = ("--kubeconfig", str(cluster.kubeconfig(ADMIN)))
    cluster.kubectl(ADMIN, "delete", "skyhook", "offline", "--ignore-not-found")

    path.write_text(
        json.dumps(manifest(extra={"version": "1.0.0", "image": "registry.example/extra"}))
    )
    code, rows = results(capsys, *kubeconfig, str(path))
    assert (code, rows[0]["operation"]) == (0, "CREATE")
    cluster.kubectl(ADMIN, "apply", "-f", str(path))
    status = {"status": {"status": "in_progress", "nodeStatus": {"n": "in_progress"}}}
    assert cluster.request("operator", "PATCH", f"{SKYHOOK}/status", status, MERGE)[0] == 200

    changed = manifest("1.2.4")
    changed["metadata"]["labels"] = {"owner": "me"}
    path.write_text(json.dumps(changed))
    code, rows = results(capsys, *kubeconfig, str(path))
    assert (code, rows[0]["operation"], rows[0]["subresource"]) == (0, "UPDATE", "")
    foreseen = applied(cluster.request(ADMIN, "GET", SKYHOOK)[1], changed)
    cluster.kubectl(ADMIN, "apply", "-f", str(path))
    real = cluster.request(ADMIN, "GET", SKYHOOK)[1]
    for part in ("spec", "status"):
        assert foreseen[part] == real[part]
    for part in ("labels", "generation"):
        assert foreseen["metadata"][part] == real["metadata"][part]
    assert "extra" not in real["spec"]["packages"]

    path.write_text(
        json.dumps(manifest(Bad_Name={"version": "1.0.0", "image": "registry.example/x"}))
    )
    code, rows = results(capsys, *kubeconfig, str(path))
    assert code == 1
    assert "skyhook.package-key" in {f["rule"] for f in rows[0]["findings"]}

    assert main(["validate", "--cluster", "--kubeconfig", str(tmp_path / "none"), str(path)]) == 2
    assert "no way to the API server" in capsys.readouterr().err
    cluster.kubectl(ADMIN, "delete", "skyhook", "offline")


def test_a_selector_is_compared_with_the_nodes_that_the_cluster_has(
    cluster: ControlPlane, tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "skyhook.yaml"
    kubeconfig = ("--kubeconfig", str(cluster.kubeconfig(ADMIN)))
    cluster.kubectl(ADMIN, "delete", "skyhook", "offline", "--ignore-not-found")
    labels = {"role": "gpu"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "selected", "labels": labels}}
    assert cluster.request(ADMIN, "POST", "/api/v1/nodes", node)[0] == 201
    try:
        path.write_text(json.dumps(manifest()))
        assert results(capsys, *kubeconfig, str(path))[1][0]["findings"] == []
        path.write_text(json.dumps(manifest()).replace('"role": "gpu"', '"role": "gpus"'))
        code, [row] = results(capsys, *kubeconfig, str(path))
        [finding] = row["findings"]
        assert (code, finding["rule"]) == (0, "skyhook.selects-nothing")
    finally:
        cluster.request(ADMIN, "DELETE", "/api/v1/nodes/selected")
