"""What is fuzzed: one function from bytes for each reader, which fails where two ways to read differ."""

from __future__ import annotations

import base64
import json
import math
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import jsonpatch
import msgspec

from tests.fuzz.gojson import GoError, node_state
from tests.lifecycle.skyhook import entry, node
from tests.reviews.builders import OPERATOR, review
from webhook.building import engine_of
from webhook.catalog import base, profile_code
from webhook.core.view import UNREADABLE, View, equal_values
from webhook.documents import DocumentError, dump_yaml, load_yaml, read_documents
from webhook.lifecycle.compile import ProfileError, compile_profile
from webhook.lifecycle.load import build_profile
from webhook.reviews.answer import LONGEST_CAUSE, LONGEST_WARNING, MOST_CAUSES, MOST_WARNINGS
from webhook.reviews.conversion import convert, decode_conversion
from webhook.reviews.decode import ReviewError, decode_admission
from webhook.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from webhook.reviews.engine import Engine

NOW: Final = datetime(2026, 11, 29, 20, 0, tzinfo=UTC)
STAGES: Final = frozenset(
    {
        "apply",
        "config",
        "interrupt",
        "post-interrupt",
        "upgrade",
        "uninstall",
        "uninstall-interrupt",
    }
)
STATES: Final = frozenset({"complete", "in_progress", "skipped", "erroring"})


@cache
def engine() -> Engine:
    return engine_of(Settings(), lambda: NOW)


def envelope(data: bytes) -> None:
    """Read in one pass or the general way: the same calls are refused, with the same verdicts."""
    try:
        wanted = engine().judge_review(decode_admission(data))
    except ReviewError:
        wanted = None
    try:
        got = engine().judge_body(data)
    except ReviewError:
        got = None
    assert (wanted is None) == (got is None), "one way to read it refuses what the other judges"
    if wanted is None or got is None:
        return
    assert got.verdict == wanted.verdict
    assert got.encode() == wanted.encode()
    response = json.loads(got.encode())["response"]
    assert response["uid"] == got.request.uid
    assert len(response.get("warnings", [])) <= MOST_WARNINGS
    assert all(len(text) <= LONGEST_WARNING for text in response.get("warnings", []))
    causes = response.get("status", {}).get("details", {}).get("causes", [])
    assert len(causes) <= MOST_CAUSES + 1
    assert all(len(cause["message"]) <= LONGEST_CAUSE for cause in causes)


def lazy_view(data: bytes) -> None:
    """A view shows what a plain decoder reads."""
    try:
        raw = msgspec.json.decode(data, type=msgspec.Raw)
        data.decode()
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return
    try:
        plain = json.loads(data, parse_constant=_none)
    except RecursionError:
        return
    except ValueError as error:
        if "limit" in str(error):  # digits of an integer
            return
        raise AssertionError(f"no JSON, and yet taken: {error}") from None
    _shows(View(msgspec.Raw(bytes(raw))), plain)


def _shows(view: View, plain: Any) -> None:
    assert (view.fields is None) == (not isinstance(plain, dict)) or view.value is UNREADABLE
    assert (view.items is None) == (not isinstance(plain, list)) or view.value is UNREADABLE
    if isinstance(plain, dict) and view.fields is not None:
        assert list(view.fields.keys()) == list(plain.keys()) or set(view.fields) == set(plain)
        for key, value in plain.items():
            kid = view.child(key)
            if value is None:
                assert kid is None
            elif kid is not None:
                _shows(kid, value)
            else:
                raise AssertionError(f"{key!r} is not seen")
    elif isinstance(plain, list) and view.items is not None:
        assert len(view.items) == len(plain)
        for kid, value in zip(view.items, plain, strict=True):
            _shows(kid, value)
    elif view.value is UNREADABLE:
        assert isinstance(plain, int | float | str)
    elif not (isinstance(plain, float) and math.isinf(plain)):
        assert equal_values(view.value, plain), (view.value, plain)


def _none(word: str) -> Any:
    raise ValueError(word)


def annotation(data: bytes) -> None:
    """What we let through reads in Go as a map of whole entries in legal words."""
    text = data.decode(errors="replace")
    body = json.dumps(review(node(), node(text), OPERATOR)).encode(errors="surrogatepass")
    verdict = engine().judge_body(body).verdict
    try:
        found = node_state(text)
    except GoError:
        assert not verdict.allowed, "the operator would stop on it"
        return
    except RecursionError:
        return
    legal = all(_legal(key, one) for key, one in found.items()) and text.strip() != "null"
    assert legal or not verdict.allowed, found
    before = {"foo|1.0": entry("config/in_progress")}
    step = json.dumps(review(node(before), node(text), OPERATOR)).encode(errors="surrogatepass")
    changed = engine().judge_body(step).verdict
    assert legal or not changed.allowed, found


def _legal(key: str, one: dict[str, Any]) -> bool:
    name, bar, version = key.partition("|")
    skipped = (one["stage"], one["state"]) == ("interrupt", "complete")
    named = bool(bar and name and version) and one["name"] == name
    same_version = bool(one["version"]) and (one["version"] == version or skipped)
    words = one["stage"] in STAGES and one["state"] in STATES and one["restarts"] >= 0
    return named and same_version and words


def patches(data: bytes) -> None:
    """A patch applies, changes conditions alone, and leads to what needs no further one."""
    try:
        mutated = engine().mutate_review(decode_admission(data))
    except ReviewError:
        return
    mutated.encode()
    if mutated.mutation.patch is None:
        return
    patch = json.loads(base64.b64decode(mutated.response.patch or ""))
    whole = json.loads(bytes(mutated.request.object))
    after = jsonpatch.apply_patch(whole, patch)
    assert _but_conditions(after) == _but_conditions(whole)
    whole_review = json.loads(data)
    whole_review["request"]["object"] = after
    try:
        text = json.dumps(whole_review, allow_nan=False)
    except ValueError:
        return  # 1e999 somewhere: what Python reads of it, it cannot write
    again = engine().mutate_review(decode_admission(text.encode()))
    assert again.mutation.patch is None, again.mutation.patch


def _but_conditions(whole: dict[str, Any]) -> dict[str, Any]:
    status = {k: v for k, v in whole["status"].items() if k != "conditions"}
    return {**whole, "status": status}


def conversion(data: bytes) -> None:
    """What comes out parses; only apiVersion, conditions and a missing metadata differ."""
    try:
        asked = decode_conversion(data)
    except ReviewError:
        return
    told = convert(asked, engine().converters, NOW)
    msgspec.json.decode(told, type=msgspec.Raw)
    try:
        given = json.loads(data)["request"].get("objects") or []
        answer = json.loads(told)["response"]
    except RecursionError:
        return
    made = answer["convertedObjects"]
    assert answer["uid"] == asked.uid
    if answer["result"]["status"] == "Failure":
        assert made == []
        return
    assert len(given) == len(made)
    for old, new in zip(given, made, strict=True):
        _converted(old, new, asked.desired)


def _converted(old: Any, new: Any, desired: str) -> None:
    if not isinstance(old, dict):
        assert equal_values(old, new) or old != old
        return
    version = old.get("apiVersion")
    foreign = isinstance(version, str) and version.rpartition("/")[0] != desired.rpartition("/")[0]
    assert new.get("apiVersion") == (version if foreign else desired)
    assert isinstance(new["metadata"], dict) or old["metadata"] is not None
    for key in old.keys() | new.keys():
        if key not in {"apiVersion", "status", "metadata"}:
            assert equal_values(old[key], new[key]), key  # KeyError: one has a member more
    before, after = old.get("status"), new.get("status")
    if isinstance(before, dict) and isinstance(after, dict):
        rest = [{k: v for k, v in s.items() if k != "conditions"} for s in (before, after)]
        assert equal_values(*rest)
    else:
        assert equal_values(before, after)


def profiles(data: bytes) -> None:
    """A profile is compiled, or refused with a reason."""
    try:
        document = load_yaml(data, "fuzz.yaml")
        built = build_profile(document, "fuzz.yaml", lambda _: {}, base)
        compile_profile(built, profile_code(built))
    except (DocumentError, ProfileError, FileNotFoundError):
        pass  # told with file, place and reason; `extends` names what is not there


def yaml(data: bytes) -> None:
    """Text is read, or refused with a place; what was read and written reads the same."""
    for document in read_documents(data, "fuzz.yaml"):
        assert document.position(()).line >= 1
    try:
        value = load_yaml(data, "fuzz.yaml")
    except DocumentError:
        return
    if value is not None:
        assert equal_values(load_yaml(dump_yaml(value), "again.yaml"), value)


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "envelope": envelope,
    "view": lazy_view,
    "annotation": annotation,
    "patches": patches,
    "conversion": conversion,
    "profiles": profiles,
    "yaml": yaml,
}
