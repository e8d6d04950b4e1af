"""The move of merchants and reviews: every phase, failures on the way, and the way back from the new table alone."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from examples.small.merchants import Merchant, merchant, merchant_page, merchants_in, write_review
from examples.small.merchants_move import IN_CATEGORY, MERCHANTS, ONE, REVIEWS, backfill, fill, move, moving, retire
from tablewright.engine import Engine, open_engine
from tablewright.errors import ResourceNotFound
from tablewright.evolve.moving import MovingSession, open_moving
from tablewright.values.wire import from_wire_item

NOW = datetime(2026, 5, 1, tzinfo=UTC)


class World:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.now = NOW
        self.session: MovingSession = open_moving(moving, engine, clock=lambda: self.now)

    def wait(self, span: timedelta) -> None:
        self.now += span

    def rows(self, table: str) -> list[dict[str, Any]]:
        return [from_wire_item(item) for item in self.engine.execute("Scan", {"TableName": table})["Items"]]


@pytest.fixture
def world() -> Iterator[World]:
    with open_engine("memory:") as engine:
        fill(engine)
        found = World(engine)
        with found.session:
            yield found


def test_the_new_table_answers_as_the_two_did(world: World, tmp_path: Path) -> None:
    move(world.session, tmp_path, world.wait)
    merchants, reviews = world.rows(MERCHANTS), world.rows(REVIEWS)
    db = world.session.db
    for category in {row["CategoryId"] for row in merchants}:
        wanted = sorted(row["MerchantId"] for row in merchants if row["CategoryId"] == category)
        assert [each.merchant_id for each in db.run(merchants_in, category)] == wanted
    for row in merchants:
        page = db.run(merchant_page, row["MerchantId"])
        assert page.merchant is not None
        assert page.merchant.title == row["Name"]
        mine = sorted((r for r in reviews if r["MerchantId"] == row["MerchantId"]), key=lambda r: r["Timestamp"])
        assert [r.review_id for r in page.reviews] == [r["ReviewId"] for r in reversed(mine)]
        assert (page.merchant.reviews, page.merchant.stars) == (len(mine), sum(r["Stars"] for r in mine))
    types = {i["Type"]["S"] for i in world.engine.execute("Scan", {"TableName": "Market"})["Items"]}
    assert types == {"Merchant", "Review"}
    retire(world.session, tmp_path / "archive", world.wait)
    with pytest.raises(ResourceNotFound):
        world.rows(MERCHANTS)
    assert write_review(db, "leo", 3).stars == 3


def test_what_is_written_and_deleted_meanwhile(world: World, tmp_path: Path) -> None:
    session = world.session
    session.advance("dual")
    world.wait(timedelta(seconds=11))
    session.update(MERCHANTS, {"MerchantId": "mia"}, set={"Name": "Mia's", "CategoryId": "tailors"})
    session.delete(REVIEWS, {"MerchantId": "mia", "ReviewId": "r1"})
    session.create(MERCHANTS, {"MerchantId": "oz#1", "Name": "Oz", "CategoryId": "bakers"})
    backfill(session, tmp_path)
    assert session.verify().well, session.verify().text()
    assert [m.merchant_id for m in session.db.run(merchants_in, "tailors")] == ["mia", "ned"]
    assert [r.review_id for r in session.db.run(merchant_page, "mia").reviews] == ["r2"]
    assert session.verify().remarks == {
        (MERCHANTS, "no 'ReviewCount', so that the default is taken"): 3,
        (MERCHANTS, "no 'StarCount', so that the default is taken"): 3,
        (REVIEWS, "no 'Text', so that the default is taken"): 1,
    }


def test_differences_have_an_exit_code(world: World, tmp_path: Path) -> None:
    move(world.session, tmp_path, world.wait)
    world.session.db.delete(merchant("ned"))
    found = world.session.verify()
    assert (found.exit_code, found.differences) == (1, {("Merchant", "missing"): 1})


def test_the_kill_switch_and_the_way_back(world: World, tmp_path: Path) -> None:
    session = world.session
    move(session, tmp_path, world.wait)
    session.kill()
    world.wait(timedelta(seconds=6))
    session.db.delete(merchant("ned"))  # the new table is in trouble, and nobody notices
    assert session.read_one(ONE, "ned", subject="ann") is not None
    assert len(session.read(IN_CATEGORY, "tailors", subject="ann")) == 1


def test_back_after_only_the_new_table_was_written(world: World, tmp_path: Path) -> None:
    session = world.session
    move(session, tmp_path, world.wait)
    world.wait(timedelta(days=30))
    assert session.verify().well
    session.advance("new")
    world.wait(timedelta(seconds=11))
    session.db.create(Merchant(merchant_id="pam", category_id="bakers", title="Pam"))
    write_review(session.db, "pam", 5, "Good.", at=NOW)
    session.db.delete(merchant("leo"))
    session.restore_legacy()
    assert session.verify().well, session.verify().text()
    session.go_back("switched")
    world.wait(timedelta(seconds=11))
    assert sorted(row["MerchantId"] for row in world.rows(MERCHANTS)) == ["mia", "ned", "pam"]
    assert {(row["MerchantId"], row["Stars"]) for row in world.rows(REVIEWS)} == {("mia", 4), ("mia", 5), ("pam", 5)}
