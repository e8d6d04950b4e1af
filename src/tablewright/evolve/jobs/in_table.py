"""Checkpoints in the table itself, as items whose keys begin with a name of ours."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import msgspec

from tablewright.client.calls import Call, Steps
from tablewright.errors import ConditionalCheckFailed, ConfigError
from tablewright.evolve.jobs.checkpoints import (
    LEASE,
    Asked,
    Held,
    Segment,
    check_same,
    held_by_another,
    taken_over,
)
from tablewright.evolve.jobs.counting import Counts
from tablewright.model.indexes import KeyAttribute
from tablewright.values.types import Item

_JOB = "TABLEWRIGHT#JOB#"
USUAL_SEGMENTS = 8


def is_ours(item: Item, key_names: tuple[str, ...], *, whole: bool) -> bool:
    """Whether an item is one that is kept here, by its key and by what it holds; by the key alone where it was not read `whole`.
    An application's keys may begin like ours."""
    texts = {item.get(name, {}).get("S") for name in key_names}
    text = texts.pop()
    if text is None or texts or not text.startswith(_JOB):
        return False
    return not whole or ("S" in item.get("run", {}) and ("identity" in item or "counts" in item))


class InTable:
    """One item for the job, with its owner and how long it holds it, and one for each segment."""

    def __init__(
        self,
        table: str,
        keys: tuple[KeyAttribute, ...],
        *,
        lease: float = LEASE,
        token: Callable[[], str] | None = None,
    ) -> None:
        if any(key.tag != "S" for key in keys):
            raise ConfigError(
                f"The keys of {table} are no texts, so that checkpoints cannot stand among its items.",
                hint='Keep them in a file: checkpoints=InFile("job.json").',
            )
        self._table = table
        self._keys = keys
        self._lease = lease
        self._token = token or (lambda: secrets.token_hex(8))

    def take(self, asked: Asked, owner: str, now: float) -> Steps[Held]:
        """Holds the job, if nobody else does."""
        found = yield from self._get(asked.name)
        if found is not None and not asked.restart:
            check_same(asked, {"identity": found["identity"]["S"], "segments": int(found["segments"]["N"])})
        going_on = found is not None and not asked.restart
        run = found["run"]["S"] if found is not None and going_on else self._token()
        number = int(found["segments"]["N"]) if found is not None and going_on else asked.segments or USUAL_SEGMENTS
        seen = {"S": found["run"]["S"]} if found is not None else None
        values: dict[str, Any] = {
            ":owner": {"S": owner},
            ":until": {"N": f"{now + self._lease:.3f}"},
            ":run": {"S": run},
            ":identity": {"S": asked.identity},
            ":segments": {"N": str(number)},
        }
        condition = "attribute_not_exists(#pk)"
        if seen is not None:
            condition = "#run = :seen"
            values |= {":seen": seen}
            if not asked.take_over:
                condition += " AND (attribute_not_exists(#until) OR #until < :now OR #owner = :owner)"
                values |= {":now": {"N": f"{now:.3f}"}}
        request = self._update(
            asked.name,
            "SET #owner = :owner, #until = :until, #run = :run, #identity = :identity, #segments = :segments",
            condition,
            values,
        )
        try:
            yield Call("UpdateItem", request, repeatable=True)
        except ConditionalCheckFailed:
            there = yield from self._get(asked.name)
            if there is None or there["owner"]["S"] != owner:  # ours, where only the answer was lost
                until = float(there["until"]["N"]) if there is not None and "until" in there else now
                raise held_by_another(asked.name, until, now) from None
        segments = [Segment(segment) for segment in range(number)]
        if going_on:
            for segment in range(number):
                segments[segment] = yield from self._load(asked.name, run, segment)
        return Held(asked.name, owner, run, tuple(segments), number, resumed=going_on)

    def load(self, held: Held, number: int) -> Steps[Segment]:
        """How far a segment is by now."""
        return (yield from self._load(held.name, held.run, number))

    def renew(self, held: Held, now: float) -> Steps[None]:
        """A sign of life."""
        values = {":owner": {"S": held.owner}, ":run": {"S": held.run}, ":until": {"N": f"{now + self._lease:.3f}"}}
        request = self._update(held.name, "SET #until = :until", "#owner = :owner AND #run = :run", values)
        try:
            yield Call("UpdateItem", request, repeatable=True)
        except ConditionalCheckFailed:
            raise taken_over(held.name) from None

    def save(self, held: Held, segment: Segment) -> Steps[None]:
        """How far a segment is."""
        item = {
            **self._key(held.name, segment.number),
            "run": {"S": held.run},
            "done": {"BOOL": segment.done},
            "counts": {"S": msgspec.json.encode(segment.counts).decode()},
        }
        if segment.start is not None:
            item["start"] = {"M": segment.start}
        yield Call("PutItem", {"TableName": self._table, "Item": item}, repeatable=True)

    def release(self, held: Held) -> Steps[None]:
        """Lets others go on."""
        values = {":owner": {"S": held.owner}, ":run": {"S": held.run}}
        request = self._update(held.name, "REMOVE #until", "#owner = :owner AND #run = :run", values)
        try:
            yield Call("UpdateItem", request, repeatable=True)
        except ConditionalCheckFailed:
            return  # it is another's by now

    def finish(self, held: Held) -> Steps[None]:
        """Removes what was kept, the job last: until then a next run would go on."""
        for segment in held.segments:
            key = self._key(held.name, segment.number)
            yield Call("DeleteItem", {"TableName": self._table, "Key": key}, repeatable=True)
        values = {":owner": {"S": held.owner}, ":run": {"S": held.run}}
        request = {
            "TableName": self._table,
            "Key": self._key(held.name),
            "ConditionExpression": "attribute_not_exists(#pk) OR (#owner = :owner AND #run = :run)",
            "ExpressionAttributeNames": {"#pk": self._keys[0].name, "#owner": "owner", "#run": "run"},
            "ExpressionAttributeValues": values,
        }
        try:
            yield Call("DeleteItem", request, repeatable=True)
        except ConditionalCheckFailed:
            raise taken_over(held.name) from None

    def _key(self, name: str, segment: int | None = None) -> Item:
        text = _JOB + name + ("" if segment is None else f"#SEGMENT#{segment:06d}")
        return {key.name: {"S": text} for key in self._keys}

    def _get(self, name: str, segment: int | None = None) -> Steps[Item | None]:
        request = {"TableName": self._table, "Key": self._key(name, segment), "ConsistentRead": True}
        response = yield Call("GetItem", request, repeatable=True)
        return response.get("Item") or None

    def _load(self, name: str, run: str, segment: int) -> Steps[Segment]:
        found = yield from self._get(name, segment)
        if found is None or found["run"]["S"] != run:
            return Segment(segment)
        counts = msgspec.json.decode(found["counts"]["S"], type=Counts)
        return Segment(segment, found.get("start", {}).get("M"), found["done"]["BOOL"], counts)

    def _update(self, name: str, update: str, condition: str, values: dict[str, Any]) -> dict[str, Any]:
        words = {"#pk": self._keys[0].name} | {f"#{n}": n for n in ("owner", "until", "run", "identity", "segments")}
        return {
            "TableName": self._table,
            "Key": self._key(name),
            "UpdateExpression": update,
            "ConditionExpression": condition,
            "ExpressionAttributeNames": {
                mark: word for mark, word in words.items() if mark in update or mark in condition
            },
            "ExpressionAttributeValues": values,
        }
