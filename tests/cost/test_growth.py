"""Cost from month to month: items that are added, expire, or stay, and traffic that grows."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import GSI, Deployment, Entity, Get, Keys, Provisioned, Table, get
from tablewright.cost.beside import Beside
from tablewright.cost.estimating import estimate
from tablewright.cost.growth import grow, shown_growth
from tablewright.cost.prices import MONTH
from tablewright.errors import ArgumentError

DAYS = MONTH / 86_400


def log(deployment: Deployment | None = None, *, ttl: bool = False) -> Table:
    table = Table("Log", indexes=[GSI("GSI1")], deployment=deployment)

    class Event(Entity, table=table, ttl="expires" if ttl else None):
        keys = Keys("EVENT#{event}", "EVENT", GSI1=("KIND#{kind}", "{event}"))
        event: str
        kind: str
        expires: int = 0

    class Source(Entity, table=table):
        keys = Keys("SOURCE#{source}", "SOURCE")
        source: str

    @table.pattern
    def event(event: str) -> Get[Event]:
        return get(Event, Event.event == event)

    table.expect(Event, items=1_000, size=500, writes=2, indexed={"GSI1": 100})
    table.expect(Source, items=10, size=200)
    table.expect(event, rate=4)
    return table


def test_the_first_month_is_the_estimate() -> None:
    table = log()
    growth = grow(table, 3, share=0.5, beside=Beside(backups=1))
    found = estimate(table, share=0.5, beside=Beside(backups=1))
    assert [month.number for month in growth.months] == [0, 1, 2, 3]
    first = growth.months[0]
    assert (first.bill, first.stored, first.items) == (found.bill(), found.stored, {"Event": 1_000, "Source": 10})
    shares = sum(share.month for share in found.shares)
    assert sum(first.entities.values()) + sum(first.patterns.values()) == pytest.approx(shares)


def test_every_write_adds_an_item() -> None:
    growth = grow(log(), 3, share=0.5)
    assert [month.items["Event"] for month in growth.months] == [1_000 + n * MONTH for n in range(4)]
    assert {month.items["Source"] for month in growth.months} == {10}
    bills = [month.bill for month in growth.months]
    assert len({bill.reads + bill.writes for bill in bills}) == 1
    steps = {round(after.storage - before.storage, 9) for before, after in pairwise(bills)}
    # An item and its copy in the index, of which there are a tenth: each with a hundred bytes more.
    assert steps == {round(MONTH * (600 + 0.1 * 600) / 2**30 * 0.25, 9)}
    assert growth.total == pytest.approx(sum(bill.total for bill in bills[1:]))
    assert growth.months[3].stored == growth.months[0].stored + round(3 * MONTH * 660)


def test_fewer_items_are_made_than_written() -> None:
    growth = grow(log(), 2, creates={"Event": 0.5})
    assert growth.months[2].items["Event"] == 1_000 + MONTH
    assert not any("Each write makes an item" in note for note in growth.notes)
    assert any(note.startswith("As many as ever") and "Source" in note for note in growth.notes)


def test_what_expires_stops_growing() -> None:
    growth = grow(log(), 4, lives={"Event": 2 * DAYS})
    items = [month.items["Event"] for month in growth.months]
    assert items == [1_000, 500 + 2 * MONTH, 4 * MONTH, 4 * MONTH, 4 * MONTH]
    short = grow(log(), 2, lives={"Event": 1})
    assert [month.items["Event"] for month in short.months] == [1_000, 2 * 86_400, 2 * 86_400]
    told = [note for note in grow(log(ttl=True), 1).notes if "nobody said after how many days" in note]
    assert told == ["They expire, and nobody said after how many days, so that they are kept: Event."]


def test_traffic_that_grows() -> None:
    growth = grow(log(), 2, traffic=0.1)
    now, _, last = growth.months
    assert last.bill.reads == pytest.approx(1.21 * now.bill.reads)
    assert last.bill.writes == pytest.approx(1.21 * now.bill.writes)
    assert last.items["Event"] == round(1_000 + 2 * MONTH * (1 + 1.1))
    assert "grow by 10.0% from month to month" in shown_growth(growth)


@settings(max_examples=25)
@given(st.integers(1, 40), st.floats(0, 3000), st.floats(-0.2, 0.3), st.floats(0, 1), st.floats(0, 5))
def test_items_are_never_more_than_were_made(
    months: int, days: float, traffic: float, share: float, creates: float
) -> None:
    table = log()
    kept = grow(table, months, share=share, traffic=traffic, creates={"Event": creates})
    expiring = grow(table, months, share=share, traffic=traffic, creates={"Event": creates}, lives={"Event": days})
    for whole, some in zip(kept.months[1:], expiring.months[1:], strict=True):
        assert 0 <= some.items["Event"] <= whole.items["Event"] + 1
        assert some.bill.total <= whole.bill.total + 1e-6
    made = [month.items["Event"] for month in kept.months]
    assert made == sorted(made)


def test_it_is_told_for_the_mode_that_is_deployed() -> None:
    table = log(Deployment(billing=Provisioned(read=5, write=5), table_class="STANDARD_INFREQUENT_ACCESS"))
    growth = grow(table, 1)
    assert (growth.mode, growth.table_class) == ("provisioned", "infrequent")
    assert growth.months[0].bill == estimate(table).bill("provisioned", "infrequent")


def test_years_are_told_by_their_last_month() -> None:
    text = shown_growth(grow(log(), 30)).splitlines()
    told = [
        line.split(":")[0].strip() for line in text[1:] if line.startswith("  ") and "month" in line and ":" in line
    ]
    assert told[:2] == ["after 1 month", "after 2 months"]
    assert told[11:14] == ["after 12 months", "after 24 months", "after 30 months"]
    assert text[1].startswith("  now: ")


def test_what_cannot_grow_is_refused() -> None:
    for words, call in (
        ("1 to 600 months", {"months": 0}),
        ("1 to 600 months", {"months": 601}),
        ("share of a month", {"months": 1, "traffic": -1}),
        ("no entity 'Evnt'", {"months": 1, "creates": {"Evnt": 1}}),
        ("no entity 'Evnt'", {"months": 1, "lives": {"Evnt": 1}}),
    ):
        with pytest.raises(ArgumentError, match=words):
            grow(log(), **call)  # type: ignore[arg-type]


def test_what_is_said_of_deletes_goes_by_how_long_items_live() -> None:
    kept = "Items are added to those that are expected, and nobody deletes them: Event."
    gone = "Items are added to those that are expected, and go again: Event after 30 days."
    assert kept in grow(log(), 1).notes
    notes = grow(log(), 1, lives={"Event": 30}).notes
    assert gone in notes
    assert not any("nobody deletes" in note for note in notes)
