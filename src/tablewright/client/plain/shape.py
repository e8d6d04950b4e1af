"""What a plain table knows of its table: the key of the table and of each index, as described by the service or a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from tablewright.errors import ArgumentError, KeyValueError, MissingKeyPartError, UnknownIndexError
from tablewright.model.entity import did_you_mean
from tablewright.model.indexes import KeyAttribute
from tablewright.model.table import TableModel
from tablewright.values.sizes import MAX_PARTITION_KEY, MAX_SORT_KEY
from tablewright.values.types import AttributeValue, Item
from tablewright.values.wire import to_wire

_WORDS = {"S": "a text", "N": "a number", "B": "bytes"}


class KeyShape(Struct, frozen=True):
    """The key of a table or an index: its partition attributes, then its sort attributes."""

    name: str | None
    pk: tuple[KeyAttribute, ...]
    sk: tuple[KeyAttribute, ...]
    local: bool = False

    @property
    def attributes(self) -> tuple[KeyAttribute, ...]:
        """All of them."""
        return self.pk + self.sk

    @property
    def shown(self) -> str:
        """For messages."""
        return "the table's key" if self.name is None else f"the index {self.name!r}"

    @property
    def is_global(self) -> bool:
        """Whether it is a global index."""
        return self.name is not None and not self.local


class TableShape(Struct, frozen=True):
    """The key of the table and of each of its indexes."""

    table: KeyShape
    indexes: Mapping[str, KeyShape]

    def of(self, index: str | None) -> KeyShape:
        """The key of an index, or of the table."""
        if index is None:
            return self.table
        if not isinstance(index, str):
            raise ArgumentError(f"An index is named by a text, not by {type(index).__name__}.", field="index")
        found = self.indexes.get(index)
        if found is None:
            raise UnknownIndexError(
                f"The table has no index {index!r}.{did_you_mean(index, self.indexes)}", field=index
            )
        return found

    def key(self, given: object) -> Item:
        """A primary key in wire form: every key attribute, and nothing else."""
        if not isinstance(given, Mapping):
            raise ArgumentError(
                f"A key is a dict of the key attributes, not {type(given).__name__}.", hint=f"Write {self._example()}."
            )
        names = [a.name for a in self.table.attributes]
        for name in given:
            if name not in names:
                raise ArgumentError(f"{name!r} is no key attribute.", field=str(name), hint=f"Write {self._example()}.")
        return {a.name: self._part(a, given) for a in self.table.attributes}

    def key_of(self, item: Mapping[str, object]) -> Item:
        """The primary key within an item."""
        return {a.name: self._part(a, item) for a in self.table.attributes}

    def _part(self, attribute: KeyAttribute, given: Mapping[Any, object]) -> AttributeValue:
        if attribute.name not in given:
            raise MissingKeyPartError(
                f"The key attribute {attribute.name!r} is missing.",
                field=attribute.name,
                constraint="required",
                hint=f"Write {self._example()}.",
            )
        return key_value(attribute, given[attribute.name], partition=attribute in self.table.pk)

    def _example(self) -> str:
        return "{" + ", ".join(f'"{a.name}": ...' for a in self.table.attributes) + "}"


def key_value(attribute: KeyAttribute, value: object, *, partition: bool) -> AttributeValue:
    """The wire form of a key attribute's value, within DynamoDB's rules for keys."""
    wire = to_wire(value)
    found = wire.get(attribute.tag)
    if found is None:
        raise KeyValueError(
            f"The key attribute {attribute.name!r} takes {_WORDS[attribute.tag]}, not {type(value).__name__}.",
            field=attribute.name,
            constraint=attribute.tag,
        )
    if found == "":
        raise KeyValueError(
            f"The key attribute {attribute.name!r} is empty.", field=attribute.name, constraint="non-empty"
        )
    limit = MAX_PARTITION_KEY if partition else MAX_SORT_KEY
    size = len(found.encode()) if attribute.tag == "S" else len(value) if isinstance(value, bytes | bytearray) else 0
    if size > limit:
        raise KeyValueError(
            f"The key attribute {attribute.name!r} takes {size} bytes; DynamoDB allows {limit}.",
            field=attribute.name,
            constraint=f"{limit} bytes",
        )
    return wire


def shape_of_model(model: TableModel) -> TableShape:
    """As a model says."""
    table = KeyShape(None, (model.pk,), (model.sk,) if model.sk is not None else ())
    return TableShape(table, {i.name: KeyShape(i.name, i.pk, i.sk, i.local) for i in model.indexes.values()})


def shape_of_description(description: Mapping[str, Any]) -> TableShape:
    """As DescribeTable says."""
    types = {a["AttributeName"]: a["AttributeType"] for a in description["AttributeDefinitions"]}

    def read(name: str | None, schema: Iterable[Mapping[str, str]], *, local: bool = False) -> KeyShape:
        sides: dict[str, list[KeyAttribute]] = {"HASH": [], "RANGE": []}
        for element in schema:
            attribute = KeyAttribute(element["AttributeName"], types[element["AttributeName"]])
            sides[element["KeyType"]].append(attribute)
        return KeyShape(name, tuple(sides["HASH"]), tuple(sides["RANGE"]), local)

    indexes = {
        i["IndexName"]: read(i["IndexName"], i["KeySchema"], local=member.startswith("Local"))
        for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
        for i in description.get(member, ())
    }
    return TableShape(read(None, description["KeySchema"]), indexes)
