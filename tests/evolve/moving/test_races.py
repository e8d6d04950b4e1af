"""Any order of writes, late backfills, failing sides and repairs ends with what the legacy tables say."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.engine import open_engine
from tablewright.errors import ResourceNotFound
from tablewright.evolve.jobs.work import Writes
from tablewright.evolve.moving.strays import STRAY
from tests.evolve.moving.conftest import Ground, carried_out, ground_on
from tests.evolve.moving.families import definitions as family_definitions
from tests.evolve.moving.families import moving as families
from tests.evolve.moving.merchants import a_merchant, a_review, legacy_definitions, merchants_moving
from tests.evolve.moving.test_dual_writes import refuse_new_side

NUMBERS = st.integers(0, 2)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["put", "update", "delete", "look", "legacy"]), NUMBERS, st.integers(0, 9)),
        st.tuples(st.sampled_from(["send", "repair", "fail", "heal"]), st.just(0), st.just(0)),
    ),
    max_size=14,
)


@pytest.mark.parametrize("together", [True, False], ids=["together", "apart"])
@settings(max_examples=settings().max_examples // 2)
@given(STEPS)
def test_merchants(together: bool, steps: list[tuple[str, int, int]]) -> None:
    with open_engine("memory:") as one, open_engine("memory:") as two:
        ground = ground_on(merchants_moving(), one, one if together else two, legacy_definitions())
        ground.fill(3, 0)
        ground.into("dual")
        working, late = ground.wire.inner, list[Writes]()
        for what, number, value in steps:
            key = {"merchantId": f"m{number}", "reviewId": "r1"}
            match what:
                case "put":
                    ts = f"2026-01-0{value or 1}T00:00:00+00:00"  # another key in the new table
                    ground.session.put("ReviewsTable", a_review(number, 1, ts=ts, stars=value))
                case "update" if any(i["merchantId"] == f"m{number}" for i in ground.legacy_items("ReviewsTable")):
                    ground.session.update("ReviewsTable", key, set={"stars": value})
                case "delete":
                    ground.session.delete("ReviewsTable", key)
                case "legacy":
                    # A process of yesterday: its writes are moved by the backfill that follows.
                    ground.put_legacy("MerchantsTable", a_merchant(number, name=f"by old code {value}"))
                case "look":
                    late += looked(ground)
                case "send":
                    while late:
                        carried_out(ground.legacy, late.pop())
                case "repair":
                    with suppress(ResourceNotFound):
                        ground.session.repair()
                case "fail":
                    refuse_new_side(ground, ResourceNotFound("away"))
                case "heal":
                    ground.wire.inner = working
        ground.wire.inner = working
        ground.backfill()
        for writes in late:  # what was looked at long ago changes nothing any more
            carried_out(ground.legacy, writes)
        assert ground.session.repair().exit_code == 0
        assert moved(ground) == expected(ground)
        found = ground.session.verify()
        assert {k for k in found.differences if k[1] != "no parent"} == set(), found.text()


def looked(ground: Ground) -> list[Writes]:
    decisions = [
        work.look(item)
        for work in ground.session.backfills()
        for item in ground.legacy.execute("Scan", {"TableName": work.table})["Items"]
    ]
    return [d for d in decisions if isinstance(d, Writes)]


def moved(ground: Ground) -> set[tuple[Any, ...]]:
    return {(i["PK"], i["SK"], i.get("name"), i.get("stars")) for i in ground.new_items()}


def expected(ground: Ground) -> set[tuple[Any, ...]]:
    """Worked out by hand, not by the mapping."""
    merchants = {
        (f"MERCHANT#{i['merchantId']}", f"MERCHANT#{i['merchantId']}", i["name"], None)
        for i in ground.legacy_items("MerchantsTable")
    }
    reviews = {
        (f"MERCHANT#{i['merchantId']}", f"REVIEW#{i['ts'][:10]}T00:00:00.000000Z#r1", None, i["stars"])
        for i in ground.legacy_items("ReviewsTable")
    }
    return merchants | reviews


CHILDREN = st.lists(st.sampled_from(["Ann", "Bob", "Cleo"]), unique=True)
FAMILY_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("family"), CHILDREN),
        st.tuples(
            st.sampled_from(["leave", "account", "settings", "reset", "close", "repair", "fail", "heal", "backfill"]),
            st.just([]),
        ),
        st.tuples(st.just("settings"), st.lists(st.sampled_from(["dark", "blue"]), max_size=1)),
    ),
    max_size=12,
)


@pytest.mark.parametrize("together", [True, False], ids=["together", "apart"])
@settings(max_examples=settings().max_examples // 2)
@given(FAMILY_STEPS)
def test_splits_and_merges(together: bool, steps: list[tuple[str, list[str]]]) -> None:
    with open_engine("memory:") as one, open_engine("memory:") as two:
        ground = ground_on(families, one, one if together else two, family_definitions())
        ground.into("dual")
        working, session = ground.wire.inner, ground.session
        for what, names in steps:
            match what:
                case "family":
                    session.put("Families", {"id": "f", "name": "F", "children": [{"name": n} for n in names]})
                case "leave":
                    session.delete("Families", {"id": "f"})
                case "account":
                    session.put("Accounts", {"id": "a", "email": "a@b.c"})
                case "close":
                    session.delete("Accounts", {"id": "a"})
                case "settings":
                    session.put("Settings", {"accountId": "a", **({"theme": names[0]} if names else {})})
                case "reset":
                    session.delete("Settings", {"accountId": "a"})
                case "backfill":
                    ground.backfill()
                case "repair":
                    with suppress(ResourceNotFound):
                        session.repair()
                case "fail":
                    refuse_new_side(ground, ResourceNotFound("away"), "House")
                case "heal":
                    ground.wire.inner = working
        ground.wire.inner = working
        assert session.repair().exit_code == 0
        found = session.verify()
        nobodys = ground.legacy_items("Settings") and not ground.legacy_items("Accounts")
        assert found.unmapped == ({("Settings", STRAY): 1} if nobodys else {})
        assert found.differences == found.unfit == {}, found.text()
        assert all(tally.equal for tally in found.entities.values()), found.text()
        items = ground.new.execute("Scan", {"TableName": "House"})["Items"]
        families_now = ground.legacy_items("Families")
        wanted = (
            {"FAMILY"} | {f"CHILD#{c['name']}" for f in families_now for c in f["children"]} if families_now else set()
        )
        assert {i["SK"]["S"] for i in items if i["PK"]["S"] == "FAMILY#f"} == wanted
