"""What a move reads beside its items, read once for each group and kept in the ledger: so that it is the same for everybody.

The new form of an item is a function of what the legacy tables say, and is worked out again and again, by the application, the
backfill and the verification. What is as it was at some moment, such as a snapshot of a library, can only be such a function if
that moment is kept too.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import datetime
from hashlib import sha256
from typing import Final
from zlib import compress, decompress

from tablewright.client.writes.action import Action
from tablewright.errors import (
    ConditionalCheckFailed,
    RequestRefused,
    ResourceNotFound,
    StorageError,
    ValidationError,
)
from tablewright.evolve.moving.deriving import Unfit
from tablewright.evolve.moving.ledger import ID
from tablewright.evolve.moving.mapping import Frozen, FrozenItems, Legacy
from tablewright.evolve.moving.sides import Place, Walk, get, send
from tablewright.expressions import ast
from tablewright.values.types import Item
from tablewright.values.wire import dumps, from_wire_item, loads

PART: Final = 250_000
"""Bytes of one item in the ledger; what is kept may be any number of them."""
_THAWED: Final = 16
"""Groups that a process remembers: work goes from item to item, and the next one is often of the same group."""


def thaw(place: Place, frozen: Frozen, legacy: Legacy, *, trial: bool = False) -> Walk[FrozenItems | None]:
    """What a leading item's group had when it was first asked for; that is now if nobody has asked yet. A trial keeps nothing
    in the ledger, and needs none."""
    group, digest = _group(frozen, legacy)
    if group is None:
        return None
    known = place.thawed.get((frozen.name, group, trial))
    if known is not None:
        return known
    key = _id(f"{place.moving.name}#{frozen.name}#{digest}")
    try:
        head = yield from get("legacy", place.moving.ledger, key)
    except ResourceNotFound:
        if not trial:
            raise
        head = None
    if head is None and trial:
        found = _items(place.now(), (yield from _asked(frozen, group)))
    else:
        found = yield from _read(place, head or (yield from _freeze(place, frozen, group, key)))
    while len(place.thawed) >= _THAWED:
        place.thawed.pop(list(place.thawed)[0], None)  # noqa: RUF015 - threads may change it while it is iterated over
    place.thawed[frozen.name, group, trial] = found
    return found


def _group(frozen: Frozen, legacy: Legacy) -> tuple[str | None, str]:
    """The group of a leading item, and what stands for it in the ledger. Raises Unfit."""
    try:
        group = frozen.group(legacy)
        return group, "" if group is None else sha256(group.encode()).hexdigest()[:32]
    except Unfit:
        raise
    except Exception as error:  # the user's function; what it says may hold values
        raise Unfit(f"group= of the frozen {frozen.name!r} raised {type(error).__name__}") from error


def _asked(frozen: Frozen, group: str) -> Walk[dict[str, list[Item]]]:
    """What is read for a group. Raises Unfit."""
    called = f"reads= of the frozen {frozen.name!r}"
    try:
        walks = {name: asked.items() for name, asked in frozen.reads(group).items()}
    except Unfit:
        raise
    except Exception as error:
        raise Unfit(f"{called} raised {type(error).__name__}") from error
    read: dict[str, list[Item]] = {}
    for name, walk in walks.items():
        try:
            read[name] = yield from walk
        except (RequestRefused, ValidationError) as error:
            raise Unfit(f"{called} asks for what cannot be asked") from error
    return read


def _freeze(place: Place, frozen: Frozen, group: str, key: Item) -> Walk[Item]:
    """Reads and keeps; whoever is first with the head has it, and all others take theirs."""
    data = compress(dumps((yield from _asked(frozen, group))))
    now, token = place.now(), place.token()
    parts = [data[at : at + PART] for at in range(0, len(data), PART)]
    for number, part in enumerate(parts):
        item: Item = {**_id(f"{token}#{number}"), "data": {"B": b64encode(part).decode()}}
        yield from send("legacy", "PutItem", {"TableName": place.moving.ledger, "Item": item}, repeatable=True)
    head: Item = {**key, "taken_at": {"S": now}, "token": {"S": token}, "parts": {"N": str(len(parts))}}
    first = Action("Put", key, item=head, condition=ast.AttributeNotExists((ID,)))
    try:
        yield from send("legacy", "PutItem", first.body(place.moving.ledger))
    except ConditionalCheckFailed:
        theirs = yield from get("legacy", place.moving.ledger, key)
        assert theirs is not None  # heads are never deleted
        if theirs["token"] == head["token"]:  # the answer of a first try was lost
            return theirs
        for number in range(len(parts)):
            request = {"TableName": place.moving.ledger, "Key": _id(f"{token}#{number}")}
            yield from send("legacy", "DeleteItem", request, repeatable=True)
        return theirs
    return head


def _read(place: Place, head: Item) -> Walk[FrozenItems]:
    data = b""
    for number in range(int(head["parts"]["N"])):
        item = yield from get("legacy", place.moving.ledger, _id(f"{head['token']['S']}#{number}"))
        if item is None:
            raise StorageError(
                "A part of what was frozen is missing in the ledger.",
                hint="Restore the ledger; nothing can be made of the rest.",
            )
        data += b64decode(item["data"]["B"])
    return _items(head["taken_at"]["S"], loads(decompress(data)))


def _items(taken_at: str, read: dict[str, list[Item]]) -> FrozenItems:
    plain = {name: [from_wire_item(item) for item in items] for name, items in read.items()}
    return FrozenItems(datetime.fromisoformat(taken_at), plain)


def _id(text: str) -> Item:
    return {ID: {"S": f"frozen#{text}"}}
