"""One pass or several: a body read through the opening is judged as it is read in the general way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import reading
from tests.planted.generator import variants
from webhook.core.opened import Opened, seen
from webhook.core.view import View, same
from webhook.reviews.decode import ReviewError, decode_admission, request_of

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

SEED = 20261129
UNCHANGED: dict[str, Any] = {"a": {"x": 1}}


def write(
    new: Any, old: Any = None, kind: str = "Skyhook", group: str = "skyhook.nvidia.com"
) -> bytes:
    resource = {"group": group, "version": "v1alpha1", "resource": f"{kind.lower()}s"}
    request = {
        "uid": "u", "kind": {"group": group, "version": "v1alpha1", "kind": kind}, "resource": resource,
        "operation": "UPDATE" if old is not None else "CREATE", "subResource": "status",
        "userInfo": {"username": "kubernetes-admin"}, "object": new, "oldObject": old,
    }  # fmt: skip
    review = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}
    return json.dumps(review).encode()


def opened(engine: Engine, body: bytes) -> bool:
    _, new = request_of(engine.opening.review(body)).objects()
    return isinstance(new, Opened)


def skyhook(**status: Any) -> dict[str, Any]:
    return {"apiVersion": "skyhook.nvidia.com/v1alpha1", "kind": "Skyhook",
            "metadata": {"name": "s"}, "spec": {}, "status": status}  # fmt: skip


def test_recorded_and_planted_writes_get_one_verdict_either_way(engine: Engine) -> None:
    reviews = list(reading.distilled())
    planted = [variant.review for variant in variants(reviews[::3], seed=SEED, per_kind=2)]
    ways = 0
    for review in (*reviews, *planted):
        body = json.dumps(review).encode()
        ways += opened(engine, body)
        assert (
            engine.judge_body(body).response == engine.judge_review(decode_admission(body)).response
        )
    assert ways > len(reviews) / 2


@pytest.mark.parametrize(
    "new",
    [
        skyhook(nodeState={}) | {"data": {}},
        skyhook(nodeState={}, tomorrow=1),
        skyhook(nodeState=[]),
        skyhook() | {"status": None},
        skyhook() | {"status": "complete"},
        skyhook() | {"metadata": 7},
        "no object",
        ["no object"],
    ],
    ids=repr,
)
def test_an_object_of_another_shape_is_read_the_general_way(engine: Engine, new: Any) -> None:
    body = write(new, skyhook(nodeState=UNCHANGED))
    assert not opened(engine, body)
    assert engine.judge_body(body).encode() == engine.judge_review(decode_admission(body)).encode()


def test_a_kind_that_nobody_guards_or_that_the_head_does_not_tell(engine: Engine) -> None:
    assert not opened(engine, write(skyhook(), kind="Pod", group=""))
    far = write(skyhook()).replace(b'"uid": "u"', b'"uid": "' + b"u" * 3000 + b'"')
    assert not opened(engine, far)
    lie = write(skyhook()).replace(
        b'"uid": "u"', b'"uid": "u", "kind": {"group": "", "kind": "Node"}'
    )
    assert request_of(engine.opening.review(lie)).kind.kind == "Skyhook"
    with pytest.raises(ReviewError):
        engine.judge_body(b'{"kind":{"group":"skyhook.nvidia.com","kind":"Skyhook"}}')


def test_what_is_opened_reads_as_what_is_not(engine: Engine) -> None:
    value = skyhook(nodeState={"a": {"p|1": {"name": "p"}}, "b": None}, status="complete")
    _, view = request_of(engine.opening.review(write(value))).objects()
    assert isinstance(view, Opened)
    assert view.value == value
    assert same(view, View.of(value))
    assert same(View.of(value), view)
    status = view.at("status")
    assert isinstance(status, Opened)
    assert set(status.members) == {"nodeState", "status"}
    assert status.text("status") == "complete"
    assert view.at("status", "nodeState", "b") is None
    assert view.at("status", "nodeState", "a", "p|1", "name") is not None
    assert (status.items, status.inside, status.types) == (None, None, {})
    assert json.loads(bytes(status.raw)) == value["status"]


def test_both_objects_of_an_update_are_opened(engine: Engine) -> None:
    body = write(skyhook(nodeState=UNCHANGED), skyhook(nodeState={}))
    old, new = request_of(engine.opening.review(body)).objects()
    assert isinstance(old, Opened)
    assert isinstance(new, Opened)


def test_equal_parts_are_alike_and_others_are_not(engine: Engine) -> None:
    def of(value: Any) -> View:
        _, view = request_of(engine.opening.review(write(value))).objects()
        assert isinstance(view, Opened)
        return view

    one, same_one, other = (of(skyhook(nodeState={"a": {"n": n}})) for n in (1, 1, 2))
    assert one.like(same_one)
    assert not one.like(other)
    assert not one.like(View.of(skyhook(nodeState={"a": {"n": 1}})))  # white space differs
    assert seen(None) is None
