"""Ways to get an illegal state past the engine, each with what happens (docs/bypasses.md tells them)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.lifecycle.skyhook import PREFIX, STATE, STATUS, entry, node, ready, skyhook
from tests.reviews.builders import ACCOUNT, OPERATOR, PERSON, body
from webhook.checks.versions import Version
from webhook.core.writer import UserGlobs, Writer
from webhook.reviews.policy import Mode, ModeRule

if TYPE_CHECKING:
    from webhook.reviews.engine import Engine

MASTERS = ["system:masters", "system:authenticated"]
GLASS = "guard.skyhook.nvidia.com/break-glass"
BASE = {"foo|1.0": entry("config/in_progress")}
STATUS_NOW: dict[str, Any] = {
    "status": "in_progress",
    "nodeStatus": {"n1": "in_progress"},
    "nodeBootIds": {"n1": "a"},
    "nodeState": {"n1": BASE},
    "conditions": [ready("False", "Progressing")],
}
NOT_READY = f"{PREFIX}/gpu/NotReady"


@dataclass(frozen=True)
class Way:
    """One way.

    Attributes:
        old, new: the write.
        field: that a denial names; None where the write passes.
        user: who writes.
        more: of the review.
    """

    old: Any
    new: Any
    field: str | None
    user: str | None = OPERATOR
    more: dict[str, Any] | None = None


def told(text: str, field: str | None, user: str = OPERATOR) -> Way:
    """The Node annotation holds this text; `field`: below the annotation."""
    where = None if field is None else f"metadata.annotations[{STATE}]{field}"
    return Way(node(BASE), node(text), where, user)


def packed(members: str, field: str | None) -> Way:
    """The entry is made of these members, as written; they follow name and version."""
    text = f'{{"foo|1.0":{{"name":"foo","version":"1.0",{members}}}}}'
    return told(text, f"[foo|1.0].{field}" if field else field)


def further(key: str, field: str, **said: Any) -> Way:
    """One more entry, under this key."""
    name, _, version = key.partition("|")
    made = {"name": name, "version": version, "stage": "apply", "state": "bogus", **said}
    return told(json.dumps({**BASE, key: made}), f"[{key}]{field}")


def listed(*statuses: str) -> dict[str, Any]:
    conditions = [
        {"type": NOT_READY, "status": s, "reason": "Incomplete" if s == "True" else "Complete"}
        for s in statuses
    ]
    return node(BASE, conditions=conditions)


def claim(field: str | None, user: str | None = OPERATOR, **status: Any) -> Way:
    return Way(skyhook(**STATUS_NOW), skyhook(**{**STATUS_NOW, **status}), field, user)


def asked(field: str | None, **more: Any) -> Way:
    """A word that is none, asked about in this way."""
    return Way(skyhook(**STATUS_NOW), skyhook(**{**STATUS_NOW, "status": "done"}), field, more=more)


def glass(
    text: str, field: str | None, user: str = "admin", groups: Any = MASTERS, sub: str = ""
) -> Way:
    """A spec that is denied, with the annotation."""
    spec = {"packages": {"Bad_Key": {"version": "1.0"}}}
    new = skyhook(meta={"annotations": {GLASS: text}}, spec=spec, **STATUS_NOW)
    return Way(skyhook(**STATUS_NOW), new, field, user, {"groups": groups, "subresource": sub})


def kind(group: str, version: str, name: str) -> dict[str, str]:
    return {"group": group, "version": version, "kind": name}


def with_annotations(**more: str) -> dict[str, Any]:
    new = node(BASE)
    new["metadata"]["annotations"] |= {k.replace("__", "/"): v for k, v in more.items()}
    return new


STAGE = '"stage":"config","state":"in_progress"'
SPEC = "spec.packages[Bad_Key]"
OTHER = "nodewright.nvidia.com/nodeState_gpu"
WAYS: dict[str, Way] = {
    # the JSON text in the Node's annotation, which Go reads in its own way
    "json-null-entry": told('{"foo|1.0":null}', "[foo|1.0]"),
    "json-null-new-entry": told(json.dumps({**BASE, "bar|1": None}), "[bar|1]"),
    "json-null-stage": packed('"stage":null,"state":"complete"', "stage"),
    "json-stage-then-null": packed(
        '"stage":"interrupt","state":"complete","stage":null', "stage"
    ),  # Go keeps interrupt
    "json-absent-stage": packed('"state":"complete"', "stage"),
    "json-empty-stage": packed('"stage":"","state":"complete"', "stage"),
    "json-case-of-a-key": packed(f'{STAGE},"Stage":"interrupt"', "Stage"),
    "json-upper-case-alone": packed('"STAGE":"config","STATE":"complete"', "stage"),
    "json-long-s": packed(f'{STAGE},"\u017ftate":"complete"', "\u017ftate"),
    "json-kelvin-sign": packed(f'{STAGE},"\u212a":"complete"', None),  # k is no key of an entry
    "json-twice-a-key": packed(f'{STAGE},"state":"bogus"', "state"),
    "json-twice-an-entry": told(
        f'{{"foo|1.0":{json.dumps(entry("config/complete"))},"foo|1.0":{json.dumps(entry("config/bogus"))}}}',
        "[foo|1.0].state",
    ),
    "json-escaped-key": packed('"st\\u0061ge":"bogus","state":"complete"', "stage"),
    "json-escaped-word": packed('"stage":"config","state":"\\u0063omplete"', None),
    "json-look-alike-word": packed('"stage":"config","state":"\u0441omplete"', "state"),
    "json-space-in-a-word": packed('"stage":"config","state":"complete "', "state"),
    "json-upper-case-word": packed('"stage":"config","state":"COMPLETE"', "state"),
    "json-zero-width-word": packed('"stage":"config","state":"complete\u200b"', "state"),
    "json-newline-in-a-version": further("foo|1\n", ".state"),
    "json-newline-in-a-name": further("f\noo|1", ".state"),
    "json-capture-in-a-name": further("{version}|1.0", ".state"),
    "json-no-bar": told(f'{{"foo":{{"name":"foo","version":"1.0",{STAGE}}}}}', "[foo]"),
    "json-two-bars": further("foo|1|2", ".state"),
    "json-other-name": further("bar|1", ".name", name="foo", state="in_progress"),
    "json-other-version": further("bar|1", ".version", version="2", state="in_progress"),
    "json-look-alike-name": further("f\u043eo|1.0", ".state"),
    "json-white-space": told(f" \n\t{json.dumps(BASE, indent=2)}\r\n", None),
    "json-no-break-space": told(f"\u00a0{json.dumps(BASE)}", ""),
    "json-byte-order-mark": told(f"\ufeff{json.dumps(BASE)}", ""),
    "json-two-documents": told(json.dumps(BASE) + "{}", ""),
    "json-comment": told("{/* */}", ""),
    "json-in-json": told(json.dumps(json.dumps(BASE)), ""),
    "json-list": told("[]", ""),
    "json-null": told("null", ""),
    "json-number": told("0", ""),
    "json-empty-text": told("", ""),
    "json-empty-map": told("{}", None),  # as the CLI's reset leaves it
    "json-nested-too-deeply": packed(f'{STAGE},"x":{"[" * 5000}{"]" * 5000}', ""),
    "json-half-a-surrogate": packed(f'{STAGE},"x":"\\ud800"', ""),
    "json-huge-restarts": packed(f'{STAGE},"restarts":99999999999999999999', "restarts"),
    "json-restarts-1e400": packed(f'{STAGE},"restarts":1e400', "restarts"),
    "json-restarts-1.0": packed(f'{STAGE},"restarts":1.0', "restarts"),
    "json-restarts-true": packed(f'{STAGE},"restarts":true', "restarts"),
    "json-restarts-text": packed(f'{STAGE},"restarts":"1"', "restarts"),
    "json-restarts-minus": packed(f'{STAGE},"restarts":-1', "restarts"),
    "json-nan": packed(f'{STAGE},"restarts":NaN', ""),
    "json-unknown-number": packed(f'{STAGE},"x":1e400', None),  # Go skips what it does not know
    "json-state-as-a-list": packed('"stage":"config","state":["complete"]', "state"),
    # steps and keys
    "node-skips-a-stage": told(json.dumps({"foo|1.0": entry("interrupt/skipped")}), "[foo|1.0]"),
    "node-key-renamed": told(  # limit: as a late report of a pod (class race)
        json.dumps({"foo|1.0.0": entry("config/complete", "foo|1.0.0")}), None, PERSON
    ),
    "node-upgrade-without-a-lower-version": told(
        json.dumps({**BASE, "bar|2.0": entry("upgrade/in_progress", "bar|2.0")}), "[bar|2.0]"
    ),
    "node-annotation-removed": Way(node(BASE), node(), None, PERSON),  # limit: list M
    "node-annotation-appears": Way(node(), node({"foo|1.0": entry("config/complete")}), None),
    "node-annotation-appears-with-a-word-that-is-none": Way(
        node(), node({"foo|1.0": entry("config/done")}), f"metadata.annotations[{STATE}][foo|1.0]"
    ),
    "node-created-with-a-word-that-is-none": Way(
        None, node({"foo|1.0": entry("config/done")}), f"metadata.annotations[{STATE}][foo|1.0]"
    ),
    "node-other-identity": Way(
        node(BASE),
        with_annotations(**{OTHER: '{"foo|1":{"name":"foo","version":"1","stage":"x"}}'}),
        f"metadata.annotations[{OTHER}][foo|1]",
    ),
    "node-other-prefix": Way(  # nobody reads it
        node(BASE), with_annotations(**{"example.com__nodeState_gpu": "{"}), None
    ),
    "node-case-of-the-prefix": Way(  # the operator looks for its own letters
        node(BASE), with_annotations(**{"SKYHOOK.nvidia.com__nodeState_gpu": "{"}), None
    ),
    "node-status-annotation-without-its-label": Way(  # limit: who reads the label is behind
        node(BASE, labels={STATUS: "in_progress"}, status="in_progress"),
        node(BASE, labels={STATUS: "in_progress"}, status="erroring"),
        None,
    ),
    "node-status-annotation-and-label-apart": Way(
        node(BASE, labels={STATUS: "in_progress"}, status="in_progress"),
        node(BASE, labels={STATUS: "complete"}, status="erroring"),
        f"metadata.annotations[{STATUS}]",
    ),
    "node-condition-twice": Way(listed("True"), listed("True", "Bogus"), f"status.conditions[{NOT_READY}]"),
    "node-condition-with-a-word-that-is-none": Way(
        listed("True"), listed("Unknown"), f"status.conditions[{NOT_READY}].status"
    ),
    "node-stranger's-condition-twice": Way(
        node(BASE, conditions=[]),
        node(BASE, conditions=[{"type": "Disk", "status": s} for s in ("True", "False")]),
        None,
    ),
    # status of a Skyhook
    "status-removed": Way(skyhook(**STATUS_NOW), {**skyhook(**STATUS_NOW), "status": None}, "status.status"),
    "status-empty": claim("status.status", status=""),
    "status-true": claim("status.status", status=True),
    "status-list": claim("status.status", status=["complete"]),
    "status-null-entry-is-absent": claim(None, nodeState={"n1": {"foo|1.0": None}}),
    "status-condition-twice": claim(
        "status.conditions[Ready]",
        PERSON,
        conditions=[ready("False", "Progressing"), ready("True", "NodesConverged")],
    ),
    "status-condition-of-another-case": claim(
        "status.conditions[READY]",
        PERSON,
        conditions=[ready("True", "NodesConverged", kind="READY"), ready("False", "Progressing")],
    ),
    "status-generation-huge": claim("status.observedGeneration", observedGeneration=10**400),
    "status-generation-1.5": claim("status.observedGeneration", observedGeneration=1.5),
    "status-generation-text": claim("status.observedGeneration", observedGeneration="5"),
    "status-list-for-a-map": claim("status.nodeStatus", nodeStatus=["complete"]),
    "status-map-for-a-list": claim("status.conditions", conditions={"Ready": {}}),
    "status-dying": Way(
        skyhook(meta={"deletionTimestamp": "2026-11-29T00:00:00Z"}, **STATUS_NOW),
        skyhook(
            meta={"deletionTimestamp": "2026-11-29T00:00:00Z"}, **{**STATUS_NOW, "status": "done"}
        ),
        "status.status",
    ),
    "status-with-owner-references": Way(
        skyhook(**STATUS_NOW),
        skyhook(
            meta={"ownerReferences": [{"kind": "Node"}], "managedFields": [{"manager": "x"}]},
            **{**STATUS_NOW, "status": "done"},
        ),
        "status.status",
    ),
    # how it is asked
    "asked-as-v1beta1": asked("status.status", kind=kind(PREFIX, "v1beta1", "Skyhook")),
    "asked-without-a-version": asked("status.status", kind=kind(PREFIX, "", "Skyhook")),
    "asked-as-a-version-nobody-knows": asked(None, kind=kind(PREFIX, "v9", "Skyhook")),
    "asked-as-scale": asked(
        None, kind=kind("autoscaling", "v1", "Scale"), subresource="scale"
    ),  # the CRD has none
    "asked-as-finalizers": asked("status.status", subresource="finalizers"),
    "asked-as-a-subresource-nobody-knows": asked("status.status", subresource="other"),
    "asked-as-a-dry-run": asked("status.status", dryRun=True),
    "asked-without-a-name": asked("status.status", name=None),
    "asked-as-another-resource": asked(
        "status.status", resource={"group": "", "version": "v1", "resource": "pods"}
    ),
    "asked-as-delete": asked(None, operation="DELETE"),
    "asked-as-connect": asked(None, operation="CONNECT"),
    # who asks
    "user-with-an-empty-name": claim("status.status", "", status="blocked"),
    "user-before-the-prefix": claim("status.status", f"x{OPERATOR}", status="blocked"),
    "user-after-the-name": claim(None, f"{OPERATOR}2", status="blocked"),  # an account: warned
    "user-of-another-case": claim("status.status", OPERATOR.title(), status="blocked"),
    "user-of-the-nodes": claim("status.status", "system:node:n1", status="blocked"),
    "user-of-the-control-plane": claim("status.status", "system:kube-proxy", status="blocked"),
    "user-named-as-the-group": claim("status.status", "system:masters", status="blocked"),
    "user-another-account": claim(None, ACCOUNT, status="blocked"),  # limit: told once an hour
    "user-account-named-as-the-operator's": claim(  # limit: the globs of the profile
        None, "system:serviceaccount:tenant:my-skyhook-operator-controller-manager", status="blocked"
    ),
    # break-glass
    "glass-rightly-broken": glass("2026-11-30T12:00:00Z INC-1: stuck", None),
    "glass-by-somebody-else": glass("2026-11-30T12:00:00Z INC-1", SPEC, PERSON, ["sre"]),
    "glass-by-the-operator": glass("2026-11-30T12:00:00Z INC-1", SPEC, OPERATOR, ["x"]),
    "glass-through-status": glass("2026-11-30T12:00:00Z INC-1", SPEC, sub="status"),
    "glass-expired": glass("2026-11-29T19:59:59Z INC-1", SPEC),
    "glass-for-ever": glass("9999-12-31T23:59:59-23:59 INC-1", SPEC),
    "glass-before-time": glass("0001-01-01T00:00:00+23:59 INC-1", SPEC),
    "glass-too-far-ahead": glass("2026-11-30T20:00:01Z INC-1", SPEC),
    "glass-zone-moves-the-end": glass("2026-11-29T12:00:00-23:00 INC-1", None),  # 11:00 tomorrow
    "glass-without-a-reason": glass("2026-11-30T12:00:00Z", SPEC),
    "glass-with-an-invisible-reason": glass("2026-11-30T12:00:00Z \u200b\u00a0.", SPEC),
    "glass-that-cannot-be-read": glass("tomorrow INC-1", SPEC),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_a_way_past_the_engine_ends_as_its_row_says(engine: Engine, name: str) -> None:
    way = WAYS[name]
    asked = dict(way.more or {})
    verdict = engine.judge_body(body(way.old, way.new, way.user, **asked)).verdict
    places = [str(finding.field) for finding in verdict.denied]
    if way.field is None:
        assert not places, verdict.denied
    else:
        assert places, "it went through"
        assert any(place.startswith(way.field) for place in places), places


def test_two_writes_that_no_single_one_may_be(engine: Engine) -> None:
    """Limit: away and back in one step each; what comes back has legal words, and no history."""
    there, gone = node({"foo|1.0": entry("apply/in_progress")}), node()
    back = node({"foo|1.0": entry("interrupt/skipped")})
    assert not engine.judge_body(body(there, back)).verdict.allowed
    assert engine.judge_body(body(there, gone, PERSON)).verdict.allowed
    assert engine.judge_body(body(gone, back, PERSON)).verdict.allowed


def test_many_small_steps_by_hand_are_warned_of_one_by_one(engine: Engine) -> None:
    """Limit: a person walks a Node through its stages; each step is one the operator makes too."""
    walk = ["apply/in_progress", "apply/complete", "config/in_progress", "config/complete"]
    for before, after in pairwise(walk):
        old, new = node({"foo|1.0": entry(before)}), node({"foo|1.0": entry(after)})
        assert engine.judge_body(body(old, new, PERSON)).verdict.allowed
    first, last = (node({"foo|1.0": entry(pair)}) for pair in (walk[0], "interrupt/skipped"))
    assert not engine.judge_body(body(first, last, PERSON)).verdict.allowed


def test_an_old_defect_lets_another_in_at_its_place_and_nowhere_else(engine: Engine) -> None:
    """Limit: what was stored before us is no shield for its neighbours."""
    old = node({"foo|1.0": entry("config/done"), "bar|1": entry("apply/complete", "bar|1")})
    same_place = node({"foo|1.0": entry("config/over"), "bar|1": entry("apply/complete", "bar|1")})
    beside = node({"foo|1.0": entry("config/done"), "bar|1": entry("apply/done", "bar|1")})
    found = engine.judge_body(body(old, same_place)).verdict
    assert (found.allowed, bool(found.findings)) == (True, True)
    assert not engine.judge_body(body(old, beside)).verdict.allowed


def test_keys_that_stand_twice_in_the_envelope_count_once_the_last_time(engine: Engine) -> None:
    """An API server never sends it; whoever else does gains nothing."""
    good = json.dumps(skyhook(**STATUS_NOW))
    bad = json.dumps(skyhook(**{**STATUS_NOW, "status": "done"}))
    text = body(skyhook(**STATUS_NOW), None).decode()
    whole = text.replace('"object":null', f'"object":{good},"object":{bad}')
    assert whole.count('"object":') == 2
    assert not engine.judge_body(whole.encode()).verdict.allowed
    twice = text.replace('"object":null', f'"object":{bad}').replace(
        '"username":', '"username":"system:masters","username":'
    )
    assert not engine.judge_body(twice.encode()).verdict.allowed


def test_an_exempt_group_is_named_by_the_whole_name(engine: Engine) -> None:
    """A glob has to fit a user or group name as a whole, letters as they are."""
    rule = ModeRule(Mode.OFF, writers=UserGlobs.of(["platform"]))
    exempting = replace(engine, policy=replace(engine.policy, overrides=(rule,)))
    old, new = skyhook(**STATUS_NOW), skyhook(**{**STATUS_NOW, "status": "done"})
    for groups, through in ((["platform"], True), (["platform-x", "xplatform", "Platform"], False),
                            (["platform\n"], False), (["a platform"], False)):  # fmt: skip
        verdict = exempting.judge_body(body(old, new, PERSON, groups=groups)).verdict
        assert (verdict.allowed, verdict.writer) == (through, Writer.PERSON), groups


def test_a_map_of_many_versions_is_read_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work, not time: twice the entries, twice the versions parsed."""
    parse, parsed = Version.parse.__func__, []  # type: ignore[attr-defined]

    def counted(cls: type[Version], text: str) -> Version | None:
        parsed.append(text)
        return parse(cls, text)

    monkeypatch.setattr(Version, "parse", classmethod(counted))
    for number in (100, 200):
        parsed.clear()
        keys = [f"foo|{9000 - n}.0" for n in range(number)]
        old, new = (
            node({key: entry(pair, key) for key in keys})
            for pair in ("apply/in_progress", "upgrade/in_progress")
        )
        assert not engine.judge_body(body(old, new)).verdict.allowed
        assert 0 < len(parsed) <= 4 * number


PAGE = (Path(__file__).resolve().parents[2] / "docs" / "bypasses.md").read_text()


@pytest.mark.parametrize("name", WAYS)
def test_the_page_tells_every_way(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_the_page_tells_every_live_test_and_none_that_is_not_there() -> None:
    live = Path(__file__).resolve().parents[1] / "e2e"
    own, shared = (
        {name.replace("_", " ") for name in re.findall(r"^def test_(\w+)", text, re.MULTILINE)}
        for text in ((live / f"test_{n}.py").read_text() for n in ("bypass", "live_requests"))
    )
    here = {name[5:].replace("_", " ") for name in globals() if name.startswith("test_")}
    rows = [line.rsplit("|", 2)[1] for line in PAGE.splitlines() if line.startswith("|")]
    told = {t.strip() for row in rows for t in re.split(r"[;,]", re.sub(r"`[^`]*`", "", row))}
    told -= {"", "tests", "---", "[limits](limits.md)"}
    assert own <= told
    assert told <= own | shared | here
