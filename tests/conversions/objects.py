"""Objects as a Hypothesis strategy, written as JSON text: odd numbers, odd escapes, partial and odd shapes."""

from __future__ import annotations

import json
import random

from hypothesis import strategies as st

GROUP = "skyhook.nvidia.com"
BARE = ("Ready", "ApplyPackage", "Blocked", "A" * 297, "B" * 298, "Transition", "é")
TYPES = (
    *BARE,
    *(f"{GROUP}/{t}" for t in BARE[:3]),
    f"{GROUP}/Transition",
    "a.example/Ready",
    f"{GROUP}/a/b",
    "",
)

_NUMBERS = ("0", "-0", "1.10", "1e21", "1E-7", "9007199254740993", "-9223372036854775809", "123456789012345678901234567890", "0.5000")  # fmt: skip
_TIMES = ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00.123456Z", "2026-05-01T12:00:00+02:00", "2026-02-30T99:00:00Z", "10:00")  # fmt: skip
_RAW_TEXTS = (
    '"\\u003ca\\u0026b\\u003e"',
    '"\\/"',
    '"caf\\u00e9 \\ud83d\\ude80"',
    '"☃ 🚀"',
    '"\\u2028"',
    '"500m"',
    '""',
)

CHANCE = random.Random(20261129)
"""Values are only carried, never read, so a pool of them does; Hypothesis chooses from it."""
KEYS = ("name", "conditions", "apiVersion", "a/b", "a~b", "ключ", "<&>", "", "x y", "\u2028", "0")


def _scalar() -> str:
    return CHANCE.choice(
        ("null", "true", "false", "1e999", *_NUMBERS, *_RAW_TEXTS, *map(json.dumps, _TIMES))
    )


def _value(depth: int = 3) -> str:
    space = CHANCE.choice(("", "", "", " ", "\n  "))
    kind = CHANCE.randrange(4) if depth else 0
    if kind == 2:
        return f"[{f', {space}'.join(_value(depth - 1) for _ in range(CHANCE.randrange(4)))}]"
    if kind == 3:
        keys = CHANCE.sample(KEYS, CHANCE.randrange(4))
        return (
            "{"
            + ",".join(f"{space}{json.dumps(k)}:{space}{_value(depth - 1)}" for k in keys)
            + space
            + "}"
        )
    return _scalar()


def _body() -> str:
    """The rest of an entry: all fields, a part of them, or with fields of its own, in any order."""
    fields = {
        "status": CHANCE.choice(('"True"', '"False"', '"Unknown"')),
        "reason": CHANCE.choice(('"A"', '"B"')),
        "message": CHANCE.choice(('"m"', '"n"', '"\\u006d"', *_RAW_TEXTS)),
        "lastTransitionTime": json.dumps(CHANCE.choice(_TIMES)),
        "observedGeneration": CHANCE.choice(("1", "2", "9007199254740993", "null")),
        "x": _scalar(),
    }
    names = list(fields)
    kept = names[:5] if CHANCE.random() < 0.6 else CHANCE.sample(names, CHANCE.randrange(7))
    CHANCE.shuffle(kept)
    return ",".join(f'"{name}":{fields[name]}' for name in kept)


_VALUES = [_value() for _ in range(500)]
_OBJECTS = [v for v in _VALUES if v.startswith("{")]
_BODIES = [_body() for _ in range(300)]
spaces = st.sampled_from(("", "", "", " ", "\n  "))
values = st.sampled_from(_VALUES)
keys = st.sampled_from(KEYS)


def _entry(kind: str, body: str, first: bool) -> str:
    said = f'"type":{json.dumps(kind)}'
    parts = (said, body) if first else (body, said)
    return "{" + ",".join(filter(None, parts)) + "}"


entries = st.builds(_entry, st.sampled_from(TYPES), st.sampled_from(_BODIES), st.booleans())


def _distinct(entries: list[str]) -> list[str]:
    return list({_type(e): e for e in entries}.values())


def _type(entry: str) -> str:
    found: str = json.loads(entry)["type"]
    return found


lists = st.lists(entries, max_size=9).map(_distinct).map(lambda items: "[" + ",".join(items) + "]")
odd_lists = st.one_of(
    st.sampled_from(("null", "[]", "{}", '"oops"', '[null,"x",{"status":"True"}]', '[{"type":1}]')),
    st.lists(entries, min_size=2, max_size=4).map(
        lambda items: "[" + ",".join([*items, items[0]]) + "]"
    ),
)
conditions = st.one_of(lists, lists, lists, lists, odd_lists)


@st.composite
def status(draw: st.DrawFn) -> str:
    rest = draw(st.lists(st.tuples(keys, values), max_size=4, unique_by=lambda kv: kv[0]))
    parts = [(k, v) for k, v in rest if k != "conditions"]
    if draw(st.integers(0, 9)):
        parts.insert(draw(st.integers(0, len(parts))), ("conditions", draw(conditions)))
    space = draw(spaces)
    return "{" + ",".join(f"{space}{json.dumps(k)}:{space}{v}" for k, v in parts) + "}"


@st.composite
def objects(draw: st.DrawFn, version: str) -> str:
    """An object in a version of the group, as JSON text; metadata, spec, status may be absent or odd."""
    parts = [("apiVersion", f'"{GROUP}/{version}"'), ("kind", '"Skyhook"')]
    for key, strategy in (
        ("metadata", st.sampled_from(_OBJECTS)),
        ("spec", values),
        ("status", st.one_of(status(), status(), st.sampled_from(("null", "3", "[]")))),
    ):
        if draw(st.integers(0, 9)):
            parts.append((key, draw(strategy)))
    if draw(st.booleans()):
        parts.append((draw(st.sampled_from(("futureField", "<x>"))), draw(values)))
    if draw(st.booleans()):
        parts = draw(st.permutations(parts))
    space = draw(spaces)
    return "{" + ",".join(f"{space}{json.dumps(k)}:{space}{v}" for k, v in parts) + space + "}"
