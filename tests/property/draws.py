"""What is drawn: values, deeds of every kind on a few items, and what somebody else does in between."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tablewright import Entity
from tests.client.lab import Account, Draft, Note, Sheet, Survey, Ticket
from tests.property import deeds, deeds_of_many
from tests.property.deeds import Deed
from tests.property.world import Slot

TENANTS = st.sampled_from(["t", "a#b"])
IDENTITIES: dict[type[Entity], st.SearchStrategy[tuple[str, ...]]] = {
    Ticket: st.tuples(TENANTS, st.sampled_from(["1", "2"])),
    Account: st.tuples(st.sampled_from(["1", "2", "3"])),
    Survey: st.tuples(TENANTS, st.sampled_from(["1", "2"])),
    Note: st.tuples(st.sampled_from(["1", "2"])),
    Draft: st.tuples(TENANTS, st.sampled_from(["1", "2"])),
    Sheet: st.tuples(st.sampled_from(["1", "2"])),
}
MEMBERS = st.sampled_from(["hot", "cold"])
VALUES: dict[type[Entity], dict[str, st.SearchStrategy[Any]]] = {
    Ticket: {
        "status": st.sampled_from(["NEW", "OPEN", "DONE"]),
        "rank": st.one_of(st.integers(0, 12), st.just(9998)),
        "tags": st.frozensets(MEMBERS).map(set),
        "notes": st.lists(st.sampled_from(["x", "y"]), max_size=2),
        "assignee": st.sampled_from([None, "bob", "a #b"]),
        "due_at": st.sampled_from([None, "2026-01-01T10:00:00.000000Z", "2026-02-01T00:00:00.500000Z"]),
        "country": st.sampled_from([None, "DE"]),
        "city": st.sampled_from([None, "Bonn", "Köln"]),
    },
    Account: {
        "tenant_id": TENANTS,
        "email": st.sampled_from(["w", "x", "y", "z"]),
        "handle": st.sampled_from([None, "h", "i"]),
        "plan": st.sampled_from(["free", "paid"]),
        "state": st.sampled_from(["active", "locked"]),
        "logins": st.integers(0, 3),
        "name": st.sampled_from(["", "Ann"]),
    },
    Survey: {
        "title": st.sampled_from(["q", "a $b"]),
        "code": st.sampled_from([None, "c", "d"]),
        "votes": st.integers(0, 3),
    },
    Note: {"topic": st.sampled_from([None, "m", "n"]), "text": st.sampled_from(["", "long"])},
    Draft: {
        "author": st.sampled_from(["ann", "a#b"]),
        "slug": st.sampled_from([None, "s", "r"]),
        "rank": st.integers(0, 3),
    },
    Sheet: {"sum": st.integers(0, 3), "note": st.sampled_from(["", "x"])},
}
COUNTERS = {"rank", "logins", "votes", "sum"}
NULLABLE = {"slug", "assignee", "due_at", "country", "city", "handle", "code", "topic"}
REQUIRED = {"tenant_id", "email"}


@st.composite
def some_values(draw: st.DrawFn, entity: type[Entity], *, at_least: int = 0) -> dict[str, Any]:
    names = sorted(VALUES[entity])
    chosen = draw(st.lists(st.sampled_from(names), min_size=at_least, max_size=4, unique=True))
    return {n: draw(VALUES[entity][n]) for n in chosen}


@st.composite
def whole_values(draw: st.DrawFn, entity: type[Entity]) -> dict[str, Any]:
    given = draw(some_values(entity))
    return {**{n: draw(VALUES[entity][n]) for n in REQUIRED & VALUES[entity].keys()}, **given}


@st.composite
def updates(draw: st.DrawFn, slot: Slot) -> Deed:
    """Changes of any subset of fields, each in one of the ways that it can be changed."""
    entity = slot[0]
    deed = deeds.Update(slot)
    for name in draw(st.lists(st.sampled_from(sorted(VALUES[entity])), max_size=4, unique=True)):
        ways = ["set"]
        if name not in REQUIRED:
            ways.append("remove")
        ways += ["add"] * 3 if name in COUNTERS else []
        ways += ["include", "discard"] if name == "tags" else []
        ways += ["append"] if name == "notes" else []
        way = draw(st.sampled_from(ways))
        if way == "set":
            deed.set[name] = draw(VALUES[entity][name])
        elif way == "remove":
            deed.remove.append(name)
        elif way == "add":
            deed.add[name] = draw(st.integers(-2, 3))
        elif way == "append":
            deed.append[name] = draw(st.lists(st.sampled_from(["x", "y"]), max_size=3))
        else:
            getattr(deed, way)[name] = draw(st.lists(MEMBERS, min_size=1, max_size=2, unique=True))
    deed.by = draw(st.sampled_from(["key", "copy", "pattern"]))
    if draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from(sorted(VALUES[entity].keys() - NULLABLE - {"tags", "notes"})))
        deed.when = (name, draw(VALUES[entity][name]))
    if entity is Account and draw(st.integers(0, 3)) == 0:
        deed.expected = draw(st.integers(1, 3))
    return deed


@st.composite
def upserts(draw: st.DrawFn, slot: Slot) -> Deed:
    plain = draw(updates(slot))
    assert isinstance(plain, deeds.Update)
    values = draw(whole_values(slot[0]))
    return deeds.Upsert(
        slot, plain.set, plain.add, plain.remove, plain.append, plain.include, plain.discard, values=values
    )


@st.composite
def by_email(draw: st.DrawFn, slot: Slot) -> Deed:
    plain = draw(updates(slot))
    assert isinstance(plain, deeds.Update)
    deed = deeds.UpdateByEmail(slot, plain.set, plain.add, plain.remove, email=draw(VALUES[Account]["email"]))
    deed.when, deed.expected = plain.when, plain.expected
    return deed


@st.composite
def single(draw: st.DrawFn, slot: Slot, *, in_transaction: bool = False) -> Deed:
    entity = slot[0]
    kinds = ["update", "update", "update", "update", "put", "create", "delete"]
    kinds += ["upsert", "upsert"]
    kinds += ["undelete", "undelete", "delete"] if entity is Draft else []
    kinds += ["change"] if entity in (Ticket, Survey) else []
    kinds += ["strip"] if entity is Survey and not in_transaction else []
    if not in_transaction:
        kinds += ["put read", "edit", "revise"]
        kinds += ["purge"] if entity is Draft else []
        kinds += ["count"] if COUNTERS & VALUES[entity].keys() else []
        kinds += ["by email"] if entity is Account else []
    kind = draw(st.sampled_from(kinds))
    if kind == "create":
        return deeds.Create(slot, draw(whole_values(entity)))
    if kind == "put":
        return deeds.PutFresh(slot, draw(whole_values(entity)))
    if kind == "put read":
        return deeds.PutRead(slot, draw(some_values(entity)))
    if kind == "edit":
        return deeds.Edit(slot, draw(some_values(entity, at_least=1)))
    if kind == "revise":
        return deeds.Revise(slot, draw(some_values(entity, at_least=1)))
    if kind == "delete":
        return deeds.Delete(slot)
    if kind == "undelete":
        return deeds.Undelete(slot)
    if kind == "purge":
        return deeds.Purge(slot)
    if kind == "count":
        (name,) = COUNTERS & VALUES[entity].keys()
        return deeds.Count(slot, add={name: draw(st.integers(-1, 3))})
    if kind == "upsert":
        return draw(upserts(slot))
    if kind == "change":
        return deeds.Change(slot)
    if kind == "by email":
        return draw(by_email(slot))
    if kind == "strip":
        return deeds.Strip(slot)
    deed = draw(updates(slot))
    assert isinstance(deed, deeds.Update)
    if in_transaction and deed.by == "copy":
        deed.by = "key"
    return deed


def slots_of(*entities: type[Entity]) -> st.SearchStrategy[Slot]:
    """Items of these entities; one that is named twice is drawn twice as often."""
    return st.sampled_from(entities).flatmap(lambda entity: IDENTITIES[entity].map(lambda ids: (entity, ids)))


SLOTS = slots_of(Ticket, Ticket, Account, Account, Survey, Note, Draft, Draft, Sheet)


@st.composite
def together(draw: st.DrawFn) -> Deed:
    slots = draw(st.lists(SLOTS, min_size=1, max_size=4, unique=True))
    parts = [draw(single(s, in_transaction=True)) for s in slots]
    return deeds_of_many.Together(slots[0], parts)


@st.composite
def trades(draw: st.DrawFn) -> Deed:
    """Accounts that hand unique values to each other, or try to."""
    numbers = draw(st.lists(st.sampled_from(["1", "2", "3"]), min_size=2, max_size=3, unique=True))
    names = draw(st.sampled_from([["email"], ["handle"], ["email", "handle", "tenant_id"]]))
    parts: list[Deed] = []
    for number in numbers:
        slot: Slot = (Account, (number,))
        if draw(st.integers(0, 4)) == 0:
            parts.append(deeds.Delete(slot))
        else:
            parts.append(deeds.Update(slot, set={n: draw(VALUES[Account][n]) for n in names}))
    return deeds_of_many.Together(parts[0].slot, parts)


@st.composite
def batches(draw: st.DrawFn) -> Deed:
    slots = draw(st.lists(slots_of(Ticket, Note), min_size=1, max_size=4))
    writes = [(s, draw(st.one_of(st.none(), whole_values(s[0])))) for s in slots]
    return deeds_of_many.Batch(slots[0], writes)


@st.composite
def guarded_batches(draw: st.DrawFn) -> Deed:
    """Any entities; those with unique fields, versions, locks or tombstones go by themselves."""
    slots = draw(st.lists(SLOTS, min_size=1, max_size=4))
    writes = [(s, draw(st.one_of(st.none(), whole_values(s[0]), whole_values(s[0])))) for s in slots]
    return deeds_of_many.GuardedBatch(slots[0], writes)


WORDS = {"status": ["OPEN", "OPEN", "NEW", "DONE"], "author": ["nobody", "nobody", "ann", "a#b"]}


@st.composite
def collections(draw: st.DrawFn) -> Deed:
    """Many items that are deleted together: by key, partition, query, or through an index."""
    of = draw(st.sampled_from(["item", "partition", "tickets", "drafts", *["status", "author"] * 2]))
    if of == "item":
        return deeds_of_many.DeleteCollection(draw(SLOTS))
    entity = Draft if of in ("drafts", "author") else Ticket
    word = draw(st.sampled_from(WORDS[of])) if of in WORDS else None
    return deeds_of_many.DeleteCollection(draw(slots_of(entity)), of, word)


@st.composite
def nudges(draw: st.DrawFn, slot: Slot) -> Deed:
    """A small change that nearly always succeeds."""
    name = draw(st.sampled_from(sorted(VALUES[slot[0]])))
    if name in COUNTERS and draw(st.booleans()):
        return deeds.Update(slot, add={name: 1})
    return deeds.Update(slot, set={name: draw(VALUES[slot[0]][name])})


@st.composite
def interruptions(draw: st.DrawFn, touched: list[Slot]) -> list[tuple[int, Deed]]:
    """What somebody else does to the same items, and before which request of the call."""
    if draw(st.integers(0, 3)) == 3:
        return []
    slots: st.SearchStrategy[Slot] = st.one_of(st.sampled_from(touched), st.sampled_from(touched), SLOTS)
    others: st.SearchStrategy[Deed] = st.one_of(*[slots.flatmap(nudges)] * 2, slots.flatmap(lambda s: single(s)))
    # Between reading and writing, that is before the second request, is where it hurts.
    found = draw(st.lists(st.tuples(st.sampled_from([1, 1, 1, 0, 2, 3]), others), min_size=1, max_size=3))
    return sorted(found, key=lambda pair: pair[0])


@st.composite
def calls(draw: st.DrawFn) -> tuple[Deed, list[tuple[int, Deed]]]:
    singles = SLOTS.flatmap(lambda s: single(s))
    several = [together(), together(), trades(), trades(), batches(), guarded_batches(), collections()]
    deed = draw(st.one_of(*[singles] * 6, *several))
    if isinstance(deed, deeds_of_many.Together):
        touched = [d.slot for d in deed.deeds]
    elif isinstance(deed, deeds_of_many.Batch):
        touched = [slot for slot, _ in deed.writes]
    else:
        touched = [deed.slot]
    others = draw(interruptions(touched))
    if isinstance(deed, deeds_of_many.DeleteCollection) and deed.word is not None and draw(st.integers(0, 2)):
        # What was found by a word does not say it any more when it is to be deleted.
        moved = deeds.Update(draw(slots_of(deed.entity)), set={deed.of: draw(VALUES[deed.entity][deed.of])})
        others = [(1, moved), *(other for other in others if other[0] > 0)]
    if isinstance(deed, deeds_of_many.DeleteCollection | deeds_of_many.Batch):
        deed.others = [other for _, other in others]
    return deed, others
