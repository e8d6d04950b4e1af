"""What the table must hold: worked out from the seed and the journals of the applications, in plain Python. Nothing here knows Tablewright.

A write is a list, as it stands in a journal: entity, what was done, id, fields, time, and the side that did it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any

BUCKET = 50
"""Items of a buyer, a state, a town or a last name, about."""
DAYS = {"seed": 1, "old": 2, "new": 3}
"""Each writer has a day of its own for the times of its writes."""
TALLIES = 20

Write = list[Any]
Wire = dict[str, dict[str, str]]


def moment(side: str, number: int) -> datetime:
    """When a side made its write of this number."""
    return datetime(2026, 1, DAYS[side], tzinfo=UTC) + timedelta(milliseconds=number)


def moment_text(side: str, number: int) -> str:
    """The same as it is stored."""
    return moment(side, number).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def seeded(items: int) -> Iterator[Write]:
    """What was there before anything was migrated: half orders, half people."""
    half = (items - TALLIES) // 2
    for n in range(half):
        yield ["Order", "create", f"{n:06}", order_fields(n, n, half), n, "seed"]
    for n in range(items - TALLIES - half):
        yield ["Person", "create", f"{n:06}", person_fields(n, n, half), half + n, "seed"]
    for n in range(TALLIES):
        yield ["Tally", "create", f"{n:06}", {}, 0, "seed"]


def order_fields(one: int, other: int, of: int) -> dict[str, str]:
    """Fields of an order, spread over buyers and states."""
    buckets = max(2, of // BUCKET)
    return {
        "buyer": f"b{one % buckets}",
        "state": f"s{other * 7 % buckets}",
        "day": f"2026-02-{other % 28 + 1:02}",
        "note": f"note {other} " * 3,
    }


def person_fields(one: int, other: int, of: int) -> dict[str, str]:
    """Fields of a person, spread over towns and names."""
    buckets = max(2, of // BUCKET)
    return {"first": f"F{other % 97}", "last": f"L{other * 5 % buckets}", "town": f"t{one % buckets}"}


class World:
    """All items, by entity and id."""

    def __init__(self, writes: Iterable[Write] = ()) -> None:
        self.items: dict[str, dict[str, dict[str, Any]]] = {"Order": {}, "Person": {}, "Tally": {}}
        for write in writes:
            self.apply(write)

    def apply(self, write: Write) -> None:
        """One write that was acknowledged."""
        entity, kind, ident, fields, number, side = write
        there = self.items[entity]
        if kind == "delete":
            del there[ident]
        elif kind == "add":
            there[ident]["n"] += 1
        elif kind == "create":
            assert ident not in there, write
            at = moment_text(side, number)
            there[ident] = {**fields, "created": at, "updated": at, "version": 1, "side": side, "n": 0}
        else:
            item = there[ident]
            item.update(fields, updated=moment_text(side, number), version=item["version"] + 1, side=side)

    def wire(self, stage: str) -> Iterator[tuple[str, Wire]]:
        """Every item as it must be stored: as the "old" model has it, "ran", or "retired"."""
        for ident, one in self.items["Order"].items():
            yield "Order", _order(ident, one, stage)
        for ident, one in self.items["Person"].items():
            yield "Person", _person(ident, one, stage)
        for ident, one in self.items["Tally"].items():
            name, schema = ("count", 2) if stage == "retired" else ("n", 1)
            own = {**_texts(PK=f"TALLY#{ident}", SK="TALLY", Type="Tally", id=ident), **_numbers(SchemaVersion=schema)}
            yield "Tally", own | _numbers(**{name: one["n"]})


def _order(number: str, one: dict[str, Any], stage: str) -> Wire:
    moved = stage == "retired" or (stage == "ran" and one["side"] == "new")
    word = "SALE" if moved else "ORDER"
    wire = _texts(
        PK=f"{word}#{number}", SK=word, Type="Order", GSI1PK=f"BUYER#{one['buyer']}", GSI1SK=f"ORDER#{number}"
    )
    wire |= _texts(number=number, buyer=one["buyer"], state=one["state"], note=one["note"])
    if stage != "old":
        wire |= _texts(GSI2PK=f"STATE#{one['state']}", GSI2SK=f"ORDER#{number}", date=one["day"])
    if stage != "retired":
        wire |= _texts(day=one["day"])
    return wire | _kept(one)


def _person(ident: str, one: dict[str, Any], stage: str) -> Wire:
    wire = _texts(PK=f"PERSON#{ident}", SK="PERSON", Type="Person", GSI1PK=f"TOWN#{one['town']}")
    wire |= _texts(GSI1SK=f"PERSON#{ident}", id=ident, town=one["town"])
    if stage != "old":
        wire |= _texts(GSI2PK=f"LAST#{one['last']}", GSI2SK=f"PERSON#{ident}")
    if stage == "retired":
        wire |= _texts(first=one["first"], last=one["last"])
    else:
        wire |= _texts(name=f"{one['first']} {one['last']}")
    return wire | _kept(one) | _numbers(SchemaVersion=2 if stage == "retired" else 1)


def _kept(one: dict[str, Any]) -> Wire:
    return _texts(CreatedAt=one["created"], UpdatedAt=one["updated"]) | _numbers(Version=one["version"])


def _texts(**values: str) -> Wire:
    return {name: {"S": value} for name, value in values.items()}


def _numbers(**values: int) -> Wire:
    return {name: {"N": str(value)} for name, value in values.items()}


def digests(wires: Iterable[tuple[str, Wire]]) -> dict[str, tuple[int, str]]:
    """The digest of each entity, as the documents say that it is made."""
    counts: dict[str, int] = {}
    sums: dict[str, int] = {}
    for entity, wire in wires:
        text = json.dumps({"M": wire}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        number = int.from_bytes(blake2b(text.encode(), digest_size=16).digest(), "big")
        counts[entity] = counts.get(entity, 0) + 1
        sums[entity] = (sums.get(entity, 0) + number) % 2**128
    return {entity: (counts[entity], f"{sums[entity]:032x}") for entity in counts}
