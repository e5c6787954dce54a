"""Plain values to text: JSON bytes for the engine, YAML for people and for kubectl."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any, Final

import yaml

from webhook.documents.scalars import resolve

if TYPE_CHECKING:
    from yaml.nodes import ScalarNode

_NO_FOLDING: Final = 2**31 - 1
_OTHER_BREAKS = re.compile("[\r\x85\u2028\u2029]")
_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def to_json(value: Any) -> bytes:
    """Compact JSON in UTF-8: keys in the order given, integers of any size exact.

    Raises:
        ValueError: NaN, an infinity, a lone surrogate, or a value nested too deeply.
        TypeError: a value that is no JSON type.
    """
    try:
        return _ENCODE(value).encode()
    except RecursionError:
        raise ValueError("nested too deeply for JSON") from None


class _Dumper(yaml.SafeDumper):
    """Block style as kubectl prints it: keys in the order given, no anchors, no folding."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: _Dumper, text: str) -> ScalarNode:
    if not text.isascii():
        text.encode()  # refuses lone surrogates, which PyYAML would write as an escape
    style = None
    # Outside double quotes other line breaks become line feeds; and go-yaml has words and numbers
    # that PyYAML has not.
    if _OTHER_BREAKS.search(text) or not isinstance(resolve(text), str):
        style = '"'
    elif "\n" in text:
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


def _represent_float(dumper: _Dumper, value: float) -> ScalarNode:
    if not math.isfinite(value):
        raise ValueError(f"{value} has no place in a manifest")
    return dumper.represent_float(value)


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(float, _represent_float)


def dump_yaml(value: Any) -> str:
    """One YAML document in block style; text of several lines as literal blocks.

    What any YAML reader might take for a number, a boolean or a time is quoted. Reads back as the same value.

    Raises:
        ValueError: NaN, an infinity or a lone surrogate.
        TypeError: a value that is no JSON type.
    """
    try:
        text = yaml.dump(
            value,
            Dumper=_Dumper,
            sort_keys=False,
            default_flow_style=False,
            allow_unicode=True,
            width=_NO_FOLDING,
        )
    except yaml.representer.RepresenterError as error:
        raise TypeError(f"no JSON type: {type(error.args[-1]).__name__}") from None
    return text
