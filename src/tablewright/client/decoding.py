"""Items that come from elsewhere, such as a stream or an export, as what they are: entities, tombstones, markers."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from msgspec import Struct

from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.sealing import Sealer
from tablewright.client.targets import Key
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.entity_planner import MARKER_TYPE
from tablewright.compiler.tombstones import unreadable_tombstone
from tablewright.compiler.wirecodec import parse_datetime
from tablewright.errors import ArgumentError, DecodeError
from tablewright.model.entity import Entity
from tablewright.values.types import Item

E_co = TypeVar("E_co", bound=Entity, covariant=True)


class Tombstone(Struct, Generic[E_co], frozen=True):
    """What soft_delete leaves of an item: `entity` is the item as it was (None where the tombstone could not keep it)."""

    entity: E_co | None
    """The item as it was."""
    key: Key[E_co]
    """Its primary key."""
    deleted_at: datetime
    """When it was deleted."""


class UniqueMarker(Struct, frozen=True):
    """The item that holds a unique value; `owner` is the primary key of the item that it holds it for, as it is stored."""

    owner: Mapping[str, Any]
    """The primary key of the item that has the value."""


Decoded: TypeAlias = Entity | Tombstone[Entity] | UniqueMarker
"""What an item of a table can be."""


class StreamRecord(Struct, frozen=True):
    """One record of a table's stream. `old` and `new` are None where there was or is no item, or where the stream's view
    leaves them out."""

    event: Literal["INSERT", "MODIFY", "REMOVE"]
    """What happened to the item."""
    old: Decoded | None
    """The item as it was."""
    new: Decoded | None
    """The item as it is."""
    keys: Mapping[str, Any]
    """The primary key, as it is stored."""
    at: datetime | None
    """About when it was written, to the second."""
    expired: bool
    """Whether time to live removed the item."""
    sequence_number: str
    """Its place in the stream; later records have greater numbers."""


def decode(context: Context, sealer: Sealer, item: Mapping[str, Any]) -> Steps[Decoded]:
    """One stored item, with its sealed values opened."""
    (decoded,) = yield from _decode_all(context, sealer, [_checked(item)])
    assert decoded is not None
    return decoded


def decode_record(context: Context, sealer: Sealer, record: Mapping[str, Any]) -> Steps[StreamRecord]:
    """A record as GetRecords or a Lambda function gets it."""
    try:
        body, event = record["dynamodb"], record["eventName"]
        keys, number = _wire(body["Keys"]), body["SequenceNumber"]
    except (KeyError, TypeError):
        raise ArgumentError(
            "decode_record() takes a record of a DynamoDB stream.",
            hint='Pass one of the "Records" that GetRecords or a Lambda function gets, as it is.',
        ) from None
    old, new = yield from _decode_all(context, sealer, [body.get("OldImage"), body.get("NewImage")])
    identity = record.get("userIdentity") or {}
    by = identity.get("PrincipalId", identity.get("principalId"))
    written = _moment(body.get("ApproximateCreationDateTime"))
    return StreamRecord(event, old, new, keys, written, by == "dynamodb.amazonaws.com", number)


def _decode_all(context: Context, sealer: Sealer, items: list[Any]) -> Steps[list[Decoded | None]]:
    copies: list[Item | None] = [None if item is None else _wire(item) for item in items]
    if sealer.seals:
        yield from sealer.opened(item for item in copies if item is not None)
    return [None if item is None else _as_what_it_is(context, item) for item in copies]


def _checked(item: Any) -> Mapping[str, Any]:
    if not isinstance(item, Mapping) or not all(isinstance(av, Mapping) and len(av) == 1 for av in item.values()):
        raise ArgumentError(
            "decode() takes an item as DynamoDB stores it.",
            hint='Each attribute names its type: {"PK": {"S": "USER#1"}, ...}.',
        )
    found: Mapping[str, Any] = item
    return found


def _as_what_it_is(context: Context, item: Item) -> Decoded:
    names = context.plan.table.names
    tag = item.get(names.type, {}).get("S")
    plan = None if tag is None else context.plan.by_type.get(tag)
    if tag == MARKER_TYPE and plan is None:
        return UniqueMarker(item.get(names.owner, {}).get("M", {}))
    if plan is None or plan.alive(item) is not None:
        entity: Entity = context.plan.decode(item)
        return entity
    remains = item.get(names.remains, {}).get("M")
    before: Entity | None = None if remains is None else plan.decode({**remains, **plan.key_of_item(item)})
    try:
        deleted = parse_datetime(item[names.deleted]["S"])
    except (LookupError, ValueError):
        raise unreadable_tombstone(plan.name) from None
    return Tombstone(before, key_in(plan, item), deleted)


def key_in(plan: EntityPlan, item: Item) -> Key[Any]:
    """The key of a stored item, by its fields."""
    fields: dict[str, Any] = {}
    try:
        for part in (plan.pk, plan.sk):
            if part is not None:
                fields |= part.decode(item[part.attribute.name])
    except LookupError:
        raise DecodeError(f"A stored {plan.name} lacks a part of its primary key.") from None
    return Key(plan.entity, fields)


def _moment(given: Any) -> datetime | None:
    """boto3 gives a datetime, Lambda and the engine seconds."""
    return datetime.fromtimestamp(given, UTC) if isinstance(given, int | float) else given


def _wire(value: Any) -> Any:
    """A copy with binary values as text, which boto3 has as bytes."""
    if isinstance(value, Mapping):
        return {name: _wire(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_wire(inner) for inner in value]
    return b64encode(value).decode() if isinstance(value, bytes) else value
