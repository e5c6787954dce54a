"""The page in a real browser: looked at, searched, filtered, walked by keyboard, printed."""

from __future__ import annotations

import contextlib
import io
import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.corpus import reading
from tests.reporting import chromium, made
from tests.reporting.test_page import made_page
from webhook.cli import main
from webhook.reporting.page import page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(chromium.find() is None, reason="no chromium here")
RECORDED = [
    str(reading.CHECKED_IN / name)
    for name in (reading.EXCEPTION_FILE, "replay-chainsaw-skyhook-malformed-node-state.jsonl.gz", "replay-migration.jsonl.gz")
]  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    opened = chromium.Browser(tmp_path_factory.mktemp("chromium"))
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def quiet(browser: chromium.Browser) -> Iterator[None]:
    """Whatever a test does: no error on the console, and nothing asked of any network."""
    browser.errors.clear()
    browser.requests.clear()
    yield
    browser.run("0")
    assert browser.errors == []
    assert {url.partition(":")[0] for url in browser.requests} <= {"file", "data"}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of real recordings, as the command line prints it."""
    path = tmp_path_factory.mktemp("pages") / "recorded.html"
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["replay", "--jobs", "1", "-q", "-o", "html", *RECORDED]) == 1
    path.write_text(out.getvalue())
    return path


def text(browser: chromium.Browser, selector: str) -> str:
    found: str = browser.run(f"document.querySelector({json.dumps(selector)}).innerText")
    return found


def found(browser: chromium.Browser) -> int:
    number: int = browser.run("LIST.found.length")
    return number


def test_the_page_of_real_recordings_shows_counts_writes_and_a_rollout(
    browser: chromium.Browser, recorded: Path
) -> None:
    browser.open(recorded)
    assert text(browser, "#headline").endswith("would have been denied")
    denied = browser.run("WRITES.filter((w) => w.effect === 'deny').length")
    assert denied >= 12
    assert f", {denied} would have been denied" in text(browser, "#headline")
    assert "skyhook.node-state-json" in text(browser, "#rules")
    assert "platform-admin" in text(browser, "#writers")
    assert browser.run("document.querySelectorAll('.row').length") >= 8
    assert "What the write changed" in text(browser, "#detail")
    assert browser.run("VIEW.lanes.length") >= 1
    assert (
        browser.run(
            "new Set($('lanes-canvas').getContext('2d').getImageData(300, 30, 800, 60).data).size"
        )
        > 20
    )


def test_searching_and_filtering_narrow_the_list(browser: chromium.Browser, recorded: Path) -> None:
    browser.open(recorded)
    everything = found(browser)
    browser.key("/")
    browser.type("zzz platform-admin")
    assert found(browser) == 1
    assert "1 of " in text(browser, "#found")
    assert '"zzz"' in text(browser, "#detail")
    browser.click("#clear")
    assert found(browser) == everything
    browser.click("#rules tbody tr:first-child button")
    by_rule = found(browser)
    assert 0 < by_rule < everything
    assert browser.run("document.querySelector('#rules button[aria-pressed=true]') !== null")
    browser.click("#chosen button")
    assert found(browser) == everything
    browser.click("#show-deny")
    assert found(browser) == browser.run("WRITES.filter((w) => w.effect !== 'deny').length")
    browser.click("#clear")
    browser.type("")
    browser.run(
        "$('search').value = 'nothing like this'; $('search').dispatchEvent(new Event('input'))"
    )
    assert found(browser) == 0
    assert text(browser, "#detail") == "No write matches."


def test_time_is_chosen_by_keyboard(browser: chromium.Browser, recorded: Path) -> None:
    browser.open(recorded)
    browser.run("$('time').focus()")
    browser.key("End")
    assert "UTC: " in text(browser, "#time-said")
    first = browser.run("DATA.summary.over_time.buckets.findIndex((b) => b.denied)")
    browser.key("Home")
    for _ in range(first):
        browser.key("ArrowRight")
    browser.key("Enter")
    assert 0 < found(browser) < browser.run("WRITES.length")
    browser.key("Escape")
    assert found(browser) == browser.run("WRITES.length")


def test_the_list_is_walked_by_keyboard(browser: chromium.Browser, recorded: Path) -> None:
    browser.open(recorded)
    browser.run("$('writes').focus()")
    first = text(browser, "#detail")
    browser.key("ArrowDown")
    assert text(browser, "#detail") != first
    browser.key("End")
    last = browser.run("LIST.found.length - 1")
    assert browser.run("$('writes').getAttribute('aria-activedescendant')") == f"row-{last}"
    assert (
        browser.run(f"document.getElementById('row-{last}').getAttribute('aria-selected')")
        == "true"
    )
    browser.key("Home")
    assert text(browser, "#detail") == first


def test_the_rollout_is_walked_by_keyboard_from_illegal_step_to_its_write(
    browser: chromium.Browser, recorded: Path
) -> None:
    browser.open(recorded)
    browser.run("$('lanes').focus()")
    browser.key("n")
    said = text(browser, "#lanes-said")
    assert "An illegal step." in said
    assert "platform-admin" in said
    browser.key("+")
    browser.key("ArrowLeft")
    browser.key("ArrowDown")
    browser.key("n")
    browser.run("nextWrong(1)")
    browser.key("Enter")
    assert browser.run("document.activeElement.id") == "writes"
    assert "denied" in text(browser, "#detail")
    assert "Show in the rollout" in text(browser, "#detail")
    browser.click("#detail button")
    assert browser.run("document.activeElement.id") == "lanes"
    assert browser.run("VIEW.lane") >= 0


def test_the_rollout_with_most_illegal_steps_stands_first_and_in_its_own_time(
    browser: chromium.Browser, recorded: Path
) -> None:
    browser.open(recorded)
    listed = browser.run("[...$('rollout').options].map((o) => o.textContent)")
    assert " illegal)" in listed[0]
    numbers = [int(one.rpartition(", ")[2].split()[0]) for one in listed if "illegal" in one]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) > 1
    times = browser.run("ROLLOUTS.get(VIEW.rollout).map((i) => STEPS.time[i])")
    seen, whole = browser.run("[VIEW.from, VIEW.to]"), browser.run("VIEW.end")
    assert seen[0] <= min(times)
    assert max(times) < seen[1]
    assert seen[1] - seen[0] < whole / 2, "the recordings have other rollouts at other times"
    browser.click("#zoom-all")
    assert browser.run("[VIEW.from, VIEW.to]") == [0, whole]


def test_every_part_can_be_reached_by_tab(browser: chromium.Browser, recorded: Path) -> None:
    browser.open(recorded)
    browser.run("document.body.focus()")
    reached = set()
    for _ in range(80):
        browser.key("Tab")
        reached.add(browser.run("document.activeElement.id"))
    assert {"theme", "time", "rollout", "lanes", "search", "show-deny", "writes"} <= reached


@pytest.mark.parametrize("dark", [False, True])
def test_texts_stand_out_in_dark_and_light(
    browser: chromium.Browser, recorded: Path, dark: bool, tmp_path: Path
) -> None:
    browser.open(recorded, dark=dark)
    light = browser.run(LUMINANCE + "light(rgb('back'))")
    assert (light < 0.05) is dark
    for name, least in (
        ("text", 7),
        ("dim", 4.5),
        ("deny", 4.5),
        ("warn", 4.5),
        ("audit", 4.5),
        ("mark", 4.5),
        ("good", 4.5),
    ):
        for back in ("back", "soft"):
            ratio = browser.run(LUMINANCE + f"contrast(rgb('{name}'), rgb('{back}'))")
            assert ratio >= least, (name, back, ratio)
    for number in range(9):
        assert browser.run(LUMINANCE + f"contrast(rgb('s{number}'), rgb('back'))") >= 2.5
    browser.screenshot(tmp_path / "page.png")
    assert (tmp_path / "page.png").stat().st_size > 20_000
    chosen = "light" if dark else "dark"
    browser.run(f"$('theme').value = '{chosen}'; $('theme').dispatchEvent(new Event('change'))")
    assert (browser.run(LUMINANCE + "light(rgb('back'))") < 0.05) is not dark


LUMINANCE = """
var rgb = (n) => { const c = document.createElement('canvas').getContext('2d'); c.fillStyle = colour(n); c.fillRect(0, 0, 1, 1); return [...c.getImageData(0, 0, 1, 1).data]; };
var light = ([r, g, b]) => { const f = (v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }; return .2126 * f(r) + .7152 * f(g) + .0722 * f(b); };
var contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
"""


def test_a_narrow_window_does_not_scroll_sideways(
    browser: chromium.Browser, recorded: Path
) -> None:
    browser.open(recorded, width=420, height=800)
    assert browser.run("document.documentElement.scrollWidth") <= 420


def test_on_paper_every_write_is_told_with_its_diff(
    browser: chromium.Browser, recorded: Path, tmp_path: Path
) -> None:
    browser.open(recorded, dark=True)
    data = browser.pdf(tmp_path / "page.pdf")
    assert data.startswith(b"%PDF")
    assert len(data) > 20_000
    assert browser.run("$('paper').querySelectorAll('article').length") == found(browser)
    assert browser.run("$('paper').querySelectorAll('table.diff').length") >= 10
    assert browser.run("$('paper').querySelectorAll('img').length") >= 1
    browser.ask("Emulation.setEmulatedMedia", media="print")
    assert browser.run("getComputedStyle($('writes-part')).display") == "none"
    assert browser.run(LUMINANCE + "light(rgb('back'))") > 0.95
    browser.ask("Emulation.setEmulatedMedia", media="")


def test_nothing_in_the_data_runs(browser: chromium.Browser, tmp_path: Path) -> None:
    path = tmp_path / "evil.html"
    path.write_text(made_page()[0])
    browser.open(path)
    browser.run("window.alert = () => { window.caught = true; }")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    browser.run("WRITES.forEach((_, i) => select(i)); $('clear').click(); 0")
    assert browser.run("document.querySelectorAll('img[src=x]').length") == 0
    assert browser.run("window.caught") is None
    assert "onerror=alert(1)" in text(browser, "#detail")


def test_a_thousand_nodes_and_a_hundred_thousand_steps_stay_usable(
    browser: chromium.Browser, tmp_path: Path
) -> None:
    steps = made.steps(1000, 4, 25)
    wrong = [step for step in steps if step.wrong]
    listed: list[Any] = [
        made.occurrence(n, s.time, s.node, "deny" if s.wrong == 2 else "warn")
        for n, s in enumerate(wrong)
    ]
    listed += [
        made.occurrence(n, made.START + n / 6, f"node-{n % 1000}", "warn")
        for n in range(len(wrong), 20_000)
    ]
    path = tmp_path / "large.html"
    path.write_text(page(made.summary(100_000, listed), listed, steps, "1"))
    assert path.stat().st_size < 20_000_000
    started = time.monotonic()
    browser.open(path)
    assert time.monotonic() - started < 30
    assert text(browser, "#lanes-said").startswith("1,000 nodes, ")
    for work, most in (
        ("drawLanes()", 250), ("($('lanes').scrollTop = 20000, drawLanes())", 250), ("(changeHeight(-9), drawLanes())", 400),
        ("refilter()", 400), ("(FILTER.text = 'node-77 cannot', refilter())", 400), ("buildLanes()", 2500),
    ):  # fmt: skip
        took = browser.run(
            f"(() => {{ const t = performance.now(); {work}; return performance.now() - t; }})()"
        )
        assert took < most, (work, took)
    assert browser.run("document.querySelectorAll('.row').length") < 40


@pytest.mark.nightly
@pytest.mark.skipif(not reading.SHARED.is_dir(), reason="../shared is not beside this clone")
@pytest.mark.parametrize("name", ["big-300-full.jsonl.gz", ""], ids=["largest", "all"])
def test_the_largest_recordings_are_searched_filtered_and_printed(
    browser: chromium.Browser, tmp_path: Path, name: str
) -> None:
    path, out = tmp_path / "page.html", io.StringIO()
    with contextlib.redirect_stdout(out):
        main(["replay", "--jobs", "1", "-q", "-o", "html", str(reading.SHARED / name)])
    path.write_text(out.getvalue())
    browser.open(path)
    browser.screenshot(tmp_path / "page.png", whole=True)
    assert browser.run("VIEW.lanes.length") > 10
    assert found(browser) == (53 if not name else 0)
    browser.click("#search")
    browser.type("platform-admin")
    browser.until("$('found').textContent.includes(' of ') || !WRITES.length")
    browser.click("#show-warn")
    shown = browser.run("LIST.found.map((i) => [WRITES[i].effect, WRITES[i].user])")
    assert {tuple(one) for one in shown} == ({("deny", "platform-admin")} if not name else set())
    assert browser.pdf(tmp_path / "page.pdf").count(b"/Type /Page\n") > 3
