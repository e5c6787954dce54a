"""Pydantic models made from our structs: what people write is read by these, and refused in their words.

A struct (msgspec) says once which fields there are and what holds for each. Whoever meets only what is
known to be good needs the struct alone, and a server that starts never loads pydantic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import isclass
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

from msgspec import NODEFAULT, Meta, Struct, to_builtins
from msgspec.structs import FieldInfo, fields
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model, model_validator

from webhook.core.readable import Readable

S = TypeVar("S", bound=Struct)
Check = Callable[[Any], Any]
"""Takes a whole model and returns it; a ValueError says what is wrong with it."""

NO_MARKS: Final[Mapping[str, tuple[Any, ...]]] = {}
_CONSTRAINTS: Final = ("ge", "gt", "le", "lt", "min_length", "max_length", "pattern", "description")


class Strict(BaseModel):
    """Refuses what it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Models:
    """A model for each struct, nested ones too."""

    def __init__(self, checks: Mapping[type[Struct], Sequence[Check]]) -> None:
        """`checks`: what must hold for a struct as a whole, in this order."""
        self._checks = checks
        self._models: dict[type[Struct], type[BaseModel]] = {}
        self._structs: dict[type[BaseModel], type[Struct]] = {}

    def read(self, struct: type[S], document: Any) -> S:
        """The struct that a document says. Raises pydantic.ValidationError."""
        return self.struct(self.of(struct).model_validate(document), struct)

    def of(
        self,
        struct: type[Struct],
        base: type[BaseModel] = Strict,
        marks: Mapping[str, tuple[Any, ...]] = NO_MARKS,
    ) -> type[BaseModel]:
        """The model for a struct; it has the same name, which messages show.

        `marks`: by field, what else is said of its type, for pydantic alone.
        """
        model = self._models.get(struct)
        if model is None:
            checks: dict[str, Any] = {
                check.__name__: model_validator(mode="after")(check)
                for check in self._checks.get(struct, ())
            }
            wanted: dict[str, Any] = {
                one.name: (self._marked(one.type, marks.get(one.name, ())), self._field(one))
                for one in fields(struct)
            }
            model = create_model(struct.__name__, __base__=base, __validators__=checks, **wanted)
            self._models[struct], self._structs[model] = model, struct
        return model

    def struct(self, model: BaseModel, kind: type[S]) -> S:
        """A model's values as a struct: those that were given; the others have their defaults."""
        given = {name: self._plain(getattr(model, name)) for name in model.model_fields_set}
        return kind(**given)

    def _plain(self, value: Any) -> Any:
        if isinstance(value, BaseModel):
            return self.struct(value, self._structs[type(value)])
        if isinstance(value, list):
            return [self._plain(each) for each in value]
        if isinstance(value, dict):
            return {key: self._plain(each) for key, each in value.items()}
        return value

    def _field(self, one: FieldInfo) -> Any:
        alias = one.encode_name if one.encode_name != one.name else None
        if one.default_factory is not NODEFAULT:
            return Field(default_factory=one.default_factory, alias=alias)
        default = one.default
        if isinstance(default, Struct):
            default = self.of(type(default)).model_validate(to_builtins(default))
        return Field(alias=alias) if default is NODEFAULT else Field(default, alias=alias)

    def _marked(self, kind: Any, marks: tuple[Any, ...]) -> Any:
        found = self._annotation(kind)
        return Annotated[(found, *marks)] if marks else found

    def _annotation(self, kind: Any) -> Any:
        """The type of a field, with models in the place of structs."""
        if isclass(kind) and get_origin(kind) is None and issubclass(kind, Struct):
            return self.of(kind)
        origin, parts = get_origin(kind), get_args(kind)
        if origin is Annotated:
            return Annotated[(self._annotation(parts[0]), *map(_constraint, parts[1:]))]
        if origin in (Union, UnionType):
            return Union[tuple(map(self._annotation, parts))]  # noqa: UP007 - made at run time
        if origin is None or origin is Literal:
            return kind
        return origin[tuple(map(self._annotation, parts))]


def _constraint(of: Any) -> Any:
    """What pydantic is to check for a mark on a type."""
    if isinstance(of, Readable):
        return AfterValidator(of)
    if isinstance(of, Meta):
        said = {name: getattr(of, name) for name in _CONSTRAINTS}
        return Field(**{name: value for name, value in said.items() if value is not None})
    return of
