"""Audit events become the writes that admission saw; what is not known is said, never guessed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.corpus import reading
from tests.replaying import audit
from webhook.catalog import Catalog
from webhook.replaying.event import Event
from webhook.replaying.rebuilding import Rebuilder
from webhook.replaying.states import States
from webhook.replaying.write import Outcome, Unjudged, Why, Write
from webhook.reviews.decode import decode_admission, request_of

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

DECODE = msgspec.json.Decoder(Event)
KEY = "skyhook.nvidia.com/nodeState_demo"


def fed(rebuilder: Rebuilder, event: dict[str, Any]) -> Write | Unjudged | None:
    return rebuilder.write(DECODE.decode(msgspec.json.encode(event)), "log", 1)


@pytest.fixture
def rebuilder() -> Rebuilder:
    return Rebuilder(Catalog.default())


def node(version: int = 1, **annotations: str) -> dict[str, Any]:
    metadata = {"name": "n", "resourceVersion": str(version), "annotations": annotations}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"phase": "x"}}


def write(verb: str, sent: Any, answer: Any, **more: Any) -> dict[str, Any]:
    made = {
        "kind": "Event", "level": "RequestResponse", "stage": "ResponseComplete", "verb": verb,
        "auditID": "a", "user": {"username": "u"}, "stageTimestamp": audit.stamp(audit.START),
        "objectRef": {"resource": "nodes", "name": "n", "apiVersion": "v1"},
        "responseStatus": {"code": 200}, "requestObject": sent, "responseObject": answer, **more,
    }  # fmt: skip
    return {k: v for k, v in made.items() if v is not None}


def values(item: Any) -> tuple[Any, Any]:
    assert isinstance(item, Write), item
    return tuple(json.loads(bytes(raw)) for raw in (item.request.old_object, item.request.object))  # type: ignore[return-value]


@pytest.mark.parametrize("level", ["RequestResponse", "Request"])
def test_recorded_writes_are_found_again_in_their_audit_log(engine: Engine, level: str) -> None:
    names = [p.name for p in reading.files(reading.CHECKED_IN) if "replay-" in p.name]
    if level == "Request":  # the same writes, less of them: a test of every day
        names = names[1::2]
    rebuilder, judged, total = Rebuilder(engine.catalog), 0, 0
    for review, event in audit.log(reading.reviews(reading.CHECKED_IN, names=names), level):
        item = fed(rebuilder, event)
        if review is None:
            continue
        total += 1
        if not isinstance(item, Write):
            assert item is None or item.why is Why.FIRST, (item, review["scenario"], review["seq"])
            continue
        judged += 1
        real = replace(engine, clock=None).judge_request(
            request_of(decode_admission(msgspec.json.encode(review)))
        )
        found = replace(engine, clock=None).judge_request(item.request)
        assert [(f.rule, str(f.field)) for f in found.findings] == [
            (f.rule, str(f.field)) for f in real.findings
        ], (review["scenario"], review["seq"])
        assert item.request.operation == review["request"]["operation"]
        assert item.estimated == (level == "Request" and item.request.operation != "DELETE")
    assert judged > 0.85 * total > 600


def test_the_first_write_of_an_object_is_not_judged_and_the_second_is(rebuilder: Rebuilder) -> None:
    first = fed(rebuilder, write("patch", {}, node(1)))
    assert isinstance(first, Unjudged)
    assert first.why is Why.FIRST
    second = fed(rebuilder, write("patch", {}, node(2, a="b")))
    assert values(second) == (node(1), node(2, a="b"))


def test_a_body_that_was_read_counts_as_known_if_it_is_newer(rebuilder: Rebuilder) -> None:
    fed(rebuilder, write("get", None, node(5, a="1")))
    fed(rebuilder, write("get", None, node(4, a="old")))
    fed(
        rebuilder, write("list", None, {"kind": "NodeList", "items": [{"metadata": {"name": "n"}}]})
    )
    assert values(fed(rebuilder, write("patch", {}, node(6)))) == (node(5, a="1"), node(6))


def test_a_write_between_that_is_not_logged_is_noticed_by_the_version_that_was_met(
    rebuilder: Rebuilder,
) -> None:
    fed(rebuilder, write("patch", {}, node(1)))
    gap = fed(rebuilder, write("update", node(3), node(4)))
    assert isinstance(gap, Unjudged)
    assert gap.why is Why.GAP
    assert values(fed(rebuilder, write("update", node(4), node(5)))) == (node(4), node(5))


def test_refused_writes_are_put_together_from_what_was_sent(rebuilder: Rebuilder) -> None:
    fed(rebuilder, write("create", node(1), node(1, a="1"), responseStatus={"code": 201}))
    denied = {
        "code": 422,
        "message": 'admission webhook "validate-node.guard.skyhook.nvidia.com" denied the request: x',
    }
    status = {"kind": "Status", "apiVersion": "v1"}
    patch = {"metadata": {"annotations": {"a": None, "b": "2"}}}
    item = fed(rebuilder, write("patch", patch, status, responseStatus=denied))
    assert isinstance(item, Write)
    assert (item.outcome, item.estimated) == (Outcome.REFUSED, True)
    assert values(item) == (node(1, a="1"), node(1, b="2"))
    after = fed(rebuilder, write("patch", patch, node(2, b="2")))
    assert values(after)[0] == node(1, a="1"), "a refused write changes nothing"


def test_other_failures_are_no_writes(rebuilder: Rebuilder) -> None:
    for code in (403, 404, 409, 422, 500, 0):
        assert (
            fed(rebuilder, write("patch", {}, None, responseStatus={"code": code, "message": "no"}))
            is None
        )
    assert rebuilder.failed == 6


def test_dry_runs_are_judged_and_forgotten(rebuilder: Rebuilder) -> None:
    fed(rebuilder, write("patch", {}, node(1)))
    item = fed(
        rebuilder, write("patch", {}, node(1, a="b"), requestURI="/api/v1/nodes/n?dryRun=All")
    )
    assert isinstance(item, Write)
    assert item.outcome is Outcome.DRY_RUN
    assert values(fed(rebuilder, write("patch", {}, node(2))))[0] == node(1)


def test_a_log_of_metadata_tells_what_our_webhook_said(rebuilder: Rebuilder) -> None:
    fed(rebuilder, write("patch", {}, node(1)))
    said = {"validate-node.guard.skyhook.nvidia.com/rules": "skyhook.a,skyhook.b"}
    item = fed(rebuilder, write("patch", None, None, level="Metadata", annotations=said))
    assert isinstance(item, Unjudged)
    assert (item.why, item.said) == (Why.METADATA, ("skyhook.a", "skyhook.b"))
    after = fed(rebuilder, write("patch", {}, node(3)))
    assert isinstance(after, Unjudged)
    assert after.why is Why.FIRST, "what stood there is no longer known"


def test_an_impersonated_user_is_the_writer(rebuilder: Rebuilder) -> None:
    item = fed(
        rebuilder,
        write(
            "create", {}, node(1), responseStatus={"code": 201}, impersonatedUser={"username": "i"}
        ),
    )
    assert isinstance(item, Write)
    assert item.request.user_info is not None
    assert item.request.user_info.username == "i"


def test_deletions_forget_but_for_what_finalizers_hold(rebuilder: Rebuilder) -> None:
    held = node(2)
    held["metadata"] |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["x"]}
    fed(rebuilder, write("patch", {}, node(1)))
    item = fed(rebuilder, write("delete", None, held))
    assert isinstance(item, Write)
    assert item.request.operation == "DELETE"
    assert values(fed(rebuilder, write("patch", {}, node(3))))[0] == held
    fed(rebuilder, write("delete", None, {"kind": "Status", "apiVersion": "v1"}))
    assert isinstance(fed(rebuilder, write("patch", {}, node(9))), Unjudged)
    fed(rebuilder, write("deletecollection", None, None))
    assert isinstance(fed(rebuilder, write("patch", {}, node(12))), Unjudged)


def test_a_deletion_of_what_was_never_seen_cannot_be_judged(rebuilder: Rebuilder) -> None:
    status = {"kind": "Status", "apiVersion": "v1"}
    item = fed(rebuilder, write("delete", None, status))
    assert isinstance(item, Unjudged)
    assert item.why is Why.FIRST
    item = fed(rebuilder, write("delete", None, None, level="Metadata"))
    assert isinstance(item, Unjudged)
    assert item.why is Why.METADATA


def test_unguarded_kinds_other_stages_and_subresources(rebuilder: Rebuilder) -> None:
    assert (
        fed(rebuilder, write("create", {}, {}, objectRef={"resource": "pods", "name": "p"})) is None
    )
    assert fed(rebuilder, write("create", {}, {}, stage="RequestReceived")) is None
    assert fed(rebuilder, write("create", {}, {}, objectRef=None)) is None
    assert fed(rebuilder, write("watch", {}, {})) is None
    reference = {"resource": "nodes", "name": "n", "subresource": "proxy"}
    item = fed(rebuilder, write("create", {}, {}, objectRef=reference))
    assert isinstance(item, Unjudged)
    assert item.why is Why.SUBRESOURCE


def test_what_does_not_fit_into_memory_is_said_to_be_forgotten() -> None:
    rebuilder = Rebuilder(Catalog.default(), States(most_bytes=300))
    fed(rebuilder, write("patch", {}, node(1)))
    other = write("patch", {}, node(2, a="x" * 300), objectRef={"resource": "nodes", "name": "m"})
    fed(rebuilder, other)
    item = fed(rebuilder, write("patch", {}, node(3)))
    assert isinstance(item, Unjudged)
    assert item.why is Why.FORGOTTEN
    assert rebuilder.states.forgotten == 2


def test_a_custom_resource_sent_whole_is_stored_by_halves(rebuilder: Rebuilder) -> None:
    reference = {
        "resource": "skyhooks",
        "apiGroup": "skyhook.nvidia.com",
        "apiVersion": "v1alpha1",
        "name": "s",
    }

    def skyhook(spec: int, status: int, generation: int) -> dict[str, Any]:
        return {"apiVersion": "skyhook.nvidia.com/v1alpha1", "kind": "Skyhook",
                "metadata": {"name": "s", "generation": generation}, "spec": {"priority": spec}, "status": {"x": status}}  # fmt: skip

    def sent(body: Any, subresource: str = "", verb: str = "update", code: int = 200) -> Any:
        where = reference | ({"subresource": subresource} if subresource else {})
        event = write(
            verb, body, None, objectRef=where, level="Request", responseStatus={"code": code}
        )
        return fed(rebuilder, event)

    created = sent(skyhook(1, 7, 0), verb="create", code=201)
    assert values(created)[1]["metadata"]["generation"] == 1
    assert "status" not in values(created)[1]
    assert values(sent(skyhook(5, 2, 1), "status"))[1] == skyhook(1, 2, 1)
    assert values(sent(skyhook(3, 9, 1)))[1] == skyhook(3, 2, 2)
    assert values(sent([{"op": "replace", "path": "/spec/priority", "value": 4}], verb="patch"))[
        1
    ] == skyhook(4, 2, 3)
    assert (
        sent([{"op": "test", "path": "/spec/priority", "value": 0}], verb="patch").why is Why.PATCH
    )


def test_an_object_in_another_version_is_judged_in_the_profiles_own(engine: Engine) -> None:
    from webhook.building import engine_of
    from webhook.settings import load_settings

    whole = engine_of(load_settings({}))
    rebuilder = Rebuilder(whole.catalog, converters=whole.converters)
    reference = {
        "resource": "skyhooks",
        "apiGroup": "skyhook.nvidia.com",
        "apiVersion": "v1beta1",
        "name": "s",
    }
    body = {
        "apiVersion": "skyhook.nvidia.com/v1beta1",
        "kind": "Skyhook",
        "metadata": {"name": "s"},
        "spec": {},
    }
    item = fed(
        rebuilder, write("create", body, body, objectRef=reference, responseStatus={"code": 201})
    )
    assert values(item)[1]["apiVersion"] == "skyhook.nvidia.com/v1alpha1"
    assert isinstance(item, Write)
    assert item.request.kind.version == "v1alpha1"
    unknown = {**body, "apiVersion": "skyhook.nvidia.com/v9"}
    alone = fed(
        Rebuilder(engine.catalog),
        write("create", unknown, unknown, objectRef=reference, responseStatus={"code": 201}),
    )
    assert isinstance(alone, Unjudged)
    assert alone.why is Why.VERSION
