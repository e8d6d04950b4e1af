"""What can be said of keys and their fields: literals, times, ids, how many values there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from typing import Any
from uuid import UUID

from msgspec import Struct

from tablewright.compiler.derived import BucketPlan, ShardPlan
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan, NativeKey, TemplateKey
from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Design
from tablewright.model.annotations import NoneType, count_of_values, members, metadata, without_none
from tablewright.model.fields import Epoch
from tablewright.values.keycodec import Literal as LiteralPiece


class Piece(Struct, frozen=True):
    """A piece of a key: literal text, or a field; `derived` is the shard or bucket that stands in its place."""

    text: str | None = None
    field: str | None = None
    derived: ShardPlan | BucketPlan | None = None


def pieces(keys: KeyPlan | Iterable[KeyPlan]) -> list[Piece]:
    """Literals and fields of one side of a key, from left to right."""
    every = (keys,) if isinstance(keys, TemplateKey | NativeKey) else keys
    return [piece for key in every for piece in _pieces(key)]


def _pieces(key: KeyPlan) -> Iterator[Piece]:
    if isinstance(key, NativeKey):
        yield Piece(field=key.field.name)
        return
    for segment in key.bound.template.pieces:
        for piece in segment:
            if isinstance(piece, LiteralPiece):
                yield Piece(text=piece.text)
            else:
                derived: Any = key.derived.get(piece.field)
                yield Piece(field=piece.field, derived=derived)


def fields(keys: KeyPlan | Iterable[KeyPlan]) -> list[str]:
    """The fields that stand in a key themselves, in order."""
    return [p.field for p in pieces(keys) if p.field is not None and p.derived is None]


def literals(keys: KeyPlan | Iterable[KeyPlan]) -> list[str]:
    """The literals of a key, in order."""
    return [p.text for p in pieces(keys) if p.text is not None]


def whole(path: KeyPath) -> tuple[KeyPlan, ...]:
    """Both sides of a key."""
    return path.pk + path.sk


def annotation(plan: EntityPlan, name: str) -> Any:
    """The annotation of a field, or of one of the library's time stamps."""
    return plan.sources[name].annotation


def kinds(plan: EntityPlan, name: str) -> set[Any]:
    """The plain types that a field may have, None aside."""
    return {m for m in members(annotation(plan, name)) if m is not NoneType}


# ----------------------------------------------------------------------------------------------------------- times

_TIME_NAME = re.compile(r"(^|_)(timestamp|time_?stamp|ts|datetime|created|updated|modified|expires)$|_(at|on|time)$")
_CAMEL_TIME = re.compile(r"[a-z](At|Timestamp|Time)$")


def is_moment(plan: EntityPlan, name: str) -> bool:
    """Whether a field holds a moment: a datetime, or a text or number that is called like one."""
    return datetime in kinds(plan, name) or is_disguised_time(plan, name)


def is_disguised_time(plan: EntityPlan, name: str) -> bool:
    """Whether a text or number is called like a moment."""
    named = bool(_TIME_NAME.search(name) or _CAMEL_TIME.search(name))
    return named and kinds(plan, name) <= {str, int}


def is_time(plan: EntityPlan, name: str) -> bool:
    """Whether a field is a moment or a day."""
    return is_moment(plan, name) or date in kinds(plan, name)


def clock(plan: EntityPlan, name: str) -> str | None:
    """The form in which a field stores its time; None for a field that is none."""
    found = kinds(plan, name)
    if datetime in found:
        epoch = metadata(without_none(annotation(plan, name)), Epoch)
        return f"Epoch({epoch.unit!r})" if epoch is not None else "datetime"
    if is_disguised_time(plan, name):
        return "a text" if str in found else "a number"
    return "date" if date in found else None


# ------------------------------------------------------------------------------------------------------------- ids

_ID_NAME = re.compile(r"(^|_)(id|uuid|ulid|guid|key|number|no|seq|sequence|token|hash)$|[a-z](Id|ID|Uuid|Number)$")


TENANT = re.compile(r"(tenant|org|organi[sz]ation|account|workspace|company|merchant)(_?(id|key|slug))?", re.IGNORECASE)
"""How fields are called that say whose data an item is."""


def snake(name: str) -> str:
    """`order_line` for OrderLine."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def is_id(plan: EntityPlan, name: str) -> bool:
    """Whether a field is called like an id that somebody makes, or is a UUID."""
    return bool(_ID_NAME.search(name)) or UUID in kinds(plan, name)


def own_ids(design: Design, plan: EntityPlan) -> list[str]:
    """Fields that are ids, and of nobody else: of these, one tells the entity's items apart."""
    others = {name for other in design.entities if other is not plan for name in other.key_fields}
    return [name for name in plan.fields if is_id(plan, name) and name not in others]


def roots(design: Design) -> dict[str, EntityPlan]:
    """Entities that one field identifies, by that field; where two have the same, by neither."""
    found: dict[str, list[EntityPlan]] = {}
    for plan in design.entities:
        if len(plan.key_fields) == 1:
            found.setdefault(next(iter(plan.key_fields)), []).append(plan)
    return {name: plans[0] for name, plans in found.items() if len(plans) == 1}


# ----------------------------------------------------------------------------------------------------- few values


def choices(plan: EntityPlan, name: str) -> int | None:
    """How many values a field's type allows; None where they are not counted."""
    return count_of_values(annotation(plan, name))


def distinct(design: Design, plan: EntityPlan, name: str) -> int | None:
    """How many values a field has: as it was said, or as its type says."""
    expected = design.expectations.of_field(plan.entity, name).distinct
    counted = choices(plan, name)
    known = [n for n in (expected, counted) if n is not None]
    return min(known) if known else None
