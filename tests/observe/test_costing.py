"""What was observed against what was declared: a collector watches real requests on the engine."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import GSI, Deployment, Entity, Keys, Provisioned, Query, Table, key, query
from tablewright.cost.capacity import advise_capacity, shown_capacity
from tablewright.cost.entities import TABLE
from tablewright.cost.estimating import estimate
from tablewright.cost.growth import grow
from tablewright.cost.modes import compare_modes
from tablewright.cost.observed import as_observed, noted, observed_capacity, observed_loads, shown_observed
from tablewright.cost.prices import MONTH
from tablewright.cost.showing import shown
from tablewright.cost.what_if.comparing import what_if
from tablewright.errors import ArgumentError
from tablewright.observe.collector import Collector
from tablewright.observe.costing import estimate_observed, observed_use
from tablewright.observe.drift import compare
from tablewright.observe.snapshot import Minute, Snapshot, Traffic
from tablewright.observe.watcher import Watcher
from tablewright.values.sizes import item_size

NOON = 1_767_268_800.0
HOUR = 3600

MODEL = """
from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

shop = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=shop):
    keys = Keys("CUSTOMER#{customer}", "ORDER#{order}", GSI1=("ORDER#{order}", "ORDER"))
    customer: str
    order: str
    notes: str = ""


@shop.pattern
def order(order: str) -> Get[Order]:
    return get(Order, Order.order == order)


@shop.pattern
def orders_of(customer: str) -> Query[Order]:
    return query(Order, Order.customer == customer)


shop.expect(Order, items=1_000, size=1_500, writes=10)
shop.expect(order, rate=5)
shop.expect(orders_of, rate=1, results=8)
"""


class Shop:
    def __init__(self) -> None:
        made: dict[str, Any] = {"__name__": "observed_shop"}
        exec(compile(MODEL, "observed_shop", "exec"), made)
        self.table: Table = made["shop"]
        self.Order, self.order, self.orders_of = made["Order"], made["order"], made["orders_of"]


def watched(shop: Shop) -> Snapshot:
    """An hour in which eight orders are made and read: by their number, all together, and one by its key."""
    now = [NOON]

    def clock() -> float:
        return now[0]

    collector = Collector(sample=1.0, clock=clock, timer=clock)
    with shop.table.open("memory:", observe=collector) as db:
        for number in range(8):
            now[0] += 60
            db.create(shop.Order(customer="c" * 24, order=f"{number:024}", notes="n" * 1_180))
        for number in range(8):
            now[0] += 60
            db.run(shop.order, f"{number:024}")
        assert len(list(db.run(shop.orders_of, "c" * 24))) == 8
        db.get(key(shop.Order, customer="c" * 24, order="0" * 24))
        now[0] = NOON + HOUR
        return collector.snapshot()


def of(seen: Snapshot, **shape: str) -> Traffic:
    (found,) = (t for t in seen.traffic if all(getattr(t, name) == value for name, value in shape.items()))
    return found


def test_each_pattern_and_entity_stands_beside_what_was_declared() -> None:
    shop = Shop()
    found = estimate_observed(shop.table, watched(shop))
    declared = estimate(shop.table)
    rows = {row.name: row for row in (*found.patterns, *found.entities)}
    order, orders, entity = rows["order()"], rows["orders_of()"], rows["Order"]
    # Items are as large as was said, so that a request costs what the estimate says.
    assert (order.observed_units, orders.observed_units, entity.observed_units) == (0.5, 1.5, 4.0)
    assert [order.declared_units, orders.declared_units, entity.declared_units] == [0.5, 1.5, 4.0]
    assert order.observed_rate == pytest.approx(8 / HOUR)
    assert (order.declared_rate, entity.declared_rate) == (5, 10)
    assert order.observed_month == pytest.approx(8 / HOUR * 0.5 * MONTH / 1e6 * 0.125)
    assert entity.observed_month == pytest.approx(8 / HOUR * 4 * MONTH / 1e6 * 0.625)
    assert sum(row.declared_month for row in found.patterns) == pytest.approx(declared.bill().reads)
    assert sum(row.declared_month for row in found.entities) == pytest.approx(declared.bill().writes)
    assert (entity.size, entity.observed_size) == (1_500, 1_441)
    assert entity.departs
    (get,) = found.undeclared
    assert (get.name, get.declared_rate, get.declared_month, get.observed_units) == ("GetItem of Order", None, 0, 0.5)
    every = (*found.patterns, *found.entities, *found.undeclared)
    assert found.observed.reads + found.observed.writes == pytest.approx(sum(row.observed_month for row in every))
    assert (found.observed.storage, found.observed.recovery) == (declared.bill().storage, declared.bill().recovery)


def test_less_than_a_second_is_not_told_as_none() -> None:
    shop = Shop()
    seen = watched(shop)
    since, _ = seen.spans[0]
    seen.spans = [(since, since + 0.34)]
    assert "Observed for 0.3 seconds between" in shown_observed(estimate_observed(shop.table, seen))


def test_what_was_looked_at_is_told() -> None:
    shop = Shop()
    seen = watched(shop)
    seen.traffic = [t for t in seen.traffic if t.pattern != "order"]
    text = shown_observed(estimate_observed(shop.table, seen))
    assert "Observed for 60 minutes between 2026-01-01 12:00 and 2026-01-01 13:00 UTC" in text
    assert "A week shows more" in text
    assert "Never ran while somebody looked: order()." in text
    assert "Not in the model:\n  GetItem of Order: 0.00 declared" in text
    assert "no requests a second declared" in text
    assert "each declared, none observed" in text
    assert " 1 units each" not in text
    assert "1,500 bytes declared, 1,441 observed) <- departs" in text


def test_answers_without_units_are_made_up_for() -> None:
    shop = Shop()
    seen = watched(shop)
    put = of(seen, operation="PutItem")
    put.unmetered, put.write_units = 4, put.write_units / 2
    put.index_units["GSI1"] /= 2
    found = estimate_observed(shop.table, seen)
    assert {row.name: row for row in found.entities}["Order"].observed_units == 4.0
    assert any(note.startswith("4 answers did not tell") for note in found.notes)


def test_a_model_that_changed_still_shows_what_ran() -> None:
    shop = Shop()
    seen = watched(shop)
    of(seen, pattern="order").pattern, of(seen, operation="PutItem").entity = "order_once", "Purchase"
    found = estimate_observed(shop.table, seen)
    assert {row.name for row in found.undeclared} == {"GetItem of Order", "order_once()", "Purchase"}


def test_the_model_as_it_was_observed_costs_what_was_observed() -> None:
    shop = Shop()
    seen = watched(shop)
    found = estimate_observed(shop.table, seen)
    model, share = as_observed(shop.table, observed_use(shop.table, seen))
    again = estimate(model, share=share)
    (order,) = again.entities
    assert order.size == 1_441
    assert again.bill().reads == pytest.approx(sum(row.observed_month for row in found.patterns))
    assert again.bill().writes == pytest.approx(sum(row.observed_month for row in found.entities))
    # The busiest minute of 60 took 2.5 of six read units: so many times the average.
    assert 1 / share == pytest.approx(60 * 2.5 / 6)
    assert {p.name: round(p.rate or 0.0, 9) for p in again.patterns} == {
        "order": round(8 / HOUR / share, 9),
        "orders_of": round(1 / HOUR / share, 9),
    }
    assert estimate(shop.table).entities[0].size == 1_500  # the model itself stays as it is


def test_a_trial_of_seconds_has_one_price_whoever_tells_it() -> None:
    """Of 600 notes in a partition a filter leaves twenty, where the model says that a partition may hold 100,000."""
    table = Table("Trial")

    class Note(Entity, table=table):
        keys = Keys("BOOK#{book}", "NOTE#{note}")
        book: str
        note: str
        open: bool = False

    @table.pattern
    def open_notes(book: str) -> Query[Note]:
        return query(Note, Note.book == book).filter(Note.open == True)  # noqa: E712

    table.expect(Note, items=1_000_000, writes=1, per={"book": 100_000})
    table.expect(open_notes, rate=1, results=20)
    now = [NOON + 58]

    def clock() -> float:
        return now[0]

    collector = Collector(clock=clock, timer=clock)
    with table.open("memory:", observe=collector) as db:
        with db.batch() as batch:
            for number in range(600):
                batch.put(Note(book="b", note=f"{number:03}", open=number % 30 == 0))
        now[0] += 4  # into the next minute
        assert len(list(db.run(open_notes, "b"))) == 20
        now[0] += 1
        seen = collector.snapshot()
        db.get(key(Note, book="b", note="000"))
        more = collector.snapshot()
    use, found = observed_use(table, seen), estimate_observed(table, seen)
    assert len(use.minutes) == 1
    month = found.observed.reads + found.observed.writes
    assert compare_modes(table, observed_loads(table, use)).months["on-demand"] == pytest.approx(month)
    model, share = as_observed(table, use)
    again = estimate(model, share=share)
    assert (again.patterns[0].items, model.plan.table.expectations.of_pattern("open_notes").scanned) == (600, 600)
    assert again.bill().total == pytest.approx(found.observed.total, rel=0.001)
    undeclared = estimate_observed(table, more)
    assert any(
        "does not declare are left out; they are" in note for note in noted(again, undeclared, share).assumptions
    )
    assert not any("left out; they are" in note for note in noted(again, found, share).assumptions)


def tickets() -> tuple[Table, Any]:
    """Tickets with an index in which only those with an assignee are."""
    table = Table("Tickets", indexes=[GSI("GSI1"), GSI("GSI2", projection="KEYS_ONLY")])

    class Ticket(Entity, table=table):
        keys = Keys("T#{ticket}", "T", GSI1=("ORG#{org}", "{ticket}"), GSI2=("A#{assignee}", "{ticket}"))
        ticket: str
        org: str
        assignee: str | None = None

    table.expect(Ticket, items=1_000, size=300, writes=1)
    return table, Ticket


def test_an_index_costs_what_it_was_observed_to_take_of_writes() -> None:
    """No ticket is assigned, so that nothing is written to the index of those that are."""
    table, ticket = tickets()
    collector = Collector()
    with table.open("memory:", observe=collector) as db:
        for number in range(40):
            db.put(ticket(ticket=str(number), org="a"))
    seen = collector.snapshot()
    model, share = as_observed(table, observed_use(table, seen))
    found = estimate(model, share=share)
    observed = estimate_observed(table, seen).observed.writes
    assert found.bill().writes == pytest.approx(observed)
    assert [s.subject for s in found.shares if s.what == "writes"] == ["Ticket", "Ticket on GSI1"]
    saved = {s.subject: s.month for s in found.savings if s.kind == "unread-index"}
    assert saved["GSI1"] == pytest.approx(observed / 2, rel=0.001)
    assert saved["GSI2"] == pytest.approx(0, abs=0.01)
    nothing, half = what_if(model, "drop GSI2", "drop GSI1", share=share)
    assert nothing.month == pytest.approx(0, abs=0.01)
    assert half.month == pytest.approx(-observed / 2, rel=0.001)
    (kept,) = what_if(model, "GSI2: sparse Ticket 50%", share=share)
    assert kept.after.writes == pytest.approx(1.25 * kept.before.writes)  # what is asked counts, where it is asked
    assert grow(model, 1, share=share).months[0].bill.writes == pytest.approx(observed)
    assert not any("costs what a create does" in text for text in found.assumptions)


def test_a_key_that_moves_costs_twice_as_it_was_observed() -> None:
    table, ticket = tickets()
    collector = Collector(sample=1.0)
    with table.open("memory:", observe=collector) as db:
        for number in range(10):
            db.put(ticket(ticket="1", org="a", assignee=str(number)))
    seen = collector.snapshot()
    model, share = as_observed(table, observed_use(table, seen))
    taken = model.plan.table.expectations.of(ticket).taken
    assert taken == {"the table": 1.0, "GSI1": 1.0, "GSI2": pytest.approx(1.9)}
    assert estimate(model, share=share).bill().writes == pytest.approx(estimate_observed(table, seen).observed.writes)


def test_units_that_were_told_together_are_parted_as_a_create_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watcher, "measures", lambda *_: False)  # so that no answer tells what indexes took
    table, ticket = tickets()
    collector = Collector()
    with table.open("memory:", observe=collector) as db:
        for number in range(10):
            db.put(ticket(ticket=str(number), org="a"))
    seen = collector.snapshot()
    model, share = as_observed(table, observed_use(table, seen))
    assert set(model.plan.table.expectations.of(ticket).taken.values()) == {2 / 3}
    assert estimate(model, share=share).bill().writes == pytest.approx(estimate_observed(table, seen).observed.writes)


def test_the_average_that_was_observed_is_told_and_no_share_is_asked_for() -> None:
    shop = Shop()
    seen = watched(shop)
    model, share = as_observed(shop.table, observed_use(shop.table, seen))
    found = noted(estimate(model, share=share), estimate_observed(shop.table, seen), share)
    assert any("the average was 4% of it" in text for text in found.assumptions)
    assert not any("say a share" in text or "were said for the peak" in text for text in found.assumptions)


class Desk:
    """Tickets whose status is in an index key, with the day on which they were made."""

    def __init__(self) -> None:
        table = Table("Desk", indexes=[GSI("GSI1")])

        class Ticket(Entity, table=table):
            keys = Keys("T#{ticket}", "T", GSI1=("STATUS#{status}", "{made}#{rank:4}"), unique=["name"])
            ticket: str
            made: str
            name: str
            status: str = "open"
            rank: int = 1
            views: int = 0

        @table.change
        def close(x: Ticket) -> None:
            x.status = "closed"

        @table.change
        def place(x: Ticket, status: str, made: str, rank: int) -> None:
            x.status, x.made, x.rank = status, made, rank

        @table.change
        def raise_rank(x: Ticket) -> None:
            x.rank += 1

        @table.change
        def rename(x: Ticket, name: str) -> None:
            x.name = name

        @table.change
        def view(x: Ticket) -> None:
            x.views += 1

        table.expect(Ticket, items=1_000, size=300, writes=1)
        self.table, self.Ticket, self.close = table, Ticket, close
        self.calls: dict[str, tuple[Any, list[Any]]] = {
            "close": (close, []),
            "place": (place, ["new", "2026-01-31", 3]),
            "raise_rank": (raise_rank, []),
            "rename": (rename, ["Bea"]),
            "view": (view, []),
        }

    def watched(self) -> Snapshot:
        """Twenty tickets are closed, each by its key."""
        collector = Collector()
        with self.table.open("memory:", observe=collector) as db:
            for number in range(20):
                db.create(self.Ticket(ticket=str(number), made="2026-01-30", name=f"n{number}"))
            collector.reset()
            for number in range(20):
                db.apply(self.close, key(self.Ticket, ticket=str(number)))
        return collector.snapshot()


def test_a_read_that_a_change_needs_is_part_of_what_the_change_costs() -> None:
    desk = Desk()
    seen = desk.watched()
    read = of(seen, operation="GetItem")
    assert (read.entity, read.write, read.pattern, read.name) == (
        "Ticket",
        "close",
        None,
        "GetItem of Ticket for close()",
    )
    found = estimate_observed(desk.table, seen)
    assert found.undeclared == ()
    (row,) = found.entities
    assert (row.observed_units, row.observed_reads) == (3.0, 1.0)  # the table, and a delete and an insert in the index
    assert row.observed_month == pytest.approx(found.observed.reads + found.observed.writes)
    assert found.observed.reads > 0
    assert "3 observed; 1 read unit before each observed" in shown_observed(found)
    model, share = as_observed(desk.table, observed_use(desk.table, seen))
    again = estimate(model, share=share)
    assert again.bill().reads == pytest.approx(found.observed.reads)
    assert "reads before writes" in {s.what for s in again.shares}
    assert not any("reads before writes" in text for text in again.assumptions)
    assert any("reads before writes are not counted" in text for text in estimate(desk.table).assumptions)
    loads = compare_modes(desk.table, observed_loads(desk.table, observed_use(desk.table, seen)))
    assert loads.months["on-demand"] == pytest.approx(row.observed_month)


@pytest.mark.parametrize("name", ["close", "place", "raise_rank", "rename", "view"])
def test_a_change_is_told_to_read_first_where_it_does(name: str) -> None:
    desk = Desk()
    change, arguments = desk.calls[name]
    with desk.table.open("memory:") as db:
        db.create(desk.Ticket(ticket="1", made="2026-01-30", name="Ann"))
        with db.measure() as meter:
            db.apply_only(change, key(desk.Ticket, ticket="1"), *arguments)
    (cost,) = estimate(desk.table).entities
    first = sum(r.capacity.read for r in meter.requests)
    assert cost.change_reads.get(name, 0.0) == first
    assert f"{name}(), at worst: " in shown(estimate(desk.table))
    assert (first > 0) == (name not in ("view", "place"))


def test_minutes_that_were_seen_in_part_do_not_thin_the_others() -> None:
    minutes = {round(NOON // 60) + n: Minute(requests=1, read_units=60.0) for n in range(1, 4)}
    minutes[round(NOON // 60)] = Minute(requests=1, read_units=10.0)
    spans = [(NOON + 50, NOON + 240 + 30)]
    use = observed_use(Shop().table, Snapshot(table="Shop", spans=spans, minutes=minutes))
    assert use.minutes == [(60.0, 0.0)] * 3 + [(15.0, 0.0)]  # ten units in forty seconds


def test_what_nobody_asked_for_costs_nothing() -> None:
    shop = Shop()
    model, share = as_observed(shop.table, observed_use(shop.table, Snapshot(table="Shop", spans=[(NOON, NOON + 10)])))
    assert share == 1.0
    bill = estimate(model).bill()
    assert (bill.reads, bill.writes, bill.storage) == (0, 0, estimate(shop.table).bill().storage)


def test_a_batch_is_as_many_writes_as_it_has_items() -> None:
    shop = Shop()
    collector = Collector(sample=1.0)
    with shop.table.open("memory:", observe=collector) as db, db.batch() as batch:
        for number in range(10):
            batch.put(shop.Order(customer="c" * 24, order=f"{number:024}", notes="n" * 1_180))
    written = observed_use(shop.table, collector.snapshot()).entities["Order"]
    assert (written.requests, written.units) == (10, 40.0)


def test_what_is_written_in_transactions_tells_its_size_when_it_is_read() -> None:
    table = Table("Club")

    class Member(Entity, table=table):
        keys = Keys("MEMBER#{member}", "MEMBER", unique=["name"])
        member: str
        name: str

    collector = Collector(sample=1.0)
    with table.open("memory:", observe=collector) as db:
        db.create(Member(member="m1", name="Ada"))
        written = observed_use(table, collector.snapshot()).entities["Member"]
        # The member and its marker, each twice.
        assert (written.requests, written.units, written.sized) == (1, 4.0, 0)
        db.get(key(Member, member="m1"))
        (stored,) = (i for i in db.send("Scan", {"TableName": "Club"})["Items"] if i["Type"] == {"S": "Member"})
    read = observed_use(table, collector.snapshot()).entities["Member"]
    assert (read.requests, read.sized, read.size) == (1, 1, item_size(stored))


def test_sizes_and_writes_of_an_entity_are_the_same_whoever_tells_them() -> None:
    """Orders are measured only when they are read by the index, which holds all of them; members are made in transactions."""
    shop = Shop()

    class Member(Entity, table=shop.table):
        keys = Keys("MEMBER#{member}", "MEMBER", unique=["name"])
        member: str
        name: str

    @shop.table.pattern
    def numbered(order: str) -> Query[Any]:
        return query(shop.Order, shop.Order.order == order)

    now = [NOON]

    def clock() -> float:
        return now[0]

    collector = Collector(sample=1.0, clock=clock, timer=clock)
    with shop.table.open("memory:", observe=collector) as db:
        for number in range(10):
            now[0] += 1
            db.create(Member(member=str(number), name=str(number)))
            db.put(shop.Order(customer="c", order=str(number)))
            db.update(key(shop.Order, customer="c", order=str(number)), set={"notes": "n" * 500})
            assert len(list(db.run(numbered, str(number)))) == 1
        seen = collector.snapshot()
    costs = {row.name: row for row in estimate_observed(shop.table, seen).entities}
    uses = {use.name: use for use in compare(shop.table.plan, seen).entities}
    for name in ("Order", "Member"):
        assert uses[name].writes == pytest.approx(costs[name].observed_rate)
    assert costs["Member"].observed_rate == pytest.approx(1.0)
    assert not uses["Member"].more_writes
    size = uses["Order"].size
    assert size is not None
    assert round(size) == costs["Order"].observed_size
    assert size > 500


def test_minutes_make_a_load_for_each_place() -> None:
    shop = Shop()
    seen = watched(shop)
    use = observed_use(shop.table, seen)
    assert len(use.minutes) == 60
    loads = observed_loads(shop.table, use)
    units = sum(t.read_units for t in seen.traffic), sum(t.write_units for t in seen.traffic)
    assert sum(sum(load.reads) for load in loads.values()) * 60 == pytest.approx(units[0])
    assert sum(sum(load.writes) for load in loads.values()) * 60 == pytest.approx(units[1])
    assert sum(loads["GSI1"].reads) * 60 == pytest.approx(4.0)  # eight orders by their id
    assert sum(loads["GSI1"].writes) * 60 == pytest.approx(16.0)
    compared = compare_modes(shop.table, loads)
    assert [place.place for place in compared.places] == [TABLE, "GSI1"]
    assert compared.months["on-demand"] == pytest.approx((units[0] * 0.125 + units[1] * 0.625) / HOUR * MONTH / 1e6)


def test_capacity_that_is_used_to_fifteen_percent_on_average_and_to_eighty_five_at_its_peak() -> None:
    """Two units are kept ready. Twenty minutes of real requests use 0.3 of them a second on average, and 1.7 in one minute."""
    table = Table("Kept", deployment=Deployment(billing=Provisioned(read=2, write=2)))

    class Note(Entity, table=table):
        keys = Keys("NOTE#{note}", "NOTE")
        note: str

    now = [NOON + 60]

    def clock() -> float:
        return now[0]

    collector = Collector(clock=clock, timer=clock)
    with table.open("memory:", observe=collector) as db:
        for units in (102, *(14,) * 11, *(13,) * 8):
            for number in range(units):
                db.put(Note(note=f"{number}"))
                db.get(key(Note, note=f"{number}"), consistent=True)
            now[0] += 60
        now[0] += 1
        seen = collector.snapshot()
    advice = advise_capacity(table, observed_capacity(table, observed_use(table, seen)))
    (own,) = advice.places
    for use in (own.reads, own.writes):
        assert (use.average, use.peak, use.provisioned) == (pytest.approx(0.3), pytest.approx(1.7), 2)
        assert use.share == pytest.approx(0.15)
        assert use.peak / 2 == pytest.approx(0.85)
    assert advice.mode == "provisioned"
    assert advice.now == pytest.approx(730 * 2 * (0.00013 + 0.00065))
    # So uneven a load is paid by request, which is about half.
    assert advice.recommended_mode == "on-demand"
    assert advice.recommended == pytest.approx(0.3 * MONTH / 1e6 * (0.125 + 0.625))
    assert advice.saved / advice.now == pytest.approx(0.48, abs=0.01)
    text = shown_capacity(advice)
    assert "reads 0.3 a second, 1.7 at the peak, of 2 provisioned (15% used)" in text
    assert "Recommended: on-demand, 0.59 a month; it saves 0.55." in text


def test_nothing_cannot_be_compared() -> None:
    shop = Shop()
    with pytest.raises(ArgumentError, match="Nothing was observed"):
        estimate_observed(shop.table, Snapshot(table="Shop"))
    with pytest.raises(ArgumentError, match="No minutes were observed"):
        observed_loads(shop.table, observed_use(shop.table, Snapshot(table="Shop")))
