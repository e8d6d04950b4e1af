"""The backfill: it writes what is absent or older, overwrites nothing newer, and brings nothing back."""

from __future__ import annotations

import pytest

from tablewright.errors import ArgumentError
from tablewright.evolve.jobs import Report, run
from tablewright.evolve.jobs.work import Skipped, Writes
from tablewright.transport.embedded import EmbeddedTransport
from tests.evolve.moving.conftest import Ground, carried_out
from tests.evolve.moving.merchants import a_merchant, a_review


def test_it_moves_everything_once(anyhow: Ground) -> None:
    anyhow.fill()
    anyhow.into("dual")
    assert anyhow.backfill() == {"written": 24, "there": 0, "skipped": 0}
    anyhow.session.repair()
    before = anyhow.new_items()
    assert len(before) == 24
    assert anyhow.backfill() == {"written": 0, "there": 24, "skipped": 0}
    assert anyhow.session.repair().settled == 0
    assert anyhow.new_items() == before
    assert anyhow.session.verify().well


def test_it_belongs_to_phases_in_which_both_sides_are_written(ground: Ground) -> None:
    with pytest.raises(ArgumentError, match="does not belong to the phase 'legacy'"):
        ground.session.backfills()
    ground.session.advance("dual")
    with pytest.raises(ArgumentError, match="does not belong"):  # others may still write legacy tables only
        ground.session.backfills()


def test_what_is_deleted_meanwhile_stays_gone(anyhow: Ground) -> None:
    anyhow.put_legacy("MerchantsTable", a_merchant(1))
    anyhow.into("dual")
    anyhow.backfill(lambda work: anyhow.session.delete("MerchantsTable", {"merchantId": "m1"}))
    anyhow.session.repair()
    assert anyhow.new_items() == []
    assert anyhow.session.verify().well


def test_what_is_written_meanwhile_is_not_overwritten(anyhow: Ground) -> None:
    anyhow.put_legacy("MerchantsTable", a_merchant(1))
    anyhow.into("dual")
    new = {"name": "Newer"}
    anyhow.backfill(lambda work: anyhow.session.update("MerchantsTable", {"merchantId": "m1"}, set=new))
    anyhow.session.repair()
    assert [i["name"] for i in anyhow.new_items()] == ["Newer"]
    assert anyhow.session.verify().well


def test_deleted_and_made_again_meanwhile(anyhow: Ground) -> None:
    anyhow.put_legacy("ReviewsTable", a_review(1, 1))
    anyhow.put_legacy("MerchantsTable", a_merchant(1))
    anyhow.into("dual")

    def again(work: object) -> None:
        anyhow.session.delete("ReviewsTable", {"merchantId": "m1", "reviewId": "r1"})
        anyhow.session.put("ReviewsTable", a_review(1, 1, ts="2026-07-01T00:00:00+00:00"))

    anyhow.backfill(again)
    anyhow.session.repair()
    assert sorted(i["SK"] for i in anyhow.new_items()) == ["MERCHANT#m1", "REVIEW#2026-07-01T00:00:00.000000Z#r1"]
    assert anyhow.session.verify().well


def test_what_only_the_legacy_application_wrote_is_older(anyhow: Ground) -> None:
    anyhow.put_legacy("MerchantsTable", a_merchant(1))
    anyhow.into("dual")
    anyhow.backfill()
    anyhow.session.repair()
    anyhow.put_legacy("MerchantsTable", a_merchant(1, name="By old code"))
    assert anyhow.backfill()["written"] == 1
    anyhow.session.repair()
    assert [i["name"] for i in anyhow.new_items()] == ["By old code"]


def test_what_cannot_be_moved_is_skipped_without_its_values(ground: Ground) -> None:
    ground.put_legacy("ReviewsTable", a_review(1, 1, stars="secret"))
    ground.put_legacy("ReviewsTable", a_review(1, 2, ts="secret"))
    ground.into("dual")
    (work,) = [w for w in ground.session.backfills() if w.table == "ReviewsTable"]
    decisions = [work.look(item) for item in ground.legacy.execute("Scan", {"TableName": work.table})["Items"]]
    assert all(isinstance(d, Skipped) and "secret" not in d.reason for d in decisions)
    assert [d.reason for d in decisions if isinstance(d, Skipped)][
        1
    ] == "the function for 'written_at' raised ValueError"
    found = ground.session.verify()
    assert found.exit_code == 1
    assert sum(found.unfit.values()) == 2


def test_every_action_has_a_condition(anyhow: Ground) -> None:
    anyhow.put_legacy("MerchantsTable", a_merchant(1))
    anyhow.into("dual")
    for work in anyhow.session.backfills():
        for item in anyhow.legacy.execute("Scan", {"TableName": work.table})["Items"]:
            decision = work.look(item)
            assert isinstance(decision, Writes)
            assert all("ConditionExpression" in body for action in decision.actions for body in action.values())
            assert decision == work.look(item)
            assert carried_out(anyhow.legacy, decision)
            assert not carried_out(anyhow.legacy, decision)


def test_another_mapping_is_other_work(ground: Ground) -> None:
    ground.into("dual")
    names = {work.identity for work in ground.session.backfills()}
    assert len(names) == 2
    assert names == {work.identity for work in ground.open().backfills()}


def as_jobs(ground: Ground) -> list[Report]:
    """By the runner that applications have."""
    way = EmbeddedTransport(ground.legacy, owned=False)
    return [run(work, way, write=True, in_flight=4) for work in ground.session.backfills()]


def test_a_second_job_changes_nothing_and_says_so(anyhow: Ground) -> None:
    anyhow.fill()
    anyhow.into("dual")
    anyhow.session.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "On both sides already"})
    first = as_jobs(anyhow)
    assert sum(report.counts.written for report in first) in (23, 24)  # where each is noted, all are
    assert all(report.finished and not report.counts.skipped for report in first)
    anyhow.session.repair()
    before = anyhow.new_items()
    assert all(report.nothing_to_change for report in as_jobs(anyhow))
    assert anyhow.new_items() == before
    assert anyhow.session.verify().well


def test_an_item_of_somebody_else_is_told_by_a_job(ground: Ground) -> None:
    ground.fill(2, 0)
    ground.into("dual")
    stranger = {"PK": {"S": "MERCHANT#m1"}, "SK": {"S": "MERCHANT#m1"}, "Type": {"S": "Merchant"}, "own": {"S": "x"}}
    ground.new.execute("PutItem", {"TableName": "Market", "Item": stranger})
    merchants, _ = as_jobs(ground)
    assert dict(merchants.counts.skipped) == {"a key is taken by an item that came from elsewhere": 1}
    assert merchants.counts.written == 1
