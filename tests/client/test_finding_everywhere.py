"""Lists of partitions, feeds, tallies, statements and sweeps on every engine."""

from __future__ import annotations

from datetime import timedelta

from pydantic import BaseModel

from tablewright import Session, is_in, key, query
from tests.client.lab import SHARDS, Note, Ticket, tickets_in


class Brief(BaseModel):
    """Little of a ticket."""

    ticket_id: str
    rank: int


def fill(db: Session) -> None:
    with db.batch() as batch:
        for n in range(12):
            status = ("NEW", "OPEN", "DONE")[n % 3]
            batch.put(Ticket(tenant_id="t", ticket_id=f"{n:02}", status=status, rank=n))  # type: ignore[arg-type]
        batch.put(Note(note_id="n"))


def test_reads_beside_patterns(anywhere: Session) -> None:
    db = anywhere
    fill(db)
    listed = db.execute(query(Ticket, is_in(Ticket.status, ["DONE", "NEW"])).newest_first())
    assert [t.rank for t in listed] == [11, 9, 8, 6, 5, 3, 2, 0]
    first = listed.page(3)
    assert [t.rank for t in (*first, *listed.page(9, first.cursor))] == [11, 9, 8, 6, 5, 3, 2, 0]
    tally = db.tally(query(Ticket, is_in(Ticket.status, ["DONE", "NEW"])), of=lambda t: t.rank)
    assert {p.chosen["status"]: (p.count, p.total) for p in tally.parts} == {"DONE": (4, 26), "NEW": (4, 18)}

    keys = [key(Ticket, tenant_id="t", ticket_id=name) for name in ("03", "xx")]
    assert db.get_many(keys, only=Brief) == [Brief(ticket_id="03", rank=3), None]
    with db.measure():
        page = db.run(tickets_in, "OPEN").page(2)
    assert page.scanned == 2
    assert page.capacity is not None
    assert page.capacity.read > 0

    text = 'SELECT ticket_id, "rank" FROM "{table}"."GSI1" WHERE GSI1PK = ?'
    briefs = db.statement(text, ["STATUS#NEW"], into=Brief)
    assert sorted(b.rank for b in briefs) == [0, 3, 6, 9]
    whole = db.statement('SELECT * FROM "{table}" WHERE PK = ? AND SK = ?', ["TENANT#t", "TICKET#07"], into=Ticket)
    assert [t.rank for t in whole] == [7]

    seen: list[int] = []
    swept = db.sweep_for_maintenance(Ticket, lambda page: seen.extend(t.rank for t in page), segments=3)
    assert sorted(seen) == list(range(12))
    assert (swept.items, swept.cursor) == (12, None)


def test_a_feed_over_shards(anywhere: Session) -> None:
    db = anywhere
    assert SHARDS > 1
    fill(db)
    overlap = timedelta(hours=1)
    told, cursor, more = [], None, True
    while more:
        page = db.changes(Ticket, since=cursor, limit=5, overlap=overlap)
        told += [c.key.fields["ticket_id"] for c in page.items]
        cursor, more = page.cursor, page.has_more
    assert sorted(told) == [f"{n:02}" for n in range(12)]
    db.update(key(Ticket, tenant_id="t", ticket_id="04"), set={"rank": 99})
    (change,) = db.changes(Ticket, since=cursor, overlap=overlap).items
    assert change.entity is not None
    assert (change.entity.rank, change.deleted) == (99, False)
