"""The closed sets of the lifecycle, and words that look like theirs and are not."""

from __future__ import annotations

from typing import Final

STATUSES: Final = (
    "complete",
    "blocked",
    "waiting",
    "disabled",
    "paused",
    "in_progress",
    "erroring",
    "unknown",
)
STATES: Final = ("complete", "in_progress", "skipped", "erroring", "unknown")
STAGES: Final = (
    "apply",
    "config",
    "interrupt",
    "post-interrupt",
    "upgrade",
    "uninstall",
    "uninstall-interrupt",
)
READY_REASONS: Final = (
    "NodesConverged",
    "Progressing",
    "Blocked",
    "Erroring",
    "Paused",
    "Waiting",
    "Disabled",
    "Unknown",
)

LOOK_ALIKES: Final = {"o": "\u043e", "e": "\u0435", "c": "\u0441", "i": "\u0456", "a": "\u0430"}
"""Latin letters and the Cyrillic ones that are drawn the same."""

OTHER_STATUSES: Final = ("done", "failed", "finished", "ready", "completed", "error", "skipped")
OTHER_STATES: Final = ("done", "failed", "completed", "running", "error", "blocked", "waiting")
OTHER_STAGES: Final = (
    "zzz",
    "install",
    "apply-check",
    "config-check",
    "interrupt-check",
    "post-interrupt-check",
    "uninstall-check",
    "postinterrupt",
)
OTHER_READY_REASONS: Final = (
    "Done",
    "Complete",
    "Converged",
    "NodeConverged",
    "nodesConverged",
    "NODESCONVERGED",
    "InProgress",
    "in_progress",
    "Failed",
    "Error",
    "Ready",
    "complete",
)
"""All of them satisfy the CRD's pattern for a reason."""


def near_misses(words: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """Words outside a closed set: other case, dash for underscore, space, look-alike, empty."""
    made: list[str] = ["", " ", "null", *others]
    for word in words:
        made += [word.capitalize(), word.upper(), f" {word}", f"{word} ", f"{word}\n", word[:-1]]
        made += [f"{word}\u200b", "".join(LOOK_ALIKES.get(letter, letter) for letter in word)]
        made += [word.replace("_", "-"), word.replace("-", "_"), word.replace("_", "")]
    return tuple(dict.fromkeys(word for word in made if word not in words))


BAD_STATUSES: Final = near_misses(STATUSES, OTHER_STATUSES)
BAD_STATES: Final = near_misses(STATES, OTHER_STATES)
BAD_STAGES: Final = near_misses(STAGES, OTHER_STAGES)

COMPLETE_NODES: Final = (
    "all",
    "",
    "/",
    "none/3",
    "2of3",
    "2\\3",
    "2/3/4",
    "-1/3",
    "+1/3",
    "1.0/3",
    "1/",
    "/3",
    " 1/3",
    "1/3 ",
    "1/3\n",
    "1 / 3",
    "\u0661/\u0663",
    "\uff11/\uff13",
)
"""No `<digits>/<digits>`: among them Arabic and full-width digits, which `\\d` would take."""

UNREADABLE: Final = (
    "{broken",
    "{not-valid-json",
    "null",
    "[]",
    '"x"',
    '""',
    "",
    "7",
    "true",
    "{'aa|1.2.3': {}}",
    '{"aa|1.2.3": 5}',
    '{"aa|1.2.3": []}',
    '{"aa|1.2.3": "config/complete"}',
    '{"aa|1.2.3": NaN}',
    '[{"name": "aa"}]',
    '{"aa|1.2.3": {"name": "aa",}}',
    "\ufeff{}",
    "{} {}",
    "[" * 5000,
)
"""Texts that are no JSON map of package entries."""

BAD_CORDONS: Final = ("false", "False", "True", "TRUE", "", "yes", "1", "0", "true ", "tru\u0435")
GHOSTS: Final = ("ghost-7", "node-0-gone", "kind-worker99", "n")
