"""No secret stays in a masked review, and every verdict stays the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from tests.corpus import reading
from webhook.recording.masking import Mask, kept_annotations

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

KEPT = kept_annotations(
    ['metadata.annotations."a.example/b"', 'x."c"'], ["skyhook.nvidia.com", "nodewright.nvidia.com"]
)
MASK = Mask(KEPT, b"k" * 16)


def masked(new: Any, old: Any = None, **request: Any) -> Any:
    body = {"kind": "AdmissionReview", "request": {"object": new, "oldObject": old, **request}}
    return json.loads(MASK(json.dumps(body).encode()))["request"]


def test_addresses_ids_env_and_strangers_annotations_are_masked_and_ours_are_not() -> None:
    node = {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "n", "annotations": {"skyhook.nvidia.com/nodeState_x": "{}", "csi.example/id": "secret-1"}},
        "spec": {"providerID": "aws:///secret-2", "podCIDR": "10.1.0.0/24", "podCIDRs": ["10.1.0.0/24"]},
        "status": {"addresses": [{"type": "InternalIP", "address": "10.9.9.9"}],
                   "nodeInfo": {"machineID": "secret-3", "systemUUID": "secret-4", "bootID": "kept", "kernelVersion": "kept"}},
    }  # fmt: skip
    found = masked(
        node,
        userInfo={
            "username": "u",
            "groups": ["g"],
            "uid": "secret-5",
            "extra": {"x": ["secret-6"]},
        },
    )
    text = json.dumps(found)
    assert "secret" not in text
    assert "10.9.9.9" not in text
    assert "10.1.0.0" not in text
    assert found["object"]["metadata"]["annotations"]["skyhook.nvidia.com/nodeState_x"] == "{}"
    assert found["object"]["status"]["nodeInfo"]["bootID"] == "kept"
    assert found["userInfo"] == {"username": "u", "groups": ["g"]}
    package = {
        "env": [{"name": "TOKEN", "value": "secret"}, {"name": "E", "value": ""}],
        "configMap": {"a.sh": "secret"},
    }
    skyhook = {"kind": "Skyhook", "spec": {"packages": {"p": package}, "priority": 7}}
    found = masked(skyhook)["object"]["spec"]
    assert "secret" not in json.dumps(found)
    assert found["packages"]["p"]["env"][1] == {"name": "E", "value": ""}
    assert found["priority"] == 7


def test_equal_values_keep_equal_masks_and_others_do_not() -> None:
    def of(value: str) -> Any:
        return {"kind": "Node", "metadata": {"annotations": {"x": value}}}

    assert (found := masked(of("a"), of("a")))["object"] == found["oldObject"]
    assert (found := masked(of("a"), of("b")))["object"] != found["oldObject"]
    assert Mask(KEPT)(b"{}") == b"{}"
    assert (
        masked(of("a"))
        != json.loads(Mask(KEPT)(json.dumps({"request": {"object": of("a")}}).encode()))["request"]
    )


def test_odd_reviews_pass_through() -> None:
    for body in (b"[]", b'{"request":5}', b'{"request":{"object":[1],"oldObject":"x"}}'):
        assert json.loads(MASK(body)) == json.loads(body)
    odd = {
        "kind": "Node",
        "metadata": [],
        "spec": 1,
        "status": {"addresses": {"a": 1}, "nodeInfo": []},
    }
    assert masked(odd)["object"] == odd


def test_every_recorded_verdict_stays_the_same(engine: Engine) -> None:
    for name, every in ((reading.EXCEPTION_FILE, 1), (reading.DISTILLED, 4)):
        for body in list(reading.lines(reading.CHECKED_IN, names=[name]))[::every]:
            plain, hidden = engine.judge_body(body).verdict, engine.judge_body(MASK(body)).verdict
            assert [(f.rule, str(f.field), f.severity) for f in hidden.findings] == [
                (f.rule, str(f.field), f.severity) for f in plain.findings
            ], msgspec.json.decode(body)["request"]["uid"]


def test_the_annotations_that_rules_read_are_known() -> None:
    assert KEPT == ("a.example/b", "nodewright.nvidia.com/", "skyhook.nvidia.com/")
