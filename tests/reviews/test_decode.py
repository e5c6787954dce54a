"""Bytes to review: what cannot be read is a 400 that says why, and nothing else raises."""

from __future__ import annotations

import json

import pytest

from tests.reviews.builders import UID, review
from webhook.reviews.decode import ReviewError, check_text, decode_admission, request_of
from webhook.reviews.wire import AdmissionReview

HEAD = (
    b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","object":'
)


def around(value: bytes) -> bytes:
    return HEAD + value + b"}}"


def refused(body: bytes) -> str:
    with pytest.raises(ReviewError) as raised:
        decode_admission(body)
    error = raised.value
    assert (error.code, error.reason) == (400, "BadRequest")
    assert "\n" not in error.message
    assert str(error) == error.message
    return error.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is empty"),
        (b"\xff{}", "not UTF-8 at byte 0"),
        (b'{"a":"\xed\xa0\x80"}', "not UTF-8 at byte 6"),
        (b'{"a":"x\xc3"}', "not UTF-8 at byte 7"),
        (b'{"apiVersion":"v1","kind":"Pod"}', "not an AdmissionReview of admission.k8s.io/v1"),
        (
            b'{"apiVersion":"admission.k8s.io/v2","kind":"AdmissionReview"}',
            "not an AdmissionReview of admission.k8s.io/v1",
        ),
        (
            b'{"apiVersion":"admission.k8s.io/v1","kind":"ConversionReview"}',
            "not an AdmissionReview of admission.k8s.io/v1",
        ),
        (
            b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}',
            "an AdmissionReview without request or uid",
        ),
        (
            b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":null}',
            "an AdmissionReview without request or uid",
        ),
        (
            b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":""}}',
            "an AdmissionReview without request or uid",
        ),
    ],
)
def test_what_is_no_review_is_refused_with_the_reason(body, message):
    assert refused(body) == message


@pytest.mark.parametrize(
    "body",
    [b"[]", b"null", b"5", b'"x"', b"{}", b'{"kind":1}', b'{"apiVersion":"admission.k8s.io/v1"}'],
)
def test_json_of_another_shape_is_no_review(body):
    assert refused(body).startswith("no AdmissionReview: ")


@pytest.mark.parametrize(
    "request_field",
    [
        b'"uid":5',
        b'"uid":"u","name":5',
        b'"uid":"u","userInfo":{"groups":[1]}',
        b'"operation":"UPDATE"',
        b'"uid":"u","kind":"x"',
    ],
)
def test_an_envelope_with_wrong_types_names_the_field_and_no_value(request_field):
    head = b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{'
    assert refused(head + request_field + b"}}").startswith("no AdmissionReview: ")


@pytest.mark.parametrize(
    "value",
    [
        b"NaN", b'{"a":NaN}', b"Infinity", b'{"a":-Infinity}', b'{"a":1,}', b'{"a":01}', b"{'a':1}", b'{"a":"\x01"}',
        b'{"a":"\\x"}', b'{"a":"\\ud800"}', b'{"a":"\\udc00\\ud800"}', b"tru", b"{", b"[1", b'{"a" 1}', b"1 2",
        b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    ],
    ids=lambda v: repr(v[:24]),
)  # fmt: skip
def test_an_object_that_is_not_json_is_seen_though_objects_stay_raw(value):
    assert refused(around(value)).startswith("not JSON: ")


@pytest.mark.parametrize(
    "value",
    [
        b"null",
        b"5",
        b'"x"',
        b"[]",
        b'{"a":1e999}',
        b'{"a":"\\ud83d\\ude00"}',
        '{"ä":"☃"}'.encode(),
        b"[" * 500 + b"]" * 500,
    ],
)
def test_whatever_json_is_an_object_is_carried_on_as_it_came(value):
    assert bytes(request_of(decode_admission(around(value))).object) == value


@pytest.mark.parametrize("version", ["admission.k8s.io/v1", "admission.k8s.io/v1beta1"])
def test_both_versions_of_the_envelope_are_read(version):
    whole = {**review(None, {"kind": "Skyhook"}), "apiVersion": version}
    assert decode_admission(json.dumps(whole).encode()).api_version == version


def test_every_field_that_rules_read_is_read():
    whole = review(
        {"a": 1}, {"a": 2}, "bob", groups=["g1", "g2"], name="x", namespace="ns", dryRun=True
    )
    whole["request"]["requestKind"] = {"group": "g", "version": "v9", "kind": "K"}
    whole["request"]["newField"] = {"of": ["a newer API server"]}
    request = request_of(decode_admission(json.dumps(whole).encode()))
    assert (request.uid, request.operation, request.name, request.namespace) == (
        UID,
        "UPDATE",
        "x",
        "ns",
    )
    assert (request.user_info.username, request.user_info.groups) == ("bob", ["g1", "g2"])
    assert (request.kind.group, request.kind.version, request.kind.kind) == (
        "skyhook.nvidia.com",
        "v1alpha1",
        "Skyhook",
    )
    assert (request.resource.resource, request.sub_resource) == ("skyhooks", "status")
    assert (request.request_kind.version, request.dry_run) == ("v9", True)
    assert bytes(request.object) == b'{"a": 2}'
    assert bytes(request.old_object) == b'{"a": 1}'


def test_everything_but_the_uid_may_be_missing():
    head = b'{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u"}}'
    request = request_of(decode_admission(head))
    assert (request.operation, request.name, request.user_info, request.kind.kind) == (
        "",
        None,
        None,
        "",
    )
    assert bytes(request.object) == b"null"
    assert bytes(request.old_object) == b"null"


def test_a_review_without_request_has_none():
    with pytest.raises(ReviewError, match="without request"):
        request_of(AdmissionReview("v1", "AdmissionReview"))


def test_a_view_of_a_larger_buffer_is_checked_too():
    with pytest.raises(ReviewError, match="not UTF-8 at byte 1"):
        check_text(memoryview(b"a\xff")[:].tobytes())
    check_text("ä".encode())
