"""Reads that both sides can answer: what the legacy application asks, and the pattern of the model that takes its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar, cast

from msgspec import Struct

from tablewright.errors import DecodeError
from tablewright.evolve.moving.deriving import State, Unfit, entities_of, legacy_key
from tablewright.evolve.moving.settling import read_joined
from tablewright.evolve.moving.sides import Place, Walk, send
from tablewright.model.entity import Entity
from tablewright.model.operations import Op
from tablewright.model.pattern import Pattern
from tablewright.transport.answers import next_start
from tablewright.values.types import Item
from tablewright.values.wire import to_wire_item

E = TypeVar("E", bound=Entity)


class LegacyGet(Struct, frozen=True):
    """One item of a legacy table."""

    table: str
    key: Mapping[str, Any]

    def items(self) -> Walk[list[Item]]:
        """The item, or none."""
        request = {"TableName": self.table, "Key": to_wire_item(self.key), "ConsistentRead": True}
        response = yield from send("legacy", "GetItem", request, repeatable=True)
        return [response["Item"]] if "Item" in response else []


class LegacyQuery(Struct, frozen=True):
    """All items of a legacy table, or of an index that projects all attributes, whose attributes equal these."""

    table: str
    where: Mapping[str, Any]
    index: str | None = None
    newest_first: bool = False

    def items(self) -> Walk[list[Item]]:
        """The items, in the order of the sort key."""
        wire = to_wire_item(self.where)
        request: dict[str, Any] = {
            "TableName": self.table,
            "KeyConditionExpression": " AND ".join(f"#k{n} = :k{n}" for n in range(len(wire))),
            "ExpressionAttributeNames": {f"#k{n}": name for n, name in enumerate(wire)},
            "ExpressionAttributeValues": {f":k{n}": value for n, value in enumerate(wire.values())},
            "ScanIndexForward": not self.newest_first,
        }
        request |= {"ConsistentRead": True} if self.index is None else {"IndexName": self.index}
        found: list[Item] = []
        while True:
            response = yield from send("legacy", "Query", request, repeatable=True)
            found += response["Items"]
            start = next_start(response)
            if start is None:
                return found
            request["ExclusiveStartKey"] = start


class Read(Struct, Generic[E], frozen=True):
    """One read of the application, on both sides. Its arguments are the pattern's."""

    entity: type[E]
    legacy: Callable[..., LegacyGet | LegacyQuery]
    new: Pattern[..., Op[Any, Any]]
    ordered: bool = True
    """Whether the order of the answer matters."""

    @property
    def name(self) -> str:
        """How reports call it."""
        return self.new.name


def read_legacy(place: Place, read: Read[E], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Walk[list[E]]:
    """What the legacy tables answer, as the entities that their items become."""
    asked = read.legacy(*args, **kwargs)
    items = yield from asked.items()
    answer: list[E] = []
    for item in items:
        for move in place.moving.moves:
            if move.table != asked.table or read.entity not in move.entities:
                continue
            try:
                joined, _ = yield from read_joined(move, item)
                made = entities_of(place.moving, move, State(item, joined))
            except Unfit as error:
                raise DecodeError(
                    f"An item of {move.table} cannot become what its move says: {error.reason}",
                    hint="plan() lists all such items; mend them or the move.",
                    context={"table": move.table, "key": sorted(legacy_key(move, item))},
                ) from None
            answer += cast("list[E]", [entity for entity in made if isinstance(entity, read.entity)])
    return answer
