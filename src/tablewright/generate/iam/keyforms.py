"""The partition keys of a model as a tenant's policy sees them: those that begin with the tenant, and those that do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan, NativeKey, TemplateKey
from tablewright.compiler.plan import TablePlan
from tablewright.values.keycodec import PartCodec
from tablewright.values.keycodec.parts.base import may_share_text
from tablewright.values.keycodec.places import BoundField
from tablewright.values.keycodec.template import Literal

_CONDITION_KEYS = (
    "dynamodb:LeadingKeys",
    "dynamodb:SecondPartitionKeyValues",
    "dynamodb:ThirdPartitionKeyValues",
    "dynamodb:FourthPartitionKeyValues",
)
_FIRST_OF_SEVERAL = "dynamodb:FirstPartitionKeyValues"


def condition_key(position: int, *, several: bool) -> str:
    """What IAM calls the values of a partition attribute, which may be one of several."""
    return _FIRST_OF_SEVERAL if several and position == 0 else _CONDITION_KEYS[position]


class Held(Struct, frozen=True, eq=False):
    """A partition key that items have on the table or on an index: of an entity, or of the marker of a unique value."""

    owner: str
    keys: tuple[KeyPlan, ...]


class Scope(Struct, frozen=True, eq=False):
    """How a template begins with the tenant: literals, then the tenant, then perhaps more."""

    literals: tuple[str, ...]
    separator: str
    codec: PartCodec
    more: bool
    """Whether further parts follow."""

    def text(self, tenant: str) -> str:
        """What a key begins with, for a tenant as it stands in keys."""
        return self.separator.join((*self.literals, tenant))

    def reaches(self, other: TemplateKey) -> bool:
        """Whether a key of another template can have the form of these; a proof that it cannot is needed for False."""
        segments, count = other.bound.segments, len(self.literals) + 1
        if not other.bound.style.strict:
            return other.bound.head[: len(self.text(""))] == self.text("")[: len(other.bound.head)]
        if len(segments) < count or (len(segments) > count) is not self.more:
            return False
        for literal, segment in zip(self.literals, segments, strict=False):
            if isinstance(segment.segment, Literal):
                if segment.segment.text != literal:
                    return False
            elif not segment.fields[0].codec.possible_literals(literal):
                return False
        there = segments[count - 1]
        if isinstance(there.segment, Literal):
            return self.codec.possible_literals(there.segment.text)
        return may_share_text(self.codec, there.fields[0].codec)


def scope_of(key: TemplateKey, field: str) -> Scope | None:
    """How a key begins with the tenant; None where other fields come first, or where a value can look like several parts."""
    template, found = key.bound.template, key.bound.places.get(field)
    if found is None or found is not key.bound.fields[0] or not _ends(key, found):
        return None
    literals = tuple(str(segment) for segment in template.segments[: found.segment])
    more = len(template.segments) > found.segment + 1
    return Scope(literals, template.style.separator, found.codec, more)


def _ends(key: TemplateKey, place: BoundField) -> bool:
    """Whether the value is the whole of its part, and cannot go on into the next one."""
    style = key.bound.style
    return style.strict or (len(key.bound.template.pieces[place.segment]) == 1 and (style.escape or place.guarded))


def position_of(keys: tuple[KeyPlan, ...], field: str) -> int | None:
    """Which attribute of a key of several holds the tenant as it is."""
    for position, key in enumerate(keys):
        if isinstance(key, NativeKey) and key.field.name == field and key.attribute.tag != "B":
            return position
    return None


def held_on(plan: TablePlan, index: str) -> Iterator[Held]:
    """The partition keys that items have on the table, or on an index."""
    for entity in plan.entities.values():
        yield from _of_entity(entity, index)


def _of_entity(entity: EntityPlan, index: str) -> Iterator[Held]:
    if not index:
        yield Held(entity.name, (entity.pk,))
        for unique in entity.uniques:
            yield Held(f"the marker of unique {unique.name} of {entity.name}", (unique.keys[0],))
        return
    for binding in entity.bindings:
        if binding.index.name == index:
            yield Held(entity.name, (entity.pk,) if binding.index.local else binding.pk)


def text_of(key: KeyPlan, field: str, value: Any) -> str:
    """A tenant as it stands in a key."""
    if isinstance(key, TemplateKey):
        return key.bound.places[field].encode(value)
    (text,) = key.encode({field: key.field.accept(value)}).values()
    return str(text)
