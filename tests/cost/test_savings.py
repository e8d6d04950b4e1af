"""Where the money goes, and what would cost less."""

from __future__ import annotations

from datetime import datetime

import pytest
from pydantic import BaseModel

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query
from tablewright.cost.estimating import Estimate, estimate
from tablewright.cost.savings import Saving
from tablewright.cost.showing import shown

MONTH = 730 * 3600


def estimated() -> Estimate:
    table = Table("Jobs", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("GSI3")])

    class Job(Entity, table=table):
        keys = Keys(
            "JOB#{job_id}",
            "JOB",
            GSI1=("STATUS#{status}", "{started_at}"),
            GSI2=("OWNER#{owner}", "{job_id}"),
            GSI3=("UNREAD#{owner}", "JOB"),
        )
        job_id: str
        status: str
        owner: str
        started_at: datetime
        number_of_times_that_it_was_tried: int = 0
        number_of_times_that_it_has_failed: int = 0

    class Title(BaseModel):
        job_id: str
        status: str

    @table.pattern
    def job(job_id: str) -> Get[Job]:
        return get(Job, Job.job_id == job_id)

    @table.pattern
    def waiting() -> Query[Job]:
        return query(Job, Job.status == "waiting")

    @table.pattern
    def titles(owner: str) -> Query[Title]:
        return query(Job, Job.owner == owner).only(Title)

    table.expect(Job, items=1_000_000, size=1_900, writes=10)
    table.expect(Job.status, distinct=4)
    table.expect(job, rate=10)
    return estimate(table)


@pytest.fixture(scope="module")
def found() -> Estimate:
    return estimated()


def saving(found: Estimate, kind: str) -> Saving:
    (one,) = [s for s in found.savings if s.kind == kind]
    return one


def test_the_shares_are_the_bill(found: Estimate) -> None:
    bill = found.bill()
    for what in ("reads", "writes", "storage"):
        assert sum(s.month for s in found.shares if s.what == what) == pytest.approx(getattr(bill, what))
    assert [s.month for s in found.shares] == sorted((s.month for s in found.shares), reverse=True)
    assert {s.subject for s in found.shares if s.what == "writes"} == {
        "Job",
        "Job on GSI1",
        "Job on GSI2",
        "Job on GSI3",
    }


def test_an_index_that_nobody_reads(found: Estimate) -> None:
    one = saving(found, "unread-index")
    index = 10 * 2 * MONTH / 1e6 * 0.625 + 1_000_000 * 2_000 / 2**30 * 0.25
    assert (one.subject, one.month) == ("GSI3", pytest.approx(index))


def test_an_index_that_copies_more_than_is_read(found: Estimate) -> None:
    one = saving(found, "wide-projection")
    assert one.subject == "GSI2"
    assert "projection=['Type', 'job_id', 'status']" in one.text
    # Two units become one, and most of the copies is not stored.
    assert one.month is not None
    assert 10 * MONTH / 1e6 * 0.625 + 0.3 < one.month < 10 * MONTH / 1e6 * 0.625 + 0.45


def test_an_index_that_could_be_sparse(found: Estimate) -> None:
    one = saving(found, "dense-index")
    unread = saving(found, "unread-index").month
    assert unread is not None
    assert (one.subject, one.month) == ("Job on GSI1", pytest.approx(unread * 0.75))
    assert "status == 'waiting'" in one.text


def test_the_bulk_that_never_expires(found: Estimate) -> None:
    assert saving(found, "never-expires").text.startswith("It is 100% of what is stored")


def test_long_names() -> None:
    table = Table("Readings")

    class Reading(Entity, table=table, ttl=None, timestamps=False):
        keys = Keys("R#{i}", "R")
        i: str
        temperature_of_the_room_in_degrees_celsius: int

    table.expect(Reading, items=1000, size=100)
    one = saving(estimate(table), "long-names")
    assert "are 40% of an item" in one.text
    assert one.month == pytest.approx(40 * 1000 / 2**30 * 0.25)


def test_what_is_right_is_not_named(found: Estimate) -> None:
    assert "long-names" not in {s.kind for s in found.savings}
    text = shown(found)
    assert "  GSI3: No pattern reads it: drop it, or declare what does. It saves up to 33.32. [unread-index]" in text
    assert text.index("Where it goes, on demand:") < text.index("What would cost less:") < text.index("Assumed:")
