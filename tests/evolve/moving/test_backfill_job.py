"""The backfill by the runner of jobs: dry run first, gone on with after a stop, and nothing to do the second time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import open_engine
from tablewright.errors import ArgumentError, ConfigError, JobError
from tablewright.evolve.jobs import Report
from tablewright.evolve.moving import Constant, Move, Moving, open_moving
from tablewright.evolve.moving.backfill import Backfill, backfill_of
from tablewright.evolve.moving.settling import TAKEN
from tablewright.evolve.moving.sides import Place
from tests.evolve.moving import families
from tests.evolve.moving.conftest import Ground, ground_on
from tests.evolve.moving.merchants import Merchant, a_merchant, a_review, market, merchants_moving


def told(reports: list[Report]) -> list[tuple[int, int, dict[str, int]]]:
    return [(one.counts.looked, one.counts.written, dict(one.counts.skipped)) for one in reports]


def test_a_dry_run_counts_prices_and_writes_nothing(anyhow: Ground) -> None:
    anyhow.fill()
    dry = anyhow.session.backfill()
    assert told(dry) == [(6, 6, {}), (18, 18, {})]
    assert all(one.dry_run and one.estimate is not None and one.estimate.cost > 0 for one in dry)
    assert anyhow.new_items() == []
    assert anyhow.session.pending() == {}


def test_the_cost_of_the_new_tables_indexes_is_part_of_the_estimate(ground: Ground) -> None:
    ground.fill()
    merchants, reviews = ground.session.backfill()
    assert merchants.estimate is not None
    assert reviews.estimate is not None
    # A check of the legacy item and the put are 2 units each in a transaction; a merchant is in an index too.
    assert merchants.estimate.write_units == 6 * (2 + 2 + 1)
    assert reviews.estimate.write_units == 18 * (2 + 2)


def test_it_moves_everything_once_and_says_so_the_second_time(anyhow: Ground) -> None:
    anyhow.fill()
    anyhow.into("dual")
    assert told(anyhow.session.backfill(write=True)) == [(6, 6, {}), (18, 18, {})]
    anyhow.session.repair()
    assert anyhow.session.verify().well
    before = anyhow.new_items()
    again = anyhow.session.backfill(write=True)
    assert [one.nothing_to_change for one in again] == [True, True]
    assert all(one.spent.write_units <= 20 for one in again)  # checkpoints only
    assert [one.nothing_to_change for one in anyhow.session.backfill()] == [True, True]
    assert anyhow.new_items() == before


def test_what_the_new_table_lost_comes_back(ground: Ground) -> None:
    ground.fill()
    ground.into("dual")
    ground.session.backfill(write=True)
    first = ground.new_items()[0]
    ground.new.execute(
        "DeleteItem", {"TableName": "Market", "Key": {"PK": {"S": first["PK"]}, "SK": {"S": first["SK"]}}}
    )
    assert sum(one.counts.written for one in ground.session.backfill(write=True)) == 1
    assert ground.session.verify().well


def test_a_key_that_is_taken_is_skipped_with_its_reason(ground: Ground) -> None:
    ground.put_legacy("MerchantsTable", a_merchant(1))
    ground.into("dual")
    ground.session.db.create(Merchant(merchant_id="m1", name="Somebody else's", category_id="c"))
    for write in (False, True):
        assert told(ground.session.backfill("MerchantsTable", write=write)) == [(1, 0, {TAKEN: 1})]
    assert [one["name"] for one in ground.new_items()] == ["Somebody else's"]


def test_what_is_unfit_is_skipped_in_dry_runs_too(anyhow: Ground) -> None:
    anyhow.put_legacy("ReviewsTable", a_review(1, 1, ts="secret"))
    anyhow.into("dual")
    for write in (False, True):
        (report,) = anyhow.session.backfill("ReviewsTable", write=write)
        assert told([report]) == [(1, 0, {"the function for 'written_at' raised ValueError": 1})]
        assert "secret" not in str(report)


def test_checkpoints_are_in_the_ledger_and_a_stopped_run_is_gone_on_with(anyhow: Ground) -> None:
    for number in range(120):
        anyhow.put_legacy("MerchantsTable", a_merchant(number))
    anyhow.into("dual")
    wire = anyhow.legacy_wire

    def cut() -> None:
        raise RuntimeError("power cut")

    options: Any = {"write": True, "segments": 4, "checkpoint_every": 0.0, "in_flight": 4}
    wire.restart()
    wire.before = {80: cut}
    with pytest.raises(RuntimeError, match="power cut"):
        anyhow.session.backfill("MerchantsTable", **options)
    wire.restart()
    assert len(anyhow.legacy_items("MerchantsTable")) == 120
    with pytest.raises(JobError, match="4 segments, not 5"):
        anyhow.session.backfill("MerchantsTable", write=True, segments=5)
    (report,) = anyhow.session.backfill("MerchantsTable", write=True)
    assert report.resumed
    assert report.counts.looked == 120
    anyhow.session.repair()
    assert anyhow.session.verify().well
    assert all(not str(one["id"]).startswith("TABLEWRIGHT#") for one in anyhow.legacy_items(anyhow.moving.ledger))


def test_it_belongs_to_phases_and_to_moves_that_exist(ground: Ground) -> None:
    with pytest.raises(ArgumentError, match="does not belong to the phase 'legacy'"):
        ground.session.backfill(write=True)
    with pytest.raises(ArgumentError, match="No move is called 'Merchants'"):
        ground.session.backfill("Merchants")


@pytest.fixture(params=["together", "apart"])
def house(request: pytest.FixtureRequest) -> Iterator[Ground]:
    with open_engine("memory:") as one, open_engine("memory:") as two:
        yield ground_on(families.moving, one, one if request.param == "together" else two, families.definitions())


def test_merged_items_are_noted_once(house: Ground) -> None:
    house.put_legacy("Accounts", {"id": "a1", "email": "a@example.org"})
    house.put_legacy("Settings", {"accountId": "a1", "theme": "dark"})
    house.into("dual")
    (report,) = house.session.backfill("Accounts", write=True)
    assert report.counts.written == 1
    house.session.repair()
    (again,) = house.session.backfill("Accounts", write=True)
    assert again.nothing_to_change
    house.put_legacy("Settings", {"accountId": "a1", "theme": "by old code"})
    (later,) = house.session.backfill("Accounts", write=True)
    assert later.counts.written == 1
    house.session.repair()
    assert house.session.verify().well


def test_more_parts_than_a_transaction_holds_are_noted_once(house: Ground) -> None:
    children = [{"name": f"Child {n:03}", "age": 9} for n in range(150)]
    house.put_legacy("Families", {"id": "f1", "name": "Weasley", "children": children})
    house.into("dual")
    for written in (1, 0):
        (report,) = house.session.backfill("Families", write=True)
        assert report.counts.written == written
        house.session.repair()
        assert house.session.verify().well


def test_two_fields_that_change_places_are_another_mapping() -> None:
    def of(fields: dict[str, Any]) -> str:
        move = Move(table="Old", key=("k",), entity=Merchant, fields=fields, uses=("x", "y"))
        moving = Moving("m", table=market, moves=[move])
        return Backfill(Place(moving, "M", True, lambda: "", lambda: ""), move).identity

    one = of({"name": "x", "category_id": "y", "merchant_id": "k"})
    assert one == of({"category_id": "y", "name": "x", "merchant_id": "k"})
    assert one != of({"name": "y", "category_id": "x", "merchant_id": "k"})
    assert of({"name": Constant("a"), "merchant_id": "k"}) != of({"name": Constant("b"), "merchant_id": "k"})


def test_another_process_makes_the_same_work(ground: Ground) -> None:
    mine = Backfill(ground.session._meanwhile.place, ground.moving.by_name["MerchantsTable"])
    other = backfill_of(f"{__name__}:MOVING", "MerchantsTable", "Market", True)
    assert other.identity == mine.identity
    with pytest.raises(ArgumentError, match="no Moving with a move called 'x'"):
        backfill_of(f"{__name__}:MOVING", "x", "Market", True)


MOVING = merchants_moving()


def test_a_file_that_is_missing_is_made_for_the_new_side_only(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no file"):
        open_moving(merchants_moving(), tmp_path / "new.db", legacy=tmp_path / "typo.db")
    assert not (tmp_path / "typo.db").exists()
    with open_moving(merchants_moving(), tmp_path / "fresh.db") as session:
        assert session.db.table_name == "Market"


def test_nothing_is_made_where_legacy_tables_are_not(ground: Ground) -> None:
    wrong = merchants_moving("Other")
    session = open_moving(wrong, ground.new)
    with pytest.raises(ConfigError, match="OtherMerchantsTable: there is no such table"):
        session.prepare()
    assert session.plan().problems["OtherMerchantsTable", "there is no such table"] == 1


def test_a_dry_run_prices_what_a_repair_will_write(house: Ground) -> None:
    """All that the backfill writes of merged items is notes."""
    for number in range(20):
        house.put_legacy("Accounts", {"id": f"a{number}", "email": f"a{number}@example.org"})
        house.put_legacy("Settings", {"accountId": f"a{number}", "theme": "dark"})
    house.into("dual")
    (dry,) = house.session.backfill("Accounts")
    assert (dry.counts.written, dry.later) == (20, "repair writes them")
    assert "20 to note" in str(dry)
    assert dry.estimate is not None
    (report,) = house.session.backfill("Accounts", write=True)
    assert "20 noted" in str(report)
    assert "nothing of it is in its place yet: repair writes them" in str(report)
    assert report.to_dict()["later"] == "repair writes them"
    units: list[float] = []
    house.session.repair(progress=lambda done: units.append(done.write_units))
    # Checkpoints are no part of the price.
    assert abs(dry.estimate.write_units - (report.spent.write_units + units[-1])) <= 20
    assert house.session.verify().well


def test_only_what_is_noted_is_told_so(ground: Ground) -> None:
    ground.fill()
    (report,) = ground.session.backfill("MerchantsTable")
    assert report.later is None
    assert "6 to write" in str(report)
