"""Retirement: legacy tables archived, then deleted, after the safety period; each step can be repeated after a crash."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tablewright.client.writes.action import Action
from tablewright.errors import ArgumentError, ConditionalCheckFailed, ResourceNotFound, StorageError
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.phases import Progress, change_progress, has_pending, read_progress
from tablewright.evolve.moving.sides import Place, Walk, key_of, send
from tablewright.evolve.moving.verifying import page
from tablewright.evolve.private import private
from tablewright.expressions import ast
from tablewright.values.types import Item
from tablewright.values.wire import dumps
from tablewright.wording import span

ARCHIVED, DELETED = "archived", "deleted"


class Archived(Struct, frozen=True):
    """One legacy table in a file: a line for each item, in DynamoDB's JSON, as its exports have them."""

    table: str
    items: int
    sha256: str
    """Of the lines, not of the compressed file."""


def check_retirement(place: Place, now: datetime) -> Walk[None]:
    """Refuses to retire what may still be needed."""
    progress, at = (yield from read_progress(place)), now.timestamp()
    if progress.at(at) != "new":
        raise ArgumentError(
            f"Legacy tables are in use in the phase {progress.at(at)!r}.", hint="Retire them in the phase 'new'."
        )
    whole = progress.whole_since
    if whole is None or at - whole < place.moving.safety_period.total_seconds():
        raise ArgumentError(
            "The safety period is not over.",
            hint=f"It is {span(place.moving.safety_period.total_seconds())} from the switch of all reads.",
        )
    if (yield from has_pending(place)):
        raise ArgumentError(
            "Writes are pending in the ledger, which only legacy tables know of.",
            hint="Run repair(), and look at what it could not settle.",
        )


def refuse_retired(progress: Progress, what: str) -> None:
    """Refuses what needs legacy tables once they are given up."""
    if progress.retired:
        raise ArgumentError(
            f"{what}: legacy tables are archived or deleted.", hint="Their archives are in the folder of retire()."
        )


def retire(place: Place, folder: str | os.PathLike[str], now: datetime) -> Walk[Mapping[str, Archived]]:
    """Archives every legacy table into a folder, deletes it, and takes the marks off moved items. The ledger stays, with the
    record of what was done."""
    yield from check_retirement(place, now)
    where = Path(folder)
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(str(where), error) from error
    archives: dict[str, Archived] = {}
    for table in place.moving.keys:
        progress = yield from read_progress(place)
        done = progress.retired.get(table)
        try:
            archives[table] = (yield from archive(table, where)) if done is None else checked_archive(table, where)
        except OSError as error:
            raise _unwritable(f"The archive of {table}", error) from error
        if done is None:
            yield from _record(place, table, ARCHIVED)
        if done != DELETED:
            with suppress(ResourceNotFound):  # a run before this one deleted it, and could not say so any more
                yield from send("legacy", "DeleteTable", {"TableName": table})
            yield from _record(place, table, DELETED)
    yield from _unmark(place)
    return archives


def _unwritable(what: str, error: OSError) -> StorageError:
    return StorageError(
        f"{what} cannot be written: {error.strerror or type(error).__name__}.",
        hint="Nothing more is deleted. Name another folder, or make room, and call it again.",
    )


def _record(place: Place, table: str, what: str) -> Walk[None]:
    yield from change_progress(place, lambda old: replace(old, retired={**old.retired, table: what}))


def archive(table: str, folder: Path) -> Walk[Archived]:
    """Writes all items of a legacy table to a file, its owner's alone, and reads it again before it counts. Beside it stands how such
    a table is made, so that it can be brought back."""
    described = yield from send("legacy", "DescribeTable", {"TableName": table}, repeatable=True)
    beside = folder / f"{table}.partial"
    beside.unlink(missing_ok=True)
    count, digest, start = 0, sha256(), None
    with open(beside, "wb", opener=private) as raw, gzip.open(raw, "wb") as file:
        while True:
            items, start = yield from page("legacy", table, start)
            for item in items:
                line = dumps({"Item": item}) + b"\n"
                digest.update(line)
                file.write(line)
                count += 1
            if start is None:
                break
    made = Archived(table, count, digest.hexdigest())
    with beside.open("rb") as written:
        os.fsync(written.fileno())
    final = folder / f"{table}.json.gz"
    if final.exists() and not _holds(final, made):  # the one of another stage may be all that is left of its table
        beside.unlink()
        raise StorageError(
            f"{final} is there already, and holds something else; nothing was deleted.", hint="Name another folder."
        )
    beside.replace(final)
    (folder / f"{table}.definition.json").write_bytes(msgspec.json.encode(_definition(described["Table"])))
    (folder / f"{table}.manifest.json").write_bytes(msgspec.json.encode(made))
    return checked_archive(table, folder)


def _definition(described: Mapping[str, Any]) -> dict[str, Any]:
    """The CreateTable request of a table, paid by request."""
    told = {name: described[name] for name in ("TableName", "KeySchema", "AttributeDefinitions")}
    for kind in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        indexes = [
            {n: index[n] for n in ("IndexName", "KeySchema", "Projection")} for index in described.get(kind) or ()
        ]
        told |= {kind: indexes} if indexes else {}
    return {**told, "BillingMode": "PAY_PER_REQUEST"}


def _holds(path: Path, made: Archived) -> bool:
    try:
        return _read(path) == (made.items, made.sha256)
    except (OSError, EOFError, zlib.error):
        return False


def _read(path: Path) -> tuple[int, str]:
    """The number of lines of an archive, and their digest."""
    count, digest = 0, sha256()
    with gzip.open(path, "rb") as file:
        for line in file:
            digest.update(line)
            count += 1
    return count, digest.hexdigest()


def checked_archive(table: str, folder: Path) -> Archived:
    """An archive that was read to its end, and is whole."""
    try:
        told = msgspec.json.decode((folder / f"{table}.manifest.json").read_bytes(), type=Archived)
        count, digest = _read(folder / f"{table}.json.gz")
    except (OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        raise StorageError(
            f"The archive of {table} cannot be read.", hint="Nothing more is deleted. Give the folder of the first run."
        ) from error
    if (told.table, told.items, told.sha256) != (table, count, digest):
        raise StorageError(f"The archive of {table} is not what was written.", hint="Nothing more is deleted.")
    return told


def _unmark(place: Place) -> Walk[None]:
    """Takes the attribute off that says where items came from."""
    start: Item | None = None
    while True:
        items, start = yield from page("new", place.table, start)
        for item in items:
            if place.moving.origin in item:
                with suppress(ConditionalCheckFailed):  # it was deleted meanwhile
                    yield from send("new", "UpdateItem", _unmarking(place, item), repeatable=True)
        if start is None:
            return


def _unmarking(place: Place, item: Item) -> dict[str, Any]:
    key = key_of(place, item)
    update = ast.Update((ast.RemoveAction((place.moving.origin,)),))
    there = ast.AttributeExists((next(iter(key)),))
    return Action("Update", key, update=update, condition=there, holds_after=True).body(place.table)


def delete_ledgers(place: Place) -> Walk[None]:
    """The end: nothing is left that knows of legacy tables."""
    progress = yield from read_progress(place)
    if {*progress.retired.values()} != {DELETED} or progress.retired.keys() != place.moving.keys.keys():
        raise ArgumentError("Legacy tables are not retired yet.", hint="Run retire() first.")
    for side in reversed(ledger.sides_of(place)):  # the one with the record last, so that this can be done again
        with suppress(ResourceNotFound):
            yield from send(side, "DeleteTable", {"TableName": place.moving.ledger})
