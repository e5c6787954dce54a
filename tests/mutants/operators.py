"""Mutants of a module: one small change each, in the tree, at places that run.

Left alone: docstrings, annotations, decorators, names of types, and text that people read (a string
with a space, a part of an f-string): a mutant of those is a matter of wording, not of behaviour.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True, slots=True)
class Change:
    """One way to change a tree.

    Attributes:
        kind: the operator that is applied.
        line: where the changed node begins.
        function: the first line of each enclosing function, outermost first; none at module level.
        text: what becomes of what.
        apply: changes the tree that this change was found in.
    """

    kind: str
    line: int
    function: tuple[int, ...]
    text: str
    apply: Callable[[], None]


def changes(tree: ast.Module) -> list[Change]:
    """All changes of a tree, in the order of its text; the same text gives the same list."""
    return list(_Finder().find(tree))


@dataclass(slots=True)
class _Finder:
    functions: tuple[int, ...] = ()

    def find(self, node: ast.AST) -> Iterator[Change]:
        """The changes of a node's parts, and of these themselves."""
        for name, value in ast.iter_fields(node):
            if _left_alone(node, name):
                continue
            many = isinstance(value, list)
            for at, part in enumerate(value if many else [value]):
                if isinstance(part, ast.AST) and not (many and _left_alone_at(node, name, at)):
                    yield from self._of(part, _Place(node, name, at if many else None))

    def _of(self, node: ast.AST, place: _Place) -> Iterator[Change]:
        for kind, new in replacements(node):
            text = f"{_shown(node)} -> {_shown(new)}"
            line = node.target.lineno if isinstance(node, ast.comprehension) else node.lineno  # type: ignore[attr-defined]
            yield Change(kind, line, self.functions, text, place.putting(new, node))
        outside = self.functions
        if isinstance(node, FUNCTIONS):
            decorators = getattr(node, "decorator_list", [])
            self.functions = (*outside, decorators[0].lineno if decorators else node.lineno)
        yield from self.find(node)
        self.functions = outside


@dataclass(frozen=True, slots=True)
class _Place:
    parent: ast.AST
    field: str
    at: int | None

    def putting(self, new: ast.AST, old: ast.AST) -> Callable[[], None]:
        def put() -> None:
            ast.copy_location(new, old)
            if self.at is None:
                setattr(self.parent, self.field, new)
            else:
                getattr(self.parent, self.field)[self.at] = new
            ast.fix_missing_locations(self.parent)

        return put


def _left_alone(node: ast.AST, field: str) -> bool:
    if field in {"annotation", "returns", "decorator_list", "bases", "ctx"}:
        return True
    if isinstance(node, ast.If) and field == "body":
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Assign) and field == "value":  # an alias of a type, `__slots__`
        target = node.targets[0]
        alias = isinstance(node.value, ast.Subscript | ast.BinOp) and isinstance(target, ast.Name)
        return (
            alias
            and isinstance(target, ast.Name)
            and target.id[:1].isupper()
            and (not target.id.isupper())
        )
    return isinstance(node, ast.JoinedStr)


def _left_alone_at(node: ast.AST, field: str, at: int) -> bool:
    """Docstrings: of the whole, and of an attribute (a bare string)."""
    part = getattr(node, field)[at]
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


def replacements(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What a node becomes, with the operator's name."""
    match node:
        case ast.Compare(left, [op], [right]):
            yield "comparison", ast.Compare(left, [COMPARISONS[type(op)]()], [right])
        case ast.Compare(left, [*ops], rights):
            for at, op in enumerate(ops):
                turned = [*ops[:at], COMPARISONS[type(op)](), *ops[at + 1 :]]
                yield "comparison", ast.Compare(left, turned, rights)
        case ast.BoolOp(op, values):
            yield "boolean", ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield "not", operand
        case ast.BinOp(left, op, right) if type(op) in ARITHMETIC:
            yield "arithmetic", ast.BinOp(left, ARITHMETIC[type(op)](), right)
        case ast.AugAssign(target, op, value) if type(op) in ARITHMETIC:
            yield "arithmetic", ast.AugAssign(target, ARITHMETIC[type(op)](), value)
        case ast.Constant():
            yield from _constants(node)
        case ast.Return(value) if value is not None and not _is_falsy(value):
            yield "return", ast.Return(ast.Constant(None))
        case ast.Expr(ast.Yield() | ast.YieldFrom()):
            yield "yield", ast.Expr(ast.YieldFrom(ast.Tuple([], ast.Load())))
        case ast.Expr(ast.Call()):
            yield "call", ast.Pass()
        case ast.If(test, body, orelse) if _own(test):
            yield "condition", ast.If(_negated(test), body, orelse)
        case ast.While(test, body, orelse) if _own(test):
            yield "condition", ast.While(_negated(test), body, orelse)
        case ast.IfExp(test, body, orelse) if _own(test):
            yield "condition", ast.IfExp(_negated(test), body, orelse)
        case ast.comprehension(target, iterated, [*tests], is_async):
            for at, test in enumerate(tests):
                if _own(test):
                    turned_tests = [*tests[:at], _negated(test), *tests[at + 1 :]]
                    yield "condition", ast.comprehension(target, iterated, turned_tests, is_async)
        case ast.Break():
            yield "jump", ast.Continue()
        case ast.Continue():
            yield "jump", ast.Break()


def _constants(node: ast.Constant) -> Iterator[tuple[str, ast.AST]]:
    match node.value:
        case bool(value):
            yield "constant", ast.Constant(not value)
        case int(value) | float(value):
            yield "constant", ast.Constant(value + 1)
        case str(value) if " " not in value:
            yield "constant", ast.Constant("XX" + value)
        case bytes(value) if b" " not in value:
            yield "constant", ast.Constant(b"XX" + value)


def _negated(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def _own(test: ast.expr) -> bool:
    """Whether negating it is a mutant of its own: of a comparison or a `not` it is made already."""
    if isinstance(test, ast.Name) and test.id == "TYPE_CHECKING":
        return False
    turned = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return not turned and not (isinstance(test, ast.Compare) and len(test.ops) == 1)


def _is_falsy(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _shown(node: ast.AST) -> str:
    if isinstance(node, ast.comprehension):
        return "".join(f" if {ast.unparse(test)}" for test in node.ifs).strip()
    if isinstance(node, ast.If | ast.While):
        return f"{type(node).__name__.lower()} {ast.unparse(node.test)}"
    lines = ast.unparse(ast.fix_missing_locations(node)).splitlines()
    return lines[0][:90] if lines else ""
