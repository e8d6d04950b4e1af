"""What is taken from a request when it is answered: a row of figures, made as fast as can be; they are added up later, many at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

from tablewright.observe.overwriting import overwrites
from tablewright.observe.snapshot import Shape
from tablewright.observe.statements import all_stated
from tablewright.values.sizes import WRITE_UNIT, item_size

Row: TypeAlias = tuple[Shape, float, float, Any, int, int, int, Any, Any, int, int, str | None, Any]
"""Shape, when it began by the timer, seconds, units (None where the answer did not tell), items returned, items looked at, flags, partition key and sort key as text (for several items a list of the former, and none of the latter), caller, retries, error, and
what was measured beside. Texts and numbers wherever possible: what many rows hold on to is what they cost."""
Taken: TypeAlias = tuple[int, int, int, Any, Any]

FILTERED, PROJECTED, CONSISTENT, CONDITIONAL, LIMITED, CONTINUED, MORE, OVERWRITES, WROTE = (
    1 << bit for bit in range(9)
)
"""WROTE tells of a statement what the name of its operation does not."""

_EQUAL = re.compile(r"(#?[A-Za-z0-9_.-]+)\s*=\s*(:[A-Za-z0-9_]+)")
_CACHED = 4096
"""Expressions that are remembered, of which programs have few."""
LONG = 200
"""Characters of a key that are kept; DynamoDB allows ten times as many, which would be held for hundreds of keys in many places."""
_DIGEST = 8
_SHORT, _FEW = 400, 16
"""Characters and names of those that are remembered as they are."""


class Reader:
    """Reads rows out of the requests to one table and their answers. `sk` is empty where the table has no sort key."""

    __slots__ = ("_hashes", "_kinds", "_own", "_partitions", "_primary", "_special", "pk", "sk", "takes", "usual")

    def __init__(
        self, pk: str, sk: str | None, hashes: Mapping[str, tuple[str, ...]], own: Collection[str] = ()
    ) -> None:
        self._primary = {pk} if sk is None else {pk, sk}
        self._own = frozenset(own)
        self.pk = pk
        self.sk = sk or ""
        self._hashes: dict[str | None, tuple[str, ...]] = {None: (pk,)}
        self._hashes.update(hashes)
        self._partitions: dict[tuple[str | None, str], tuple[str, str] | None] = {}
        self._kinds: dict[int, int] = {}
        self.usual: dict[tuple[str | None, str | None] | str | None, tuple[int, dict[str, str] | None]] = {}
        """By the condition of a put, or that of an update with its text: what `written` said of it, and the names in them."""
        self._special = dict.fromkeys(self._own, "own") | dict.fromkeys(self._primary, "key")
        self.takes: dict[str, Callable[[dict[str, Any], dict[str, Any]], Taken]] = {
            "GetItem": self._get,
            "Query": self._query,
            "Scan": self._query,
            "PutItem": self._put,
            "UpdateItem": self._update,
            "DeleteItem": self._delete,
            "BatchGetItem": self._batch_get,
            "BatchWriteItem": self._batch_write,
            "TransactGetItems": self._transact_get,
            "TransactWriteItems": self._transact_write,
        }

    # --------------------------------------------------------------------------------------------- single items

    def _get(self, request: dict[str, Any], response: dict[str, Any]) -> Taken:
        pk, sk = self._named(request["Key"])
        there = "Item" in response
        flags = 0
        if len(request) > 2:
            flags = PROJECTED * ("ProjectionExpression" in request) | CONSISTENT * bool(request.get("ConsistentRead"))
        return there, there, flags, pk, sk

    def _put(self, request: dict[str, Any], _: dict[str, Any]) -> Taken:
        pk, sk = self._named(request["Item"])
        return 0, 0, self.written(request), pk, sk

    def _update(self, request: dict[str, Any], _: dict[str, Any]) -> Taken:
        pk, sk = self._named(request["Key"])
        return 0, 0, self.written(request), pk, sk

    def written(self, request: dict[str, Any]) -> int:
        """How a write treats what was there. Programs have few kinds of writes, and each is looked at once."""
        condition, update = request.get("ConditionExpression"), request.get("UpdateExpression")
        names = request.get("ExpressionAttributeNames")
        flags = self._looked_at(request, condition, update, names or {})
        if (
            len(self.usual) < _CACHED
            and len(condition or "") + len(update or "") <= _SHORT
            and len(names or "") <= _FEW
        ):
            self.usual[condition if "Item" in request else (condition, update)] = flags, names
        return flags

    def _looked_at(
        self, request: dict[str, Any], condition: str | None, update: str | None, names: dict[str, str]
    ) -> int:
        known = tuple(map(self._special.get, names.values()))  # others, such as keys of maps, may be any number
        kind = hash((condition, update, tuple(names), known))
        flags = self._kinds.get(kind)
        if flags is None:
            flags = 0 if condition is None else CONDITIONAL
            if len(self._kinds) >= _CACHED:  # texts that are made anew for every write take too long to be read
                return flags
            flags |= OVERWRITES * overwrites(request, self._primary, self._own)
            self._kinds[kind] = flags
        return flags

    def _delete(self, request: dict[str, Any], _: dict[str, Any]) -> Taken:
        pk, sk = self._named(request["Key"])
        return 0, 0, CONDITIONAL * ("ConditionExpression" in request), pk, sk

    def _named(self, key: dict[str, Any]) -> tuple[str, str]:
        try:
            return key[self.pk]["S"], key[self.sk]["S"]  # nearly always
        except (KeyError, TypeError):
            return text_of(key.get(self.pk)), text_of(key.get(self.sk))

    # --------------------------------------------------------------------------------------------- many of a range

    def _query(self, request: dict[str, Any], response: dict[str, Any]) -> Taken:
        returned = response.get("Count", 0)
        flags = (
            FILTERED * ("FilterExpression" in request)
            | PROJECTED * ("ProjectionExpression" in request)
            | LIMITED * ("Limit" in request)
            | CONTINUED * ("ExclusiveStartKey" in request)
            | CONSISTENT * bool(request.get("ConsistentRead"))
            | MORE * bool(response.get("LastEvaluatedKey"))
        )
        return returned, response.get("ScannedCount", returned), flags, self._asked(request), ""

    def _asked(self, request: dict[str, Any]) -> str:
        """The partition that a query asks for; empty where it cannot be told."""
        text = request.get("KeyConditionExpression")
        if text is None:
            return ""
        index = request.get("IndexName")
        hashes = self._hashes.get(index)
        if hashes is None:
            return ""
        if len(hashes) != 1:
            return self._asked_many(text, hashes, request)
        names = request.get("ExpressionAttributeNames") or {}
        found = self._partitions.get((index, text))
        if found is None or names.get(found[0], found[0]) != hashes[0]:
            found = self._placeholder(index, text, hashes[0], names)
            if found is None:
                return ""
        return text_of(request["ExpressionAttributeValues"].get(found[1]))

    def _placeholder(
        self, index: str | None, text: str, attribute: str, names: Mapping[str, str]
    ) -> tuple[str, str] | None:
        for name, value in _EQUAL.findall(text):
            if names.get(name, name) == attribute:
                if len(self._partitions) < _CACHED:
                    self._partitions[index, text] = name, value
                return name, value
        return None

    def _asked_many(self, text: str, hashes: tuple[str, ...], request: dict[str, Any]) -> str:
        names = request.get("ExpressionAttributeNames") or {}
        given = {names.get(name, name): value for name, value in _EQUAL.findall(text)}
        values = request["ExpressionAttributeValues"]
        parts = [text_of(values.get(given[h])) for h in hashes if h in given]
        return " ".join(parts) if len(parts) == len(hashes) else ""

    # --------------------------------------------------------------------------------------------- many by their keys

    def _keys(self, keys: list[dict[str, Any]]) -> tuple[list[Any], str]:
        """Their partition keys. Which items they are of these is asked of single requests only, and takes room for each."""
        pk = self.pk
        return [shortened(text_of(key.get(pk))) for key in keys], ""

    def _batch_get(self, request: dict[str, Any], response: dict[str, Any]) -> Taken:
        keys, flags = [], 0
        later = response.get("UnprocessedKeys") or {}
        for name, asked in request["RequestItems"].items():
            keys += _without(asked["Keys"], later[name]["Keys"] if name in later else [])
            flags |= CONSISTENT * bool(asked.get("ConsistentRead")) | PROJECTED * ("ProjectionExpression" in asked)
        returned = sum(map(len, response.get("Responses", {}).values()))
        return returned, returned, flags, *self._keys(keys)

    def _batch_write(self, request: dict[str, Any], response: dict[str, Any]) -> Taken:
        later = response.get("UnprocessedItems") or {}
        written = [
            w for name, writes in request["RequestItems"].items() for w in _without(writes, later.get(name) or [])
        ]
        keys = [w["PutRequest"]["Item"] if "PutRequest" in w else w["DeleteRequest"]["Key"] for w in written]
        return 0, 0, OVERWRITES, *self._keys(keys)

    def _transact_get(self, request: dict[str, Any], response: dict[str, Any]) -> Taken:
        returned = sum(1 for one in response.get("Responses", ()) if one.get("Item"))
        return returned, returned, CONSISTENT, *self._keys([get["Get"]["Key"] for get in request["TransactItems"]])

    def _transact_write(self, request: dict[str, Any], _: dict[str, Any]) -> Taken:
        bodies = [next(iter(action.values())) for action in request["TransactItems"]]
        keys = [body["Item"] if "Item" in body else body["Key"] for body in bodies]
        flags = CONDITIONAL if any("ConditionExpression" in body for body in bodies) else OVERWRITES
        return 0, 0, flags, *self._keys(keys)


def take_statements(request: dict[str, Any], response: dict[str, Any]) -> tuple[Taken, str | None]:
    """The figures of a request in PartiQL, and the index that it reads. Its keys stand among its values, and are not looked for."""
    told = all_stated(request)
    index = next((one.index for one in told if one.index), None)
    flags = WROTE if any(one.writes for one in told) else 0
    flags |= CONSISTENT * bool(request.get("ConsistentRead")) | LIMITED * ("Limit" in request)
    flags |= CONTINUED * ("NextToken" in request) | MORE * bool(response.get("NextToken"))
    if "Statement" in request:
        returned = len(response.get("Items", ()))
        return (returned, returned, flags, "", ""), index
    returned = sum(1 for one in response.get("Responses", ()) if one.get("Item"))
    return (returned, returned, flags, [""] * len(told), ""), index


LARGE = 16 * 1024
"""From which size on an item is noticed by its units."""


class Measured(NamedTuple):
    """What is looked at more closely, of some requests."""

    sizes: list[int]
    """Of items that are whole and as they are stored."""
    least: int = 0
    """Bytes that the item has at least, by what the table took for it."""
    units: float = 0.0
    parts: Mapping[str, float] | None = None
    """Of a write: what each index took of the units; None where the answer told only all of them together."""
    copies: float = 0.0
    """What lies in partitions of global indexes of it; local ones share those of the table."""


def measure(request: Mapping[str, Any], response: Mapping[str, Any], *, writes: bool) -> Measured:
    """Looks closely at a request and its answer."""
    items = [response.get("Item"), request.get("Item"), *response.get("Items", ())]
    if writes and "RequestItems" in request:
        items += [body.get("Item") for body in _bodies(request)]
    whole = [] if "ProjectionExpression" in request else [i for i in items if i.__class__ is dict and i]
    told = response.get("ConsumedCapacity")
    if not writes or not told:
        return Measured(list(map(item_size, whole)))
    tables = [told] if told.__class__ is dict else told
    if not all("Table" in table for table in tables):
        return Measured(list(map(item_size, whole)))
    parts: dict[str, float] = {}
    copies = 0.0
    for table in tables:
        for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            for name, took in (table.get(kind) or {}).items():
                units = took.get("CapacityUnits", 0.0)
                parts[name] = parts.get(name, 0.0) + units
                copies += units if kind == "GlobalSecondaryIndexes" else 0.0
    least = least_written(response) if "Key" in request else 0
    return Measured(list(map(item_size, whole)), least, consumed(told), parts, copies)


def least_written(response: Mapping[str, Any]) -> int:
    """Bytes that the item of a single write has at least, by what the table alone took for it; 0 of small ones, and where it is not told."""
    told = response.get("ConsumedCapacity")
    own = told.get("Table", {}).get("CapacityUnits", 0.0) if isinstance(told, dict) else 0.0
    return int((own - 1) * WRITE_UNIT) + 1 if own * WRITE_UNIT > LARGE else 0


def largest_written(request: Mapping[str, Any]) -> int:
    """Bytes that the largest item has at least of those that a batch or a transaction writes."""
    values = (body.get("Item") or body.get("ExpressionAttributeValues") or {} for body in _bodies(request))
    return max(map(item_size, values), default=0)


def _bodies(request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The writes of a batch or a transaction, each as it would be written alone."""
    several = [*request.get("RequestItems", {}).values(), request.get("TransactItems", ())]
    return (body for writes in several for write in writes for body in write.values())


def _without(asked: list[Any], left: list[Any]) -> list[Any]:
    """What was done of a batch: the rest is sent again, and counts then."""
    return [one for one in asked if one not in left] if left else asked


def consumed(told: Any) -> float:
    """The units that an answer told of: of one table, of each, or none."""
    parts = (told,) if told.__class__ is dict else told or ()
    units = [part.get("CapacityUnits", 0.0) for part in parts if part.__class__ is dict]
    return float(sum([unit for unit in units if isinstance(unit, float | int)]))


def text_of(value: Any) -> str:
    """A key attribute as text; empty if there is none."""
    if not value:
        return ""
    content = next(iter(value.values()))
    return content if content.__class__ is str else str(content)


def shortened(key: str) -> str:
    """A key as it is kept: of a long one the beginning, and a digest that tells it from others."""
    if len(key) <= LONG:
        return key
    digest = blake2b(key.encode(errors="surrogatepass"), digest_size=_DIGEST).hexdigest()
    return f"{key[: LONG - 2 * _DIGEST - 1]}…{digest}"
