"""docs/messages.md is what the rules say now."""

from __future__ import annotations

from pathlib import Path

from tests.reviews.test_rulebook import judged
from webhook.catalog import shipped
from webhook.drawing.messages import messages

PAGE = Path(__file__).resolve().parents[2] / "docs" / "messages.md"


def test_the_page_is_what_the_rules_say() -> None:
    page = "\n".join(messages(shipped("skyhook"), judged("skyhook"))) + "\n"
    assert PAGE.read_text() == page, "run `make messages`, and read what changed"


def test_every_example_of_every_rule_is_on_the_page() -> None:
    page = "\n".join(messages(shipped("skyhook"), judged("skyhook")))
    for one in judged("skyhook"):
        assert f"### skyhook.{one.sample.rule}\n" in page
        for finding in one.findings:
            assert f"({finding.rule})" in page
