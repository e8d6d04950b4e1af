"""Where the money goes, and what would cost less."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from pydantic import BaseModel

from tablewright import GSI, LSI, Deployment, Entity, Get, Keys, Query, Table, attr, get, query, sparse
from tablewright.cost.estimating import Estimate, estimate
from tablewright.cost.prices import load_prices
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


def desk(*, rated: bool = True) -> Table:
    table = Table("Desk", indexes=[GSI("GSI1"), GSI("GSI2")])

    class Ticket(Entity, table=table):
        keys = Keys(
            "TENANT#{tenant}", "{ticket}", GSI1=("TICKET#{ticket}", "TICKET"), GSI2=("AGENT#{agent}", "{ticket}")
        )
        tenant: str
        ticket: str
        agent: str
        status: str = "OPEN"

    @table.pattern
    def open_tickets(tenant: str) -> Query[Ticket]:
        return query(Ticket, Ticket.tenant == tenant).filter(Ticket.status == "OPEN")

    @table.pattern
    def ticket(ticket: str) -> Query[Ticket]:
        return query(Ticket, Ticket.ticket == ticket)

    @table.pattern
    def assigned_to(agent: str) -> Query[Ticket]:
        return query(Ticket, Ticket.agent == agent)

    table.expect(Ticket, items=100_000, size=1_000, writes=10, per={"tenant": 1_000})
    if rated:
        table.expect(open_tickets, rate=10, results=20)
        table.expect(ticket, rate=10, results=1)
    return table


def test_an_index_whose_readers_have_no_rate_where_others_have() -> None:
    one = saving(estimate(desk()), "idle-index")
    index = 10 * MONTH / 1e6 * 0.625 + 100_000 * 1_100 / 2**30 * 0.25
    assert (one.subject, one.month) == ("GSI2", pytest.approx(index))
    assert "assigned_to()" in one.text
    assert "idle-index" not in {s.kind for s in estimate(desk(rated=False)).savings}


def test_a_filter_that_leaves_little_of_what_is_read() -> None:
    one = saving(estimate(desk()), "filtered-reads")
    assert one.subject == "open_tickets()"
    assert "1,000 items for the 20 that its filter leaves: an index with status in its key" in one.text
    units = -(-1_000 * 1_000 // 4_096) / 2
    assert one.month == pytest.approx(10 * units * 0.98 * MONTH / 1e6 * 0.125)
    some = desk()
    some.expect(some.patterns["open_tickets"], scanned=90)
    assert "filtered-reads" not in {s.kind for s in estimate(some).savings}


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


def test_an_index_that_is_sparse_or_is_asked_for_more_could_not_be() -> None:
    table = Table("Mails", indexes=[GSI("GSI1"), GSI("GSI2")])

    class Mail(Entity, table=table):
        keys = Keys(
            "MAIL#{mail}",
            "MAIL",
            GSI1=sparse("UNSENT#{kind}", "{mail}", when=attr("state") == "unsent"),
            GSI2=("KIND#{kind}", "{mail}"),
        )
        mail: str
        kind: str
        state: str = "unsent"

    @table.pattern
    def unsent() -> Query[Mail]:
        return query(Mail, Mail.kind == "bill", Mail.state == "unsent")

    @table.pattern
    def bills() -> Query[Mail]:
        return query(Mail, Mail.kind == "bill")

    @table.pattern
    def letters() -> Query[Mail]:
        return query(Mail, Mail.kind == "letter")

    table.expect(Mail, items=1_000)
    assert {s.kind for s in estimate(table).savings} == {"never-expires"}


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


def test_a_local_index_stays_as_long_as_its_table() -> None:
    table = Table("Ranks", indexes=[LSI("LSI1"), LSI("LSI2")])

    class Player(Entity, table=table):
        keys = Keys("GAME#{game}", "PLAYER#{name}", LSI1="{rank:5}", LSI2="{name}")
        game: str
        name: str
        rank: int

    class Name(BaseModel):
        name: str

    @table.pattern
    def ranking(game: str) -> Query[Name]:
        return query(Player, Player.game == game).sorted_by(Player.rank).only(Name)

    table.expect(Player, items=1_000_000, size=900)
    found = estimate(table)
    unread, wide = saving(found, "unread-index"), saving(found, "wide-projection")
    assert (unread.subject, wide.subject) == ("LSI2", "LSI1")
    assert "drop" not in unread.text
    assert "leave it out of a new one" in unread.text
    assert "in a new table, since local indexes stay" in wide.text
    # What is stored in a local index can be restored with the table, and is paid for that as well.
    assert unread.month == pytest.approx(1_000_000 * 1_000 / 2**30 * (0.25 + 0.20))


def test_what_a_sparse_index_holds_is_what_a_narrow_one_saves_on() -> None:
    table = Table("Mails", indexes=[GSI("GSI1")])

    class Mail(Entity, table=table):
        keys = Keys("MAIL#{mail}", "MAIL", GSI1=sparse("UNSENT", "{mail}", when=attr("sent") == False))  # noqa: E712
        mail: str
        sent: bool = False
        body: str = ""

    class Number(BaseModel):
        mail: str

    @table.pattern
    def unsent() -> Query[Number]:
        return query(Mail, Mail.sent == False).only(Number)  # noqa: E712

    table.expect(Mail, items=1_000_000, size=9_000, indexed={"GSI1": 1_000})
    month = saving(estimate(table), "wide-projection").month
    assert month is not None
    assert 1_000 * 8_500 / 2**30 * 0.25 < month < 1_000 * 9_000 / 2**30 * 0.25


def test_what_causes_the_cost_goes_by_the_class_that_is_deployed(tmp_path: Path) -> None:
    table = Table("Cold", deployment=Deployment(table_class="STANDARD_INFREQUENT_ACCESS"))

    class Record(Entity, table=table):
        keys = Keys("R#{number}", "R")
        number: str

    table.expect(Record, items=1_000_000, size=900, writes=3)
    found = estimate(table)
    for what in ("writes", "storage", "recovery"):
        share = sum(s.month for s in found.shares if s.what == what)
        assert share == pytest.approx(getattr(found.bill("on-demand", "infrequent"), what))
    assert "has no prices here" not in shown(found)
    prices = tmp_path / "prices.toml"
    rates = "reads = 1\nwrites = 1\nread_hour = 1\nwrite_hour = 1\nstorage = 1\n"
    prices.write_text(f'[own]\nregion = "x"\nsince = "y"\n[own.classes.other]\n{rates}')
    other = estimate(table, load_prices(prices))
    assert "The table class infrequent has no prices here" in shown(other)
    assert sum(s.month for s in other.shares) == pytest.approx(other.bill("on-demand", "other").total)


def test_what_is_right_is_not_named(found: Estimate) -> None:
    assert "long-names" not in {s.kind for s in found.savings}
    text = shown(found)
    assert "  GSI3: No pattern reads it: drop it, or declare what does. It saves up to 33.32. [unread-index]" in text
    assert text.index("Where it goes, on demand:") < text.index("What would cost less:") < text.index("Assumed:")
