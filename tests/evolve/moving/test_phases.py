"""All phases, one after another, with an application that writes meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablewright.errors import ArgumentError, ConcurrentModificationError, ResourceNotFound
from tablewright.evolve.moving import MemoryFlags, open_moving
from tablewright.evolve.moving.flags import READS
from tests.evolve.moving.conftest import AT_ONCE, Ground
from tests.evolve.moving.merchants import IN_CATEGORY, ONE, REVIEWS, Merchant, a_merchant, a_review, merchant


def test_six_phases(anyhow: Ground, tmp_path: Path) -> None:
    ground, session = anyhow, anyhow.session
    ground.fill()
    assert session.plan().well, session.plan().text()

    session.create("MerchantsTable", a_merchant(50))
    assert ground.new_items() == []  # nothing yet

    session.advance("dual")
    session.create("MerchantsTable", a_merchant(51))
    assert ground.new_items() == []  # it does not hold yet
    ground.hold()
    assert session.create("MerchantsTable", a_merchant(52)).settled
    assert [i["PK"] for i in ground.new_items()] == ["MERCHANT#m52"]
    assert session.update("MerchantsTable", {"merchantId": "m1"}, set={"name": "Renamed"}).settled
    assert session.delete("MerchantsTable", {"merchantId": "m2"}).settled
    session.delete("ReviewsTable", {"merchantId": "m2", "reviewId": "r0"})
    session.delete("ReviewsTable", {"merchantId": "m2", "reviewId": "r1"})
    session.delete("ReviewsTable", {"merchantId": "m2", "reviewId": "r2"})

    assert ground.backfill()["skipped"] == 0
    assert session.repair().exit_code == 0
    found = session.verify()
    assert found.well, found.text()
    assert found.entities["Merchant"].expected == 8
    assert found.entities["Review"].found == 15

    session.advance("shadow")
    ground.hold()
    session.put("ReviewsTable", a_review(1, 9))
    for number in (0, 1, 2):
        session.read_one(ONE, f"m{number}", subject="u")
        session.read(IN_CATEGORY, f"c{number}", subject="u")
        session.read(REVIEWS, f"m{number}", subject="u")
    report = session.shadow_report()
    assert (report.compared, report.differed) == (9, 0), report.text()
    assert report.new.reads == 9
    assert report.legacy.errors == 0
    session.tell()

    session.advance("switched")
    ground.hold()
    for percent in (10, 50, 100):
        session.switch(percent)
        ground.hold()
        again = session.read(REVIEWS, "m1", subject="u")
        assert len(again) == 4
    session.put("ReviewsTable", a_review(1, 10))
    assert len(session.read(REVIEWS, "m1", subject="u")) == 5

    with pytest.raises(ArgumentError, match="safety period"):
        session.verify()
        session.advance("new")
    ground.clock.pass_(days=31)
    assert session.verify().well
    session.advance("new")
    ground.hold()
    with pytest.raises(ArgumentError, match="written no more"):
        session.put("MerchantsTable", a_merchant(60))
    session.write(
        legacy=lambda s: s.put("MerchantsTable", a_merchant(60)),
        new=lambda db: db.create(Merchant(merchant_id="m60", name="Shop 60", category_id="c0")),
    )
    one = session.read_one(ONE, "m60", subject="u")
    assert one is not None
    assert one.name == "Shop 60"

    archives = session.retire(tmp_path)
    assert archives["MerchantsTable"].items == 8
    assert session.retire(tmp_path) == archives  # once more changes nothing
    assert not any("moved_from" in item for item in ground.new_items())
    session.delete_ledgers()
    assert session.db.get(merchant("m60")) is not None


def test_type_and_keys_are_worked_out(ground: Ground) -> None:
    ground.into("dual")
    ground.session.create("MerchantsTable", a_merchant(1, legacyFlag=True, PK="x") | {"Type": "Other"})
    (item,) = ground.new_items()
    assert (item["Type"], item["PK"], item["SK"]) == ("Merchant", "MERCHANT#m1", "MERCHANT#m1")
    assert (item["GSI1PK"], item["GSI1SK"]) == ("CATEGORY#c1", "MERCHANT#m1")
    assert "legacyFlag" not in item


def test_a_phase_that_is_not_the_next_is_refused(ground: Ground) -> None:
    with pytest.raises(ArgumentError, match="no way from 'legacy' to 'shadow'"):
        ground.session.advance("shadow")
    ground.session.advance("dual")
    with pytest.raises(ArgumentError, match="does not hold yet"):
        ground.session.advance("shadow")
    ground.hold()
    with pytest.raises(ArgumentError, match="no verification"):
        ground.session.advance("shadow")


def test_every_phase_can_go_back(anyhow: Ground) -> None:
    ground, session = anyhow, anyhow.session
    ground.fill(2, 1)
    ground.into("dual", "shadow")
    session.read(REVIEWS, "m1", subject="u")
    session.tell()
    ground.into("switched")
    session.switch(100)
    ground.hold()
    assert session.read(REVIEWS, "m1", subject="u")
    for phase in ("shadow", "dual", "legacy"):
        session.go_back(phase)  # type: ignore[arg-type]
        ground.hold()
        session.put("MerchantsTable", a_merchant(0, name=f"in {phase}"))
        found = session.read_one(ONE, "m0", subject="u")
        assert found is not None
        assert found.name == f"in {phase}"
    # What was written and deleted without the new side is found, and mended, on the way forth.
    session.delete("MerchantsTable", {"merchantId": "m1"})
    session.delete("ReviewsTable", {"merchantId": "m1", "reviewId": "r0"})
    session.advance("dual")
    ground.hold()
    assert session.verify().exit_code == 1
    ground.backfill()
    session.repair()
    assert session.verify().differences == {("Merchant", "no origin"): 1, ("Review", "no origin"): 1}
    assert session.mend().exit_code == 0
    assert session.verify().well


def test_the_way_back_from_the_new_table(anyhow: Ground) -> None:
    ground, session = anyhow, anyhow.session
    ground.fill(3, 1)
    ground.into("dual", "shadow")
    session.read(REVIEWS, "m1", subject="u")
    session.tell()
    ground.into("switched")
    session.switch(100)
    ground.clock.pass_(days=31)
    ground.into("new")
    session.db.create(Merchant(merchant_id="m70", name="New", category_id="c9"))
    session.db.update(merchant("m0"), set={"name": "Changed since"})
    session.db.delete(merchant("m2"))
    with pytest.raises(ArgumentError, match="behind"):
        session.go_back("switched")
    restored = session.restore_legacy()
    assert (restored.written, restored.deleted) == (2, 1)
    again = session.restore_legacy()
    assert (again.written, again.deleted) == (0, 0)
    found = session.verify()
    assert found.differences == {("Review", "no parent"): 1}, found.text()
    session.db.create(Merchant(merchant_id="m2", name="Back", category_id="c2"))
    session.restore_legacy()
    assert session.verify().well, session.verify().text()
    session.go_back("switched")
    ground.hold()
    assert session.update("MerchantsTable", {"merchantId": "m70"}, set={"name": "Both"}).settled
    seen = session.db.get(merchant("m70"))
    assert seen is not None
    assert seen.name == "Both"
    assert session.verify().well


def test_two_operators_at_once(ground: Ground) -> None:
    other = ground.open()
    ground.wire.before[len(ground.wire.sent) + 3] = lambda: other.advance("dual")
    with pytest.raises(ConcurrentModificationError):
        ground.session.advance("dual")
    assert ground.session.progress().revision == 1


def test_running_processes_notice_a_phase_in_time(ground: Ground) -> None:
    other = ground.open()
    other.put("MerchantsTable", a_merchant(1))
    ground.session.advance("dual")
    ground.clock.pass_(seconds=4)
    other.put("MerchantsTable", a_merchant(2))  # it still goes by what it knows
    assert ground.new_items() == []
    ground.clock.pass_(seconds=7)
    other.put("MerchantsTable", a_merchant(3))
    assert len(ground.new_items()) == 1


def test_what_the_new_table_alone_has_keeps_the_way_back_closed(ground: Ground) -> None:
    ground.fill()
    session = ground.session
    ground.into("dual", "shadow")
    session.read(REVIEWS, "m1", subject="u")
    session.tell()
    ground.into("switched")
    session.switch(100)
    ground.clock.pass_(days=31)
    ground.into("new")
    session.db.create(Merchant(merchant_id="m70", name="New", category_id="c9"))
    found = session.verify()
    assert found.differences == {("Merchant", "not in the legacy tables"): 1}
    assert not found.others
    with pytest.raises(ArgumentError, match="behind"):
        session.go_back("switched")
    session.restore_legacy()
    assert session.verify().well
    session.go_back("switched")


def test_a_switch_begins_anew_after_the_way_back(ground: Ground) -> None:
    ground.fill()
    session = ground.session
    ground.into("dual", "shadow")
    session.read(REVIEWS, "m1", subject="u")
    session.tell()
    ground.into("switched")
    session.switch(100)
    ground.hold()
    session.go_back("shadow")
    ground.hold()
    assert session.flag().percent == 0
    session.read(REVIEWS, "m1", subject="u")
    session.tell()
    ground.into("switched")
    assert session.flag().percent == 0


def test_what_was_compared_belongs_to_the_phase_that_it_was_compared_in(ground: Ground) -> None:
    ground.fill(2, 0)
    ground.into("dual", "shadow")
    other = ground.open()
    other.read_one(ONE, "m1", subject="u")
    ground.session.go_back("dual")
    ground.hold()
    ground.put_legacy("MerchantsTable", a_merchant(1, name="by old code"))
    assert ground.session.mend().failed == {}
    ground.into("shadow")
    assert other.tell().compared == 0  # of the shadow phase before
    other.read_one(ONE, "m1", subject="u")
    assert other.tell().compared == 1
    assert other.tell().compared == 1


def test_a_clock_that_is_put_back_leads_to_no_earlier_phase(anyhow: Ground) -> None:
    ground, session = anyhow, anyhow.session
    ground.into("dual")
    session.put("MerchantsTable", a_merchant(1))
    ground.clock.pass_(hours=-1)
    assert session.put("MerchantsTable", a_merchant(2)).settled
    assert sorted(i["merchant_id"] for i in ground.new_items()) == ["m1", "m2"]
    ground.clock.pass_(hours=1)
    other = ground.open()
    other.go_back("legacy")  # what somebody decides counts
    ground.hold()
    session.put("MerchantsTable", a_merchant(3))
    assert len(ground.new_items()) == 2
    other.advance("dual")
    ground.clock.pass_(seconds=6)
    session.put("MerchantsTable", a_merchant(4))  # the same phase, begun anew, does not hold yet
    assert len(ground.new_items()) == 2
    ground.hold()
    session.put("MerchantsTable", a_merchant(5))
    assert len(ground.new_items()) == 3


def test_reads_stay_switched_when_a_clock_is_put_back(ground: Ground) -> None:
    ground.fill(2, 1)
    ground.into("dual", "shadow")
    ground.session.read(REVIEWS, "m1", subject="u")
    ground.session.tell()
    ground.into("switched")
    ground.session.switch(100)
    ground.hold()
    for hours in (0, -1):
        ground.clock.pass_(hours=hours)
        start = len(ground.wire.sent)
        assert ground.session.read(REVIEWS, "m1", subject="u")
        assert "ReviewsTable" not in [request.get("TableName") for _, request in ground.wire.sent[start:]]


def test_nothing_begins_where_the_legacy_tables_are_not(apart: Ground) -> None:
    apart.session.advance("dual")
    flags = MemoryFlags()
    with open_moving(apart.moving, apart.wire, clock=apart.clock, retry=AT_ONCE, flags=flags) as elsewhere:
        with pytest.raises(ResourceNotFound, match="no MerchantsTable and no ReviewsTable"):
            elsewhere.advance("dual")
        with pytest.raises(ResourceNotFound, match="no MerchantsTable and no ReviewsTable"):
            elsewhere.kill()
    assert flags.get(READS) is None
    assert apart.new.execute("Scan", {"TableName": apart.moving.ledger})["Items"] == []
    apart.session.kill()
    assert apart.session.flag().killed
