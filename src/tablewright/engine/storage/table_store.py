"""The SQL of one DynamoDB table: its items, and one key-only side table per index, joined by row id."""
# Names in these statements are made of the catalogue's own numbers, values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, NoReturn, TypeVar
from zlib import crc32

import msgspec
from msgspec import Struct

from tablewright.engine.index import Entry, IndexSchema
from tablewright.engine.keys import Key
from tablewright.engine.schema import TableSchema
from tablewright.engine.storage.capture import capture_of
from tablewright.engine.storage.sealing import seal
from tablewright.errors import CorruptDataError
from tablewright.values import MAX_ITEM_SIZE, Item, item_size

Body = msgspec.Raw
"""An item as it is stored, in the JSON of the wire, so that an answer can carry it unread."""

T = TypeVar("T")

_read_rows = msgspec.json.Decoder(list[tuple[str, str, int, int, msgspec.Raw]]).decode
read_item: Callable[[Body | bytes], Item] = msgspec.json.Decoder().decode
"""The item in its stored JSON."""
_from_hex = bytes.fromhex
_blob = bytearray
"""Bytes as a value of a statement. The sqlite3 module looks for adapters of `bytes` at every one of them, and takes this as it is."""
_MEASURED = 20_000


class Stored(NamedTuple):
    """A stored item with its row id and its size by DynamoDB's rules."""

    id: int
    size: int
    item: Item


class Selection(Struct):
    """Which rows a page reads, in encoded key columns.

    `after` holds every column of the order behind the partition (or from the partition on, in a scan) and takes the
    place of the bound that it lies beyond.
    """

    partition: bytes | None = None
    equal: tuple[bytes, ...] = ()
    low: bytes | None = None
    low_open: bool = False
    high: bytes | None = None
    high_open: bool = False
    after: tuple[bytes, ...] | None = None
    forward: bool = True
    limit: int = -1
    largest: int = MAX_ITEM_SIZE
    """The size of items that come with their rows. A larger one ends the rows: whoever reads so many at once asks for fewer."""

    def ends_at(self, sort: bytes) -> bool:
        """Whether nothing can follow a row with this sort column in a table, because it stands at the last bound."""
        if self.forward:
            return self.high == sort and not self.high_open
        return self.low == sort and not self.low_open


class TableStore:
    """Prepared SQL text for one table. Methods take the connection to run on."""

    __slots__ = (
        "_delete",
        "_entering",
        "_entries",
        "_get",
        "_insert",
        "_insert_new",
        "_pages",
        "_update",
        "capture",
        "items",
        "name",
        "restoring",
        "schema",
        "sides",
    )

    def __init__(self, schema: TableSchema) -> None:
        self.schema = schema
        self.name = schema.name
        self.items = f"items_{schema.number}"
        self.sides = {index.name: f"index_{schema.number}_{index.number}" for index in schema.indexes}
        self.capture = capture_of(schema)
        self.restoring = schema.definition.get("Restoring") is not None
        self._get = f"SELECT id, size, item, checksum FROM {self.items} WHERE pk = ? AND sk = ?"
        self._insert = f"INSERT INTO {self.items} (pk, sk, size, item, checksum) VALUES (?, ?, ?, ?, ?)"
        self._insert_new = f"{self._insert} ON CONFLICT DO NOTHING"
        self._update = f"UPDATE {self.items} SET size = ?, item = ?, checksum = ? WHERE id = ?"
        self._delete = f"DELETE FROM {self.items} WHERE id = ?"
        self._entries = {index.name: self._entry_statements(index) for index in schema.indexes}
        self._entering = [
            (index.entry, insert, ties)
            for index, (insert, _, ties) in zip(schema.indexes, self._entries.values(), strict=True)
        ]
        self._pages: dict[tuple[object, ...], str] = {}

    # ------------------------------------------------------------------------------------------------- layout

    def order_columns(self, index: IndexSchema | None) -> tuple[str, ...]:
        """The key columns of the table or an index in order: partition, sort attributes, then the table's key."""
        if index is None:
            return ("pk", "sk") if self.schema.range is not None else ("pk",)
        return ("h", *(f"r{n}" for n in range(len(index.range))), *("pk", "sk")[self._ties(index)])

    def create(self, connection: sqlite3.Connection) -> None:
        """Create the item table and the side table of every index."""
        connection.execute(
            f"CREATE TABLE {self.items} (id INTEGER PRIMARY KEY, pk BLOB NOT NULL, sk BLOB NOT NULL,"
            " size INTEGER NOT NULL, item BLOB NOT NULL, checksum INTEGER NOT NULL, UNIQUE (pk, sk))"
        )
        for index in self.schema.indexes:
            self.create_index(connection, index)

    def create_index(self, connection: sqlite3.Connection, index: IndexSchema) -> None:
        """Create the empty side table of one index."""
        columns = self.order_columns(index)
        declared = ", ".join(f"{column} BLOB NOT NULL" for column in columns)
        connection.execute(
            f"CREATE TABLE {self.sides[index.name]} ({declared}, id INTEGER NOT NULL,"
            f" PRIMARY KEY ({', '.join(columns)})) WITHOUT ROWID"
        )

    def drop_index(self, connection: sqlite3.Connection, index: IndexSchema) -> None:
        """Drop the side table of one index."""
        connection.execute(f"DROP TABLE {self.sides[index.name]}")

    def drop(self, connection: sqlite3.Connection) -> None:
        """Drop everything of the table."""
        for index in self.schema.indexes:
            self.drop_index(connection, index)
        connection.execute(f"DROP TABLE {self.items}")

    def _ties(self, index: IndexSchema) -> slice:
        """The part of the table's key that settles ties in an index. A local one shares its partition with the table."""
        if index.is_global:
            return slice(0, 1 if self.schema.range is None else 2)
        return slice(1, 2)

    def _entry_statements(self, index: IndexSchema) -> tuple[str, str, slice]:
        columns = self.order_columns(index)
        side = self.sides[index.name]
        marks = ", ".join("?" for _ in columns)
        return (
            f"INSERT INTO {side} ({', '.join(columns)}, id) VALUES ({marks}, ?)",
            f"DELETE FROM {side} WHERE {' AND '.join(f'{column} = ?' for column in columns)}",
            self._ties(index),
        )

    # --------------------------------------------------------------------------------------------- single items

    def get(self, connection: sqlite3.Connection, key: Key) -> Stored | None:
        """One item, verified, or None."""
        row = connection.execute(self._get, (_blob(key[0]), _blob(key[1]))).fetchone()
        if row is None:
            return None
        row_id, size, body, checksum = row
        return Stored(row_id, size, self.open(key, body, checksum))

    def get_body(self, connection: sqlite3.Connection, key: Key) -> tuple[int, Body] | None:
        """The size of one item and its stored JSON, verified, or None."""
        row = connection.execute(self._get, (_blob(key[0]), _blob(key[1]))).fetchone()
        if row is None:
            return None
        _, size, body, checksum = row
        if crc32(body, crc32(key[1], crc32(key[0]))) != checksum:
            self._refuse()
        return size, Body(body)

    def get_row(self, connection: sqlite3.Connection, row: int) -> tuple[Key, Stored] | None:
        """The item in a row with its key, verified, or None."""
        found = connection.execute(
            f"SELECT pk, sk, size, item, checksum FROM {self.items} WHERE id = ?", (row,)
        ).fetchone()
        if found is None:
            return None
        pk, sk, size, body, checksum = found
        return (pk, sk), Stored(row, size, self.open((pk, sk), body, checksum))

    def open(self, key: Key, body: bytes, checksum: int) -> Item:
        """The item in stored bytes, once their checksum has been found right."""
        if crc32(body, crc32(key[1], crc32(key[0]))) != checksum:
            self._refuse()
        return read_item(body)

    def _refuse(self) -> NoReturn:
        raise CorruptDataError(
            f"An item of table {self.name} does not match its checksum: the stored bytes were damaged.",
            hint="Run verify() to see which items are affected, and restore them from a copy.",
            context={"table": self.name},
        )

    def insert(self, connection: sqlite3.Connection, key: Key, size: int, body: bytes) -> int:
        """Add an item and return its row id."""
        row = connection.execute(self._insert, (*map(_blob, key), size, _blob(body), seal(key, body))).lastrowid
        assert row is not None
        return row

    def insert_new(self, cursor: sqlite3.Cursor, key: Key, size: int, body: bytes, item: Item) -> int | None:
        """Add an item with its index entries and return its row id; None, and nothing added, where there is one with its key."""
        pk, sk = key
        columns: tuple[bytearray, ...] = (_blob(pk), _blob(sk))
        cursor.execute(self._insert_new, (*columns, size, _blob(body), crc32(body, crc32(sk, crc32(pk)))))
        if not cursor.rowcount:
            return None
        row = cursor.lastrowid
        for enter, insert, ties in self._entering:
            entry = enter(item, pk)
            if entry is not None:
                cursor.execute(insert, (*map(_blob, entry), *columns[ties], row))
        return row

    def update(self, connection: sqlite3.Connection, row: int, size: int, body: bytes, checksum: int) -> None:
        """Replace the item in a row."""
        connection.execute(self._update, (size, _blob(body), checksum, row))

    def delete(self, connection: sqlite3.Connection, row: int) -> None:
        """Remove the item in a row."""
        connection.execute(self._delete, (row,))

    def add_entry(
        self, connection: sqlite3.Connection, index: IndexSchema, entry: Entry, key: tuple[bytes, ...], row: int
    ) -> None:
        """Add an index entry for the item in a row."""
        insert, _, ties = self._entries[index.name]
        connection.execute(insert, (*map(_blob, entry + key[ties]), row))

    def remove_entry(
        self, connection: sqlite3.Connection, index: IndexSchema, entry: Entry, key: tuple[bytes, ...]
    ) -> None:
        """Remove an index entry."""
        _, delete, ties = self._entries[index.name]
        connection.execute(delete, tuple(map(_blob, entry + key[ties])))

    def entry_columns(self, index: IndexSchema, entry: Entry, key: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """An entry's values for `order_columns`."""
        return entry + key[self._entries[index.name][2]]

    # ----------------------------------------------------------------------------------------------------- pages

    def page(self, connection: sqlite3.Connection, index: IndexSchema | None, wanted: Selection) -> bytes | None:
        """The wanted rows in order, packed for `unpack`; None when there are none."""
        shape = (
            index.name if index is not None else None,
            wanted.partition is None,
            len(wanted.equal),
            wanted.low is not None and (">" if wanted.low_open else ">="),
            wanted.high is not None and ("<" if wanted.high_open else "<="),
            wanted.after is not None,
            wanted.forward,
        )
        sql = self._pages.get(shape)
        if sql is None:
            sql = self._pages[shape] = self._page_statement(index, wanted)
        values: list[object] = [wanted.largest]
        if wanted.partition is not None:
            values.append(wanted.partition)
        values.extend(wanted.equal)
        if wanted.low is not None and not (wanted.forward and wanted.after is not None):
            values.append(wanted.low)
        if wanted.high is not None and (wanted.forward or wanted.after is None):
            values.append(wanted.high)
        if wanted.after is not None:
            values.extend(wanted.after)
        values.append(wanted.limit)
        (packed,) = connection.execute(sql, values).fetchone()
        return packed  # type: ignore[no-any-return]

    def unpack(
        self, packed: bytes | None, index: IndexSchema | None, wanted: Selection, read: Callable[[Body], T]
    ) -> tuple[list[tuple[Key, int, T]], int | None]:
        """Key, size and item of each row of a page, verified, and the size of an item that ended it because it was too large;
        `read` makes an item of its stored JSON."""
        rows: list[tuple[Key, int, T]] = []
        if packed is not None:
            known = wanted.partition if index is None or not index.is_global else None
            for pk, sk, size, checksum, body in _read_rows(packed):
                if size > wanted.largest:
                    return rows, size
                key = (known or _from_hex(pk), _from_hex(sk))
                if crc32(body, crc32(key[1], crc32(key[0]))) != checksum:
                    self._refuse()
                rows.append((key, size, read(body)))
        return rows, None

    def _page_statement(self, index: IndexSchema | None, wanted: Selection) -> str:
        columns = [f"o.{column}" for column in self.order_columns(index)]
        where: list[str] = []
        if wanted.partition is not None:
            where.append(f"{columns.pop(0)} = ?")
        for _ in wanted.equal:
            where.append(f"{columns.pop(0)} = ?")
        # With a starting key the bound behind it is left out, or SQLite might seek to that one and walk the rest.
        if wanted.low is not None and not (wanted.forward and wanted.after is not None):
            where.append(f"{columns[0]} {'>' if wanted.low_open else '>='} ?")
        if wanted.high is not None and (wanted.forward or wanted.after is None):
            where.append(f"{columns[0]} {'<' if wanted.high_open else '<='} ?")
        if wanted.after is not None:
            assert len(wanted.after) == len(columns)
            marks = ", ".join("?" for _ in columns)
            where.append(f"({', '.join(columns)}) {'>' if wanted.forward else '<'} ({marks})")
        order = ", ".join(f"{column}{'' if wanted.forward else ' DESC'}" for column in columns)
        if index is None:
            source = f"{self.items} o"
            selected = "o.pk, o.sk, o.size, " + _unless_too_large("o.item", "o.checksum", "o.size")
        else:
            # LEFT: an entry whose item is gone must be noticed, not skipped. The key is taken from the entry where
            # it has it, so that the checksum also shows an entry that points at the wrong item.
            pk = "o.pk" if index.is_global else "o.h"
            sk = "x''" if self.schema.range is None else "o.sk"
            source = f"{self.sides[index.name]} o LEFT JOIN {self.items} b ON b.id = o.id"
            selected = f"{pk} AS pk, {sk} AS sk, ifnull(b.size, 0) AS size, " + _unless_too_large(
                "ifnull(b.item, 'null')", "ifnull(b.checksum, -1)", "b.size"
            )
        condition = f" WHERE {' AND '.join(where)}" if where else ""
        ordered = f" ORDER BY {order}" if order else ""
        rows = f"SELECT {selected} FROM {source}{condition}{ordered} LIMIT ?"
        # One row that holds the page: the sqlite3 module lets go of the interpreter lock at every row, and where
        # another thread is busy each of them would wait its turn to get it back.
        known = wanted.partition is not None and (index is None or not index.is_global)
        start = """'["","'""" if known else """'["' || hex(pk) || '","'"""
        row = f"""{start} || hex(sk) || '",' || size || ',' || checksum || ',' || item || ']'"""
        return f"SELECT CAST('[' || group_concat({row}) || ']' AS BLOB) FROM ({rows})"

    # ------------------------------------------------------------------------------------------------ whole table

    def rows(self, connection: sqlite3.Connection) -> Iterator[tuple[int, bytes, bytes, int, bytes, int]]:
        """Every row as id, pk, sk, size, item, checksum; for verification."""
        return connection.execute(f"SELECT id, pk, sk, size, item, checksum FROM {self.items}")

    def items_by_row(self, connection: sqlite3.Connection) -> Iterator[tuple[int, Item]]:
        """Every row id with its item, verified."""
        for row, pk, sk, _, body, checksum in self.rows(connection):
            yield row, self.open((pk, sk), body, checksum)

    def count(self, connection: sqlite3.Connection) -> tuple[int, int]:
        """Number of items and their total size."""
        items, size = connection.execute(f"SELECT count(*), total(size) FROM {self.items}").fetchone()
        return int(items), int(size)

    def count_some(self, connection: sqlite3.Connection, behind: int, rows: int) -> tuple[int, int, int | None]:
        """Number and size of so many items behind a row, and the last of their rows, None where there are none."""
        items, size, reached = connection.execute(
            f"SELECT count(*), total(size), max(id) FROM (SELECT id, size FROM {self.items} WHERE id > ? ORDER BY id LIMIT ?)",
            (behind, rows),
        ).fetchone()
        return int(items), int(size), reached

    def count_entries(self, connection: sqlite3.Connection, index: IndexSchema) -> tuple[int, int]:
        """Number of entries of an index and the total size of what they carry of their items.

        In a large index the size is estimated from a part of its entries.
        """
        joined = f"{self.sides[index.name]} o JOIN {self.items} b ON b.id = o.id"
        entries = self.count_side(connection, index)
        step = max(1, -(-entries // _MEASURED))
        measured, size = 0, 0
        if index.projected is None:
            measured, size = connection.execute(
                f"SELECT count(*), total(b.size) FROM {joined} WHERE o.id % ? = 0", (step,)
            ).fetchone()
        else:
            for (body,) in connection.execute(f"SELECT b.item FROM {joined} WHERE o.id % ? = 0", (step,)):
                measured += 1
                size += item_size(index.project(read_item(body)))
        return entries, round(size * entries / measured) if measured else 0

    def count_side(self, connection: sqlite3.Connection, index: IndexSchema) -> int:
        """Number of rows in the side table of an index, whatever they point at."""
        (entries,) = connection.execute(f"SELECT count(*) FROM {self.sides[index.name]}").fetchone()
        return int(entries)

    def largest_row(self, connection: sqlite3.Connection) -> int:
        """The highest row id: a quick upper bound of the number of items."""
        (row,) = connection.execute(f"SELECT max(id) FROM {self.items}").fetchone()
        return int(row or 0)

    def find_entry(self, connection: sqlite3.Connection, index: IndexSchema, columns: Sequence[bytes]) -> int | None:
        """The row id that an entry points at, or None when the entry is missing."""
        where = " AND ".join(f"{column} = ?" for column in self.order_columns(index))
        found = connection.execute(f"SELECT id FROM {self.sides[index.name]} WHERE {where}", columns).fetchone()
        return None if found is None else int(found[0])


def _unless_too_large(item: str, checksum: str, size: str) -> str:
    """Columns of a row without its item where that is larger than the first value of the statement; the checksum behind it is not
    asked for either, since SQLite would walk through all of the item to get there."""
    return f"CASE WHEN {size} > ?1 THEN 'null' ELSE {item} END AS item, CASE WHEN {size} > ?1 THEN 0 ELSE {checksum} END AS checksum"
