"""Patches that kustomize applies, and templates that Helm reads."""

from __future__ import annotations

from typing import Any

import yaml

from webhook.manifests.difference import patch
from webhook.manifests.template import If, Template


def deployment(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec}


def test_equal_objects_need_no_patch():
    assert patch(deployment(replicas=2), deployment(replicas=2)) == {}


def test_a_patch_names_the_object_and_what_changes():
    assert patch(deployment(replicas=2, paused=True), deployment(replicas=3)) == deployment(
        replicas=3, paused=None
    )


def test_items_are_merged_by_their_key_and_taken_out_by_it():
    old = deployment(containers=[{"name": "c", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
                                  "volumeMounts": [{"name": "v", "mountPath": "/v"}]}])  # fmt: skip
    new = deployment(
        containers=[{"name": "c", "env": [{"name": "A", "value": "3"}], "volumeMounts": []}]
    )
    assert patch(old, new)["spec"] == {
        "containers": [
            {
                "name": "c",
                "env": [{"name": "A", "value": "3"}, {"name": "B", "$patch": "delete"}],
                "volumeMounts": [{"mountPath": "/v", "$patch": "delete"}],
            }
        ]
    }


def test_other_lists_are_replaced_whole():
    old, new = deployment(args=["a", "b"]), deployment(args=["a"])
    assert patch(old, new)["spec"] == {"args": ["a"]}


def test_a_template_keeps_braces_that_are_not_its_own():
    template = Template()
    obj = {"text": "{{ $labels.x }}", "count": template.expression("{{ .Values.count }}")}
    assert template.text(obj) == "text: '{{ \"{{\" }} $labels.x }}'\ncount: {{ .Values.count }}\n"


def test_conditions_stand_on_lines_of_their_own_in_maps_and_lists():
    template = Template()
    obj = {
        "map": {"a": If(".Values.x", 1, 2), "b": 3},
        "list": ["one", If(".Values.y", {"name": "two"})],
    }
    assert template.text(obj) == (
        "map:\n"
        "  {{- if .Values.x }}\n"
        "  a: 1\n"
        "  {{- else }}\n"
        "  a: 2\n"
        "  {{- end }}\n"
        "  b: 3\n"
        "list:\n"
        "- one\n"
        "{{- if .Values.y }}\n"
        "- name: two\n"
        "{{- end }}\n"
    )


def test_without_actions_a_template_is_the_object():
    obj = {"a": [{"b": "zexpr"}, "zline"], "c": None}
    assert yaml.safe_load(Template().text(obj)) == obj
