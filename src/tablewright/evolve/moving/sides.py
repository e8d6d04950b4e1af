"""The two sides of a move, the legacy tables and the new one, and the drivers that carry steps to them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from msgspec import Struct, field

from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.client.writes.action import same_key
from tablewright.errors import TablewrightError
from tablewright.model.indexes import KeyAttribute
from tablewright.values.types import Item

if TYPE_CHECKING:
    from tablewright.evolve.moving.mapping import FrozenItems, Moving

T = TypeVar("T")
Side = Literal["legacy", "new"]


class At(Struct, frozen=True):
    """A request to one of the sides."""

    side: Side
    call: Call | Pause

    def steps(self) -> Steps[dict[str, Any]]:
        """The request as an operation of its own."""
        return (yield self.call)


Walk: TypeAlias = Generator[At, dict[str, Any], T]
"""An operation on both sides that does no I/O itself."""


class Place(Struct, frozen=True):
    """Where a moving goes on: the name of the new table there, whether one transaction can span both sides, and what is
    passed in."""

    moving: Moving
    table: str
    together: bool
    now: Callable[[], str]
    """The time in the one clock format."""
    token: Callable[[], str]
    thawed: dict[tuple[str, str, bool], FrozenItems] = field(default_factory=dict)
    """What was frozen, as far as it is needed again soon."""
    schemas: Mapping[str, tuple[KeyAttribute, ...]] = {}
    """The key attributes of merged tables, the partition key first, for work that cannot try whether a key is one."""


def send(side: Side, operation: str, request: dict[str, Any], *, repeatable: bool = False) -> Walk[dict[str, Any]]:
    """One request."""
    return (yield At(side, Call(operation, request, repeatable)))


def get(side: Side, table: str, key: Item) -> Walk[Item | None]:
    """One item as it is now."""
    response = yield from send(
        side, "GetItem", {"TableName": table, "Key": key, "ConsistentRead": True}, repeatable=True
    )
    return response.get("Item")


def key_of(place: Place, item: Item) -> Item:
    """The key of an item of the new table."""
    table = place.moving.table
    return {k.name: item[k.name] for k in (table.pk, table.sk) if k is not None}


def get_many(side: Side, table: str, keys: list[Item]) -> Walk[list[Item]]:
    """Some items, in any order, each once; at most a hundred are asked for at once."""
    found: list[Item] = []
    keys = list({same_key(key): key for key in keys}.values())
    attempt = 0
    while keys:
        asked, keys = keys[:100], keys[100:]
        request = {"RequestItems": {table: {"Keys": asked, "ConsistentRead": True}}}
        response = yield from send(side, "BatchGetItem", request, repeatable=True)
        found += response["Responses"].get(table, [])
        left = response.get("UnprocessedKeys", {}).get(table, {}).get("Keys", [])
        if left:
            yield At(side, Pause(attempt, what="Reading items"))
        attempt = attempt + 1 if left else 0
        keys = left + keys
    return found


def transact(place: Place, side: Side, actions: list[dict[str, Any]]) -> Walk[None]:
    """All actions or none; the token lets it be repeated when a reply is lost."""
    request = {"TransactItems": actions, "ClientRequestToken": place.token()}
    yield from send(side, "TransactWriteItems", request, repeatable=True)


def carry_out(walk: Walk[T], answer: Callable[[At], dict[str, Any]]) -> T:
    """Carries out steps, one after another, by a function that answers each."""
    try:
        step = next(walk)
        while True:
            try:
                response = answer(step)
            except TablewrightError as error:
                step = walk.throw(error)
            else:
                step = walk.send(response)
    except StopIteration as stop:
        result: T = stop.value
        return result


def drive(walk: Walk[T], ways: dict[Side, SyncDriver]) -> T:
    """Carries out steps on both sides."""
    return carry_out(walk, lambda step: ways[step.side].run(step.steps()))


async def drive_async(walk: Walk[T], ways: dict[Side, AsyncDriver]) -> T:
    """The same for asyncio."""
    try:
        step = next(walk)
        while True:
            try:
                response = await ways[step.side].run(step.steps())
            except TablewrightError as error:
                step = walk.throw(error)
            else:
                step = walk.send(response)
    except StopIteration as stop:
        result: T = stop.value
        return result
