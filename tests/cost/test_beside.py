"""Streams, change data capture, backups, restores and further regions: their bills by hand, and their units as measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import GSI, Entity, Get, Keys, Table, get
from tablewright.cost.beside import Beside
from tablewright.cost.entities import TABLE
from tablewright.cost.estimating import estimate
from tablewright.cost.prices import HOURS, MONTH, load_prices
from tablewright.cost.showing import shown
from tablewright.errors import ArgumentError
from tablewright.values.sizes import item_size

PRICES = load_prices()
RATES = PRICES.classes["standard"]
GB = 2**30


class Club:
    """Members with a unique name, in an index of all they have."""

    def __init__(self, *, stream: bool = False) -> None:
        self.table = table = Table("Club", indexes=[GSI("GSI1")], stream=stream)

        class Member(Entity, table=table):
            keys = Keys("MEMBER#{member}", "MEMBER", GSI1=("NAME#{name}", "MEMBER"), unique=["name"])
            member: str
            name: str
            notes: str = ""

        class Visit(Entity, table=table):
            keys = Keys("MEMBER#{member}", "VISIT#{visit}")
            member: str
            visit: str
            notes: str = ""

        @table.pattern
        def member(member: str) -> Get[Member]:
            return get(Member, Member.member == member)

        self.Member, self.Visit, self.member = Member, Visit, member
        table.expect(Member, items=10_000_000, size=1_500, writes=10)
        table.expect(member, rate=100)


def test_without_any_of_it_nothing_is_paid() -> None:
    bill = estimate(Club().table).bill()
    assert (bill.streams, bill.backups, bill.replicas) == (0, 0, 0)
    assert bill.total == pytest.approx(bill.reads + bill.writes + bill.storage + bill.recovery)


def test_backups_are_of_the_table_and_not_of_its_global_indexes() -> None:
    found = estimate(Club().table, beside=Beside(backups=3, restores=0.5))
    (member,) = (e for e in found.entities if e.name == "Member")
    size = (member.stored[TABLE] + 100 * member.records[TABLE]) / GB
    assert member.records[TABLE] == 20_000_000  # each has a marker
    for mode in ("on-demand", "provisioned"):
        assert found.bill(mode).backups == pytest.approx(3 * size * 0.10 + 0.5 * size * 0.15)
    assert "Backups and restores are of the table and its local indexes" in shown(found)
    assert "Transfer, and reads before writes are not counted." in shown(found)


def test_readers_of_a_stream_ask_every_shard_all_the_time() -> None:
    club = Club(stream=True)
    assert "The stream is read by Lambda functions, which is free, or by nobody." in estimate(club.table).assumptions
    (member,) = (e for e in estimate(club.table).entities if e.name == "Member")
    partitions = -(-(member.stored[TABLE] + 100 * member.records[TABLE]) // (10 * GB))
    assert partitions == 2
    found = estimate(club.table, beside=Beside(stream_readers=3, polls=4))
    requests = 3 * 4 * partitions * MONTH
    assert found.bill().streams == pytest.approx((requests - 2_500_000) / 1e6 * 0.20)
    assert f"{requests / 1e6:,.1f} million requests a month from 3 readers" in shown(found)
    idle = estimate(club.table, share=0, beside=Beside(stream_readers=1, polls=0.01))
    assert idle.bill().streams == 0


def test_many_changes_take_more_requests_than_polls() -> None:
    club = Club()
    club.table.expect(club.Member, items=1, writes=50_000)
    found = estimate(club.table, beside=Beside(stream_readers=1, polls=0))
    records, megabytes = 2 * 50_000 / 1_000, 50_000 * 3 * 1024 / 2**20
    assert megabytes > records
    assert found.bill().streams == pytest.approx((megabytes * MONTH - 2_500_000) / 1e6 * 0.20)


@settings(max_examples=25)
@given(notes=st.integers(0, 5000))
def test_kinesis_counts_kilobytes_as_the_engine_writes_them(notes: int) -> None:
    club = Club()
    with club.table.open("memory:") as db:
        for entity, item in (
            (club.Member, club.Member(member="m" * 24, name="n" * 24, notes="x" * notes)),
            (club.Visit, club.Visit(member="m" * 24, visit="v" * 24, notes="x" * notes)),
        ):
            with db.measure() as created:
                db.create(item)
            stored = db.send("Scan", {"TableName": "Club"})["Items"]
            size = next(item_size(i) for i in stored if i["Type"]["S"] == entity.__name__)
            club.table.expect(entity, size=size, writes=2)
            cost = {e.name: e for e in estimate(club.table).entities}[entity.__name__]
            # A member and its marker are written in a transaction, which costs double and captures the same.
            doubled = 2 if entity is club.Member else 1
            assert cost.captured * doubled == cost.create.table
            assert created.capacity.write == cost.create.total
    found = estimate(club.table, share=0.5, beside=Beside(kinesis=True))
    captured = sum(e.captured * 2 for e in found.entities)
    assert found.bill().streams == pytest.approx(captured * 0.5 * MONTH / 1e6 * 0.10)


def test_further_regions_are_written_and_stored() -> None:
    club = Club()
    found = estimate(club.table, beside=Beside(replicas=2))
    (member,) = (e for e in found.entities if e.name == "Member")
    kept = (found.stored * 0.25 + (member.stored[TABLE] + 100 * member.records[TABLE]) * 0.20) / GB
    # Three kilobytes of the item and its marker, and the copy on GSI1 at the price of any write.
    writes = 10 * (3 + 2) * MONTH / 1e6 * 0.625
    assert found.bill().replicas == pytest.approx(2 * (writes + kept))
    ready = {"table": -(-10 * 6 * 10 // 7), "index": -(-10 * 2 * 10 // 7)}
    hours = HOURS * (ready["table"] * 0.00065 + ready["index"] * 0.00065)
    assert found.bill("provisioned").replicas == pytest.approx(2 * (hours + kept))


def test_what_prices_do_not_name_is_told(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    rates = "reads = 1\nwrites = 1\nread_hour = 1\nwrite_hour = 1\nstorage = 1\n"
    prices.write_text(f'[own]\nregion = "x"\nsince = "y"\n[own.classes.standard]\n{rates}')
    everything = Beside(stream_readers=9, kinesis=True, backups=1, restores=1, replicas=1)
    found = estimate(Club().table, load_prices(prices), beside=everything)
    assert (found.bill().streams, found.bill().backups, found.bill().replicas) == (0, 0, 0)
    told = [note for note in found.assumptions if note.startswith(("These prices name none", "Not all prices"))]
    assert len(told) == 5, told


@pytest.mark.parametrize("name", ["stream_readers", "polls", "backups", "restores", "replicas"])
def test_there_is_no_less_than_nothing(name: str) -> None:
    with pytest.raises(ArgumentError, match="is a number from 0 on"):
        Beside(**{name: -1})


@pytest.mark.parametrize("region", ["us-east-1", "us-east-2", "eu-west-1", "eu-central-1"])
def test_each_region_has_its_name_and_its_date(region: str) -> None:
    prices = load_prices(region)
    assert (prices.region, prices.since, prices.streams_free) == (region, "2024-11", 2_500_000)
    rates = prices.classes["standard"]
    # A write costs five times a read, wherever; give or take what AWS rounded.
    assert rates.writes / rates.reads == pytest.approx(5, abs=0.03)
    assert rates.write_hour / rates.read_hour == pytest.approx(5, abs=0.03)
