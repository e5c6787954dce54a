"""A draft as the text of a profile: YAML with examples, and with what is left to say as comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from webhook.lifecycle.draft import Draft

CONDITIONS: Final = "status.conditions"
WHOLE_STAMP: Final = "status.observedGeneration"
_ABOUT_EDGES: Final = (
    "  # Without `edges: {From: [To, To]}` any value may follow any other; `profile learn` proposes",
    "  # them from recorded writes. `skips` go through with a warning, `entry` says where it begins.",
)
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def draft_text(draft: Draft, name: str = "") -> str:
    """The draft as a profile; its name is the kind's unless one is given."""
    lines = [
        f"profile: {name or draft.kind.lower()}",
        f"about: What {draft.kind} goes through; say it here in a sentence or two.",
        *_extends(draft),
        _match(draft),
    ]
    lines += (
        [f"# left out, their status differs: {', '.join(draft.others)}"] if draft.others else []
    )
    lines += _tracks(draft)
    lines += _monotone(draft)
    lines += [f"# no path leads into a list without type: {path}" for path in draft.beyond]
    lines += _examples(draft)
    return "\n".join(lines) + "\n"


def _match(draft: Draft) -> str:
    parts = (f"group: {_word(draft.group)}", f"kind: {draft.kind}", f"plural: {draft.plural}")
    return f"match: {{{', '.join(parts)}, versions: {_flow(draft.versions)}}}"


def _extends(draft: Draft) -> list[str]:
    if not draft.conditions:
        return []
    first, *more = draft.conditions
    settings = "" if first == CONDITIONS else f"{{conditions: {{list: {_word(first)}}}}}"
    notes = [f"# not covered, a base is bound once: {path}" for path in more]
    return [f"extends: {settings or 'conditions'}", *notes]


def _tracks(draft: Draft) -> list[str]:
    notes = [
        f"  # {path} has no enum: name its values, or let `profile learn --path {path}` find them."
        for path in draft.open
    ]
    if not draft.tracks:
        return ["", "# tracks:", *notes] if notes else []
    lines = ["", "tracks:", *_ABOUT_EDGES, *notes]
    for path, words in draft.tracks.items():
        lines += [
            f"  - id: {_id(path)}",
            f"    path: {_word(path)}",
            f"    values: {_flow(words)}",
            "    removal: allow",
        ]
    return lines


def _monotone(draft: Draft) -> list[str]:
    """Stamps, but the one that ``conditions`` looks after, and times."""
    lines = [
        f"  - {{id: {_id(path)}, path: {_word(path)}, order: int, bound: metadata.generation}}"
        for path in draft.stamps
        if not (draft.conditions and path == WHOLE_STAMP)
    ]
    lines += [
        f"  - {{id: {_id(path)}, path: {_word(path)}, order: time, down: warn}}"
        for path in draft.times
    ]
    return ["", "monotone:", *lines] if lines else []


def _examples(draft: Draft) -> list[str]:
    """What the draft says, as `profile test` sees it: a word that is none, and a stamp ahead."""
    cases = [
        f"    - {{id: {_id(path)}-word, new: {{{_key(path)}: no-such-word}}, rule: {_id(path)}.value}}"
        for path in draft.tracks
    ]
    cases += [
        f"    - {{id: {_id(path)}-ahead, new: {{{_key(path)}: 2}}, rule: {_id(path)}.over}}"
        for path in draft.stamps
    ]
    if not cases:
        return []
    head = ["", "examples:", "  base:", "    metadata: {name: example, generation: 1}"]
    return [*head, "  deny:", *cases]


def _key(path: str) -> str:
    """A path as a key of an example: a map's key is any."""
    return _word(path.replace("*", "any"))


def _id(path: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", path.removeprefix("status."))
    parts = [re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", word) for word in words]
    return "-".join(parts).lower() or "status"


def _flow(words: list[str]) -> str:
    return f"[{', '.join(map(_word, words))}]"


def _word(text: str) -> str:
    """A text in YAML's flow style, quoted where another reader might take it for something else."""
    plain = re.fullmatch(r"[A-Za-z][A-Za-z0-9_./-]*", text) and text.lower() not in _WORDS
    if plain:
        return text
    return "'" + text.replace("'", "''") + "'"
