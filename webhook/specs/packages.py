"""One package of a spec: its key and name, its version, its uninstall block."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from webhook.checks.versions import Version
from webhook.lifecycle.rule import show
from webhook.lifecycle.swift import Swift
from webhook.specs.reading import A_BOOLEAN, A_STRING, invalid, is_true, required, wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from webhook.core.view import View
    from webhook.lifecycle.path import Trail
    from webhook.lifecycle.rule import CheckJudge, Mark
    from webhook.lifecycle.run import Run

_KEY: Final = re.compile(r"[a-z][-a-z0-9]{0,41}[a-z]", re.ASCII)
_ZEROS: Final = re.compile(r"(?<![\w-])0+(?=\d)", re.ASCII)
KEY_WORDS: Final = (
    "2 to 43 characters: small letters, digits and -, beginning and ending with a letter"
)
VERSION_WORDS: Final = 'write MAJOR.MINOR.PATCH, such as "1.2.3"'


def package_key(_parameters: Mapping[str, Any]) -> CheckJudge:
    """A package is filed under a name that Pods can carry (skyhook_webhook.go validPackageName)."""

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        key = trail.stars[-1]
        if new is None or _KEY.fullmatch(key):
            return
        better = re.sub(r"[^-a-z0-9]+", "-", key[:60].lower()).strip("-0123456789")
        hint = f'; for example "{better}"' if _KEY.fullmatch(better) else ""
        yield invalid(trail.field, f"{show(key)} is no package name; legal: {KEY_WORDS}{hint}")

    return Swift(judge, _key_fits)


def _key_fits(_run: Run, _new: Any, key: str) -> bool:
    return _KEY.fullmatch(key) is not None


def package_name(_parameters: Mapping[str, Any]) -> CheckJudge:
    """``name``, where it is set, repeats the key (Packages.Names fills it in)."""

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        name = new.child("name") if new is not None else None
        key = trail.stars[-1]
        if name is None or name.value in ("", key):
            return
        place = trail.field.child("name")
        if isinstance(name.value, str):
            text = f"{show(name.value)} differs from the key {show(key)}; remove it, the name follows the key"
            yield invalid(place, text)
        else:
            yield wrong_type(place, name, A_STRING)

    return Swift(judge, _name_fits)


def _name_fits(_run: Run, new: Any, key: str) -> bool:
    return type(new) is dict and new.get("name") in (None, "", key)


def package_version(_parameters: Mapping[str, Any]) -> CheckJudge:
    """``version`` is semver; ``v`` is optional, "1" and "1.2" do (internal/version IsValid)."""

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        if new is None or new.fields is None:
            return
        version = new.child("version")
        text = None if version is None else version.value
        if isinstance(text, str) and _is_version(text):
            return
        place = trail.field.child("version")
        if version is None:
            yield required(place, f"is missing; {VERSION_WORDS}")
        elif not isinstance(text, str):
            yield wrong_type(place, version, A_STRING)
        else:
            why = f"{show(text)} is no semantic version; {VERSION_WORDS}"
            yield invalid(place, why + _meant(text))

    return Swift(judge, _version_fits)


def _version_fits(_run: Run, new: Any, _key: str) -> bool:
    text = new.get("version") if type(new) is dict else None
    return type(text) is str and _is_version(text)


@lru_cache(1024)
def _is_version(text: str) -> bool:
    """Kept, since the same versions come again and again."""
    return Version.parse(text) is not None


def _meant(text: str) -> str:
    """A version that differs only in spaces, a capital V, or leading zeros."""
    better = _ZEROS.sub("", text[:80].strip().replace("V", "v", 1))
    return f'; did you mean "{better}"?' if better != text and Version.parse(better) else ""


def uninstall_enabled(_parameters: Mapping[str, Any]) -> CheckJudge:
    """``uninstall.apply`` needs ``uninstall.enabled`` (skyhook_webhook.go Validate)."""

    def judge(_run: Run, _old: View | None, new: View | None, trail: Trail) -> Iterator[Mark]:
        uninstall = new.child("uninstall") if new is not None else None
        if uninstall is None:
            return
        for name in ("enabled", "apply"):
            value = uninstall.child(name)
            if value is not None and not isinstance(value.value, bool):
                yield wrong_type(trail.field.child("uninstall", name), value, A_BOOLEAN)
        if is_true(uninstall, "apply") and not is_true(uninstall, "enabled"):
            place = trail.field.child("uninstall")
            yield invalid(
                place.child("apply"),
                f"true while {place.child('enabled')} is not true; set enabled to true, or apply to false",
            )

    return Swift(judge, _switches_fit)


def _switches_fit(_run: Run, new: Any, _key: str) -> bool:
    block = new.get("uninstall") if type(new) is dict else new
    if type(block) is not dict:
        return block is None
    enabled, apply = block.get("enabled"), block.get("apply")
    if not (enabled is None or type(enabled) is bool):
        return False
    return apply is None or apply is False or (apply is True and enabled is True)
