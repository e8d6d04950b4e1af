"""How the fields of an entity stand in files: readable where that tells the value exactly, else as DynamoDB's own JSON.

Serializers play no part: they are made for showing data, and what goes out must come back.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Any, get_args, get_origin
from uuid import UUID

from msgspec import Struct
from msgspec.structs import asdict, replace
from pydantic import BaseModel, TypeAdapter

from tablewright.compiler.codecs import codec_for
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import DECODING_FAILURES, FieldPlan
from tablewright.compiler.sealing import without_seals
from tablewright.compiler.views import told_of
from tablewright.compiler.wirecodec import WireCodec
from tablewright.errors import ArgumentError
from tablewright.evolve.transfer.leaves import LEAVES, Leaf, leaf_of
from tablewright.model.annotations import field_annotation, plain, without_none
from tablewright.model.entity import Entity
from tablewright.values.checks import check_value
from tablewright.values.types import AttributeValue

EXACT = "$dynamodb"
"""The one key of an object that holds a value in DynamoDB's JSON."""
_MANY = (list, set, frozenset, tuple)


class Form(Struct, frozen=True, eq=False):
    """One field."""

    field: FieldPlan
    codec: WireCodec
    """To the wire and back, for values that are not sealed."""
    leaf: Leaf | None
    """What the value is, or what its members are."""
    many: bool
    """Whether it is a list or set of such values."""

    @property
    def single(self) -> Leaf | None:
        """The leaf, where the value is one."""
        return None if self.many else self.leaf

    def wire(self, value: Any) -> AttributeValue | None:
        """The value as it is stored, None where it is left out; equal values have equal ones."""
        return None if self.field.absent(value) else self.codec.encode(value)

    def write(self, value: Any) -> Any:
        """The value as JSON has it."""
        if value is None:
            return None
        if self.leaf is None:
            return self._exactly(value)
        if not self.many:
            return self.leaf.write(value)
        written = [self.leaf.write(member) for member in value]
        return sorted(written) if isinstance(value, set | frozenset) else written

    def _exactly(self, value: Any) -> Any:
        """Readable, if that is read as the same value."""
        stored = self.wire(value)
        try:
            readable = natural(value)
            if self.wire(self.field.accept(self.read(loads(dumps(readable))))) == stored:
                return readable
        except DECODING_FAILURES:
            pass
        return {EXACT: stored}

    def read(self, given: Any) -> Any:
        """The value, from JSON or a database, ready to be validated."""
        if isinstance(given, dict) and given.keys() == {EXACT}:
            return self.codec.decode(check_value(given[EXACT]))
        if given is None or self.leaf is None:
            return given
        if not self.many:
            return self.leaf.taken(given)
        return [self.leaf.taken(member) for member in given] if isinstance(given, list) else given


@lru_cache(maxsize=64)
def forms_of(plan: EntityPlan) -> dict[str, Form]:
    """The forms of an entity's fields, in their order."""
    return {name: _form(field) for name, field in plan.fields.items()}


def forms_of_view(plan: EntityPlan, view: type[BaseModel]) -> dict[str, Form]:
    """The forms of a view's fields, which may have other types than those of the entity."""
    told = told_of(view)
    if told:
        raise ArgumentError(
            f"{view.__name__} has fields that are no value of their own: {', '.join(sorted(told))}.",
            hint="Export JSON lines, which can hold objects.",
        )
    fields: dict[str, Form] = {}
    for name, info in view.model_fields.items():
        annotation = field_annotation(info)
        fields[name] = _form(replace(plan.fields[name], annotation=annotation, adapter=TypeAdapter(annotation)))
    return fields


def _form(field: FieldPlan) -> Form:
    annotation = without_seals(field.annotation)
    kind = plain(without_none(annotation))
    leaf, many = leaf_of(kind), False
    if leaf is None and get_origin(kind) in _MANY:
        arguments = get_args(kind)
        if len(arguments) == 1 or (len(arguments) == 2 and arguments[1] is Ellipsis):
            leaf, many = leaf_of(arguments[0]), True
    return Form(field, codec_for(annotation), leaf, many and leaf is not None)


def same(forms: Mapping[str, Form], one: Entity, other: Entity) -> bool:
    """Whether two entities would be stored alike."""
    return all(form.wire(getattr(one, name)) == form.wire(getattr(other, name)) for name, form in forms.items())


def natural(value: Any) -> Any:
    """A value as people write it in JSON. TypeError: there is no such way."""
    if value is None or isinstance(value, Enum):
        return None if value is None else natural(value.value)
    if type(value) in LEAVES:
        return LEAVES[type(value)].write(value)
    match value:
        case str() | bool() | int() | float():
            return value
        case Decimal() | UUID():
            return str(value)
        case datetime() | date() | time():
            return value.isoformat()
        case BaseModel() if type(value).__pydantic_root_model__:
            return natural(value.__dict__["root"])
        case BaseModel():
            held = {name: value.__dict__[name] for name in type(value).__pydantic_fields__ if name in value.__dict__}
            return natural({**held, **(value.__pydantic_extra__ or {})})
        case Mapping():
            return {_name(key): natural(member) for key, member in value.items()}
        case list() | tuple():
            return [natural(member) for member in value]
        case set() | frozenset():
            return sorted((natural(member) for member in value), key=dumps)
        case Struct():
            return natural(asdict(value))
        case _ if dataclasses.is_dataclass(value):
            return {part.name: natural(getattr(value, part.name)) for part in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _name(key: Any) -> str:
    written = natural(key)
    return written if isinstance(written, str) else dumps(written)


def dumps(value: Any) -> str:
    """JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def loads(text: str | bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """What JSON holds; numbers with a fraction are Decimals, so that no digit is lost. `pairs` makes objects of their members."""
    return json.loads(text, parse_float=Decimal, object_pairs_hook=pairs)
