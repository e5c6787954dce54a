"""ConversionReviews, bytes to bytes: real ones, the public bug reports, long lists, and what can't be read."""

from __future__ import annotations

import copy
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import NOW, ROOT
from webhook.catalog import shipped
from webhook.core.window import CLOSED, OPEN, Window
from webhook.reviews.conversion import convert, convert_slices, decode_conversion
from webhook.reviews.decode import ReviewError
from webhook.reviews.mirroring import MirrorSettings, converters_of

FOLDER = ROOT / "tests" / "conversions"
CASES = {
    path.stem: json.loads(path.read_text()) for path in sorted((FOLDER / "cases").glob("*.json"))
}
GROUP = "skyhook.nvidia.com"
UID = "c0c0c0c0-0000-4000-8000-000000000001"


def converters(window: Window = OPEN):
    profiles = [shipped("skyhook"), shipped("nodewright")]
    return converters_of(profiles, MirrorSettings(window=window))


def answer(body: Any, window: Window = OPEN) -> dict[str, Any]:
    data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    found: dict[str, Any] = json.loads(convert(decode_conversion(data), converters(window), NOW))
    return found


def review(*objects: Any, desired: str = f"{GROUP}/v1beta1") -> dict[str, Any]:
    request = {"uid": UID, "desiredAPIVersion": desired, "objects": list(objects)}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": request}


def body_of(case: str) -> dict[str, Any]:
    found: dict[str, Any] = copy.deepcopy(CASES[case]["request"]["body"])
    return found


def sent(case: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body_of(case)["request"]["objects"]
    return found


def got(case: str) -> list[dict[str, Any]]:
    found = answer(body_of(case))
    assert_pointers(found, case)
    objects: list[dict[str, Any]] = found["response"]["convertedObjects"]
    assert len(objects) == len(sent(case))
    for before, after in zip(sent(case), objects, strict=True):
        assert after["apiVersion"] == body_of(case)["request"]["desiredAPIVersion"]
        assert after["kind"] == before["kind"]
        assert after["metadata"] == before["metadata"]
    return objects


def assert_pointers(found: dict[str, Any], case: str) -> None:
    """The machine-readable part of a case's expectation."""
    expected = CASES[case]["expect"]
    for pointer, value in (expected.get("any_of") or [expected])[0]["json"].items():
        here: Any = found
        for step in pointer.split("/")[1:]:
            here = here[step]
        assert here == value, pointer


def test_b29_nothing_is_invented_where_status_or_conditions_are_absent_or_null():
    a, b, d, e = got("B29")
    assert "status" not in a
    assert b["status"] is None
    assert not d["status"].get("conditions")
    assert e["status"] == {"conditions": []}


def test_b30_metadata_comes_back_as_it_was():
    (after,) = got("B30")
    assert after["metadata"] == sent("B30")[0]["metadata"]
    assert after["metadata"]["managedFields"][0]["apiVersion"].endswith("v1beta1")


def test_b31_types_stay_unique_and_the_bare_one_is_right():
    same, differing = got("B31")
    assert same["status"] == sent("B31")[0]["status"]
    bare, mirror = differing["status"]["conditions"]
    assert bare == sent("B31")[1]["status"]["conditions"][0]
    assert {**mirror, "type": "Ready"} == bare


def test_b33_odd_objects_differ_only_in_api_version():
    for before, after in zip(sent("B33"), got("B33"), strict=True):
        assert {**after, "apiVersion": before["apiVersion"]} == before


def test_b34_same_order_count_and_identity():
    after = got("B34")
    assert [o["metadata"]["name"] for o in after] == ["z", "m", "a"]
    assert [o["metadata"]["uid"] for o in after] == [o["metadata"]["uid"] for o in sent("B34")]
    assert after[1] == sent("B34")[1]


def test_b34_an_empty_list_is_a_success():
    assert answer(review())["response"] == {
        "uid": UID,
        "result": {"status": "Success"},
        "convertedObjects": [],
    }


def test_b35_odd_values_are_equal_and_of_the_same_type():
    (before,), (after,) = sent("B35"), got("B35")
    bare, mirror = after["status"].pop("conditions")
    assert [bare] == before["status"].pop("conditions")
    assert {**mirror, "type": "Ready"} == bare
    assert json.dumps({**after, "apiVersion": before["apiVersion"]}) == json.dumps(before)


def test_b36_a_version_that_is_not_served_is_named_with_those_that_are():
    found = answer(body_of("B36"))
    assert_pointers(found, "B36")
    response = found["response"]
    assert "skyhook.nvidia.com/v9" in response["result"]["message"]
    for version in ("v1alpha1", "v1beta1"):
        assert f"{GROUP}/{version}" in response["result"]["message"]
    assert not response["convertedObjects"]


@pytest.mark.parametrize(
    "desired", ["", "v1", "apps/v1", f"{GROUP}/v1alpha1/x", f"{GROUP}/", "\n\u202e" * 500]
)
def test_no_other_version_is_served_either(desired: str):
    result = answer(review(desired=desired))["response"]["result"]
    assert result["status"] == "Failure"
    assert result["message"].isprintable()
    assert len(result["message"]) <= 1000


def test_b37_there_back_and_there_again():
    body = body_of("B37")
    first = answer(body)["response"]["convertedObjects"]
    back = answer(review(*first))["response"]["convertedObjects"]
    third = answer(review(*back, desired=f"{GROUP}/v1alpha1"))["response"]["convertedObjects"]
    assert third == first
    assert len(first[0]["status"]["conditions"]) == 4
    assert (
        "annotations" not in first[0]["metadata"]
        or first[0]["metadata"] == sent("B37")[0]["metadata"]
    )


def big_list(count: int) -> bytes:
    base = copy.deepcopy(CASES["B39"]["request"]["generate"]["base"])
    (one,) = base["request"]["objects"]
    base["request"]["objects"] = [
        {
            **one,
            "metadata": {
                **one["metadata"],
                "name": f"s-{n:04d}",
                "uid": f"00000000-0000-4000-8000-{n:012d}",
            },
        }
        for n in range(count)
    ]
    return json.dumps(base, separators=(",", ":")).encode()


def test_b39_five_thousand_objects_come_in_small_pieces_and_little_memory():
    body = big_list(5000)
    tracemalloc.start()
    decoded = decode_conversion(body)
    sizes, pieces = [], []
    for piece in convert_slices(decoded, converters(), NOW):
        sizes.append(len(piece))
        pieces.append(piece)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert max(sizes) < 2 * 256 * 1024
    found = json.loads(b"".join(pieces))
    names = [o["metadata"]["name"] for o in found["response"]["convertedObjects"]]
    assert names == [f"s-{n:04d}" for n in range(5000)]
    assert peak < 2 * len(body), "body out, and a little"


REAL = [json.loads(line) for line in (FOLDER / "reviews.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("window", [OPEN, CLOSED], ids=str)
@pytest.mark.parametrize("number", range(len(REAL)))
def test_what_a_real_api_server_sent_is_answered(number: int, window: Window):
    body = REAL[number]["review"]
    found = answer(body, window)
    assert found["response"]["uid"] == body["request"]["uid"]
    assert found["response"]["result"] == {"status": "Success"}
    for before, after in zip(
        body["request"]["objects"], found["response"]["convertedObjects"], strict=True
    ):
        assert after["metadata"] == before["metadata"]
        assert (after.get("status") or {}).get("conditions", []) is not None
        assert after["apiVersion"] == body["request"]["desiredAPIVersion"]


def test_objects_that_are_none_pass_beside_good_ones():
    good = {"apiVersion": f"{GROUP}/v1alpha1", "kind": "Skyhook", "metadata": {"name": "a"}}
    found = answer(review(None, good, "x", [1]))["response"]["convertedObjects"]
    assert found == [None, {**good, "apiVersion": f"{GROUP}/v1beta1"}, "x", [1]]


@pytest.mark.parametrize("metadata", [{}, {"metadata": None}, {"metadata": {}}])
@pytest.mark.parametrize("beside", [[], [None]], ids=["alone", "beside what is none"])
def test_an_object_never_comes_back_without_metadata(metadata: dict, beside: list):
    given = {"apiVersion": f"{GROUP}/v1alpha1", "kind": "Skyhook", **metadata}
    *_, after = answer(review(*beside, given))["response"]["convertedObjects"]
    assert after == {"apiVersion": f"{GROUP}/v1beta1", "kind": "Skyhook", "metadata": {}}


def test_nodewright_has_its_own_prefix():
    conditions = [{"type": "Ready"}, {"type": "skyhook.nvidia.com/Ready"}]
    given = {
        "apiVersion": "nodewright.nvidia.com/v1alpha1",
        "kind": "NodeWright",
        "status": {"conditions": conditions},
    }
    desired = "nodewright.nvidia.com/v1beta1"
    (after,) = answer(review(given, desired=desired))["response"]["convertedObjects"]
    assert [c["type"] for c in after["status"]["conditions"]] == [
        "Ready",
        "nodewright.nvidia.com/Ready",
        "skyhook.nvidia.com/Ready",
    ]


def test_the_uid_comes_back_whatever_is_in_it():
    body = review()
    body["request"]["uid"] = '"\\\u2028é'
    assert answer(body)["response"]["uid"] == '"\\\u2028é'


@pytest.mark.parametrize("objects", [[], [{}], [1]])
def test_without_a_version_that_is_asked_for_nothing_is_served(objects: list):
    body = review()
    del body["request"]["desiredAPIVersion"]
    body["request"]["objects"] = objects
    response = answer(body)["response"]
    assert response["result"]["status"] == "Failure"
    assert response["result"]["message"].startswith("skyhook-webhook does not convert to ''; it")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "empty"),
        (b"{", "not JSON"),
        (b"[]", "no ConversionReview"),
        (b"\xff", "UTF-8"),
        (b'{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"}', "without request"),
        (json.dumps(review() | {"kind": "AdmissionReview"}).encode(), "not a ConversionReview"),
        (json.dumps(review() | {"apiVersion": "apiextensions.k8s.io/v1beta1"}).encode(), "not a ConversionReview"),
        (json.dumps(review() | {"request": {"uid": ""}}).encode(), "without request or uid"),
        (json.dumps(review() | {"request": {"uid": 7}}).encode(), "no ConversionReview"),
        (json.dumps(review() | {"request": {"uid": "u", "objects": {}}}).encode(), "no ConversionReview"),
        (b'{"x":' + b"[" * 100_000, "not JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_clean_error(body: bytes, why: str):
    with pytest.raises(ReviewError, match=why) as caught:
        decode_conversion(body)
    assert caught.value.code == 400


def test_the_shared_cases_are_the_ones_checked_in():
    shared = Path(ROOT.parent / "shared" / "cases")
    if not shared.is_dir():
        pytest.skip("the shared folder is not here")
    kinds = {p.stem: json.loads(p.read_text()) for p in shared.glob("*.json")}
    assert {k: v for k, v in kinds.items() if v["kind"] == "conversion"} == CASES
