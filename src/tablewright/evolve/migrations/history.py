"""What was done to a table, kept in the table: one item, with the state of each migration and the lock of whoever is at work.

Both are in one item so that each note of what was done is one write, under the condition that the lock is still held: who has
lost it writes nothing any more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from tablewright.client.calls import Call, Steps
from tablewright.compiler.entity_planner import LEDGER_TYPE
from tablewright.errors import ConditionalCheckFailed, ConfigError, ContentionError, ResourceNotFound
from tablewright.evolve.migrations.outcome import Told
from tablewright.expressions import Attr, ExpressionBuilder, all_of, any_of, ast
from tablewright.table import Table
from tablewright.values.types import Item
from tablewright.values.wire import from_wire, to_wire
from tablewright.wording import counted

State: TypeAlias = Literal["running", "ran", "cut over", "retiring", "retired", "rolling back"]
"""What a migration is in; one that nothing was done of has none."""

PARTITION = "tablewright#migrations"
LEASE = 60.0
"""Seconds that a lock is held without being renewed."""
_UNAWARE = 10.0
"""Seconds after which whoever is at work on items has renewed it, and seen if it is gone."""


class Entry(Struct, frozen=True):
    """What was done of a migration."""

    state: State
    digest: str
    """Of the file that was carried out."""
    done: int = 0
    """Steps of this state that are finished."""
    retired: bool = False
    """Whether anything was removed already."""
    at: str = ""
    """When the state began."""
    outline: str = ""
    """Of the steps in it: they stay the same while it is retired or rolled back."""
    left: tuple[Told, ...] = ()
    """What the steps that are finished have left, for whoever goes on after a kill."""


class Ledger(Struct, frozen=True):
    """The item."""

    entries: Mapping[str, Entry]
    owner: str | None
    until: float
    begun: bool = False
    """Whether a part was begun and has not ended."""

    def held(self, now: float) -> bool:
        """Whether somebody is at work, as far as anybody can tell."""
        return self.owner is not None and self.until > now


def ledger_key(model: Table) -> Item:
    """Where it lies."""
    key: Item = {}
    for attribute, text in ((model.pk, PARTITION), (model.sk, "ledger")):
        if attribute is None:
            continue
        if attribute.tag != "S":
            raise ConfigError(
                f"The key attribute {attribute.name} of {model.name} is no text, so that the history of migrations cannot be "
                "kept in the table.",
                hint="Make a new table whose keys are texts, and move the items there.",
            )
        key[attribute.name] = {"S": text}
    return key


class History:
    """The ledger of a table, as one process reads and writes it. Its methods are steps without I/O."""

    def __init__(
        self, model: Table, table: str, owner: str, clock: Callable[[], float], moment: Callable[[], str]
    ) -> None:
        self._table = table
        self._key = ledger_key(model)
        self._type = model.names.type
        self._owner = owner
        self._clock = clock
        self._moment = moment

    def read(self) -> Steps[Ledger]:
        """What it says now."""
        request = {"TableName": self._table, "Key": self._key, "ConsistentRead": True}
        try:
            response = yield Call("GetItem", request, repeatable=True)
        except ResourceNotFound as error:
            raise ResourceNotFound(f"There is no table {self._table}.", hint=error.hint, operation="GetItem") from None
        item = response.get("Item", {})
        entries = from_wire(item.get("migrations", {"M": {}}))
        lock = from_wire(item["lock"]) if "lock" in item else {}
        return Ledger(
            {name: convert(_plain(entry), Entry) for name, entry in sorted(entries.items())},
            lock.get("owner"),
            float(lock.get("until", 0)),
            bool(item.get("jobs", {}).get("M")),
        )

    def lock(self, *, take_over: bool = False) -> Steps[float]:
        """Takes the lock, if nobody holds it; or from whoever does, who notes nothing any more then. How many seconds that one, if
        it lives, may go on before it sees that."""
        mine = Attr("lock", "owner").eq({"S": self._owner})
        free = any_of(Attr("lock").not_exists(), mine, Attr("lock", "until").lt(_number(self._clock())))
        update = [
            Attr("lock").set(to_wire({"owner": self._owner, "until": _whole(self._clock() + LEASE)})),
            Attr("migrations").set_if_not_exists({"M": {}}),
            Attr("jobs").set_if_not_exists({"M": {}}),
            Attr(self._type).set({"S": LEDGER_TYPE}),
        ]
        try:
            before = yield from self._write(update, None if take_over else free)
        except ConditionalCheckFailed:
            ledger = yield from self.read()
            if ledger.owner == self._owner:  # the reply to our own request was lost
                return 0.0
            left = max(0, round(ledger.until - self._clock()))
            raise ContentionError(
                f"Another process is migrating {self._table}.",
                hint=f"Wait until it has finished. If it has crashed, its lock ends in {counted(left, 'second')}, or give --take-over.",
            ) from None
        held = from_wire(before["lock"]) if "lock" in before else {"owner": self._owner}
        if not take_over or held["owner"] == self._owner:
            return 0.0
        return min(_UNAWARE, max(0.0, float(held["until"]) - LEASE + _UNAWARE - self._clock()))

    def renew(self) -> Steps[None]:
        """Holds the lock for longer."""
        yield from self._held([Attr("lock", "until").set(_number(self._clock() + LEASE))])

    def unlock(self) -> Steps[None]:
        """Gives the lock up, if it is still held."""
        try:
            yield from self._write([Attr("lock").remove()], Attr("lock", "owner").eq({"S": self._owner}))
        except ConditionalCheckFailed:
            return

    def note(self, name: str, before: Entry | None, after: Entry | None) -> Steps[Entry | None]:
        """Writes what a migration is in now, if it was in what it was thought to be; None stands for nothing done."""
        if after is not None and (before is None or before.state != after.state):
            after = replace(after, at=self._moment())
        place = Attr("migrations", name)
        over = Attr("jobs").set({"M": {}})
        was = place.not_exists() if before is None else place.eq(_wire(before))
        change = place.remove() if after is None else place.set(_wire(after))
        try:
            yield from self._held([change, over], was)
        except ContentionError:
            ledger = yield from self.read()
            if ledger.owner != self._owner or ledger.entries.get(name) != after:
                raise
        return after

    def job(self, part: int) -> Steps[Item | None]:
        """How far a part of the step is that was begun and has not ended."""
        request = {"TableName": self._table, "Key": self._key, "ConsistentRead": True}
        response = yield Call("GetItem", request, repeatable=True)
        jobs: Item = response.get("Item", {}).get("jobs", {}).get("M", {})
        found: Item | None = jobs.get(str(part), {}).get("M")
        return found

    def begin(self, part: int, identity: str, segments: int) -> Steps[None]:
        """Begins a part: what was kept of it is forgotten."""
        job: Item = {"identity": {"S": identity}, "segments": {"N": str(segments)}, "states": {"M": {}}}
        yield from self._held([Attr("jobs", str(part)).set({"M": job})])

    def reach(self, part: int, segment: int, state: Item) -> Steps[None]:
        """How far a segment of the part is; the lock is held for longer too."""
        until = Attr("lock", "until").set(_number(self._clock() + LEASE))
        place = Attr("jobs", str(part), "states", str(segment))
        yield from self._held([place.set({"M": state}), until])

    def end(self, part: int) -> Steps[None]:
        """The part has ended."""
        yield from self._held([Attr("jobs", str(part)).remove()])

    def _held(self, update: Sequence[ast.UpdateAction], *conditions: ast.Condition) -> Steps[None]:
        try:
            yield from self._write(update, all_of(Attr("lock", "owner").eq({"S": self._owner}), *conditions))
        except ConditionalCheckFailed:
            raise ContentionError(
                f"Another process has taken over the migration of {self._table}.",
                hint="What was done so far stays done. Look at `tablewright migrate status`.",
            ) from None

    def _write(self, update: Sequence[ast.UpdateAction], condition: ast.Condition | None) -> Steps[Item]:
        """Changes the item; what it held before of what is changed."""
        builder = ExpressionBuilder().update(*update)
        expressions = (builder if condition is None else builder.condition(condition)).build()
        # Sent again after a lost reply it meets its own condition: whoever asks looks at the ledger then.
        request = {"TableName": self._table, "Key": self._key, **expressions, "ReturnValues": "UPDATED_OLD"}
        response = yield Call("UpdateItem", request, repeatable=True)
        found: Item = response.get("Attributes", {})
        return found


def _wire(entry: Entry) -> Any:
    """An entry as it is stored, where it is compared too: what an older version did not store is left out where it is empty."""
    left = msgspec.json.encode(entry.left).decode() if entry.left else ""
    plain = {**to_builtins(replace(entry, left=())), "left": left}
    return to_wire({name: value for name, value in plain.items() if value or name not in ("outline", "left")})


def _plain(entry: dict[str, Any]) -> dict[str, Any]:
    left = msgspec.json.decode(entry["left"]) if "left" in entry else ()
    return {**entry, "done": int(entry["done"]), "left": left}


def _whole(seconds: float) -> int:
    return int(seconds)


def _number(seconds: float) -> dict[str, str]:
    return {"N": str(_whole(seconds))}
