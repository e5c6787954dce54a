"""Objects as a Hypothesis strategy, written as JSON text: odd numbers, odd escapes, partial and odd shapes."""

from __future__ import annotations

import json

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

texts = st.one_of(
    st.sampled_from(_RAW_TEXTS),
    st.sampled_from(_TIMES).map(json.dumps),
    st.text(max_size=6).map(json.dumps),
)
scalars = st.one_of(
    st.sampled_from(("null", "true", "false", "1e999")), st.sampled_from(_NUMBERS), texts
)
spaces = st.sampled_from(("", "", "", " ", "\n  "))


@st.composite
def _object(draw: st.DrawFn, values: st.SearchStrategy[str], keys: st.SearchStrategy[str]) -> str:
    names = draw(st.lists(keys, max_size=4, unique=True))
    space = draw(spaces)
    return (
        "{" + ",".join(f"{space}{json.dumps(n)}:{space}{draw(values)}" for n in names) + space + "}"
    )


def _array(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(values, max_size=3).map(lambda items: "[" + ", ".join(items) + "]")


keys = st.one_of(
    st.sampled_from(("name", "conditions", "apiVersion", "a/b", "a~b", "ключ", "<&>")),
    st.text(max_size=3),
)
values = st.recursive(
    scalars, lambda inner: st.one_of(_array(inner), _object(inner, keys)), max_leaves=6
)


@st.composite
def condition(draw: st.DrawFn) -> str:
    """One entry: all fields, a part of them, or with fields of its own; its keys in any order."""
    fields = {
        "status": draw(st.sampled_from(('"True"', '"False"', '"Unknown"'))),
        "reason": draw(st.sampled_from(('"A"', '"B"'))),
        "message": draw(st.one_of(st.sampled_from(('"m"', '"n"', '"\\u006d"')), texts)),
        "lastTransitionTime": json.dumps(draw(st.sampled_from(_TIMES))),
        "observedGeneration": draw(st.sampled_from(("1", "2", "9007199254740993", "null"))),
        "x": draw(scalars),
    }
    kept = draw(
        st.one_of(st.just(list(fields)[:5]), st.lists(st.sampled_from(list(fields)), unique=True))
    )
    parts = [("type", json.dumps(draw(st.sampled_from(TYPES)))), *((k, fields[k]) for k in kept)]
    order = draw(st.permutations(parts))
    return "{" + ",".join(f'"{k}":{v}' for k, v in order) + "}"


def _distinct(entries: list[str]) -> list[str]:
    return list({_type(e): e for e in entries}.values())


def _type(entry: str) -> str:
    found: str = json.loads(entry)["type"]
    return found


lists = (
    st.lists(condition(), max_size=9).map(_distinct).map(lambda items: "[" + ",".join(items) + "]")
)
odd_lists = st.one_of(
    st.sampled_from(("null", "[]", "{}", '"oops"', '[null,"x",{"status":"True"}]', '[{"type":1}]')),
    st.lists(condition(), min_size=2, max_size=4).map(
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
        ("metadata", _object(values, keys)),
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
