"""Keys in requests: that they match the table's schema, and that items fit the keys of table and indexes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from tablewright.engine.index import IndexSchema
from tablewright.engine.keys import Key, KeyAttribute, spread
from tablewright.engine.schema import TableSchema
from tablewright.errors import RequestRefused
from tablewright.values import (
    MAX_PARTITION_KEY,
    MAX_SORT_KEY,
    AttributeValue,
    Item,
    key_bytes_length,
)

_INVALID = "One or more parameter values were invalid: "
_NOT_VALID = "One or more parameter values are not valid. "
MISMATCH = "The provided key element does not match the schema"


class KeyRefused(RequestRefused):
    """A write that keys do not allow; as part of a transaction it cancels that, with a reason, and refuses nothing."""


class NotTheKey(RequestRefused):
    """An item without the table's key attributes; in a batch it is told so with fewer words."""


class WrongKeyType(NotTheKey, KeyRefused):
    """An item whose key attributes are of another type."""


def checked_key(schema: TableSchema, key: Item) -> Key:
    """The encoded key of a request's Key parameter, whose values have been checked."""
    if len(key) != len(schema.key_names):
        raise KeyRefused(MISMATCH)
    pk = _encoded(schema.hash, _of_type(key.get(schema.hash.name), schema.hash), MAX_PARTITION_KEY)
    if schema.range is None:
        return spread(pk), b""
    return spread(pk), _encoded(schema.range, _of_type(key.get(schema.range.name), schema.range), MAX_SORT_KEY)


def item_key(schema: TableSchema, item: Item) -> Key:
    """The encoded key of an item to be stored; refuses items that the table or an index cannot hold."""
    key = table_key(schema, item)
    for name, tag, short in schema.index_rules:
        if name in item:
            text = item[name].get(tag)
            if not text or len(text) > short:
                check_index_value(schema, name, item[name], updating=False)
    for index in schema.composite:
        _check_aggregate(index, item)
    return key


def table_key(schema: TableSchema, item: Item) -> Key:
    """The encoded key of an item that the table can hold, whether its indexes can or not."""
    pk = _of_item(item, schema.hash, MAX_PARTITION_KEY)
    sk = b"" if schema.range is None else _of_item(item, schema.range, MAX_SORT_KEY)
    return spread(pk), sk


def check_index_keys(schema: TableSchema, item: Item, names: Iterable[str], *, updating: bool = False) -> None:
    """Refuse values that an index cannot hold in its key, among the attributes in `names`."""
    for name in names:
        value = item.get(name)
        if value is not None:
            rule = schema.index_keys.get(name)
            if rule is not None:
                text = value.get(rule.type)
                if not text or len(text) > rule.short:
                    check_index_value(schema, name, value, updating=updating)
    for index in schema.composite:
        _check_aggregate(index, item)


def check_index_value(schema: TableSchema, name: str, value: AttributeValue, *, updating: bool = False) -> None:
    """Refuse one attribute's value if an index cannot hold it in its key."""
    rule = schema.index_keys[name]
    (tag,) = value
    if tag != rule.type:
        raise KeyRefused(
            f"{_INVALID}Type mismatch for Index Key {name} Expected: {rule.type} Actual: {tag} IndexName: {rule.index}"
        )
    if not value[tag]:
        if updating:
            raise RequestRefused(
                f"{_NOT_VALID}The update expression attempted to update a secondary index key to a value that is not "
                f"supported. {_empty(tag)}"
            )
        raise RequestRefused(empty_index_key(rule.index, name, tag))
    size = key_bytes_length(value)
    if size > rule.limit:
        exceeded = min(index for index, limit in rule.limits.items() if size > limit)
        raise RequestRefused(
            f"{_INVALID}Size limit exceeded for Index Key {name} Actual Size: {size} bytes Max Size: "
            f"{rule.limits[exceeded]} bytes IndexName: {exceeded}"
        )


def _check_aggregate(index: IndexSchema, item: Item) -> None:
    for keys, role, limit in ((index.hash, "HASH", MAX_PARTITION_KEY), (index.range, "RANGE", MAX_SORT_KEY)):
        if len(keys) > 1:
            # An attribute of another type may stand there from before the index; it keeps the item out.
            fitting = [item[key.name] for key in keys if key.type in item.get(key.name, ())]
            size = sum(map(key_bytes_length, fitting))
            if size > limit:
                raise RequestRefused(
                    f"Aggregate size for {role} key attributes {', '.join(key.name for key in keys)} of index "
                    f"{index.name} has exceeded limit {limit} bytes, with actual size {size} bytes"
                )


def empty_index_key(index: str, name: str, tag: str) -> str:
    """What is said of an empty value in the key of an index."""
    return (
        f"{_NOT_VALID}A value specified for a secondary index key is not supported. {_empty(tag)} "
        f"IndexName: {index}, IndexKey: {name}"
    )


def _empty(tag: str) -> str:
    kind = "string" if tag == "S" else "binary"
    return f"The AttributeValue for a key attribute cannot contain an empty {kind} value."


def _of_type(value: AttributeValue | None, key: KeyAttribute) -> str:
    text = value.get(key.type) if value is not None else None
    if text is None:
        raise KeyRefused(MISMATCH)
    return text  # type: ignore[no-any-return]


def _of_item(item: Item, key: KeyAttribute, limit: int) -> bytes:
    value = item.get(key.name)
    if value is None:
        raise NotTheKey(f"{_INVALID}Missing the key {key.name} in the item")
    text = value.get(key.type)
    if text is None:
        (tag,) = value
        raise WrongKeyType(f"{_INVALID}Type mismatch for key {key.name} expected: {key.type} actual: {tag}")
    return _encoded(key, text, limit)


def _encoded(key: KeyAttribute, text: str, limit: int) -> bytes:
    if not text:
        raise RequestRefused(f"{_NOT_VALID}{_empty(key.type)} Key: {key.name}")
    encoded = key.encode(text)
    if len(encoded) > limit:
        refuse_size(limit)
    return encoded


def refuse_size(limit: int) -> NoReturn:
    """Refuse a key that is longer than a partition or sort key may be."""
    if limit == MAX_PARTITION_KEY:
        # The service's own spelling.
        raise RequestRefused(f"{_INVALID}Size of hashkey has exceeded the maximum size limit of{limit} bytes")
    raise RequestRefused(f"{_INVALID}Aggregated size of all range keys has exceeded the size limit of {limit} bytes")
