"""The profile language's paths and values as CEL: what a ValidatingAdmissionPolicy sees of an object.

Fields are walked with optional chaining, so that nothing that is absent is an error; null is absent.
What stands in no wildcard is drawn into the policy's variables once.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from webhook.lifecycle.path import Step, StepKind, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

NEW: Final = "object"
OLD: Final = "variables.before"
BEFORE: Final = ("before", "oldObject != null ? oldObject : {}")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CAPTURE: Final = re.compile(r"\{(\w+)\}")
_RESERVED: Final = re.compile(
    "true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package"
    "|namespace|return|var|void|while"
)


class UnseenError(Exception):
    """Something that CEL cannot see or say; the text says what."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What wildcards and captures stand for, as CEL expressions of texts."""

    stars: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing is bound: the expression holds for the whole object."""
        return not self.stars and not self.names

    def filled(self, text: str) -> str:
        """A text with captures, as an expression."""
        names, parts, end = dict(self.names), [], 0
        for found in _CAPTURE.finditer(text):
            if found[1] not in names:
                raise UnseenError(f"{{{found[1]}}} is not bound")
            parts += [literal(text[end : found.start()]), names[found[1]]]
            end = found.end()
        parts.append(literal(text[end:]))
        return " + ".join(part for part in parts if part != '""') or '""'


UNBOUND: Final = Bound()


def literal(value: Any) -> str:
    """A JSON scalar, or a list or map of them, as CEL writes it."""
    return json.dumps(value, ensure_ascii=False)


def both(*conditions: str) -> str:
    """All of the conditions."""
    return " && ".join(f"({c})" for c in conditions) or "true"


def either(*conditions: str) -> str:
    """One of the conditions."""
    return " || ".join(f"({c})" for c in conditions) or "false"


def with_names(bound: Bound, values: Mapping[str, str], body: Callable[..., str]) -> str:
    """``body`` of values; where they are long, since wildcards are bound, of names for them.

    CEL in Kubernetes has no `let`; a list of one element that holds for all is one.
    """
    if bound.empty:
        return body(*values.values())
    text = body(*values)
    for name, value in reversed(list(values.items())):
        text = f"[{value}].all({name}, {text})"
    return text


@dataclass(slots=True)
class Cel:
    """Expressions under construction, with the variables that they share.

    Attributes:
        variables: expression -> its name.
    """

    variables: dict[str, str] = field(default_factory=dict)

    def shared(self, expression: str) -> str:
        """A variable that holds an expression without bound names."""
        name = self.variables.setdefault(expression, f"v{len(self.variables)}")
        return f"variables.{name}"

    def declared(self) -> list[dict[str, str]]:
        """The variables of a policy, in the order in which they use each other."""
        own = [{"name": name, "expression": text} for text, name in self.variables.items()]
        return [{"name": BEFORE[0], "expression": BEFORE[1]}, *own]

    def value(self, path: str, root: str, bound: Bound = UNBOUND) -> str:
        """The value at a path, null when absent. Raises UnseenError."""
        return self._of(parse(path), root, bound, "dyn(null)")

    def _of(self, steps: Iterable[Step], root: str, bound: Bound, otherwise: str) -> str:
        kept = tuple(steps)
        text = f"{_chain(kept, root, bound)}.orValue({otherwise})"
        return self.shared(text) if not any(s.wild for s in kept) else text

    def everywhere(
        self, path: str, body: Callable[[Bound], str], *, removed: bool, local: bool
    ) -> str:
        """That ``body`` holds wherever a path leads to in the new object, with ``removed`` in the old too.

        ``local``: the body speaks of nothing but what is there, so places that are equal hold.
        """
        return self._everywhere((), parse(path), UNBOUND, body, removed=removed, local=local)

    def _everywhere(
        self,
        above: tuple[Step, ...],
        steps: tuple[Step, ...],
        bound: Bound,
        body: Callable[[Bound], str],
        *,
        removed: bool,
        local: bool,
    ) -> str:
        wild = next((i for i, step in enumerate(steps) if step.wild), None)
        if wild is None:
            return body(bound)
        before, step, rest = steps[:wild], steps[wild], steps[wild + 1 :]
        holder, name = (*above, *before), f"k{len(bound.stars) + len(bound.names)}"
        inner_bound = _with(bound, step, name)
        inner = self._everywhere(
            (*holder, step), rest, inner_bound, body, removed=removed, local=local
        )
        drawn = local and bound.empty and step.kind is not StepKind.ANY_TYPE
        if local and not drawn:
            here = (*holder, step)
            sides = (f"{_chain(here, root, inner_bound)}.orValue(dyn(null))" for root in (NEW, OLD))
            inner = f"{' == '.join(sides)} || ({inner})"
        if step.kind is StepKind.KEY:
            inner = f"!({_fits(step, name)}) || ({inner})"
        new, old = (self._keys(holder, step, root, bound) for root in (NEW, OLD))
        text = f"{self._changed_keys(new, old) if drawn else new}.all({name}, {inner})"
        if removed:
            text += f" && {old}.all({name}, {name} in {new} || ({inner}))"
        return text

    def _changed_keys(self, new: str, old: str) -> str:
        """Keys of a map that are new or hold something else: found once for all rules on it."""
        return self.shared(f"{new}.filter(k, !(k in {old}) || {new}[k] != {old}[k])")

    def _keys(self, holder: tuple[Step, ...], step: Step, root: str, bound: Bound) -> str:
        if step.kind is StepKind.ANY_TYPE:
            text = f'{_chain(holder, root, bound)}.orValue([]).map(c, c.?type.orValue(""))'
            return self.shared(text) if bound.empty else text
        return self._of(holder, root, bound, "{}")


def _with(bound: Bound, step: Step, name: str) -> Bound:
    if step.kind in (StepKind.STAR, StepKind.ANY_TYPE):
        return Bound((*bound.stars, name), bound.names)
    head, capture = _capture(step)
    tail = f"{name}.substring({len(head)})" if head else name
    return Bound(bound.stars, (*bound.names, (capture, tail)))


def _capture(step: Step) -> tuple[str, str]:
    """(what stands before the capture, its name), for a key that ends in its only capture."""
    found = _CAPTURE.search(step.name)
    if step.kind is not StepKind.KEY or found is None or found.end() != len(step.name):
        raise UnseenError(f"a key of the form {step.name}")
    return step.name[: found.start()], found[1]


def _fits(step: Step, name: str) -> str:
    head, _ = _capture(step)
    return f"{name}.startsWith({literal(head)}) && size({name}) > {len(head)}"


def _chain(steps: Iterable[Step], root: str, bound: Bound) -> str:
    """An optional value: the path walked from a root. Raises UnseenError."""
    text, stars = root, iter(bound.stars)
    for step in steps:
        match step.kind:
            case StepKind.KEY:
                text += _key(step, bound)
            case StepKind.STAR:
                text += f"[?{_next(stars)}]"
            case StepKind.TYPE:
                text = _element(text, bound.filled(step.name))
            case StepKind.ANY_TYPE:
                text = _element(text, _next(stars))
            case StepKind.INSIDE:
                raise UnseenError("JSON inside a string")
    return text


def _next(stars: Any) -> str:
    name: str | None = next(stars, None)
    if name is None:
        raise UnseenError("a wildcard that the rule's own path does not bind")
    return name


def _key(step: Step, bound: Bound) -> str:
    plain = _IDENTIFIER.fullmatch(step.name) and not _RESERVED.fullmatch(step.name)
    return f".?{step.name}" if plain else f"[?{bound.filled(step.name)}]"


def _element(text: str, kind: str) -> str:
    """The first element of a list of that type (meta.FindStatusCondition)."""
    return f'{text}.orValue([]).filter(c, c.?type.orValue("") == {kind})[?0]'
