"""Verification: every legacy item against what it should have become, and every moved item against where it came from.

Both tables are read page by page, so memory does not grow with them. What differs is looked at again, one by one, with the legacy
item read before and after, so that a write in between is no difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, TypeAlias

from msgspec import Struct

from tablewright.client.writes.action import same_key
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import TablewrightError
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.bad_rows import BadRow, Tell
from tablewright.evolve.moving.deriving import (
    Part,
    State,
    Unfit,
    content_digest,
    derive,
    derived,
    differing,
    key_text,
    legacy_key,
    malformed,
    origin_of,
    same_items,
)
from tablewright.evolve.moving.expiring import expiry_of, is_over
from tablewright.evolve.moving.gathering import read_state, state_of, told_owner
from tablewright.evolve.moving.guarding import MOST
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.sides import Place, Side, Walk, get, get_many, key_of, send
from tablewright.evolve.moving.strays import STRAY, strays
from tablewright.transport.answers import next_start
from tablewright.values.types import Item
from tablewright.wording import counted

_ATTEMPTS = 3
_MODULUS = 2**128
_Parts: TypeAlias = dict[bytes, Part]


class Tally(Struct, frozen=True):
    """One entity on both sides."""

    expected: int
    """Items that the legacy tables should have become."""
    found: int
    """Moved items in the new table."""
    expected_sum: str
    """A checksum of what should be there, which does not depend on the order of items."""
    found_sum: str
    """The same of what is there."""

    @property
    def equal(self) -> bool:
        """Whether counts and checksums are the same."""
        return self.expected == self.found and self.expected_sum == self.found_sum


class Verification(Struct, frozen=True):
    """What a verification found. Nothing in it is a value of an item."""

    entities: Mapping[str, Tally]
    differences: Mapping[tuple[str, str], int]
    """How many items differ, by entity and kind: "missing", "field NAME", "no origin", "no parent", "not in the legacy tables"."""
    unfit: Mapping[tuple[str, str], int]
    """Legacy items that cannot become what their move says, or cannot tell whose they are, by move and reason."""
    others: int
    """Items of the new table that no move brought."""
    writing: bool
    """Whether applications were writing, so that counts and checksums of the two sides are of different moments."""
    remarks: Mapping[tuple[str, str], int] = {}
    """What was made up or left out, by move and remark; no fault of the new table."""
    unmapped: Mapping[tuple[str, str], int] = {}
    """Legacy items that would be lost, or attributes of them, by table and what is wrong: no move reads or drops the attribute, or
    the item is joined to nothing."""

    @property
    def well(self) -> bool:
        """Whether everything is as it should be."""
        sums = self.writing or all(tally.equal for tally in self.entities.values())
        return sums and not self.differences and not self.unfit and not self.unmapped

    @property
    def wrong(self) -> int:
        """How many differences were counted, with items that cannot be moved or would be lost."""
        return sum(sum(counts.values()) for counts in (self.differences, self.unfit, self.unmapped))

    @property
    def exit_code(self) -> int:
        """0 where all is well, 1 where something differs, would be lost, or cannot be moved at all."""
        return 0 if self.well else 1

    def text(self) -> str:
        """In words."""
        lines = []
        for name, t in sorted(self.entities.items()):
            sums = "not compared, since applications write" if self.writing else "equal" if t.equal else "differ"
            lines.append(f"{name}: {t.expected} expected, {t.found} found, checksums {sums}")
        lines += [
            f"{entity}: {kind}, {counted(count, 'item')}" for (entity, kind), count in sorted(self.differences.items())
        ]
        lines += [
            f"{move} cannot be moved: {reason}, {counted(count, 'item')}"
            for (move, reason), count in sorted(self.unfit.items())
        ]
        lines += [
            f"{table}: {what}, {counted(count, 'item')}" for (table, what), count in sorted(self.unmapped.items())
        ]
        lines += [
            f"{move}: {text}, {counted(count, 'time')} (remark)" for (move, text), count in sorted(self.remarks.items())
        ]
        if self.others:
            lines.append(f"{counted(self.others, 'item')} of the new table came from elsewhere")
        if self.unmapped:
            lines.append(
                "What no move reads is lost with the legacy tables: map it, or name it in dropped=, and verify again. Items joined to "
                "nothing may be left behind by Join(..., alone=True)."
            )
        if not self.well and not self.wrong:
            lines.append(
                "Nothing differs but counts or checksums, which are of different moments where applications write meanwhile: verify with "
                "writing=True, or --writing, then."
            )
        lines.append("All is well." if self.well else "Not all is well.")
        return "\n".join(lines)


class _Counts:
    def __init__(self, began: str, mends: bool, bad_row: Tell | None) -> None:
        self.began = began
        self.mends = mends
        self._bad_row = bad_row
        self.expected: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.sums: dict[tuple[str, str], int] = {}
        self.differences: Counter[tuple[str, str]] = Counter()
        self.unfit: Counter[tuple[str, str]] = Counter()
        self.remarks: Counter[tuple[str, str]] = Counter()
        self.unmapped: Counter[tuple[str, str]] = Counter()
        self.others = 0
        self.alone: tuple[EntityPlan, ...] = ()
        self.known: Mapping[tuple[str, str], _Parts] = {}
        self.over: set[bytes] = set()
        """What legacy tables have still of items that have expired: digests of their keys, since there may be many."""

    def add(self, side: str, entity: str, item: Item, loose: frozenset[str]) -> None:
        counts = self.expected if side == "expected" else self.found
        counts[entity] += 1
        before = self.sums.get((side, entity), 0)
        self.sums[side, entity] = (before + content_digest(item, loose)) % _MODULUS

    def look(self, place: Place, table: str, items: list[Item]) -> None:
        """Counts attributes of legacy items that nothing is made of, and joined items that cannot tell whose they are."""
        for item in items:
            for what in place.moving.unmapped(table, item):
                self.lost(table, {n: item[n] for n in place.moving.keys[table]}, what)
            for move in place.moving.moves:
                for name in (name for name, join in move.joins.items() if join.table == table):
                    try:
                        told_owner(move, name, item)
                    except Unfit as error:
                        self.cannot(move, table, {n: item[n] for n in place.moving.keys[table]}, error.reason)

    def cannot(self, move: Move, table: str, key: Item, reason: str) -> None:
        """Counts a legacy item that stands in the way of its move."""
        self.unfit[move.called, reason] += 1
        self.tell(BadRow("legacy", table, key, move.called, reason))

    def lost(self, table: str, key: Item, what: str) -> None:
        """Counts a legacy item that would be lost, or something of it would."""
        self.unmapped[table, what] += 1
        self.tell(BadRow("legacy", table, key, table, what))

    def differs(self, row: BadRow) -> None:
        self.differences[row.where, row.reason] += 1
        self.tell(row)

    def tell(self, row: BadRow) -> None:
        if self._bad_row is not None:
            self._bad_row(row)

    def tally(self, entity: str) -> Tally:
        sums = [f"{self.sums.get((side, entity), 0):032x}" for side in ("expected", "found")]
        return Tally(self.expected[entity], self.found[entity], *sums)


def verify(
    place: Place,
    *,
    writing: bool = False,
    mends: bool = False,
    new_alone: bool = False,
    bad_row: Tell | None = None,
) -> Walk[Verification]:
    """Compares both sides, in both directions. `writing` says that applications go on meanwhile: then counts and checksums,
    which are of different moments, are told but decide nothing. `mends` notes what differs, for a repair. Where the new table is
    written alone, `new_alone`, items of moved entities that no move brought are missing in the legacy tables. `bad_row` gets each item that differs, or that
    cannot be moved."""
    counts = _Counts(place.now(), mends, bad_row)
    if new_alone:
        plans = place.moving.table.plan.entities
        counts.alone = tuple(plans[e] for m in place.moving.moves for e in m.entities)
    seen: set[str] = set()
    start: Item | None
    for move in place.moving.moves:
        start = None
        while True:
            items, start = yield from page("legacy", move.table, start)
            if move.table not in seen:
                counts.look(place, move.table, items)
            yield from _forth(place, move, items, counts)
            if start is None:
                break
        seen.add(move.table)
    for merged in place.moving.keys.keys() - seen:
        start = None
        while True:
            items, start = yield from page("legacy", merged, start)
            counts.look(place, merged, items)
            for key in (yield from strays(place, merged, items)):
                counts.lost(merged, key, STRAY)
            if start is None:
                break
    start = None
    while True:
        items, start = yield from page("new", place.table, start)
        yield from _back(place, items, counts)
        if start is None:
            break
    names = counts.expected.keys() | counts.found.keys()
    names |= {e.__name__ for m in place.moving.moves for e in m.entities}
    return Verification(
        {name: counts.tally(name) for name in sorted(names)},
        dict(counts.differences),
        dict(counts.unfit),
        counts.others,
        writing,
        dict(counts.remarks),
        dict(counts.unmapped),
    )


def page(side: Side, table: str, start: Item | None) -> Walk[tuple[list[Item], Item | None]]:
    request: dict[str, Any] = {"TableName": table, "ConsistentRead": True, "Limit": 100}
    if start is not None:
        request["ExclusiveStartKey"] = start
    response = yield from send(side, "Scan", request, repeatable=True)
    return response["Items"], next_start(response)


def _forth(place: Place, move: Move, items: list[Item], counts: _Counts) -> Walk[None]:
    """Legacy items against what they should have become."""
    wanted: list[tuple[Item, Part]] = []
    for item in items:
        try:
            state, _ = yield from state_of(place, move, item)
            made = derived(place.moving, move, state, place.now())
        except Unfit as error:
            counts.cannot(move, move.table, legacy_key(move, item), error.reason)
            continue
        counts.remarks.update((move.called, text) for text in made.remarks)
        wanted += [(item, part) for part in made.parts]
    found = yield from get_many("new", place.table, [part.key for _, part in wanted])
    by_key = {same_key(key_of(place, item)): item for item in found}
    suspects: dict[str, tuple[Item, list[Part]]] = {}
    for item, part in wanted:
        there = by_key.get(same_key(part.key))
        if _taken_by_time(place, part, there, counts.began):
            counts.over.add(_digest(part.key))
            continue
        counts.add("expected", part.entity, part.item, part.loose)
        if _differences(place, part, there):
            key = legacy_key(move, item)
            suspects.setdefault(key_text(key), (key, []))[1].append(part)
    for key, parts in suspects.values():
        again = yield from _again(place, move, key, parts)
        for part in parts:
            for kind in again.get(same_key(part.key), ()):
                counts.differs(BadRow("legacy", move.table, key, part.entity, kind))
        keys = [part.key for part in parts if again.get(same_key(part.key))]
        if keys and counts.mends:
            # Where there are more, notes know all keys.
            yield from _note(place, move, key, keys if len(keys) < MOST else [])


def _differences(place: Place, part: Part, found: Item | None) -> list[str]:
    if found is None:
        return ["missing"]
    theirs, mine = origin_of(place.moving, found), origin_of(place.moving, part.item)
    if theirs is not None and mine is not None and (theirs["move"], theirs["key"]) != (mine["move"], mine["key"]):
        return ["its place is taken by another legacy item"]
    names = differing(*({n: v for n, v in item.items() if n not in part.loose} for item in (part.item, found)))
    return [f"field {name}" for name in sorted({*names, *malformed(part, found)})]


def _again(place: Place, move: Move, key: Item, parts: list[Part]) -> Walk[dict[bytes, list[str]]]:
    """The differences of parts of one legacy item that are none of a write under way, by their keys."""
    for _ in range(_ATTEMPTS):
        try:
            before, _ = yield from read_state(place, move, key)
            found = yield from get_many("new", place.table, [part.key for part in parts])
            after, _ = yield from read_state(place, move, key)
            if not _same(before, after):
                continue
            wanted = {same_key(part.key): part for part in derive(place.moving, move, after, place.now())}
        except Unfit:
            return {}
        there = {same_key(key_of(place, item)): item for item in found}
        names = [name for part in parts if (name := same_key(part.key)) in wanted]
        return {
            name: _differences(place, wanted[name], there.get(name))
            for name in names
            if not _taken_by_time(place, wanted[name], there.get(name), place.now())
        }
    return {}


def _taken_by_time(place: Place, part: Part, found: Item | None, now: str) -> bool:
    """Whether an item has expired, so that it may be here and not there. A marker stays where its item was taken."""
    return is_over(part.expires, now) and (found is None or is_over(expiry_of(place.moving, found), now))


def _same(one: State, other: State) -> bool:
    if one.item is None or other.item is None:
        return one.item is other.item
    pairs = [(one.item, other.item)]
    for name in one.joined:
        first, second = one.joined[name], other.joined.get(name)
        if first is None or second is None:
            if first is not second:
                return False
            continue
        pairs.append((first, second))
    return all(same_items(a, b) for a, b in pairs)


def _back(place: Place, items: list[Item], counts: _Counts) -> Walk[None]:
    """Moved items against where they came from."""
    moving = place.moving
    told = [(item, origin) for item in items if (origin := origin_of(moving, item)) is not None]
    came = [item for item, _ in told]
    living = [item for item in items if not _is_deleted(place, item)]
    strangers = [item for item in living if moving.origin not in item]
    lacking = [(plan, item) for item in strangers if (plan := next((p for p in counts.alone if p.owns(item)), None))]
    for plan, item in lacking:
        counts.differs(_in_new(place, item, plan.name, "not in the legacy tables"))
    counts.others += len(living) - len(came) - len(lacking)
    known = counts.known = yield from _parts_of_page(place, told, counts.known)
    for item, origin in told:
        move = moving.by_name.get(origin["move"])
        entity = _entity(place, item)
        loose = frozenset({moving.origin})
        part = known.get((origin["move"], origin["key"]), {}).get(same_key(key_of(place, item)))
        if part is None and move is not None:
            part, gone = yield from _derived_now(place, move, ledger.key_from_text(origin["key"]), item)
            if gone or (part is None and is_over(expiry_of(moving, item), place.now())):
                continue
        if part is not None and _taken_by_time(place, part, item, counts.began):
            continue
        if part is not None:
            entity, loose = part.entity, part.loose
        else:
            counts.differs(_in_new(place, item, entity, "no origin"))
            if counts.mends and move is not None:
                yield from _note(place, move, ledger.key_from_text(origin["key"]), [key_of(place, item)])
        counts.add("found", entity, item, loose)
    yield from _parents(place, came, counts)


def _in_new(place: Place, item: Item, entity: str, kind: str) -> BadRow:
    return BadRow("new", place.table, key_of(place, item), entity, kind)


def _note(place: Place, move: Move, key: Item, parts: list[Item]) -> Walk[None]:
    yield from send("legacy", "UpdateItem", ledger.noting(place, move, key, parts)["Update"], repeatable=True)


def _parts_of_page(
    place: Place, told: list[tuple[Item, dict[str, str]]], before: Mapping[tuple[str, str], _Parts]
) -> Walk[dict[tuple[str, str], _Parts]]:
    """What the legacy items of a page's items become, by move and key, read together; what is merged is read one by one, later.
    Parts of one item lie side by side, so that those of the page `before` are often asked for again."""
    wanted: dict[str, set[str]] = {}
    found: dict[tuple[str, str], _Parts] = {}
    for _, origin in told:
        name, text = origin["move"], origin["key"]
        if (name, text) in before:
            found[name, text] = before[name, text]
        else:
            wanted.setdefault(name, set()).add(text)
    for name, texts in wanted.items():
        move = place.moving.by_name.get(name)
        if move is None or move.joins:
            continue
        legacy = yield from get_many("legacy", move.table, [ledger.key_from_text(text) for text in sorted(texts)])
        for leading in legacy:
            try:
                state, _ = yield from state_of(place, move, leading)
                parts = derive(place.moving, move, state, place.now())
            except Unfit:
                continue
            found[name, key_text(legacy_key(move, leading))] = {same_key(part.key): part for part in parts}
    return found


def _derived_now(place: Place, move: Move, key: Item, item: Item) -> Walk[tuple[Part | None, bool]]:
    """What the legacy tables say of a moved item; and whether it is gone from the new one meanwhile."""
    wanted = same_key(key_of(place, item))
    for attempt in range(_ATTEMPTS):
        try:
            state, _ = yield from read_state(place, move, key)
            parts = derive(place.moving, move, state, place.now())
        except Unfit:
            parts = ()
        found = next((p for p in parts if same_key(p.key) == wanted), None)
        if found is not None:
            return found, False
        if attempt + 1 < _ATTEMPTS and (yield from get("new", place.table, key_of(place, item))) is None:
            return None, True
    return None, False


def _digest(key: Item) -> bytes:
    return blake2b(same_key(key), digest_size=16).digest()


def _parents(place: Place, items: list[Item], counts: _Counts) -> Walk[None]:
    plans = place.moving.table.plan.entities
    for relation in place.moving.parents:
        child, parent = plans[relation.child], plans[relation.parent]
        wanted: dict[bytes, list[Item]] = {}
        keys: list[Item] = []
        for item in items:
            if not child.owns(item) or is_over(expiry_of(place.moving, item), counts.began):
                continue
            try:
                values = child.values_in(item, relation.by.values())
                key = parent.key({field: values[held] for field, held in relation.by.items()})
            except TablewrightError:
                counts.differs(_in_new(place, item, child.name, "no parent"))
                continue
            if _digest(key) in counts.over:
                continue  # time to live takes it from both sides, sooner or later: its children lack nothing yet
            if same_key(key) not in wanted:
                keys.append(key)
            wanted.setdefault(same_key(key), []).append(item)
        there = yield from get_many("new", place.table, keys)
        for found in there:
            wanted.pop(same_key(key_of(place, found)), None)
        for orphans in wanted.values():
            for orphan in orphans:
                if (yield from get("new", place.table, key_of(place, orphan))) is not None:
                    counts.differs(_in_new(place, orphan, child.name, "no parent"))


def _is_deleted(place: Place, item: Item) -> bool:
    return any(p.owns(item) and p.alive(item) is None for p in place.moving.table.plan.entities.values())


def _entity(place: Place, item: Item) -> str:
    for plan in place.moving.table.plan.entities.values():
        if plan.owns(item):
            return plan.name
        if any(item.get(plan.names.type) == {"S": unique.type_name} for unique in plan.uniques):
            return "a unique marker"
    return "an item of unknown type"
