"""Attribute values: numbers, wire form, sizes, storage order and key codec. Imports errors only."""

from tablewright.values.checks import MAX_NESTING, DuplicateMembersError, check_item, check_value, weigh_item
from tablewright.values.numbers import (
    NUMBER_CONTEXT,
    MagnitudeError,
    add_numbers,
    canonical_number,
    format_number,
    parse_number,
    subtract_numbers,
)
from tablewright.values.ordering import key_bytes_length, number_sort_bytes, sort_bytes
from tablewright.values.sizes import (
    MAX_ITEM_SIZE,
    MAX_PARTITION_KEY,
    MAX_SORT_KEY,
    attribute_size,
    item_size,
    read_units,
    write_units,
)
from tablewright.values.types import DOCUMENT_TAGS, SCALAR_TAGS, SET_TAGS, TAGS, AttributeValue, Item
from tablewright.values.wire import dumps, from_wire, from_wire_item, loads, read_number, to_wire, to_wire_item

__all__ = [
    "DOCUMENT_TAGS",
    "MAX_ITEM_SIZE",
    "MAX_NESTING",
    "MAX_PARTITION_KEY",
    "MAX_SORT_KEY",
    "NUMBER_CONTEXT",
    "SCALAR_TAGS",
    "SET_TAGS",
    "TAGS",
    "AttributeValue",
    "DuplicateMembersError",
    "Item",
    "MagnitudeError",
    "add_numbers",
    "attribute_size",
    "canonical_number",
    "check_item",
    "check_value",
    "dumps",
    "format_number",
    "from_wire",
    "from_wire_item",
    "item_size",
    "key_bytes_length",
    "loads",
    "number_sort_bytes",
    "parse_number",
    "read_number",
    "read_units",
    "sort_bytes",
    "subtract_numbers",
    "to_wire",
    "to_wire_item",
    "weigh_item",
    "write_units",
]
