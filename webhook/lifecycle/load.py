"""Profiles from YAML text: base and body joined, identity filled in; refused as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from webhook.lifecycle.compile import ProfileError
from webhook.lifecycle.extend import FAMILIES, ExtendError, extended, fill

if TYPE_CHECKING:
    from webhook.lifecycle.extend import ReadBase
    from webhook.lifecycle.model import Profile

ReadBody = Callable[[str], Mapping[str, Any]]
"""Reads another document by its path, relative to the profile's own folder."""


def build_profile(
    document: Any, source: str, read_body: ReadBody, read_base: ReadBase | None = None
) -> Profile:
    """A profile from a parsed YAML document. Raises ProfileError with file, place and reason.

    Two forms: ``body`` names a second document with ``guards`` and ``classes``, shared by several
    identities; or the rule families stand beside ``match`` in the document itself, which may
    build on another flat one (``extends``).
    """
    if not isinstance(document, dict):
        raise ProfileError(f"{source}: a profile is a map, not {type(document).__name__}")
    try:
        whole = extended(document, read_base)
    except ExtendError as error:
        raise ProfileError(f"{source}: {error}") from None
    body = whole.pop("body", None)
    if body is not None:
        whole = {**_body(body, source, read_body), **whole}
    whole.pop("words", None)  # only anchors for the lists above
    whole.pop("examples", None)  # for `profile test`
    further = whole.pop("further", {})  # rules of this profile's own, beside those of its body
    if "guards" in whole and further:
        whole["guards"] = [_with_more(guard, further) for guard in whole["guards"]]
    flat = "match" in whole
    if flat:
        whole["guards"] = [{k: whole.pop(k) for k in ("match", *FAMILIES) if k in whole}]
    elif "guards" not in whole:
        name = whole.get("profile")
        raise ProfileError(
            f"{source}: match: is missing: which objects are meant? If this is a base, bind it with"
            f" `extends: {name}` and a match, in a profile of your own"
        )
    identity = whole.get("identity") or {}
    filled = fill(whole, lambda name: _field(name, identity, source))
    from webhook.lifecycle.written import profile_written

    return profile_written(filled, source, flat=flat)


def _with_more(guard: Any, further: Any) -> Any:
    """A guard with the rules that ``further`` has for its kind, family by family."""
    match = guard.get("match") if isinstance(guard, dict) else None
    more = further.get(match.get("kind")) if isinstance(match, dict) else None
    if not isinstance(more, dict):
        return guard
    return {**guard, **{family: [*guard.get(family, []), *rules] for family, rules in more.items()}}


def _body(name: Any, source: str, read_body: ReadBody) -> dict[str, Any]:
    if not isinstance(name, str):
        raise ProfileError(f"{source}: body: must be the path of a file")
    body = read_body(name)
    if not isinstance(body, Mapping):
        raise ProfileError(f"{source}: body: {name} is no map")
    return dict(body)


def _field(name: str, identity: Mapping[str, Any], source: str) -> str:
    found = identity.get(name)
    if not isinstance(found, str):
        raise ProfileError(f"{source}: ${name} is used, but identity has no text of that name")
    return found
