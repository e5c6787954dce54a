"""The mutants are what they say: one change each, that runs, and none of what is left alone."""

from __future__ import annotations

import ast

import pytest

from tests.mutants.operators import changes
from tests.mutants.sample import MODULES, ROOT, modules, mutants, sample

SEED = 20261129


def all_of(text: str) -> set[str]:
    found = set()
    for number in range(len(changes(ast.parse(text)))):
        tree = ast.parse(text)
        changes(tree)[number].apply()
        found.add(ast.unparse(tree))
    return found


@pytest.mark.parametrize(
    ("text", "become"),
    [
        ("a < b", {"a <= b"}),
        ("a in b and c", {"a not in b and c", "a in b or c"}),
        ("a < b <= c", {"a <= b <= c", "a < b < c"}),
        ("x += y - z", {"x -= y - z", "x += y + z"}),
        ("x = a if t else b", {"x = a if not t else b"}),
        ("x = [a for a in b if a]", {"x = [a for a in b if not a]"}),
        ("x = a if b == c else d", {"x = a if b != c else d"}),  # not twice
        ("x = not a", {"x = a"}),
        ("f(1, 'k', True)", {"pass", "f(2, 'k', True)", "f(1, 'XXk', True)", "f(1, 'k', False)"}),
        ("x = 'for people', f'{a} is', None", set()),
        ("while f():\n    break", {"while not f():\n    break", "while f():\n    continue"}),
        (
            "def f(a=0):\n    return a",
            {"def f(a=1):\n    return a", "def f(a=0):\n    return None"},
        ),
        ("def f():\n    yield x", {"def f():\n    yield from ()"}),
        ("def f():\n    return False", {"def f():\n    return True"}),
    ],
)
def test_a_piece_of_code_has_these_mutants(text: str, become: set[str]) -> None:
    assert all_of(text) == become


def test_what_does_not_run_is_left_alone() -> None:
    text = (
        '"doc"\nif TYPE_CHECKING:\n    x = 1\nKind = str | None\n@dataclass(frozen=True)\n'
        'class A(B):\n    "doc"\n    a: Literal["x"]\n    def f(self, a: "b") -> "c":\n        "doc"\n'
    )
    assert all_of(text) == set()


def test_every_mutant_of_the_product_compiles_to_something_else() -> None:
    module = "webhook/core/window.py"
    assert module in modules()
    text = (ROOT / module).read_text()
    become = all_of(text)
    assert len(become) == len(mutants(module)) > 10
    assert ast.unparse(ast.parse(text)) not in become
    for changed in become:
        compile(changed, module, "exec")


def test_the_sample_is_the_same_for_a_seed_and_reaches_every_package() -> None:
    drawn = sample(300, SEED)
    assert drawn == sample(300, SEED)
    assert drawn != sample(300, SEED + 1)
    assert {m.package for m in drawn} == set(MODULES)
