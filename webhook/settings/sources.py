"""Settings by pydantic-settings: texts brought into their form, and what is wrong refused with reasons."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BeforeValidator, ValidationError
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings.exceptions import SettingsError as SourceError

from webhook.models import Models
from webhook.settings.loading import (
    NESTED,
    PREFIX,
    SettingsError,
    by_profile,
    is_service_link,
)
from webhook.settings.model import Settings

_FILE: Final = "file_values"


class _Sources(BaseSettings):
    """Flags, then environment, then the file (handed over as ``file_values``)."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, extra="forbid", frozen=True, env_nested_delimiter=NESTED
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Each with what it has."""
        del dotenv_settings, file_secret_settings
        if isinstance(env_settings, EnvSettingsSource):
            env_settings.env_vars = {
                name: value
                for name, value in env_settings.env_vars.items()
                if value is None or not is_service_link(value)
            }
        given = dict(getattr(init_settings, "init_kwargs", {}))
        from_file = given.pop(_FILE, {})
        return (
            InitSettingsSource(settings_cls, given),
            env_settings,
            InitSettingsSource(settings_cls, from_file),
        )


def settings_from(given: dict[str, Any], in_file: dict[str, Any]) -> Settings:
    """Settings from flags, the environment and the file. Raises SettingsError."""
    try:
        return _MODELS.struct(_MODEL(**{**given, _FILE: in_file}), Settings)
    except ValidationError as error:
        raise SettingsError(_reasons(error)) from None
    except SourceError as error:  # a list or map in the environment that is no JSON
        raise SettingsError(str(error)) from None


def _reasons(error: ValidationError) -> str:
    lines = []
    for one in error.errors(include_input=False, include_url=False):
        place = ".".join(str(part) for part in one["loc"]) or "settings"
        lines.append(f"{place}: {one['msg'].removeprefix('Value error, ')}")
    return "\n".join(lines)


_MODELS: Final = Models({})
_MODEL: Final = _MODELS.of(
    Settings, _Sources, {"operator_version": (NoDecode, BeforeValidator(by_profile))}
)
