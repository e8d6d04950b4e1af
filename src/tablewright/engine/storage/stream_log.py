"""The SQL of streams: a list of all that can still be read, and one log of records for each."""
# Names in these statements are made of the catalogue's own numbers, values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import sqlite3
from bisect import bisect_left
from collections.abc import Generator, Mapping
from datetime import UTC, datetime
from typing import Any
from zlib import crc32

from msgspec import Struct

from tablewright.errors import CorruptDataError
from tablewright.values import Item, dumps, item_size, loads

STREAM_SECONDS = 24 * 3600.0
"""How long a record can be read, and a stream after it was closed."""

SCHEMA = (
    "CREATE TABLE streams (number INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, label TEXT NOT NULL,"
    " view TEXT NOT NULL, keys BLOB NOT NULL, created REAL NOT NULL, closed REAL, PRIMARY KEY (number, ordinal),"
    " UNIQUE (name, label)) WITHOUT ROWID",
)

INSERT, MODIFY, REMOVE, EXPIRE = range(4)

_TRIM_EVERY = 64
_TRIM_AT_ONCE = 4 * _TRIM_EVERY


class Stream(Struct, frozen=True):
    """A stream as the list has it; `closed` is None while the table writes to it."""

    number: int
    ordinal: int
    name: str
    label: str
    view: str
    keys: bytes
    created: float
    closed: float | None

    @property
    def log(self) -> StreamLog:
        """The stream's records."""
        return StreamLog(self.number, self.ordinal)


class Record(Struct, frozen=True):
    """One record: Keys and the images that the stream's view has, and their size together."""

    sequence: int
    created: float
    kind: int
    size: int
    images: dict[str, Any]


class StreamLog:
    """The records of one stream, numbered without gaps. Their times never step back, whatever the clock does."""

    __slots__ = ("_add", "_page", "name")

    def __init__(self, number: int, ordinal: int) -> None:
        self.name = f"stream_{number}_{ordinal}"
        last = f"(SELECT created FROM {self.name} ORDER BY sequence DESC LIMIT 1)"
        self._add = (
            f"INSERT INTO {self.name} (created, kind, size, images, checksum)"
            f" VALUES (max(?, ifnull({last}, ?)), ?, ?, ?, ?)"
        )
        self._page = (
            f"SELECT sequence, created, kind, size, images, checksum FROM {self.name}"
            " WHERE sequence > ? ORDER BY sequence LIMIT ?"
        )

    def create(self, connection: sqlite3.Connection) -> None:
        """Create the empty log."""
        # AUTOINCREMENT: trimming the last record must not bring its number back.
        connection.execute(
            f"CREATE TABLE {self.name} (sequence INTEGER PRIMARY KEY AUTOINCREMENT, created REAL NOT NULL,"
            " kind INTEGER NOT NULL, size INTEGER NOT NULL, images BLOB NOT NULL, checksum INTEGER NOT NULL)"
        )

    def add(
        self, connection: sqlite3.Connection, now: float, since: float, kind: int, size: int, images: bytes
    ) -> None:
        """Append a record; now and then let go of some whose time is over."""
        values = (now, since, kind, size, images, crc32(images))
        sequence = connection.execute(self._add, values).lastrowid
        assert sequence is not None
        if sequence % _TRIM_EVERY == 0:
            self.trim(connection, now)

    def trim(self, connection: sqlite3.Connection, now: float) -> None:
        """Remove records whose time is over, a few at once."""
        connection.execute(
            f"DELETE FROM {self.name} WHERE sequence IN (SELECT sequence FROM (SELECT sequence, created"
            f" FROM {self.name} ORDER BY sequence LIMIT {_TRIM_AT_ONCE}) WHERE created < ?)",
            (now - STREAM_SECONDS,),
        )

    def page(self, connection: sqlite3.Connection, after: int, limit: int) -> Generator[Record, None, None]:
        """Records behind a sequence number in order, verified; close it before the connection is given back."""
        cursor = connection.execute(self._page, (after, limit))
        try:
            for sequence, created, kind, size, images, checksum in cursor:
                if crc32(images) != checksum:
                    raise CorruptDataError(
                        f"Record {sequence} of {self.name} does not match its checksum: the stored bytes were damaged.",
                        hint="Switch the stream off and on again to begin a new one.",
                    )
                yield Record(sequence, created, kind, size, loads(images))
        finally:
            cursor.close()

    def last(self, connection: sqlite3.Connection) -> int:
        """The highest sequence number that was ever given; zero before the first record."""
        row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (self.name,)).fetchone()
        return 0 if row is None else int(row[0])

    def created(self, connection: sqlite3.Connection, sequence: int) -> float | None:
        """When the record of this number was made; None if it is not there, or not any more."""
        row = connection.execute(f"SELECT created FROM {self.name} WHERE sequence = ?", (sequence,)).fetchone()
        return None if row is None else float(row[0])

    def first_at(self, connection: sqlite3.Connection, moment: float) -> int:
        """The sequence number of the first record at or after a moment; behind the last one if there is none."""
        last = self.last(connection)
        (first,) = connection.execute(f"SELECT min(sequence) FROM {self.name}").fetchone()
        if first is None:
            return last + 1

        def created(sequence: int) -> float:
            found = self.created(connection, sequence)
            assert found is not None
            return found

        return int(first) + bisect_left(range(int(first), last + 1), moment, key=created)

    def damaged(self, connection: sqlite3.Connection) -> list[int]:
        """Sequence numbers of records that do not match their checksums."""
        rows = connection.execute(f"SELECT sequence, images, checksum FROM {self.name} ORDER BY sequence")
        return [sequence for sequence, images, checksum in rows if crc32(images) != checksum]


class StreamWriter:
    """Turns changes of a table into records with what the stream's view shows."""

    __slots__ = ("_key_names", "_log", "_new", "_old", "_since")

    def __init__(self, number: int, definition: Mapping[str, Any], key_names: tuple[str, ...]) -> None:
        view = definition["StreamSpecification"]["StreamViewType"]
        self._log = StreamLog(number, definition["StreamNumber"])
        self._since = definition["StreamCreated"]
        self._key_names = key_names
        self._new = view in ("NEW_IMAGE", "NEW_AND_OLD_IMAGES")
        self._old = view in ("OLD_IMAGE", "NEW_AND_OLD_IMAGES")

    def add(
        self,
        connection: sqlite3.Connection,
        now: float,
        old: tuple[Item, int, bytes] | None,
        new: tuple[Item, int, bytes] | None,
        *,
        expired: bool,
    ) -> None:
        """Record a change from one item, with its size and body, to another."""
        known = new or old
        assert known is not None
        keys: Item = {name: known[0][name] for name in self._key_names}
        size = item_size(keys)
        parts = [b'{"Keys":', dumps(keys)]
        if new is not None and self._new:
            parts += [b',"NewImage":', new[2]]
            size += new[1]
        if old is not None and self._old:
            parts += [b',"OldImage":', old[2]]
            size += old[1]
        parts.append(b"}")
        kind = INSERT if old is None else MODIFY if new is not None else EXPIRE if expired else REMOVE
        self._log.add(connection, now, self._since, kind, size, b"".join(parts))


# ------------------------------------------------------------------------------------------------ the list of streams

_COLUMNS = "number, ordinal, name, label, view, keys, created, closed"


def streams_of(connection: sqlite3.Connection, now: float, name: str | None = None) -> list[Stream]:
    """Every stream that can be read, or those of tables of one name: by table, the newest first."""
    where = "WHERE (closed IS NULL OR closed > ?)" + ("" if name is None else " AND name = ?")
    bound = (now - STREAM_SECONDS,) if name is None else (now - STREAM_SECONDS, name)
    rows = connection.execute(f"SELECT {_COLUMNS} FROM streams {where} ORDER BY name, label DESC", bound)
    return [Stream(*row) for row in rows]


def all_streams(connection: sqlite3.Connection) -> list[Stream]:
    """Every stream that has a log, whether anybody can read it or not."""
    return [Stream(*row) for row in connection.execute(f"SELECT {_COLUMNS} FROM streams ORDER BY number, ordinal")]


def find_stream(connection: sqlite3.Connection, now: float, name: str, label: str) -> Stream | None:
    """A stream that can be read, or None."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM streams WHERE name = ? AND label = ?", (name, label)).fetchone()
    stream = None if row is None else Stream(*row)
    if stream is not None and stream.closed is not None and stream.closed <= now - STREAM_SECONDS:
        return None
    return stream


def is_streaming(definition: Mapping[str, Any]) -> bool:
    """Whether a table's definition has a stream switched on."""
    return bool(definition.get("StreamSpecification", {}).get("StreamEnabled"))


def name_stream(connection: sqlite3.Connection, name: str, definition: Mapping[str, Any], now: float) -> dict[str, Any]:
    """A definition whose stream is new, with the label and number of that stream."""
    moment = now
    while True:
        text = datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
        if connection.execute("SELECT 1 FROM streams WHERE name = ? AND label = ?", (name, text)).fetchone() is None:
            break
        moment += 0.001
    return {
        **definition,
        "StreamLabel": text,
        "StreamNumber": definition.get("StreamNumber", 0) + 1,
        "StreamCreated": now,
    }


def open_stream(connection: sqlite3.Connection, number: int, name: str, definition: Mapping[str, Any]) -> None:
    """List the stream of a definition and create its log."""
    connection.execute(
        f"INSERT INTO streams ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
        (
            number,
            definition["StreamNumber"],
            name,
            definition["StreamLabel"],
            definition["StreamSpecification"]["StreamViewType"],
            dumps(definition["KeySchema"]),
            definition["StreamCreated"],
        ),
    )
    StreamLog(number, definition["StreamNumber"]).create(connection)


def close_stream(connection: sqlite3.Connection, number: int, now: float) -> None:
    """Note that a table writes to its stream no more; it can be read for another day."""
    connection.execute("UPDATE streams SET closed = ? WHERE number = ? AND closed IS NULL", (now, number))


def has_ended(connection: sqlite3.Connection, now: float) -> bool:
    """Whether there are streams that nobody can read any more."""
    return connection.execute("SELECT 1 FROM streams WHERE closed <= ?", (now - STREAM_SECONDS,)).fetchone() is not None


def drop_ended(connection: sqlite3.Connection, now: float) -> int:
    """Drop streams that were closed more than a day ago; how many there were."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM streams WHERE closed <= ?", (now - STREAM_SECONDS,)).fetchall()
    for stream in (Stream(*row) for row in rows):
        connection.execute(f"DROP TABLE {stream.log.name}")
        connection.execute("DELETE FROM streams WHERE number = ? AND ordinal = ?", (stream.number, stream.ordinal))
    return len(rows)
