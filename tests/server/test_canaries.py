"""Planted secrets come out nowhere: not in logs, metrics, errors, masked recordings, nor reports made of them."""

from __future__ import annotations

import copy
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.lifecycle.skyhook import PREFIX, STATE, entry, node, skyhook
from tests.reviews.builders import OPERATOR, PERSON, review
from tests.server.process import JSON_TYPE, Serving, ask, serving
from webhook.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLACES = (
    "annotation", "applied", "env", "machine", "address", "extra", "options", "bearer", "query",
    "path", "method", "cookie", "junk", "desired", "unread", "message",
)  # fmt: skip
CANARIES = {place: f"canary-{place}-7b1f" for place in PLACES}
RECORDED = {"message"}
"""A condition's message is what a replay is about; it is told nowhere else."""
ECHOED = {"method", "junk"}
"""aiohttp's answer to what is no HTTP quotes the line, to the one who sent it."""


def planted(old: dict[str, Any], new: dict[str, Any], user: str, **more: Any) -> dict[str, Any]:
    """The review with a secret in each place that holds some in real life."""
    whole = copy.deepcopy(review(old, new, user, **more))
    request = whole["request"]
    request["options"] = {"kind": "UpdateOptions", "fieldManager": CANARIES["options"]}
    request["userInfo"]["extra"] = {"authentication.example/token": [CANARIES["extra"]]}
    for side in ("object", "oldObject"):
        _plant(request[side])
    return whole


def _plant(one: dict[str, Any]) -> None:
    annotations = one["metadata"].setdefault("annotations", {})
    annotations["vault.example/token"] = CANARIES["annotation"]
    applied = {"spec": {"env": [{"name": "TOKEN", "value": CANARIES["applied"]}]}}
    annotations["kubectl.kubernetes.io/last-applied-configuration"] = json.dumps(applied)
    if one["kind"] == "Node":
        one["status"]["nodeInfo"] = {"machineID": CANARIES["machine"]}
        one["status"]["addresses"] = [{"type": "InternalIP", "address": CANARIES["address"]}]
    else:
        one["spec"]["packages"]["foo"]["env"] = [{"name": "TOKEN", "value": CANARIES["env"]}]


def writes() -> Iterator[dict[str, Any]]:
    """Legal, illegal, of the wrong shape, and in no profile's words."""
    base = {"foo|1.0": entry("config/in_progress")}
    for pair in ("config/complete", "interrupt/skipped", "config/done"):
        yield planted(node(base), node({"foo|1.0": entry(pair)}), OPERATOR)
    told = {"type": "Ready", "status": "True", "reason": "x", "message": CANARIES["message"]}
    for status in (
        {"status": "done"},
        {"status": "waiting"},
        {"conditions": [told]},
        {"conditions": 7},
    ):
        yield planted(skyhook(status="in_progress"), skyhook(**status), PERSON)
    spec = skyhook(status="in_progress")
    spec["spec"]["packages"]["Bad_Key"] = dict(spec["spec"]["packages"]["foo"])
    yield planted(skyhook(status="in_progress"), spec, PERSON, subresource="")  # fmt: skip


def talk(server: Serving) -> list[bytes]:
    """Everything that a caller can say; what was answered."""
    answers = []
    for whole in writes():
        text = json.dumps(whole).encode()
        answers += [server.call(text, path).body for path in ("/validate", "/mutate")]
        answers.append(server.call(text[:-30], "/validate").body)
        broken = text.replace(b'"uid": "', b'"uid": 7, "was": "', 1)
        answers.append(server.call(broken, "/validate").body)
        one = {
            "uid": "u",
            "desiredAPIVersion": f"{PREFIX}/v1beta1",
            "objects": [whole["request"]["object"]],
        }
        for desired in (one["desiredAPIVersion"], "x/v9"):
            asked = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}
            asked["request"] = {**one, "desiredAPIVersion": desired}
            answer = server.call(json.dumps(asked).encode(), "/convert").body
            if desired == "x/v9":
                answers.append(answer)
    odd = {"Authorization": f"Bearer {CANARIES['bearer']}", "Cookie": CANARIES["cookie"]}
    with server.session() as connection:
        body = json.dumps(next(writes())).encode()
        answers.append(
            ask(
                connection, body, f"/validate?token={CANARIES['query']}", "POST", JSON_TYPE | odd
            ).body
        )
        answers.append(ask(connection, b"", f"/{CANARIES['path']}", "GET", odd).body)
        answers.append(ask(connection, b'{"x":"%s"' % CANARIES["unread"].encode()).body)
    for raw in (f"{CANARIES['method']} / HTTP/1.1\r\n\r\n", f"{CANARIES['junk']}\r\n\r\n",
                f"POST /validate HTTP/1.1\r\nHost: x\r\n{CANARIES['junk']}\r\n\r\n"):  # fmt: skip
        answers.append(server.raw_call(raw.encode()))
    return answers


def leaks(text: str, but: frozenset[str] | set[str] = frozenset()) -> list[str]:
    return [place for place, canary in CANARIES.items() if canary in text and place not in but]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], Path, str]:
    """(what came out by where, the folder of recordings, our private key)."""
    folder = tmp_path_factory.mktemp("canaries")
    records = folder / "records"
    flags = (
        "--record",
        str(records),
        "--record-mask",
        "--shutdown-delay",
        "0",
        "--log-level",
        "debug",
    )
    with serving(folder / "server", *flags) as running:
        answers = talk(running)
        out = {
            "answers": b"\n".join(answers).decode(errors="replace"),
            "metrics": running.metrics(),
        }
        key = (running.cert_dir / "tls.key").read_text().splitlines()[1]
        running.signal()
        assert running.ended() == 0
        out["log"] = json.dumps(running.lines)
    assert "fault" not in {line["event"] for line in running.lines}
    packed = [gzip.decompress(path.read_bytes()) for path in records.iterdir()]
    out["recordings"] = b"".join(packed).decode()
    return out, records, key


@pytest.mark.parametrize("where", ["answers", "metrics", "log", "recordings"])
def test_no_secret_comes_out(said: tuple[dict[str, str], Path, str], where: str) -> None:
    out, _, key = said
    but = {"recordings": RECORDED, "answers": ECHOED}.get(where, set())
    assert leaks(out[where], but) == []
    assert key not in out[where]
    assert "PRIVATE KEY" not in out[where]


def test_what_was_planted_was_seen(said: tuple[dict[str, str], Path, str]) -> None:
    """The test can fail: the reviews came in, were judged and recorded."""
    out, _, _ = said
    assert "skyhook.package-key" in out["log"]
    assert out["recordings"].count('"AdmissionReview"') > 8
    assert STATE in out["recordings"]


@pytest.mark.parametrize("form", ["html", "json", "text"])
def test_no_secret_is_in_a_report_of_masked_recordings(
    said: tuple[dict[str, str], Path, str], capsys: Any, form: str
) -> None:
    _, records, key = said
    assert main(["replay", "--jobs", "1", "-o", form, str(records)]) == 1
    told = "".join(capsys.readouterr())
    assert leaks(told, RECORDED) == []
    assert key not in told


EVIL = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'`\x1b[31m\r\n::error::x\u202e"
)


def test_a_planted_script_stays_text_in_the_page(tmp_path: Path, capsys: Any) -> None:
    """Names, users, values, keys and versions, wherever they are shown."""
    file = tmp_path / "evil.jsonl"
    lines = []
    for number, word in enumerate(("done", EVIL)):
        old, new = (node({EVIL: entry(p)}) for p in ("apply/in_progress", f"apply/{word}"))
        for side in (old, new):
            side["metadata"]["name"] = EVIL
            side["metadata"]["annotations"][EVIL] = EVIL
        whole = review(old, new, EVIL, groups=[EVIL])
        lines.append(json.dumps({**whole, "scenario": EVIL, "seq": number}))
        status = skyhook(status=EVIL, nodeStatus={EVIL: EVIL}, nodeState={EVIL: {EVIL: {}}})
        lines.append(json.dumps(review(skyhook(status="complete"), status, EVIL)))
    file.write_text("\n".join(lines))
    assert main(["replay", "--jobs", "1", "-o", "html", str(file)]) == 1
    page = capsys.readouterr().out
    assert "alert(1)" in page
    for mark in ("<script>alert", "<img src=x", "</script><script>"):
        assert mark not in page, mark
    for form in ("json", "sarif", "junit", "github", "text"):
        main(["validate", "-o", form, str(file)])
        told = capsys.readouterr().out
        if form == "junit":
            assert "<script>alert" not in told
        if form in {"text", "github"}:
            assert not {"\x1b", "\r", "\u202e"} & set(told)
            assert "\n::error::x" not in told
