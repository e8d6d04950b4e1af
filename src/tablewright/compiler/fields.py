"""An entity's fields as the compiler knows them: where each is stored, how it travels, and what it accepts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

import pydantic
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic_core import PydanticUndefined

from tablewright.compiler.codecs import codec_for
from tablewright.compiler.revalidating import InvalidInside, holds_records, revalidated
from tablewright.compiler.rules import FieldSchema, validator_alone
from tablewright.compiler.sealing import Sealing, sealed_codec, sealing_of, without_seals
from tablewright.compiler.wirecodec import WireCodec, nullable
from tablewright.compiler.wirerecords import NO_DEFAULT, known_default, refuse_aliases
from tablewright.errors import FieldTypeError, ModelError, NumberError, ValidationError
from tablewright.model.annotations import (
    constraint,
    field_annotation,
    optional,
    without_none,
)
from tablewright.model.entity import Entity
from tablewright.model.indexes import AttributeNames


class Validator(Protocol):
    """What checks and normalises a value: Pydantic's TypeAdapter or SchemaValidator."""

    def validate_python(self, value: Any, /) -> Any:
        """The value as the annotation wants it; raises pydantic.ValidationError."""
        ...


class FieldPlan(Struct, frozen=True, eq=False):
    """One top-level field."""

    name: str
    entity: str
    path: tuple[str, ...]
    annotation: Any
    codec: WireCodec
    nullable: bool
    default: Callable[[], Any] | None
    adapter: Validator
    omit_none: bool = False
    """Whether None is stored by leaving the attribute out: so where None is the default."""
    omit_empty: bool = False
    """Whether an empty set is stored by leaving the attribute out: so where that is the default."""

    known: Any = NO_DEFAULT
    """The default where it is a constant, or something empty."""

    @property
    def max_length(self) -> int | None:
        """The declared maximum of a text or collection."""
        length: int | None = constraint(self.annotation, "max_length")
        return length

    records: bool = False
    """Whether it can hold models or dataclasses, which are validated again: they may have been changed in place."""

    sealing: Sealing | None = None
    """How the value is made opaque, where it is."""

    any_text: bool = False
    """Whether it takes every str as it is."""

    looks_around: bool = False
    """Whether a validator of it may look at other fields: what it accepts alone is judged again with them."""

    def accept(self, value: Any) -> Any:
        """The value, validated and normalised as the field says."""
        return accepted(self.adapter, self.records, self.entity, self.name, value)

    def prefix(self, text: Any) -> str:
        """The beginning of a value, normalised as far as that can be said of a beginning."""
        if not isinstance(text, str):
            raise FieldTypeError(
                f"{self.entity}.{self.name}: starts_with() takes a text.", field=self.name, constraint="text"
            )
        beginning: str = text.lstrip() if constraint(self.annotation, "strip_whitespace") else text
        if constraint(self.annotation, "to_lower"):
            return beginning.lower()
        return beginning.upper() if constraint(self.annotation, "to_upper") else beginning

    def absent(self, value: Any) -> bool:
        """Whether this value is stored by leaving the attribute out."""
        return (value is None and self.omit_none) or (self.omit_empty and value is not None and not value)

    def encode(self, value: Any) -> Any:
        """The wire value of a validated value."""
        return encode_named(self.codec, self.entity, self.name, value)


ENCODING_FAILURES = (LookupError, ValueError, TypeError, ArithmeticError, AttributeError)
DECODING_FAILURES = (ValidationError, *ENCODING_FAILURES)
"""What codecs raise on stored values that do not fit: also numbers that are none."""


def encode_named(codec: WireCodec, entity: str, field: str, value: Any) -> Any:
    """The wire value; what cannot be encoded is reported with entity and field, never with the value."""
    try:
        return codec.encode(value)
    except ValidationError as error:
        kind = NumberError if isinstance(error, NumberError) else type(error)
        raise kind(
            f"{entity}.{field}: {error.message}", field=field, constraint=error.constraint, hint=error.hint
        ) from None
    except ENCODING_FAILURES:
        raise FieldTypeError(
            f"{entity}.{field} holds a value that does not fit its type.",
            field=field,
            constraint="type",
            hint="It was changed in place after it was validated.",
        ) from None


def accepted(validator: Validator, records: bool, entity: str, field: str, value: Any) -> Any:
    """The value, validated with the records in it."""
    try:
        return validator.validate_python(revalidated(value) if records else value)
    except (pydantic.ValidationError, InvalidInside) as error:
        raise refused(entity, field, error) from None


def refused(entity: str, field: str, found: pydantic.ValidationError | InvalidInside) -> FieldTypeError:
    """Pydantic's findings as one error of ours, without the values."""
    error, steps = (found.error, found.steps) if isinstance(found, InvalidInside) else (found, [])
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(step) for step in (field, *steps, *first["loc"]) if step != "")
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    return FieldTypeError(
        f"{entity}.{where}: {first['msg']}{more}." if where else f"{entity}: {first['msg']}{more}.",
        field=where,
        constraint=first["type"],
        hint="Nothing was sent; correct the value.",
    )


def plan_fields(entity: type[Entity]) -> dict[str, FieldPlan]:
    """The fields of an entity, in order."""
    _check_config(entity)
    return {name: _plan_field(entity, name, info) for name, info in entity.model_fields.items()}


def _check_config(entity: type[Entity]) -> None:
    refuse_aliases(entity)
    for setting, value, remedy in (
        ("extra", "allow", "Declare a field for them, such as more: dict[str, Any]."),
        ("use_enum_values", True, "Leave it out: enums are stored by value anyway."),
    ):
        if entity.model_config.get(setting) == value:
            raise ModelError(f"{entity.__name__}: {setting}={value!r} cannot be stored and read back.", hint=remedy)


def _plan_field(entity: type[Entity], name: str, info: Any) -> FieldPlan:
    options = entity.__options__
    annotation = field_annotation(info)
    attribute = options.stored.get(name, name)
    inside = options.nested is not None and name not in options.flat
    try:
        sealing = sealing_of(entity.__table__.name, options.type, attribute, annotation)
        inner = codec_for(without_none(without_seals(annotation) if sealing is not None else annotation))
    except RecursionError:
        raise ModelError(
            f"{entity.__name__}.{name}: its type refers to itself.", hint="Make it a model, which may contain itself."
        ) from None
    except ModelError as error:
        raise ModelError(f"{entity.__name__}.{name}: {error.message}", hint=error.hint) from None
    can_be_none, omit_none = optional(annotation), known_default(info) is None
    default = _default(entity, name, info)
    tag, schema = inner.tag, FieldSchema(entity, name)
    if sealing is not None:
        inner = sealed_codec(inner, sealing)
    return FieldPlan(
        name=name,
        entity=entity.__name__,
        path=(str(options.nested), attribute) if inside else (attribute,),
        annotation=annotation,
        codec=nullable(inner) if can_be_none and not omit_none else inner,
        nullable=can_be_none,
        default=default,
        adapter=field_validator(entity, name, annotation, schema),
        records=holds_records(annotation),
        any_text=annotation is str and not validating_config(entity) and not _declares_validator(entity, name),
        looks_around=schema.looks_around,
        omit_none=can_be_none and omit_none,
        known=known_default(info),
        sealing=sealing,
        omit_empty=tag in ("SS", "NS", "BS") and default is not None and default() in (set(), frozenset()),
    )


def _default(entity: type[Entity], name: str, info: Any) -> Callable[[], Any] | None:
    if getattr(info, "default_factory_takes_validated_data", False):
        raise ModelError(
            f"{entity.__name__}.{name}: its default is made from other fields, which a stored item may lack.",
            hint="Use a default_factory without arguments, or a model validator.",
        )
    if info.default_factory is not None:
        factory: Callable[[], Any] = info.default_factory
        return factory
    if info.default is PydanticUndefined:
        return None
    return lambda: info.get_default(call_default_factory=False)


_VALIDATING = (
    "allow_inf_nan",
    "arbitrary_types_allowed",
    "coerce_numbers_to_str",
    "regex_engine",
    "revalidate_instances",
    "str_max_length",
    "str_min_length",
    "str_strip_whitespace",
    "str_to_lower",
    "str_to_upper",
    "strict",
)
"""What a model's configuration says of the values of its fields."""


def validating_config(model: type[BaseModel]) -> ConfigDict:
    config: Any = {name: value for name, value in model.model_config.items() if name in _VALIDATING}
    return config  # type: ignore[no-any-return]


def validating(annotation: Any, model: type[BaseModel] | None = None) -> Validator:
    """What Pydantic validates an annotation with in a model, without the adapter's own steps around it, and without
    validators that may look at other fields."""
    config = None if model is None else validating_config(model)
    adapter: TypeAdapter[Any]
    try:
        adapter = TypeAdapter(annotation, config=config or None)
    except pydantic.PydanticUserError as error:
        if error.code != "type-adapter-config-unused":  # a model or dataclass, which has a configuration of its own
            raise
        adapter = TypeAdapter(annotation)
    validator: Any = validator_alone(adapter.core_schema, config) or adapter.validator
    found: Validator = validator
    return found


def _declares_validator(model: type[BaseModel], name: str) -> bool:
    declared = model.__pydantic_decorators__.field_validators.values()
    return any(name in d.info.fields or "*" in d.info.fields for d in declared)


def field_validator(model: type[BaseModel], name: str, annotation: Any, schema: FieldSchema) -> Validator:
    """The validator of one field, with the validators that the model declares for it as methods; but for those that may
    look at other fields, which are not known here."""
    if not _declares_validator(model, name) and not schema.looks_around:
        return validating(annotation, model)
    return schema.alone()


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
                default=None,
                adapter=validating(datetime),
            )
    return stamps
