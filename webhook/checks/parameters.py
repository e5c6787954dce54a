"""What a profile hands to a named rule (``with:``), read strictly: a typing error stops the profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webhook.lifecycle.path import Lookup

if TYPE_CHECKING:
    from collections.abc import Mapping


class ParameterError(ValueError):
    """A parameter that a rule cannot use; the profile that gives it is refused."""


def known(parameters: Mapping[str, Any], *names: str) -> None:
    """Refuses a parameter that the rule does not have. Raises ParameterError."""
    for name in parameters:
        if name not in names:
            raise ParameterError(
                f"with: no parameter is called {name!r}; there is {', '.join(names)}"
            )


def path(parameters: Mapping[str, Any], name: str, default: str | None = None) -> Lookup:
    """A path of the profile language. Raises ParameterError, PathError."""
    return Lookup(word(parameters, name, default))


def word(parameters: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """One word. Raises ParameterError when it is missing or no text."""
    value = parameters.get(name, default)
    if not isinstance(value, str) or not value:
        raise ParameterError(f"with: {name} must be a text")
    return value


def words(
    parameters: Mapping[str, Any], name: str, default: tuple[str, ...] | None = None
) -> tuple[str, ...]:
    """A list of words. Raises ParameterError when it is missing or holds anything else."""
    value = parameters.get(name, default)
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
        raise ParameterError(f"with: {name} must be a list of texts")
    return tuple(value)


def part(parameters: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Parameters within a parameter. Raises ParameterError when it is missing or no map."""
    value = parameters.get(name)
    if not isinstance(value, dict):
        raise ParameterError(f"with: {name} must be a map")
    return value


def number(parameters: Mapping[str, Any], name: str, default: int) -> int:
    """A whole number. Raises ParameterError for anything else."""
    value = parameters.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ParameterError(f"with: {name} must be a whole number")
    return value
