"""PartiQL reads with typed results: SELECT statements whose values are parameters, never part of the text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any, TypeVar

import pydantic
from msgspec import Struct
from pydantic import BaseModel

from tablewright.client.calls import Call, Steps
from tablewright.client.context import Context
from tablewright.client.cursors import begins
from tablewright.client.entities import entity_from
from tablewright.client.expiry import shown
from tablewright.client.pages import check_count
from tablewright.client.plain.reading import DEFAULT_PAGE, positive
from tablewright.errors import ArgumentError, DecodeError, TablewrightError
from tablewright.model.entity import Entity
from tablewright.model.results import Capacity
from tablewright.values.types import Item
from tablewright.values.wire import dumps, from_wire_item, to_wire

R = TypeVar("R", bound=BaseModel)

_SELECT = re.compile(r"\s*SELECT\s", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"')


class Statement(Struct, frozen=True):
    """A statement that was checked: its text for one table, and its parameters in wire form."""

    text: str
    parameters: list[Any]
    into: Any
    consistent: bool
    page_size: int | None


def checked_statement(
    context: Context,
    text: str,
    parameters: Sequence[object],
    into: type[Any],
    *,
    consistent: bool,
    page_size: int | None,
) -> Statement:
    """Refuses what is no read of this table, or holds values in its text."""
    if not isinstance(text, str) or not _SELECT.match(text):
        raise ArgumentError(
            "statement() reads: it takes a SELECT.",
            hint="Writes past the model leave index keys as they are; if that is meant, use db.send().",
        )
    if "'" in text:
        raise ArgumentError(
            "The statement holds a value in its text.", hint="Write ? in its place, and give the value as a parameter."
        )
    if '"{table}"' not in text:
        raise ArgumentError(
            "The statement does not say where from.",
            hint='Write FROM "{table}", or FROM "{table}"."GSI1" for an index.',
        )
    if isinstance(parameters, str | bytes) or not isinstance(parameters, Sequence):
        raise ArgumentError("The parameters of a statement are a list.", hint='["alice", 3]')
    marks = _QUOTED.sub("", text).count("?")
    if marks != len(parameters):
        raise ArgumentError(f"The statement has {marks} places for parameters, and {len(parameters)} were given.")
    if not (isinstance(into, type) and issubclass(into, BaseModel)):
        raise ArgumentError("into= takes an entity, or a Pydantic model with the selected attributes as its fields.")
    if issubclass(into, Entity):
        context.plan.of(into)
    wire = [to_wire(value) for value in parameters]
    return Statement(text.replace("{table}", context.table), wire, into, consistent, positive(page_size, "page_size"))


class StatementReader:
    """Hands out what a statement selects, page by page."""

    def __init__(self, context: Context, statement: Statement) -> None:
        self._context = context
        self._statement = statement
        self._token: str | None = None
        self.done = False
        self.scanned: int | None = None
        self.capacity: Capacity | None = None

    def decode(self, item: Item) -> Any:
        """An item as the entity, or as the model that takes the selected attributes."""
        into: type[BaseModel] = self._statement.into
        if issubclass(into, Entity):
            return entity_from(self._context.plan.of(into), item)
        try:
            return into.model_validate(from_wire_item(item))
        except pydantic.ValidationError:
            raise DecodeError(
                f"What the statement selected cannot be read as {into.__name__}.",
                hint="Select every attribute that it needs, and give its fields the types that are stored.",
            ) from None

    def more(self) -> Steps[list[Item]]:
        """The items of the next request."""
        return (yield from self._fetch(self._statement.page_size))

    def take(self, count: int) -> Steps[list[Item]]:
        """The first items."""
        check_count(count)
        items: list[Item] = []
        while len(items) < count and not self.done:
            items += yield from self._fetch(count - len(items))
        return items

    def first(self) -> Steps[Item | None]:
        """The first item."""
        while not self.done:
            items = yield from self.more()
            if items:
                return items[0]
        return None

    def page(
        self, limit: int | None, cursor: str | None, *, fill: bool = False
    ) -> Steps[tuple[list[Item], str | None]]:
        """At most `limit` items after the cursor, by one request unless it is to be filled, and the next cursor."""
        size = positive(limit, "limit") or self._statement.page_size or DEFAULT_PAGE
        seal, binding = self._context.seal, self._binding()
        if not begins(cursor):
            self._token = seal.open(binding, cursor)
        items = yield from self._fetch(size)
        while fill and len(items) < size and not self.done:
            items += yield from self._fetch(size - len(items))
        return items, None if self._token is None else seal.seal(binding, self._token)

    def count(self) -> Steps[int]:
        """How many items there are; PartiQL has no way to count without reading them."""
        total = 0
        while not self.done:
            total += len((yield from self.more()))
        return total

    def _fetch(self, size: int | None) -> Steps[list[Item]]:
        statement = self._statement
        request: dict[str, Any] = {"Statement": statement.text}
        if statement.parameters:
            request["Parameters"] = statement.parameters
        if statement.consistent:
            request["ConsistentRead"] = True
        if size is not None:
            request["Limit"] = size
        if self._token is not None:
            request["NextToken"] = self._token
        try:
            response = yield Call("ExecuteStatement", request, repeatable=True)
        except TablewrightError as error:
            error.context.setdefault("table", self._context.table)  # which the request itself does not name
            raise
        if "ConsumedCapacity" in response:
            read = Capacity(read=response["ConsumedCapacity"].get("CapacityUnits", 0.0))
            self.capacity = read if self.capacity is None else self.capacity + read
        self._token = response.get("NextToken")
        self.done = self._token is None
        items: list[Item] = response["Items"]
        if not issubclass(statement.into, Entity):
            return items
        plan = self._context.plan.of(statement.into)
        return [i for i in items if shown(self._context, plan, i) is not None]

    def _binding(self) -> str:
        statement = self._statement
        digest = hashlib.sha256(dumps([statement.text, statement.parameters, statement.consistent])).hexdigest()
        return f"statement/{self._context.table}/{self._context.options.tenant or ''}/{digest}"
