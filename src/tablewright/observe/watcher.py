"""The watcher, which stands beside a session and notes each request: what runs between the application's own lines, so as little as can be."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from math import inf, log
from random import random
from typing import Any, Protocol

from tablewright.errors import ConditionalCheckFailed
from tablewright.observe.rows import (
    LARGE,
    OVERWRITES,
    WROTE,
    Measured,
    Reader,
    Row,
    Taken,
    consumed,
    largest_written,
    least_written,
    measure,
    take_statements,
    text_of,
)
from tablewright.observe.snapshot import Shape
from tablewright.observe.statements import STATEMENTS
from tablewright.observe.tally import CHANGES
from tablewright.values.operations import METERED, WRITES
from tablewright.values.sizes import LARGE_ITEM, WRITE_UNIT, item_size, write_units

_WRITES_VALUES = {"PutItem": "Item", "UpdateItem": "ExpressionAttributeValues"}
"""Where the values of a write stand: its item has at least these bytes."""
_SEVERAL_WRITES = WRITES - CHANGES
_FIRST = 128
"""Up to so many requests of a kind, the 1st, 2nd, 4th, 8th and so on are looked at closely."""
_KEYS = {"GetItem": "Key", "PutItem": "Item", "UpdateItem": "Key"}
"""By far the most requests, and where their keys stand."""
_MANY = LARGE / WRITE_UNIT
"""Units from which on a request is looked at more closely."""
_PLAIN_GET = 2
"""Members of a GetItem that asks for nothing but an item: the table and the key."""
_UNKNOWN = 0, {"": ""}
"""Of writes that were not looked at yet; no request has such names."""
_ODD = (KeyError, TypeError, AttributeError, ValueError, IndexError)
"""What requests of somebody's own may run into: who observes is in nobody's way."""

_caller: ContextVar[int] = ContextVar("tablewright_caller", default=0)
_callers = count(1)


class Asked(Protocol):
    """A request, as the client makes it."""

    @property
    def operation(self) -> str: ...
    @property
    def request(self) -> dict[str, Any]: ...
    @property
    def pattern(self) -> str | None: ...
    @property
    def entity(self) -> str | None: ...
    @property
    def write(self) -> str | None: ...


class Watcher:
    """Makes a row of each request to one table. They are put into `rows`; from a number of them on, `came` is called with each, and with those of
    several items in any case."""

    __slots__ = (
        *("_came", "_known", "_left", "_patience", "_pk", "_rows", "_sample", "_seen", "_sk", "_takes", "_usual"),
        *("_written", "timer"),
    )

    def __init__(
        self,
        rows: deque[Row],
        patience: int,
        came: Callable[[Row], None],
        reader: Reader,
        sample: float,
        timer: Callable[[], float],
    ) -> None:
        self._rows = rows
        self._patience = patience
        self._came = came
        self._pk, self._sk = reader.pk, reader.sk
        self._takes = reader.takes
        self._written, self._usual = reader.written, reader.usual
        self._sample = sample
        self._left = _gap(sample)
        self._seen: dict[tuple[str, str | None], int] = {}
        self._known: defaultdict[str, set[str | None]] = defaultdict(set)
        """Of each operation, the entities of which enough requests were seen."""
        self.timer = timer

    def asks(self, asked: Asked) -> dict[str, Any] | None:
        """The request as it is sent, asking for its capacity; None where it is looked at closely, and asks for all that can be told."""
        if self._left > 1 and asked.entity in self._known[asked.operation]:
            self._left -= 1  # threads may count one request for two, which is no matter
        elif self.measures(asked):
            return None
        elif asked.operation not in METERED:
            return asked.request
        return {**asked.request, "ReturnConsumedCapacity": "TOTAL"}

    def measures(self, asked: Asked) -> bool:
        """Whether a request is looked at closely: some by chance, and the first of every kind."""
        self._left -= 1
        by_chance = self._left <= 0
        if by_chance:
            self._left = _gap(self._sample)
        operation, entity = asked.operation, asked.entity
        number = self._seen.get((operation, entity), 1)
        if number <= _FIRST:
            self._seen[operation, entity] = number + 1
            return by_chance or not number & (number - 1)
        if operation in METERED:
            self._known[operation].add(entity)
        return by_chance

    def answered(self, asked: Asked, response: dict[str, Any], began: float, retries: int, measured: bool) -> None:
        """A request was answered."""
        seconds = self.timer() - began
        operation, request = asked.operation, asked.request
        if measured or operation not in _KEYS:
            self._answered(asked, response, began, seconds, retries, measured)
            return
        try:  # with as few calls as can be: what runs right after a request finds no cache warm
            key, sk = request[_KEYS[operation]], ""
            pk = key[self._pk]
            pk = pk["S"] if "S" in pk else text_of(pk)
            if self._sk:
                sk = key[self._sk]
                sk = sk["S"] if "S" in sk else text_of(sk)
            units = response["ConsumedCapacity"]["CapacityUnits"]
            returned = flags = 0
            if operation != "GetItem":
                kind = request.get("ConditionExpression")
                if operation == "UpdateItem":
                    kind = kind, request.get("UpdateExpression")
                flags, known = self._usual.get(kind, _UNKNOWN)
                names = request.get("ExpressionAttributeNames")
                if known is not names and known != names:
                    flags = self._written(request)
            elif len(request) == _PLAIN_GET:
                returned = 1 if "Item" in response else 0
            else:
                returned, _, flags, _, _ = self._takes[operation](request, response)
            if units >= _MANY:
                raise ValueError
        except _ODD:
            self._answered(asked, response, began, seconds, retries, measured)
            return
        caller, rows = _caller.get() or _new_caller(), self._rows
        shape = (operation, None, asked.pattern, asked.entity, asked.write)
        row = (shape, began, seconds, units, returned, returned, flags, pk, sk, caller, retries, None, None)
        rows.append(row)
        if len(rows) >= self._patience:
            self._came(row)

    def _answered(
        self, asked: Asked, response: dict[str, Any], began: float, seconds: float, retries: int, measured: bool
    ) -> None:
        operation, request = asked.operation, asked.request
        if operation not in self._takes and operation not in STATEMENTS:
            return
        (returned, scanned, flags, pk, sk), index = self._take(asked, response)
        told = response.get("ConsumedCapacity")
        units = told and consumed(told)
        beside, most = None, (units or 0.0) * WRITE_UNIT
        if measured:
            beside = measure(request, response, writes=operation in WRITES or bool(flags & WROTE))
        elif most > LARGE and operation in CHANGES:
            values = request.get(_WRITES_VALUES.get(operation, "")) or {}
            beside = Measured([], max(item_size(values), least_written(response)))
        if most > LARGE_ITEM and operation in _SEVERAL_WRITES:
            beside = (beside or Measured([]))._replace(least=largest_written(request))
        shape, caller = _shape(asked, index), _caller.get() or _new_caller()
        self._note((shape, began, seconds, units, returned, scanned, flags, pk, sk, caller, retries, None, beside))

    def _take(self, asked: Asked, response: dict[str, Any]) -> tuple[Taken, str | None]:
        """What can be told of a request, be it as it should be or not; and its index."""
        operation, request = asked.operation, asked.request
        try:
            if operation in STATEMENTS:
                return take_statements(request, response)
            return self._takes[operation](request, response), request.get("IndexName")
        except _ODD:
            return (0, 0, 0, "", ""), request.get("IndexName")

    def failed(self, asked: Asked, code: str, began: float, retries: int, met: Any = None) -> None:
        """A request was given up; `met` is the item on which its condition failed, where the answer told it."""
        seconds = self.timer() - began
        operation = asked.operation
        if operation not in self._takes and operation not in STATEMENTS:
            return
        (_, _, flags, pk, sk), index = self._take(asked, {})
        pk, sk = _plain(pk), _plain(sk)  # they may be the very reason for which it was refused
        flags &= ~OVERWRITES
        caller = _caller.get() or _new_caller()
        units = _refused_units(met) if code == ConditionalCheckFailed.code and operation in CHANGES else None
        self._note((_shape(asked, index), began, seconds, units, 0, 0, flags, pk, sk, caller, retries, code, None))

    def _note(self, row: Row) -> None:
        self._rows.append(row)
        if len(self._rows) >= self._patience or row[7].__class__ is list:
            self._came(row)


def _gap(sample: float) -> float:
    """How many requests it is to the next one that is looked at by chance, where this share of them is."""
    if sample <= 0:
        return inf
    return 1 if sample >= 1 else 1 + log(1 - random()) // log(1 - sample)  # noqa: S311


@contextmanager
def another_caller() -> Iterator[None]:
    """What is sent within the block is sent by somebody else than what is sent around it."""
    before = _caller.set(next(_callers))
    try:
        yield
    finally:
        _caller.reset(before)


def _shape(asked: Asked, index: str | None) -> Shape:
    return asked.operation, index, asked.pattern, asked.entity, asked.write


def _refused_units(met: Any) -> float:
    """What a write took at least that its condition refused: DynamoDB charges for the item that it met, and does not tell how
    much."""
    try:
        return write_units(item_size(met or {}))
    except _ODD:
        return write_units(0)


def _plain(key: Any) -> Any:
    """Texts that can be written, whatever was sent as a key."""
    if key.__class__ is list:
        return [_plain(one) for one in key]
    return key.encode(errors="replace").decode() if isinstance(key, str) else ""


def _new_caller() -> int:
    """A name for whoever sends requests in this context, and in those that are copied from it."""
    caller = next(_callers)
    _caller.set(caller)
    return caller
