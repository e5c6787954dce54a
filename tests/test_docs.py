"""What the pages say is what the code does: flags, settings, metrics, rules, examples, links."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import click
import pytest
from msgspec.structs import asdict

from tests.reference import PAGE, commands, options, reference
from webhook.catalog import CHECKS, shipped, shipped_names
from webhook.cli import group, main
from webhook.lifecycle.compile import ProfileError
from webhook.metrics import Metrics
from webhook.settings import Settings

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
PAGES = {
    p.relative_to(ROOT).as_posix(): p.read_text()
    for p in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
}


VERBS = dict(commands())
FLAGS = {
    (verb, flag)
    for verb, command in VERBS.items()
    for option in options(command)
    for flag in (*option.opts, *option.secondary_opts)
    if flag.startswith("--")
}


def test_the_reference_of_the_command_line_is_current():
    assert (ROOT / PAGE).read_text() == reference(), f"python -m tests.reference > {PAGE}"


def test_the_readme_knows_every_option_of_validate_by_one_of_its_names():
    table = README[README.index("| option |") :].partition("\n\n")[0]
    named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", table))
    assert [
        o.name for o in options(VERBS["skyhook-webhook validate"]) if not named & set(o.opts)
    ] == []


FOREIGN = {
    "--cacert", "--data-binary", "--server-side", "--from-literal", "--dry-run", "--no-group", "--for", "--as",
    "--field-manager", "--force-conflicts", "--stage", "--node", "--skyhook", "--all", "--help", "--grace-period",
    "--feature-gates", "--version", "--strict", "--post-renderer", "--post-renderer-args", "--tail", "--type",
    "--create-namespace", "--install", "--set", "--ignore-not-found", "--overwrite",
}  # fmt: skip
"""Flags of kubectl, curl and others that our pages show."""


@pytest.mark.parametrize("page", PAGES)
def test_every_flag_on_a_page_is_one_of_ours(page):
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+\b", PAGES[page]))
    assert named - {flag for _, flag in FLAGS} - FOREIGN == set()


def test_the_verbs_of_the_readme_are_those_there_are():
    table = README[README.index("| verb |") :].partition("\n\n")[0]
    rows = [re.match(r"\| `(\w+)", line) for line in table.splitlines()[2:]]
    assert [row[1] for row in rows if row] == [v.split()[-1] for v in VERBS if v.count(" ") == 1]


@pytest.mark.parametrize("verb", VERBS)
def test_help_is_short_and_says_something(verb):
    command = VERBS[verb]
    text = command.get_help(click.Context(command, info_name=verb))
    assert "\\b" not in text
    assert all(len(line) <= 100 for line in text.splitlines())
    assert (command.help or "").strip()
    assert [o.name for o in options(command) if not o.help] == []


def table_of(heading):
    """The rows of the first table below a heading, as lists of cells."""
    text = README[README.index(heading) :]
    lines = text[text.index("\n|") :].strip().partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


MIB = 2**20
SAID = {
    "record": "none", "record_max_bytes": "1 GiB", "record_mask": "`false`",
    "break_glass": "`{users: [system:masters], hours: 24}`",
    "namespace": "the pod's own", "kubeconfig": "none", "client_ca": "none", "conditions": "`{window: open}`",
    "rotation": "`{look: 10, settle: 60, retire: 600}`",
    "max_body_bytes": "20 MiB", "max_convert_bytes": "64 MiB", "max_in_flight_bytes": "256 MiB", "cross_check_bytes": "32 MiB", "usual_rules": "`false`",
    "profiles": "`[skyhook, nodewright]`", "cert_dir": "`certs/dev`", "mode": "`enforce`",
}  # fmt: skip
"""Defaults that the table puts in words, checked one by one below."""


def test_the_table_of_settings_is_the_model():
    rows = {row[0].strip("`"): row for row in table_of("## Settings")}
    assert set(rows) == set(Settings.__struct_fields__)
    for name, value in asdict(Settings()).items():
        _, environment, default, meaning = rows[name]
        assert environment == f"`SKYHOOK_WEBHOOK_{name.upper()}`"
        number = int(value) if isinstance(value, float) and value.is_integer() else value
        assert default == SAID.get(name, f"`{number}`"), name
        assert meaning


def test_defaults_in_words_are_the_models():
    settings = Settings()
    assert settings.max_body_bytes == 20 * MIB
    assert settings.max_convert_bytes == 64 * MIB
    assert settings.max_in_flight_bytes == 256 * MIB
    assert [getattr(settings, n) for n in ("namespace", "kubeconfig", "client_ca")] == [None] * 3
    assert settings.conditions.window == "open"
    assert asdict(settings.rotation) == {"look": 10, "settle": 60, "retire": 600}
    assert str(settings.cert_dir) == "certs/dev"
    assert (settings.mode.value, settings.usual_rules) == ("enforce", False)
    assert settings.profiles == ["skyhook", "nodewright"]
    assert (settings.record, settings.record_mask) == (None, False)
    assert settings.record_max_bytes == 1024 * MIB
    assert asdict(settings.break_glass) == {"users": ["system:masters"], "hours": 24}


def test_the_table_of_metrics_is_what_is_exposed():
    rows = {
        row[0].strip("`"): {x.strip(" `") for x in row[1].split(",")} - {""}
        for row in table_of("## Metrics")
    }
    there = {}
    for metric in Metrics(frozenset({"Skyhook"})).registry._names_to_collectors.values():
        name = metric._name + ("_total" if metric._type == "counter" else "")
        there[name] = set(metric._labelnames)
    assert rows == there


def rule_ids():
    for name in shipped_names():
        try:
            found = shipped(name)
        except ProfileError:
            continue  # a base, which guards nothing by itself
        yield f"{name}.shape"
        for guard in found.guards:
            for rule in guard.rules():
                yield f"{name}.{rule.id}"


SUFFIXES = (
    "edge", "entry", "skip", "value", "reserved", "removal", "needs", "gate", "down", "over", "format", "least", "climb",
    "ahead", "flip",
)  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_every_rule_on_a_page_exists(page):
    known = set(rule_ids())
    known |= {f"{rule}.{suffix}" for rule in known for suffix in SUFFIXES}
    named = set(
        re.findall(
            r"\b((?:skyhook|nodewright|machine-pr531|olm-[a-z-]+)\.[a-z][a-z0-9.-]*[a-z0-9])\b",
            PAGES[page],
        )
    )
    hosts = ("skyhook.nvidia.com", "nodewright.nvidia.com")
    other = (".nvidia.com", ".yaml", ".go")  # names of webhooks and CRDs, files
    named = {n for n in named if not n.startswith(hosts) and not n.endswith(other)}
    assert named - known == set()


def test_rule_ids_are_unique_within_a_profile():
    ids = list(rule_ids())
    per_guard = [i for i in ids if ids.count(i) > 1 and not i.endswith(".shape")]
    assert per_guard == []


def test_every_check_in_code_is_used_by_a_profile():
    used = set()
    for name in shipped_names():
        try:
            used |= {c.use for g in shipped(name).guards for c in g.checks}
        except ProfileError:
            used |= set(
                re.findall(
                    r"use: ([a-z_]+)", (ROOT / "webhook/profiles" / f"{name}.yaml").read_text()
                )
            )
    assert set(CHECKS) - used == set()


def test_the_first_verdict_is_the_one_the_readme_shows(capsysbinary, monkeypatch):
    monkeypatch.chdir(ROOT)
    code = main(["validate", "examples/review.json"])
    out = capsysbinary.readouterr().out.decode()
    assert code == 1
    assert f"```\n{out}```" in README


def test_the_week_of_the_example_is_the_one_the_readme_shows(capsysbinary, monkeypatch):
    monkeypatch.chdir(ROOT)
    code = main(["replay", "examples/audit.log.gz"])
    out = capsysbinary.readouterr().out.decode()
    assert code == 1
    shown = README.partition("begins like this:\n\n```\n")[2].partition("\n```")[0]
    assert len(shown.splitlines()) > 5
    assert out.startswith(shown + "\n")


def shell_lines(text):
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            yield from (part.strip() for part in re.split(r"\s\|\s", line))


COMMAND_LINES = {
    line
    for page, text in PAGES.items()
    for line in shell_lines(text)
    if page != PAGE and "skyhook-webhook " in line and not line.startswith("helm ")
}


@pytest.mark.parametrize("line", sorted(COMMAND_LINES))
def test_every_command_line_on_a_page_is_understood(line):
    words = shlex.split(line.partition("#")[0].partition(" >")[0])
    words = words[[w.endswith("skyhook-webhook") for w in words].index(True) + 1 :]
    command, verb = group, "skyhook-webhook"
    while (
        isinstance(command, click.Group)
        and words
        and words[0] in command.list_commands(click.Context(command))
    ):
        verb = f"{verb} {words[0]}"
        command = VERBS[verb]
        words = words[1:]
    assert command is not group or words[:1] in ([], ["--version"]), line
    command.make_context(verb, [w for w in words if w not in ("…", "...")], resilient_parsing=False)


@pytest.mark.parametrize("page", PAGES)
def test_links_within_the_repository_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", PAGES[page]):
        if "://" not in target:
            assert ((ROOT / page).parent / target).exists(), f"{page} -> {target}"


def test_exit_codes_are_said_in_the_readme_and_in_the_help():
    assert (
        "`0` nothing denied, `1` something would be denied, `2` usage or unreadable input, `3` a fault of ours"
        in README
    )
    text = " ".join((group.help or "").split())
    assert (
        "0 nothing denied, 1 something would be denied, 2 usage or unreadable input, 3 a fault of ours"
        in text
    )


def test_the_example_review_is_what_the_api_server_sends():
    review = json.loads((ROOT / "examples" / "review.json").read_text())
    assert review["kind"] == "AdmissionReview"
    assert json.loads(
        review["request"]["object"]["metadata"]["annotations"][
            "skyhook.nvidia.com/nodeState_gpu-init"
        ]
    )


def test_no_page_names_this_host():
    for page, text in PAGES.items():
        assert not re.search(r"(?<![\w.])/(?:work|root|tmp)/", text), page
