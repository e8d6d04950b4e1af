"""From conditions and starting keys to ranges of encoded key columns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tablewright.engine.keys import KeyAttribute, join, segment_bounds, spread
from tablewright.engine.reads.targets import Target
from tablewright.engine.storage import Selection
from tablewright.engine.validation.keys import MISMATCH, checked_key, empty_index_key, refuse_size
from tablewright.errors import RequestRefused, ValidationError
from tablewright.expressions import KeyRange
from tablewright.values import MAX_PARTITION_KEY, MAX_SORT_KEY, AttributeValue, Item, check_item

_START = "The provided starting key is invalid"
# What the service says of these has no such beginning.
_UNPREFIXED = re.compile("contains duplicates|number set|numeric value|significant digits|number with magnitude")


def query_selection(target: Target, ranges: Mapping[str, KeyRange], forward: bool) -> Selection:
    """The rows that a key condition asks for."""
    hash_values = {name: ranges[name].values[0] for name in target.keys.hash}
    selection = Selection(partition=_partition(target, hash_values), forward=forward)
    for key in _range_keys(target):
        key_range = ranges.get(key.name)
        if key_range is None:
            break
        first = _encoded(key, key_range.values[0], MAX_SORT_KEY)
        match key_range.operator:
            case "=":
                selection.equal += (first,)
                continue
            case "<" | "<=":
                selection.high, selection.high_open = first, key_range.operator == "<"
            case ">" | ">=":
                selection.low, selection.low_open = first, key_range.operator == ">"
            case "BETWEEN":
                selection.low, selection.high = first, _encoded(key, key_range.values[1], MAX_SORT_KEY)
            case "begins_with":
                selection.low, selection.high, selection.high_open = first, _after_prefix(first), True
        break
    return selection


def scan_selection(segment: int | None, total: int | None) -> Selection:
    """All rows, or those of one segment."""
    if segment is None and total is None:
        return Selection()
    if total is None:
        raise RequestRefused(
            "The TotalSegments parameter is required but was not present in the request when Segment parameter is "
            "present"
        )
    if segment is None:
        raise RequestRefused(
            "The Segment parameter is required but was not present in the request when parameter TotalSegments is "
            "present"
        )
    if segment >= total:
        raise RequestRefused(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: "
            f"Segment: {segment} is not less than TotalSegments: {total}"
        )
    low, high = segment_bounds(segment, total)
    return Selection(low=low, high=high, high_open=True)


def checked_start(raw: Mapping[str, Any]) -> Item:
    """An ExclusiveStartKey with values that are right, whatever the table."""
    try:
        return check_item(raw)
    except ValidationError as error:
        if error.constraint != "serialization" and not _UNPREFIXED.search(error.message):
            error.message = f"{_START}: {error.message}"
        raise


def start_query(target: Target, selection: Selection, start: Item) -> None:
    """Let a query's selection start behind a checked ExclusiveStartKey."""
    columns = _start_columns(target, start, "")
    equal = len(selection.equal)
    within = columns[1 : 1 + equal] == selection.equal and _within(selection, columns, 1 + equal)
    # In a table nothing can follow the last bound; in an index other items may have the same key.
    if not within or (target.index is None and selection.ends_at(columns[-1])):
        raise RequestRefused("The provided starting key does not match the range key predicate")
    if columns[0] != selection.partition:
        if equal or selection.low is not None or selection.high is not None:
            raise RequestRefused("The query can return at most one row and cannot be restarted")
        raise RequestRefused("The provided starting key is outside query boundaries based on provided conditions")
    selection.after = columns[1 + equal :]


def start_scan(target: Target, selection: Selection, start: Item, segment: str) -> None:
    """Let a scan's selection start behind a checked ExclusiveStartKey; `segment` names the scan's part in messages."""
    columns = _start_columns(target, start, "" if target.index is not None else f": {MISMATCH}")
    if not _within(selection, columns, 0):
        raise RequestRefused(
            f"{_START}: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. {segment}"
        )
    selection.after = columns


def _within(selection: Selection, columns: tuple[bytes, ...], position: int) -> bool:
    if selection.low is None and selection.high is None:
        return True
    value = columns[position]
    low, high = selection.low, selection.high
    if low is not None and (value < low or (selection.low_open and value == low)):
        return False
    return high is None or value < high or (not selection.high_open and value == high)


def _start_columns(target: Target, start: Item, size_detail: str) -> tuple[bytes, ...]:
    if start.keys() != set(target.start_names):
        raise RequestRefused(f"{_START}{size_detail}")
    schema = target.table.schema
    try:
        key = checked_key(schema, schema.key_of(start))
    except RequestRefused as error:
        raise RequestRefused(f"{_START}: {error.message}") from None
    index = target.index
    if index is None:
        return key if schema.range is not None else key[:1]
    for part in (*index.hash, *index.range):
        text = start[part.name].get(part.type)
        if text is None:
            raise RequestRefused(MISMATCH)
        if not text:
            raise RequestRefused(f"{_START}: {empty_index_key(index.name, part.name, part.type)}")
    entry = index.entry(start, key[0])
    if entry is None:
        raise RequestRefused(_START)
    return target.table.entry_columns(index, entry, key)


def _range_keys(target: Target) -> tuple[KeyAttribute, ...]:
    if target.index is not None:
        return target.index.range
    range_key = target.table.schema.range
    return () if range_key is None else (range_key,)


def _partition(target: Target, values: Mapping[str, AttributeValue]) -> bytes:
    index = target.index
    keys = index.hash if index is not None else (target.table.schema.hash,)
    return spread(join([_encoded(key, values[key.name], MAX_PARTITION_KEY) for key in keys]))


def _encoded(key: KeyAttribute, value: AttributeValue, limit: int) -> bytes:
    encoded = key.encode(value[key.type])
    if len(encoded) > limit:
        refuse_size(limit)
    return encoded


def _after_prefix(prefix: bytes) -> bytes | None:
    """The least bytes that are greater than everything with this prefix."""
    stripped = prefix.rstrip(b"\xff")
    return stripped[:-1] + bytes((stripped[-1] + 1,)) if stripped else None
