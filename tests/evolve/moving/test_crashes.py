"""A process that dies between any two requests: the next one finds everything, and ends with the same tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import open_engine
from tablewright.errors import AlreadyExistsError
from tablewright.evolve.moving import MovingSession
from tests.evolve.moving.conftest import Ground, ground_on
from tests.evolve.moving.dying import Crash, Dying
from tests.evolve.moving.merchants import (
    ONE,
    Merchant,
    a_merchant,
    a_review,
    legacy_definitions,
    merchant,
    merchants_moving,
    reviews_of,
)

BEFORE: dict[str, Any] = {"switched": "shadow", "shadow": "dual", "dual": "legacy"}


def to_the_end(ground: Ground, session: MovingSession, folder: Path) -> None:
    """Whatever is left to do, from wherever a moving stands. The application writes in every phase."""
    ground.session = session
    while True:
        phase = session.progress().at(ground.clock().timestamp())
        if session.progress().phase != phase:
            ground.hold()
            continue
        if phase == "new":
            session.retire(folder)
            return
        session.put("MerchantsTable", a_merchant(1, name=f"in {phase}"))
        session.put("ReviewsTable", a_review(1, 1, ts=f"2026-0{len(phase)}-01T00:00:00+00:00"))
        session.delete("ReviewsTable", {"merchantId": "m2", "reviewId": "r0"})
        session.delete("MerchantsTable", {"merchantId": "m2"})
        try:
            session.create("MerchantsTable", a_merchant(len(phase) + 10, name="made"))
        except AlreadyExistsError:
            session.update("MerchantsTable", {"merchantId": f"m{len(phase) + 10}"}, set={"name": "made"})
        if phase == "legacy":
            session.advance("dual")
            continue
        ground.backfill()
        assert session.repair().exit_code == 0
        found = session.verify()
        assert found.well, found.text()
        if phase == "dual":
            session.advance("shadow")
        elif phase == "shadow":
            session.read_one(ONE, "m1", subject="u")
            session.tell()
            session.advance("switched")
        else:
            session.switch(100)
            ground.clock.pass_(days=40)
            session.verify()
            session.advance("new")


def trial(together: bool, at: int, after: bool, folder: Path) -> tuple[int, list[Any], bool]:
    dying, crashed = Dying(at, after=after), False
    with open_engine("memory:") as legacy, open_engine("memory:") as other:
        new = legacy if together else other
        ground = ground_on(merchants_moving(), legacy, new, legacy_definitions())
        ground.fill(4, 1)
        inner = ground.wire.inner, ground.legacy_wire.inner
        for wire in {id(w): w for w in (ground.wire, ground.legacy_wire)}.values():
            wire.inner = dying.on(wire.inner)
        while True:
            session = ground.open()
            try:
                to_the_end(ground, session, folder)
                break
            except Crash:
                crashed = True
                ground.wire.inner, ground.legacy_wire.inner = inner
        assert "MerchantsTable" not in legacy.execute("ListTables", {})["TableNames"]
        times = ("CreatedAt", "UpdatedAt")
        items = [{n: v for n, v in item.items() if n not in times} for item in ground.new_items()]
        return dying.count, sorted(items, key=lambda i: (i["PK"], i["SK"])), crashed


def check(together: bool, steps: Callable[[int], range], tmp_path: Path) -> None:
    count, whole, _ = trial(together, 0, False, tmp_path / "whole")
    assert [i["name"] for i in whole if i["SK"] == "MERCHANT#m1"] == ["in switched"]
    assert not [i for i in whole if i["PK"] == "MERCHANT#m2"]
    for at in steps(count):
        for after in (False, True):
            _, items, crashed = trial(together, at, after, tmp_path / f"{at}{after}")
            assert crashed
            assert items == whole, (at, after)


@pytest.mark.parametrize("together", [True, False], ids=["together", "apart"])
def test_a_crash_somewhere(together: bool, tmp_path: Path) -> None:
    check(together, lambda count: range(3, count, count // 8), tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("together", [True, False], ids=["together", "apart"])
def test_a_crash_anywhere(together: bool, tmp_path: Path) -> None:
    check(together, lambda count: range(1, count), tmp_path)


# ---------------------------------------------------------------------------------------------------------- the way back


def to_the_beginning(ground: Ground, session: MovingSession) -> None:
    """Back from wherever a moving stands, phase by phase. The application writes in every phase in which it can."""
    ground.session = session
    while True:
        phase = session.progress().at(ground.clock().timestamp())
        if session.progress().phase != phase:
            ground.hold()
            continue
        if phase == "new":
            session.db.put(Merchant(merchant_id="m1", name="in new", category_id="c8"))
            while (restored := session.restore_legacy()).written or restored.deleted:
                pass
            assert session.verify().well, session.verify().text()
            session.go_back("switched")
            continue
        while session.progress().behind:
            ground.clock.pass_(seconds=session.restore_legacy().wait)
        session.put("MerchantsTable", a_merchant(1, name=f"in {phase}"))
        session.put("MerchantsTable", a_merchant(20 + len(phase)))
        if phase == "legacy":
            return
        session.repair()
        session.go_back(BEFORE[phase])


def trial_back(together: bool, at: int, after: bool) -> tuple[int, list[Any], bool]:
    dying, crashed = Dying(at, after=after), False
    with open_engine("memory:") as legacy, open_engine("memory:") as other:
        new = legacy if together else other
        ground = ground_on(merchants_moving(), legacy, new, legacy_definitions())
        ground.fill(3, 1)
        ground.into("dual", "shadow")
        ground.session.read_one(ONE, "m1", subject="u")
        ground.session.tell()
        ground.into("switched")
        ground.session.switch(100)
        ground.clock.pass_(days=31)
        ground.into("new")
        ground.session.db.create(Merchant(merchant_id="m70", name="New", category_id="c9"))
        ground.session.db.delete(merchant("m2"))
        for review in ground.session.db.run(reviews_of, "m2"):
            ground.session.db.delete(review)
        inner = ground.wire.inner, ground.legacy_wire.inner
        for wire in {id(w): w for w in (ground.wire, ground.legacy_wire)}.values():
            wire.inner = dying.on(wire.inner)
        while True:
            try:
                to_the_beginning(ground, ground.open())
                break
            except Crash:
                crashed = True
                ground.wire.inner, ground.legacy_wire.inner = inner
        items = [*ground.legacy_items("MerchantsTable"), *ground.legacy_items("ReviewsTable")]
        return dying.count, sorted(items, key=lambda i: (i["merchantId"], i.get("reviewId", ""))), crashed


def check_back(together: bool, steps: Callable[[int], range]) -> None:
    count, whole, _ = trial_back(together, 0, False)
    assert {i["merchantId"]: i["name"] for i in whole if "name" in i}["m1"] == "in legacy"
    assert "m70" in {i["merchantId"] for i in whole}
    assert "m2" not in {i["merchantId"] for i in whole}
    for at in steps(count):
        for after in (False, True):
            _, items, crashed = trial_back(together, at, after)
            assert crashed
            assert items == whole, (at, after)


@pytest.mark.parametrize("together", [True, False], ids=["together", "apart"])
def test_a_crash_somewhere_on_the_way_back(together: bool) -> None:
    check_back(together, lambda count: range(3, count, count // 8))


@pytest.mark.full
@pytest.mark.parametrize("together", [True, False], ids=["together", "apart"])
def test_a_crash_anywhere_on_the_way_back(together: bool) -> None:
    check_back(together, lambda count: range(1, count))
