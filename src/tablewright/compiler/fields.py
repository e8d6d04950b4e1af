"""An entity's fields as the compiler knows them: where each is stored, how it travels, and what it accepts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

import pydantic
from pydantic import TypeAdapter
from pydantic_core import PydanticUndefined

from tablewright.compiler.wirecodec import WireCodec, codec_for
from tablewright.errors import FieldTypeError, ModelError, UnknownFieldError
from tablewright.model.annotations import field_annotation, member_annotation, optional, plain, without_none
from tablewright.model.conditions import FieldPath, path_text
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.indexes import AttributeNames


@dataclass(frozen=True, slots=True, eq=False)
class FieldPlan:
    """One top-level field."""

    name: str
    entity: str
    path: tuple[str, ...]
    annotation: Any
    codec: WireCodec
    nullable: bool
    omit_empty: bool
    default: Callable[[], Any] | None
    adapter: TypeAdapter[Any]
    max_length: int | None

    @property
    def omit_none(self) -> bool:
        """Whether None means "not stored": so for fields with a default; a required field stores NULL."""
        return self.nullable and self.default is not None

    def accept(self, value: Any) -> Any:
        """The value, validated and normalised as the field says."""
        try:
            return self.adapter.validate_python(value)
        except pydantic.ValidationError as error:
            raise refused(self.entity, self.name, error) from None

    def absent(self, value: Any) -> bool:
        """Whether this value is stored by leaving the attribute out."""
        return (value is None and self.omit_none) or (self.omit_empty and not value)

    def encode(self, value: Any) -> Any:
        """The wire value of a validated value."""
        return self.codec.encode(value)


def refused(entity: str, field: str, error: pydantic.ValidationError) -> FieldTypeError:
    """Pydantic's findings as one error of ours, without the values."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join([field, *(str(step) for step in first["loc"])]).strip(".")
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return FieldTypeError(
        f"{entity}.{where}: {first['msg']}{more}.",
        field=where,
        constraint=first["type"],
        hint="Nothing was sent; correct the value.",
    )


def plan_fields(entity: type[Entity]) -> dict[str, FieldPlan]:
    """The fields of an entity, in order."""
    options = entity.__options__
    plans: dict[str, FieldPlan] = {}
    for name, info in entity.model_fields.items():
        annotation = field_annotation(info)
        attribute = options.stored.get(name, name)
        nested = options.nested is not None and name not in options.flat
        try:
            inner = codec_for(without_none(annotation))
        except ModelError as error:
            raise ModelError(f"{entity.__name__}.{name}: {error.message}", hint=error.hint) from None
        nullable = optional(annotation)
        default = _default(info)
        plans[name] = FieldPlan(
            name=name,
            entity=entity.__name__,
            path=(str(options.nested), attribute) if nested else (attribute,),
            annotation=annotation,
            codec=inner if not nullable else codec_for(annotation) if default is None else inner,
            nullable=nullable,
            omit_empty=inner.tag in ("SS", "NS", "BS") and default is not None and not default(),
            default=default,
            adapter=TypeAdapter(annotation),
            max_length=_max_length(info.metadata),
        )
    return plans


CREATED, UPDATED = "created_at", "updated_at"


def plan_stamps(entity: type[Entity], names: AttributeNames) -> dict[str, FieldPlan]:
    """The timestamps that the library keeps, as key templates may name them, unless the entity has such fields itself."""
    if not entity.__options__.timestamps:
        return {}
    stamps = {}
    for name, attribute in ((CREATED, names.created), (UPDATED, names.updated)):
        if name not in entity.model_fields:
            stamps[name] = FieldPlan(
                name=name,
                entity=entity.__name__,
                path=(attribute,),
                annotation=datetime,
                codec=codec_for(datetime),
                nullable=False,
                omit_empty=False,
                default=None,
                adapter=TypeAdapter(datetime),
                max_length=None,
            )
    return stamps


def _default(info: Any) -> Callable[[], Any] | None:
    if info.default_factory is not None:
        factory: Callable[[], Any] = info.default_factory
        return factory
    if info.default is PydanticUndefined:
        return None

    def default() -> Any:
        return info.get_default(call_default_factory=False)

    return default


def _max_length(metadata: list[Any]) -> int | None:
    lengths = [m.max_length for m in metadata if getattr(m, "max_length", None) is not None]
    return min(lengths) if lengths else None


class PathPlans:
    """Codecs and validators for paths into fields (`address.city`, `lines[0].quantity`), made when first used."""

    def __init__(self, entity: type[Entity], fields: Mapping[str, FieldPlan]) -> None:
        self._entity = entity
        self._fields = fields
        self._adapters: dict[FieldPath, tuple[TypeAdapter[Any], WireCodec, Any]] = {}

    def stored(self, path: FieldPath) -> FieldPath:
        """The path in the item."""
        return (*self.root(path).path, *path[1:])

    def root(self, path: FieldPath) -> FieldPlan:
        """The top-level field of a path."""
        found = self._fields.get(str(path[0]))
        if found is None:
            raise UnknownFieldError(
                f"{self._entity.__name__} has no field {path[0]!r}.{did_you_mean(str(path[0]), self._fields)}",
                field=str(path[0]),
            )
        return found

    def annotation(self, path: FieldPath) -> Any:
        """The annotation at a path."""
        if len(path) == 1:
            return self.root(path).annotation
        return self._plans(path)[2]

    def accept(self, path: FieldPath, value: Any) -> Any:
        """A validated value for a path."""
        if len(path) == 1:
            return self.root(path).accept(value)
        try:
            return self._plans(path)[0].validate_python(value)
        except pydantic.ValidationError as error:
            raise refused(self._entity.__name__, path_text(path), error) from None

    def encode(self, path: FieldPath, value: Any) -> Any:
        """The wire value of a validated value."""
        return self.root(path).codec.encode(value) if len(path) == 1 else self._plans(path)[1].encode(value)

    def member(self, path: FieldPath) -> tuple[TypeAdapter[Any], WireCodec]:
        """Validator and codec for one member of the list or set at a path."""
        annotation = without_none(self.annotation(path))
        inner = _member(annotation)
        return TypeAdapter(inner), codec_for(inner)

    def _plans(self, path: FieldPath) -> tuple[TypeAdapter[Any], WireCodec, Any]:
        known = self._adapters.get(path)
        if known is None:
            annotation = self.root(path).annotation
            for depth, step in enumerate(path[1:], start=1):
                annotation = member_annotation(annotation, step)
                if annotation is None:
                    raise UnknownFieldError(
                        f"{self._entity.__name__}.{path_text(path[:depth])} has no part {step!r}.",
                        field=path_text(path),
                    )
            known = self._adapters[path] = (TypeAdapter(annotation), codec_for(annotation), annotation)
        return known


def _member(annotation: Any) -> Any:
    arguments = get_args(plain(annotation))
    return arguments[0] if arguments else Any
