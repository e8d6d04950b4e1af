"""An entity's key attributes: how each is made from field values, and from which fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import Flag
from typing import Any

from msgspec import Struct

from tablewright.compiler.derived import DerivedPlan
from tablewright.compiler.fields import DECODING_FAILURES, FieldPlan
from tablewright.errors import KeyTemplateError, KeyTooLongError, KeyValueError, MissingKeyPartError
from tablewright.model.annotations import constraint, metadata, plain, without_none
from tablewright.model.entity import did_you_mean
from tablewright.model.fields import Epoch
from tablewright.model.indexes import KeyAttribute
from tablewright.values.keycodec import BoundTemplate, KeyStyle, KeyTemplate, PartCodec, Placeholder, part_for
from tablewright.values.ordering import key_bytes_length
from tablewright.values.types import AttributeValue, Item

Values = Mapping[str, Any]


class TemplateKey(Struct, frozen=True, eq=False):
    """A text attribute made from a template."""

    attribute: KeyAttribute
    bound: BoundTemplate
    derived: Mapping[str, DerivedPlan]
    sources: frozenset[str]

    def encode(self, values: Values) -> AttributeValue:
        """The attribute's value."""
        return {"S": self.text(values)}

    def text(self, values: Values) -> str:
        """The key's text."""
        return self.bound.encode(self.with_derived(values) if self.derived else values)

    def with_derived(self, values: Values) -> Values:
        """The values with shards and buckets worked out."""
        return {
            **values,
            **{n: d.value(values) for n, d in self.derived.items() if all(values.get(f) is not None for f in d.fields)},
        }

    def decode(self, value: AttributeValue) -> dict[str, Any]:
        """The fields in a stored key, without shards and buckets."""
        return {n: v for n, v in self.bound.decode(value["S"]).items() if n not in self.derived}

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that stand in the key themselves, and can be read back from it."""
        return tuple(n for n in self.bound.codecs if n not in self.derived)

    def __str__(self) -> str:
        return str(self.bound.template)


class NativeKey(Struct, frozen=True, eq=False):
    """An attribute that holds one field in its own type."""

    attribute: KeyAttribute
    field: FieldPlan
    entity: str
    limit: int

    @property
    def sources(self) -> frozenset[str]:
        """The one field."""
        return frozenset((self.field.name,))

    @property
    def fields(self) -> tuple[str, ...]:
        """The one field, which can be read back from the key."""
        return (self.field.name,)

    @property
    def shared(self) -> bool:
        """Whether the attribute is the field's own, rather than a copy of it."""
        return self.field.path == (self.attribute.name,)

    def encode(self, values: Values) -> AttributeValue:
        """The attribute's value, within DynamoDB's rules for keys."""
        value = values.get(self.field.name)
        if value is None:
            raise MissingKeyPartError(
                f"{self.entity}.{self.field.name} is missing: the key attribute {self.attribute.name!r} needs it.",
                field=self.field.name,
                constraint="required",
                hint=f"Give {self.field.name} a value.",
            )
        encoded: AttributeValue = self.field.encode(value)
        if encoded[self.attribute.tag] == "":
            raise KeyValueError(
                f"{self.entity}.{self.field.name} is empty, and key attributes cannot be.",
                field=self.field.name,
                constraint="non-empty",
            )
        size = key_bytes_length(encoded)
        if size > self.limit:
            raise KeyTooLongError(
                f"{self.entity}.{self.field.name} takes {size} bytes in the key attribute {self.attribute.name!r}; "
                f"DynamoDB allows {self.limit}.",
                field=self.field.name,
                constraint=f"{self.limit} bytes",
            )
        return encoded

    def decode(self, value: AttributeValue) -> dict[str, Any]:
        """The field in a stored key."""
        return {self.field.name: self.field.codec.decode(value)}

    def __str__(self) -> str:
        return f"{{{self.field.name}}}"


KeyPlan = TemplateKey | NativeKey


def have_form(keys: Iterable[KeyPlan], item: Item) -> bool:
    """Whether attributes of an item are keys that these could have made."""
    try:
        for key in keys:
            key.decode(item[key.attribute.name])
    except DECODING_FAILURES:
        return False
    return True


class KeyPlanner:
    """Makes key plans for one entity, and notes which derived placeholders they use."""

    def __init__(
        self, entity: str, fields: Mapping[str, FieldPlan], derived: Mapping[str, DerivedPlan], style: KeyStyle
    ) -> None:
        self._entity = entity
        self._fields = fields
        self._derived = derived
        self._style = style
        self.used: set[str] = set()

    def fields_in(self, text: str, where: str) -> set[str]:
        """The fields that a template is made of, derived placeholders resolved."""
        names = self._parse(text, where).fields
        return {f for n in names for f in (self._derived[n].fields if n in self._derived else (n,))}

    def plan(
        self, attribute: KeyAttribute, text: str, *, where: str, sorts: bool, limit: int, native: bool = False
    ) -> KeyPlan:
        """The plan for one attribute; `where` says which key it is, for messages."""
        template = self._parse(text, where)
        if native or attribute.tag != "S" or self._is_own_attribute(attribute, template):
            return self._native(attribute, template, where, limit)
        codecs = {
            p.field: self._part(p, where, sorts)
            for pieces in template.pieces
            for p in pieces
            if isinstance(p, Placeholder)
        }
        bound = BoundTemplate(template, codecs, entity=self._entity, limit=limit)
        self._check_length(text, where, bound.max_bytes(), limit)
        used = {n: self._derived[n] for n in template.fields if n in self._derived}
        self.used |= used.keys()
        sources = {f for n in template.fields for f in (used[n].fields if n in used else (n,))}
        return TemplateKey(attribute, bound, used, frozenset(sources))

    def _is_own_attribute(self, attribute: KeyAttribute, template: KeyTemplate) -> bool:
        """Whether the key attribute is simply a field, under the field's own name, as many existing tables have it."""
        only = template.segments[0]
        if len(template.segments) != 1 or not isinstance(only, Placeholder) or only.width is not None:
            return False
        field = self._fields.get(only.field)
        return field is not None and field.path == (attribute.name,)

    def _check_length(self, text: str, where: str, longest: int | None, limit: int) -> None:
        if longest is not None and longest > limit:
            raise KeyTemplateError(
                f"{self._entity}: {where} {text!r} can take {longest} bytes by the declared lengths; DynamoDB allows {limit}.",
                hint="Shorten the max_length of its fields.",
                context={"declared_bytes": longest},
            )

    def _parse(self, text: str, where: str) -> KeyTemplate:
        try:
            return KeyTemplate.parse(text, self._style)
        except KeyTemplateError as error:
            raise KeyTemplateError(f"{self._entity}: {where}: {error.message}", hint=error.hint) from None

    def _native(self, attribute: KeyAttribute, template: KeyTemplate, where: str, limit: int) -> NativeKey:
        only = template.segments[0]
        if len(template.segments) != 1 or not isinstance(only, Placeholder) or only.width is not None:
            raise KeyTemplateError(
                f"{self._entity}: {where} is {template.text!r}, but the attribute {attribute.name!r} holds one value as it is.",
                hint="Write a single placeholder such as {tenant_id}.",
            )
        if only.field in self._derived:
            raise KeyTemplateError(
                f"{self._entity}: {where}: {{{only.field}}} is derived, but the attribute {attribute.name!r} holds a field as "
                "it is.",
                hint="Shards and buckets belong into text templates.",
            )
        field = self._field(only.field, where)
        if field.codec.tag != attribute.tag:
            raise KeyTemplateError(
                f"{self._entity}: {where}: the field {field.name!r} is stored as {field.codec.tag or 'one of several types'}, "
                f"but the attribute {attribute.name!r} is of type {attribute.tag}.",
                hint="Declare the index attribute with number(...) or binary(...), or use another field. An optional field "
                "needs None as its default, so that it is left out rather than stored as NULL.",
            )
        bytes_each = {"S": 4, "B": 1}.get(attribute.tag)
        if bytes_each is not None and field.max_length is not None:
            self._check_length(template.text, where, field.max_length * bytes_each, limit)
        return NativeKey(attribute, field, self._entity, limit)

    def _part(self, placeholder: Placeholder, where: str, sorts: bool) -> PartCodec:
        name = placeholder.field
        if name in self._derived:
            if placeholder.width is not None:
                raise KeyTemplateError(
                    f"{self._entity}: {where}: {{{name}}} has a width of its own.", hint=f"Write {{{name}}}."
                )
            return self._derived[name].part
        field = self._field(name, where)
        annotation = without_none(field.annotation)
        if metadata(annotation, Epoch) is not None:
            annotation = plain(annotation)
        kind = plain(annotation)
        if kind is float:
            raise KeyTemplateError(f"{self._entity}: {where}: {name!r} is a float.", hint="Use Decimal or int in keys.")
        if isinstance(kind, type) and issubclass(kind, Flag):
            raise KeyTemplateError(
                f"{self._entity}: {where}: {name!r} is a {kind.__name__}, whose combinations have no text of their own.",
                hint="Use an int or an Enum in keys.",
            )
        low, high = bounds_of(field)
        padded = len(str(high)) if isinstance(high, int) else 6
        if kind is int and placeholder.width is None and sorts and self._style.strict:
            raise self._unpadded(where, name, padded)
        try:
            part = part_for(
                annotation,
                width=placeholder.width,
                fraction=placeholder.fraction,
                max_length=field.max_length,
                ge=low,
                le=high,
                plain_int=not sorts,
                style=self._style,
            )
        except KeyTemplateError as error:
            raise KeyTemplateError(f"{self._entity}.{name} in {where}: {error.message}", hint=error.hint) from None
        if sorts and self._style.strict and not part.ordered:
            raise self._unpadded(where, name, padded)
        return part

    def _unpadded(self, where: str, name: str, width: int) -> KeyTemplateError:
        return KeyTemplateError(
            f"{self._entity}: {where} sorts by {name!r}, a number without a width: 10 would come before 9.",
            hint=f"Pad it: {{{name}:{width}}}.",
        )

    def _field(self, name: str, where: str) -> FieldPlan:
        field = self._fields.get(name)
        if field is None:
            raise KeyTemplateError(
                f"{self._entity}: {where} names field {name!r}, which {self._entity} does not have."
                + did_you_mean(name, [*self._fields, *self._derived])
            )
        return field


def bounds_of(field: FieldPlan) -> tuple[int | Decimal | None, int | Decimal | None]:
    """The least and the greatest number that a field allows, as far as it says so."""
    found: list[int | Decimal | None] = []
    for inclusive, exclusive, step in (("ge", "gt", 1), ("le", "lt", -1)):
        bound = constraint(field.annotation, inclusive)
        if bound is None and isinstance(constraint(field.annotation, exclusive), int):
            bound = constraint(field.annotation, exclusive) + step if plain(field.annotation) is int else None
        found.append(bound if isinstance(bound, int | Decimal) else None)
    return found[0], found[1]
