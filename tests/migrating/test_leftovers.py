"""What the rename leaves to a person is found where it stands, and it is said what to do there."""

from __future__ import annotations

import pytest

from webhook.documents import read_documents
from webhook.migrating.leftovers import WAYS, Subject, leftovers

MANIFESTS = """\
apiVersion: nodewright.nvidia.com/v1alpha1
kind: NodeWright
metadata:
  name: a-name-that-has-more-characters-than-0-20-has-room-for
  annotations:
    skyhook.nvidia.com/pause: "true"
    skyhook.nvidia.com/owner: us
spec:
  nodeSelectors:
    matchExpressions:
      - {key: skyhook.nvidia.com/pool, operator: Exists}
  additionalTolerations:
    - key: skyhook.nvidia.com
      operator: Exists
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: readers}
rules:
  - apiGroups:
      - skyhook.nvidia.com
    resources: [skyhooks]
    verbs: [get]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: dashboard}
data:
  # skyhook_in_a_comment is passed over
  panel: |
    sum(skyhook_node_status_count{skyhook_name="gpu"})
  wait: kubectl wait --for=condition=skyhook.nvidia.com/Ready skyhook/gpu
"""
FOUND = [
    (4, Subject.NAME),
    (6, Subject.SWITCH),
    (7, Subject.KEY),
    (11, Subject.SELECTOR),
    (13, Subject.TAINT),
    (21, Subject.RBAC),
    (31, Subject.METRIC),
    (32, Subject.KUBECTL),
]


def test_every_place_of_a_manifest_is_found_by_what_it_is_about() -> None:
    documents = list(read_documents(MANIFESTS.encode(), "a.yaml"))
    assert [(left.line, left.subject) for left in leftovers(MANIFESTS, documents)] == FOUND


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("kubectl wait skyhook gpu --for=condition=Ready", Subject.KUBECTL),
        ("kubectl skyhook reset gpu", Subject.KUBECTL),
        ("kubectl get skyhooks.skyhook.nvidia.com", Subject.KUBECTL),
        ("  --register-with-taints=skyhook.nvidia.com=runtime-required:NoSchedule", Subject.TAINT),
        ("wait crd/skyhooks.skyhook.nvidia.com", Subject.CRD),
        ("apiVersion: skyhook.nvidia.com/v1alpha1", Subject.TEMPLATE),
        ("kind: Skyhook", Subject.TEMPLATE),
        ('"expr": "rate(skyhook_pod_restarts[5m])"', Subject.METRIC),
        ("label nodes skyhook.nvidia.com/ignore=true", Subject.SWITCH),
        ("look: skyhook.nvidia.com", Subject.OTHER),
        ("image: ghcr.io/nvidia/skyhook/operator:v0.16.0", None),
        ("namespace: skyhook", None),
        ("expr: rate(skyhook_webhook_reviews_total[5m])", None),
        ("helm upgrade skyhook ./chart -n skyhook", None),
        ("# kubectl get skyhooks", None),
    ],
)
def test_a_line_of_any_text_is_told_by_its_words(line: str, subject: Subject | None) -> None:
    assert [left.subject for left in leftovers(line)] == ([subject] if subject else [])


def test_each_subject_says_what_to_do() -> None:
    assert set(WAYS) == set(Subject)
