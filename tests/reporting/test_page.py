"""The page as text: one file, nothing fetched, nothing of the data ever markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

from tests.reporting import made
from webhook.replaying.occurrence import Said
from webhook.reporting.columns import columns
from webhook.reporting.page import page

EVIL = "</script><img src=x onerror=alert(1)><!--<script>&amp;\u2028'\""


class Outline(HTMLParser):
    """Tags, and the text of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)


def outline(text: str) -> Outline:
    parser = Outline()
    parser.feed(text)
    return parser


def made_page() -> tuple[str, Any]:
    occurrences = [
        made.occurrence(0, made.START, EVIL, user=EVIL, findings=[Said(EVIL, EVIL, "deny", EVIL)]),
        made.occurrence(1, None, "n", "warn"),
    ]
    steps = made.steps(2, 2, 3)
    steps.append(type(steps[0])(made.START + 9, EVIL, EVIL, EVIL, EVIL, EVIL, 2, EVIL))
    summary = made.summary(120, occurrences)
    summary.rules[EVIL] = summary.rules.pop("skyhook.node-package-step.edge")
    summary.writers[EVIL] = summary.writers.pop("platform-admin")
    text = page(summary, occurrences, steps, "1.2.3", left=7)
    return text, occurrences


def test_the_data_come_back_as_they_were_and_are_never_markup() -> None:
    text, occurrences = made_page()
    parsed = outline(text)
    data = json.loads(parsed.texts["script"][0])
    assert data["writes"][0]["name"] == EVIL
    assert data["writes"][1]["time"] is None
    assert len(data["writes"]) == len(occurrences)
    assert EVIL in data["summary"]["rules"]
    assert EVIL in data["steps"]["names"]
    assert data["left"] == 7
    assert [tag for tag, _ in parsed.tags if tag in ("img", "iframe", "object", "link", "a")] == [
        "a"
    ]
    assert sum(tag == "script" for tag, _ in parsed.tags) == 2


def test_nothing_is_fetched_and_only_our_own_script_runs() -> None:
    text, _ = made_page()
    parsed = outline(text)
    policy = next(
        a["content"]
        for t, a in parsed.tags
        if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for tag, content in (
        ("script", parsed.texts["script"][1]),
        ("style", parsed.texts["style"][0]),
    ):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    names = ("src", "href", "srcset", "data", "action")
    loaded = [attributes[n] for _, attributes in parsed.tags for n in names if attributes.get(n)]
    assert loaded == ["#writes-part"]
    code = parsed.texts["script"][1] + parsed.texts["style"][0]
    assert not re.search(
        r"https?://|@import|url\(|innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|fetch\(|XMLHttp|WebSocket",
        code,
    )


def test_without_scripts_the_counts_are_told() -> None:
    text, _ = made_page()
    plain = text[text.index("<noscript>") : text.index("</noscript>")]
    assert "Of 120 writes, 1 would have been denied." in plain
    assert "&lt;/script&gt;&lt;img" in plain


def test_steps_are_columns_in_order_of_time() -> None:
    steps = made.steps(3, 2, 4)
    found = columns(list(reversed(steps)))
    assert found["time"] == sorted(found["time"])
    assert found["time"][0] == 0
    assert found["span"] > found["time"][-1]
    rows = sorted(
        (round(found["base"] + found["time"][i] / 1000, 3), *(found["names"][found[c][i]] for c in ("rollout", "node", "package", "old", "now", "user")), found["wrong"][i])
        for i in range(len(steps))
    )  # fmt: skip
    assert rows == sorted(
        (s.time, s.rollout, s.node, s.package, s.old, s.new, s.user, s.wrong) for s in steps
    )
    assert columns([])["time"] == []


def test_a_page_of_nothing_is_a_page() -> None:
    text = page(made.Summary(), [], [], "1")
    assert json.loads(outline(text).texts["script"][0])["writes"] == []
