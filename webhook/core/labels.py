"""Label keys and values and object names, as apimachinery's util/validation reads them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME: Final = re.compile(r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_DOMAIN: Final = re.compile(
    r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*", re.ASCII
)
LONGEST_NAME: Final = 63
LONGEST_DOMAIN: Final = 253
_KNOWN: Final = 2048
"""Answers kept: the same labels come again and again."""

_NAME_WORDS: Final = "letters, digits, -, _ and ., beginning and ending with a letter or digit"
_DOMAIN_WORDS: Final = (
    "small letters, digits, - and ., every part beginning and ending with a letter or digit"
)


@lru_cache(_KNOWN)
def wrong_with_key(key: str) -> str | None:
    """Why a label key (IsQualifiedName) is refused; None for a legal one."""
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        return "may hold one / at most"
    if slash and (why := wrong_with_domain(prefix)) is not None:
        return f"the part before the / {why}"
    part = "the part behind the / " if slash else ""
    if not name:
        return f"{part}must not be empty"
    if len(name) > LONGEST_NAME:
        return f"{part}has {len(name)} characters; {LONGEST_NAME} are the most"
    return None if _NAME.fullmatch(name) else f"{part}must be {_NAME_WORDS}"


@lru_cache(_KNOWN)
def wrong_with_value(value: str) -> str | None:
    """Why a label value (IsValidLabelValue) is refused; None for a legal one."""
    if len(value) > LONGEST_NAME:
        return f"has {len(value)} characters; {LONGEST_NAME} are the most"
    return None if not value or _NAME.fullmatch(value) else f"must be empty, or {_NAME_WORDS}"


@lru_cache(_KNOWN)
def wrong_with_domain(name: str) -> str | None:
    """Why an object name (IsDNS1123Subdomain) is refused; None for a legal one."""
    if not name:
        return "must not be empty"
    if len(name) > LONGEST_DOMAIN:
        return f"has {len(name)} characters; {LONGEST_DOMAIN} are the most"
    return None if _DOMAIN.fullmatch(name) else f"must be {_DOMAIN_WORDS}"


def selects(selector: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    """Whether a legal label selector selects what carries these labels (LabelSelectorAsSelector).

    An empty selector selects everything.
    """
    wanted = selector.get("matchLabels") or {}
    asked = selector.get("matchExpressions") or ()
    return all(labels.get(key) == (value or "") for key, value in wanted.items()) and all(
        _agrees(one, labels) for one in asked
    )


def _agrees(expression: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    there, have = expression["key"] in labels, labels.get(expression["key"])
    values = expression.get("values") or ()
    return {
        "In": there and have in values,
        "NotIn": have not in values,
        "Exists": there,
        "DoesNotExist": not there,
    }[expression["operator"]]
