"""Profiles from YAML text: identity filled in, body joined, models checked; refused as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import ValidationError

from webhook.lifecycle.compile import ProfileError
from webhook.lifecycle.model import Profile

_NAME: Final = re.compile(r"\$([a-z]+)\b")
_FAMILIES: Final = (
    "match", "tracks", "monotone", "requires", "projections", "unique", "owned", "checks",
)  # fmt: skip

ReadBody = Callable[[str], Mapping[str, Any]]
"""Reads another document by its path, relative to the profile's own folder."""


def build_profile(document: Any, source: str, read_body: ReadBody) -> Profile:
    """A profile from a parsed YAML document. Raises ProfileError with file, place and reason.

    Two forms: ``body`` names a second document with ``guards`` and ``classes``, shared by several
    identities; or the rule families stand beside ``match`` in the document itself.
    """
    if not isinstance(document, dict):
        raise ProfileError(f"{source}: a profile is a map, not {type(document).__name__}")
    whole = dict(document)
    body = whole.pop("body", None)
    if body is not None:
        whole = {**_body(body, source, read_body), **whole}
    whole.pop("words", None)  # only anchors for the lists above
    if "match" in whole:
        whole["guards"] = [{k: whole.pop(k) for k in _FAMILIES if k in whole}]
    filled = _fill(whole, whole.get("identity") or {}, source)
    try:
        return Profile.model_validate(filled)
    except ValidationError as error:
        raise ProfileError(_reasons(error, source)) from None


def _body(name: Any, source: str, read_body: ReadBody) -> dict[str, Any]:
    if not isinstance(name, str):
        raise ProfileError(f"{source}: body: must be the path of a file")
    body = read_body(name)
    if not isinstance(body, Mapping):
        raise ProfileError(f"{source}: body: {name} is no map")
    return dict(body)


def _fill(value: Any, identity: Mapping[str, Any], source: str) -> Any:
    """``value`` with ``$name`` replaced by the identity's fields, in keys too."""
    if isinstance(value, str):
        return _NAME.sub(lambda found: _field(found[1], identity, source), value)
    if isinstance(value, list):
        return [_fill(item, identity, source) for item in value]
    if isinstance(value, dict):
        return {_fill(k, identity, source): _fill(v, identity, source) for k, v in value.items()}
    return value


def _field(name: str, identity: Mapping[str, Any], source: str) -> str:
    found = identity.get(name)
    if not isinstance(found, str):
        raise ProfileError(f"{source}: ${name} is used, but identity has no text of that name")
    return found


def _reasons(error: ValidationError, source: str) -> str:
    lines = []
    for one in error.errors(include_input=False, include_url=False):
        place = ".".join(str(part) for part in one["loc"])
        lines.append(f"{source}: {place}: {one['msg']}")
    return "\n".join(lines)
