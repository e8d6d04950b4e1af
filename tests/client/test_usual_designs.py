"""Designs that are often got wrong by hand, done right: each read finds what it promises, all of it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Literal

import pytest

from tablewright import (
    GSI,
    Collection,
    Entity,
    Get,
    Keys,
    Query,
    Session,
    Shard,
    Table,
    attr,
    between,
    collect,
    get,
    key,
    many,
    number,
    one,
    query,
    sparse,
    ulid,
)
from tests.client.conftest import CURSOR_KEYS

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
DAY = timedelta(days=1)
designs = Table(
    "Designs",
    indexes=[
        GSI("GSI1"),
        GSI("GSI2"),
        GSI("ByPlace", pk=["seller", "buyer"], sk=["country", "state", "city"]),
        GSI("ByUrgency", pk=["queue"], sk=[number("urgency"), "due"]),
    ],
)

# ------------------------------------------------------------------------------------------------------ brewing


class Batch(Entity, table=designs):
    """Found by its state within its owner, newest first."""

    keys = Keys("BATCH#{batch}", "BATCH", GSI1=("USER#{user}#STATE#{state}", "{made}#{batch}"))
    batch: str
    user: str
    state: Literal["active", "done"] = "active"
    made: datetime = NOW


class Event(Entity, table=designs):
    keys = Keys("BATCH#{batch}", "EVENT#{at}#{event}")
    batch: str
    at: datetime
    event: str = "e"


class Reminder(Entity, table=designs):
    """In the index of what is due only as long as it is pending."""

    keys = Keys(
        "BATCH#{batch}",
        "REMINDER#{due}#{reminder}",
        GSI1=sparse("USER#{user}#DUE", "{due}#{reminder}", when=attr("state") == "pending"),
        GSI2=sparse("DUE#{shard}", "{due}#{reminder}", when=attr("state") == "pending"),
        derive={"shard": Shard("reminder", of=3)},
    )
    batch: str
    reminder: str
    user: str
    due: datetime
    state: Literal["pending", "sent", "cancelled"] = "pending"


@dataclass
class Brewing:
    batch: Batch | None
    events: list[Event]
    reminders: list[Reminder]


@designs.pattern
def batches(user: str, state: Literal["active", "done"]) -> Query[Batch]:
    return query(Batch, Batch.user == user, Batch.state == state).newest_first()


@designs.pattern
def events(batch: str, since: datetime) -> Query[Event]:
    return query(Event, Event.batch == batch, Event.at >= since).newest_first().per_page(20)


@designs.pattern
def upcoming(user: str, start: datetime, end: datetime) -> Query[Reminder]:
    return query(Reminder, Reminder.user == user, between(Reminder.due, start, end)).via("GSI1")


@designs.pattern
def due(until: datetime) -> Query[Reminder]:
    return query(Reminder, Reminder.due <= until).via("GSI2")


@designs.pattern
def brewing(batch: str) -> Collection[Brewing]:
    return collect(
        Brewing,
        batch=one(query(Batch, Batch.batch == batch)),
        events=many(query(Event, Event.batch == batch)),
        reminders=many(query(Reminder, Reminder.batch == batch)),
    )


# ------------------------------------------------------------------------------------------------------- selling


class Customer(Entity, table=designs):
    keys = Keys("CUSTOMER#{customer}", "CUSTOMER", GSI1=("EMAIL#{email}", "CUSTOMER"))
    customer: str
    email: str


class Invitation(Entity, table=designs):
    """Shares the partition of an email, and never is taken for a customer."""

    keys = Keys("GROUP#{group}", "INVITATION#{email}", GSI1=("EMAIL#{email}", "INVITATION#{group}"))
    group: str
    email: str


class Order(Entity, table=designs):
    keys = Keys(
        "CUSTOMER#{customer}",
        "ORDER#{placed}#{order}",
        GSI1=("ORDER#{order}", "ORDER"),
        GSI2=("ORDERS#{customer}", "{state}#{placed}#{order}"),
    )
    customer: str
    order: str
    placed: datetime
    state: Literal["open", "paid"] = "open"
    total: Decimal = Decimal(10)


class OrderLine(Entity, table=designs):
    """Lies below its order, and not among a customer's orders."""

    keys = Keys("ORDER#{order}", "LINE#{line:3}")
    order: str
    line: int


class Activity(Entity, table=designs):
    keys = Keys("CUSTOMER#{customer}", "ACTIVITY#{at}#{activity}")
    customer: str
    at: datetime
    activity: str = "login"


class Sale(Entity, table=designs):
    keys = Keys("SALE#{sale}", "SALE", ByPlace=(("{seller}", "{buyer}"), ("{country}", "{state}", "{city}")))
    sale: str
    seller: str
    buyer: str
    country: str
    state: str
    city: str


class Job(Entity, table=designs):
    keys = Keys("JOB#{job}", "JOB", ByUrgency=(("{queue}",), ("{urgency}", "{due}")))
    job: str
    queue: str
    urgency: int
    due: str = "d"


@dataclass
class Summary:
    """What a customer did lately."""

    orders: int
    spent: Decimal
    activities: int


def summed_up(orders: list[Order], activities: list[Activity]) -> Summary:
    return Summary(len(orders), sum((o.total for o in orders), Decimal(0)), len(activities))


@designs.pattern
def by_email(email: str) -> Get[Customer]:
    return get(Customer, Customer.email == email)


@designs.pattern
def invitations(email: str) -> Query[Invitation]:
    return query(Invitation, Invitation.email == email)


@designs.pattern
def orders(customer: str, since: datetime | None = None) -> Query[Order]:
    return (
        query(Order, Order.customer == customer)
        .when(since, lambda moment: Order.placed >= moment)
        .newest_first()
        .per_page(20)
    )


@designs.pattern
def orders_in(customer: str, state: Literal["open", "paid"], start: datetime, end: datetime) -> Query[Order]:
    return query(Order, Order.customer == customer, Order.state == state, between(Order.placed, start, end))


@designs.pattern
def lately(customer: str, since: datetime) -> Collection[Summary]:
    return collect(
        summed_up,
        orders=many(query(Order, Order.customer == customer, Order.placed >= since)),
        activities=many(query(Activity, Activity.customer == customer, Activity.at >= since)),
    )


@designs.pattern
def urgent(queue: str, urgency: int | None = None) -> Query[Job]:
    return query(Job, Job.queue == queue).when(urgency, lambda u: Job.urgency == u)


# ------------------------------------------------------------------------------------------------------ surveying


class Survey(Entity, table=designs):
    keys = Keys("TENANT#{tenant}", "SURVEY#{survey}", GSI1=("TENANT#{tenant}#SURVEYS", "{survey}"))
    tenant: str
    survey: str


class Section(Entity, table=designs):
    keys = Keys(
        "TENANT#{tenant}",
        "SURVEY#{survey}#SECTION#{section}",
        GSI1=("TENANT#{tenant}#SURVEY#{survey}", "SECTION#{order:6}#{section}"),
    )
    tenant: str
    survey: str
    section: str
    order: int = 0


class SurveySettings(Entity, table=designs):
    """Every version of a survey's settings; no read of the survey pays for them."""

    keys = Keys("TENANT#{tenant}", "SETTINGS#{survey}#{at}")
    tenant: str
    survey: str
    at: datetime


class Document(Entity, table=designs):
    keys = Keys("TENANT#{tenant}#DOC#{document}", "V#{version:6}")
    tenant: str
    document: str
    version: int


@dataclass
class Whole:
    survey: Survey | None
    sections: list[Section]


@designs.pattern
def whole(tenant: str, survey: str) -> Collection[Whole]:
    return collect(
        Whole,
        survey=one(query(Survey, Survey.tenant == tenant, Survey.survey == survey)),
        sections=many(query(Section, Section.tenant == tenant, Section.survey == survey)),
    )


@designs.pattern
def surveys(tenant: str) -> Query[Survey]:
    return query(Survey, Survey.tenant == tenant)


@designs.pattern
def sections(tenant: str, survey: str) -> Query[Section]:
    return query(Section, Section.tenant == tenant, Section.survey == survey).via("GSI1").per_page(25)


@designs.pattern
def versions(tenant: str, document: str) -> Query[Document]:
    return query(Document, Document.tenant == tenant, Document.document == document).newest_first()


# ---------------------------------------------------------------------------------------------------------- tests


@pytest.fixture(params=["memory", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def db(request: pytest.FixtureRequest) -> Iterator[Session]:
    where = "memory:" if request.param == "memory" else request.getfixturevalue("dynamodb_local_url")
    with designs.open(where, create=True, table_name=f"designs-{ulid()}", cursor_keys=CURSOR_KEYS) as opened:
        yield opened
        if request.param != "memory":
            opened.delete_table()


def test_items_in_a_state_are_read_by_a_key_and_not_filtered(db: Session) -> None:
    for n in range(6):
        db.create(Batch(batch=str(n), user="u", state="active" if n % 3 else "done", made=NOW + n * DAY))
    db.create(Batch(batch="x", user="u2"))
    with db.measure() as meter:
        page = db.run(batches, "u", "active").page(3)
    assert ([b.batch for b in page], page.scanned) == (["5", "4", "2"], 3)
    assert [(sent.operation, sent.index) for sent in meter.requests] == [("Query", "GSI1")]
    db.update(key(Batch, batch="5"), set={"state": "done"})
    assert [b.batch for b in db.run(batches, "u", "done")] == ["5", "3", "0"]


def test_a_range_of_one_kind_ends_before_the_next(db: Session) -> None:
    for n in range(3):
        db.create(Event(batch="b", at=NOW + n * DAY))
        db.create(Reminder(batch="b", reminder=str(n), user="u", due=NOW + n * DAY))
    found = db.run(events, "b", NOW + DAY).all()
    assert [e.at for e in found] == [NOW + 2 * DAY, NOW + DAY]
    assert all(isinstance(e, Event) for e in found)


def test_what_is_due_is_found_over_shards_and_leaves_when_it_is_done(db: Session) -> None:
    for n in range(8):
        db.create(Reminder(batch="b", reminder=str(n), user="u", due=NOW + n * DAY))
    assert [r.reminder for r in db.run(upcoming, "u", NOW + DAY, NOW + 3 * DAY)] == ["1", "2", "3"]
    assert [r.reminder for r in db.run(due, NOW + 4 * DAY)] == ["0", "1", "2", "3", "4"]
    db.update(key(Reminder, batch="b", due=NOW + DAY, reminder="1"), set={"state": "sent"})
    db.update(key(Reminder, batch="b", due=NOW + 2 * DAY, reminder="2"), set={"state": "cancelled"})
    assert [r.reminder for r in db.run(upcoming, "u", NOW + DAY, NOW + 3 * DAY)] == ["3"]
    assert [r.reminder for r in db.run(due, NOW + 4 * DAY)] == ["0", "3", "4"]


def test_a_parent_with_children_of_several_kinds_is_one_request(db: Session) -> None:
    db.create(Batch(batch="b", user="u"))
    db.create(Event(batch="b", at=NOW))
    db.create(Reminder(batch="b", reminder="r", user="u", due=NOW))
    with db.measure() as meter:
        found = db.run(brewing, "b")
    assert len(meter.requests) == 1
    assert found.batch is not None
    assert (len(found.events), len(found.reminders)) == (1, 1)


def test_a_partition_that_kinds_share_is_told_apart(db: Session) -> None:
    db.create(Invitation(group="g", email="a@b.c"))
    assert db.run(by_email, "a@b.c") is None
    db.create(Customer(customer="ada", email="a@b.c"))
    found = db.run(by_email, "a@b.c")
    assert found is not None
    assert found.customer == "ada"
    assert [i.group for i in db.run(invitations, "a@b.c")] == ["g"]


def test_recent_orders_are_a_range_of_the_sort_key(db: Session) -> None:
    for n in range(50):
        db.create(Order(customer="ada", order=f"{n:02}", placed=NOW - n * DAY))
    for n in range(3):
        db.create(OrderLine(order="00", line=n))
    with db.measure():
        recent = db.run(orders, "ada", NOW - 30 * DAY).page(100)
    assert ([o.order for o in recent], recent.scanned) == ([f"{n:02}" for n in range(31)], 31)
    first = db.run(orders, "ada").page()
    assert [o.order for o in first] == [f"{n:02}" for n in range(20)]
    assert first.has_more


def test_a_range_holds_all_of_its_last_moment(db: Session) -> None:
    end = datetime(2026, 3, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    for name, moment in (("a", end - DAY), ("b", end), ("c", end), ("d", end + timedelta(microseconds=1))):
        db.create(Order(customer="ada", order=name, placed=moment, state="paid"))
    db.create(Order(customer="ada", order="e", placed=end))
    assert [o.order for o in db.run(orders_in, "ada", "paid", end - DAY, end)] == ["a", "b", "c"]


def test_a_summary_is_one_query_with_all_its_pages(db: Session) -> None:
    for n in range(40):
        db.create(Order(customer="ada", order=f"{n:02}", placed=NOW - n * DAY, total=Decimal("2.50")))
        db.create(Activity(customer="ada", at=NOW - n * DAY))
        db.create(Activity(customer="ada", at=NOW - n * DAY, activity="look"))
    with db.measure() as meter:
        found = db.run(lately, "ada", NOW - 30 * DAY)
    assert found == Summary(orders=31, spent=Decimal("77.50"), activities=62)
    assert [sent.operation for sent in meter.requests] == ["Query"]


def test_places_are_asked_for_more_and_more_exactly(db: Session) -> None:
    for n, place in enumerate(["DE#BY#Fürth", "DE#BY#Hof", "DE#NW#Bonn", "FR#75#Paris"]):
        country, state, city = place.split("#")
        db.create(Sale(sale=str(n), seller="s", buyer="b", country=country, state=state, city=city))
    wanted = [Sale.seller == "s", Sale.buyer == "b"]
    for count, condition in (
        (3, Sale.country == "DE"),
        (2, Sale.state == "BY"),
        (1, Sale.city == "Hof"),
    ):
        wanted.append(condition)
        assert len(db.query(Sale, *wanted).all()) == count
    assert len(db.query(Sale, *wanted[:2]).all()) == 4


def test_nothing_is_told_from_none(db: Session) -> None:
    for n in range(3):
        db.create(Job(job=str(n), queue="q", urgency=n))
    assert [j.job for j in db.run(urgent, "q", 0)] == ["0"]
    assert [j.job for j in db.run(urgent, "q")] == ["0", "1", "2"]
    assert [j.job for j in db.run(urgent, "q", None)] == ["0", "1", "2"]


def test_a_whole_survey_is_its_own_and_complete(db: Session) -> None:
    for name in ("1", "10", "1-x", "1#x"):
        db.create(Survey(tenant="t", survey=name))
        db.create(Section(tenant="t", survey=name, section="s"))
        db.create(SurveySettings(tenant="t", survey=name, at=NOW))
    db.create(Survey(tenant="t2", survey="1"))
    with db.measure() as meter:
        found = db.run(whole, "t", "1")
    assert found.survey == Survey(tenant="t", survey="1")
    assert found.sections == [Section(tenant="t", survey="1", section="s")]
    assert len(meter.requests) == 1
    assert sorted(s.survey for s in db.run(surveys, "t")) == ["1", "1#x", "1-x", "10"]


def test_sections_sort_by_number_and_documents_by_version(db: Session) -> None:
    for n in (10, 2, 1):
        db.create(Section(tenant="t", survey="1", section=f"s{n}", order=n))
        db.create(Document(tenant="t", document="d", version=n))
    assert [s.order for s in db.run(sections, "t", "1").page()] == [1, 2, 10]
    latest = db.run(versions, "t", "d").first()
    assert latest is not None
    assert latest.version == 10
