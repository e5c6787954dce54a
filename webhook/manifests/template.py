"""Objects with Go template actions in them: marked while they are dicts, put in when they are text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from webhook.documents import dump_yaml

# Words that YAML never quotes and that no object of ours contains.
_EXPRESSION, _DIRECTIVE = "zexpr", "zline"
_MARK: Final = re.compile(rf"{_EXPRESSION}(\d+)z")
_LINE: Final = re.compile(rf"^( *)(?:- )?{_DIRECTIVE}(\d+)z(?:: null)?$", re.MULTILINE)
_KEY: Final = re.compile(r"^( *(?:- )?)([\w./-]+)zkey\d+z:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class If:
    """A map's value or a list's item that is there on a condition, or else another one."""

    condition: str
    then: Any
    otherwise: Any = None


class Template:
    """Collects the actions of one file."""

    def __init__(self) -> None:
        self._actions: list[str] = []

    def expression(self, action: str) -> str:
        """A word to put into an object where `action` has to be, as in `{{ .Values.replicas }}`."""
        self._actions.append(action)
        return f"{_EXPRESSION}{len(self._actions) - 1}z"

    def text(self, obj: Any) -> str:
        """The file: braces that are no actions of ours come out as they are."""
        dumped = dump_yaml(self._lowered(obj)).replace("{{", '{{ "{{" }}')
        dumped = _KEY.sub(r"\1\2:", dumped)
        dumped = _LINE.sub(lambda m: f"{m[1]}{{{{- {self._actions[int(m[2])]} }}}}", dumped)
        return _MARK.sub(lambda m: self._actions[int(m[1])], dumped)

    def _line(self, action: str) -> str:
        self._actions.append(action)
        return f"{_DIRECTIVE}{len(self._actions) - 1}z"

    def _lowered(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {k: v for key, item in value.items() for k, v in self._entries(key, item)}
        if isinstance(value, list):
            return [lowered for item in value for lowered in self._items(item)]
        return value

    def _entries(self, key: str, item: Any) -> list[tuple[str, Any]]:
        if not isinstance(item, If):
            return [(key, self._lowered(item))]
        entries = [(self._line(f"if {item.condition}"), None), (key, self._lowered(item.then))]
        if item.otherwise is not None:
            number = len(self._actions)  # a map holds no key twice
            other = (f"{key}zkey{number}z", self._lowered(item.otherwise))
            entries += [(self._line("else"), None), other]
        return [*entries, (self._line("end"), None)]

    def _items(self, item: Any) -> list[Any]:
        if not isinstance(item, If):
            return [self._lowered(item)]
        return [self._line(f"if {item.condition}"), self._lowered(item.then), self._line("end")]
