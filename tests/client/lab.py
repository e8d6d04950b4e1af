"""A model with every kind of key that writes must keep right: the ground for the tests of sessions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from tablewright import (
    GSI,
    LSI,
    Bucket,
    Entity,
    Get,
    Keys,
    Query,
    Shard,
    SoftDelete,
    Table,
    Unique,
    attr,
    contains,
    get,
    given,
    number,
    query,
    require,
    sparse,
    sparse_local,
)

SHARDS = 4

lab = Table(
    "Lab",
    indexes=[
        GSI("GSI1"),
        GSI("GSI2"),
        GSI("GSI3"),
        GSI("GSI4"),
        GSI("ByPlace", pk=["tenant_id", "country"], sk=["city", number("rank")]),
        GSI("Active", pk=["active_tenant", "active_plan"], sk=[number("active_logins")]),
        LSI("LSI1"),
    ],
)

Status = Literal["NEW", "OPEN", "DONE"]


class Ticket(Entity, table=lab):
    """Many indexes: overlapping, sparse by a condition, sharded, by day, of native attributes, and local."""

    keys = Keys(
        "TENANT#{tenant_id}",
        "TICKET#{ticket_id}",
        GSI1=("STATUS#{status}", "{rank:4}#{ticket_id}"),
        GSI2=sparse("HOT#{tenant_id}", "{assignee}#{ticket_id}", when=contains(attr("tags"), "hot")),
        GSI3=("FEED#{shard}", "{updated_at}#{ticket_id}"),
        GSI4=("DAY#{day}", "{due_at}#{ticket_id}"),
        ByPlace=(("{tenant_id}", "{country}"), ("{city}", "{rank}")),
        LSI1=sparse_local("{status}#{rank:4}", when=attr("status") != "DONE"),
        derive={"shard": Shard("ticket_id", of=SHARDS), "day": Bucket("due_at", by="day")},
    )
    tenant_id: str
    ticket_id: str
    status: Status = "NEW"
    rank: int = Field(default=0, ge=0, le=9999)
    tags: set[str] = Field(default_factory=set)
    notes: list[str] = Field(default_factory=list, max_length=20)
    assignee: str | None = None
    due_at: datetime | None = None
    country: str | None = None
    city: str | None = None


class Account(Entity, table=lab, version=True):
    """A version, a unique email, a handle unique within its tenant, and an index of copies for active ones only."""

    keys = Keys(
        "ACCOUNT#{account_id}",
        "ACCOUNT#{account_id}",
        GSI1=("EMAIL#{email}", "EMAIL#{email}"),
        GSI2=("PLAN#{plan}", "{logins:6}#{account_id}"),
        Active=sparse(("{tenant_id}", "{plan}"), ("{logins}",), when=attr("state") == "active"),
        unique=["email", Unique("tenant_id", "handle")],
    )
    account_id: str
    tenant_id: str
    email: str
    handle: str | None = None
    plan: Literal["free", "paid"] = "free"
    state: Literal["active", "locked"] = "active"
    logins: int = Field(default=0, ge=0, le=999_999)
    name: str = ""


class Draft(Entity, table=lab, soft_delete=SoftDelete(keep=timedelta(days=7), feed="GSI3")):
    """Leaves a tombstone, which stays in a feed; has a unique slug."""

    keys = Keys(
        "DRAFTS#{tenant_id}",
        "DRAFT#{draft_id}",
        GSI1=("AUTHOR#{author}", "{draft_id}"),
        GSI3=("DRAFTS#{tenant_id}", "{updated_at}#{draft_id}"),
        unique=[Unique("tenant_id", "slug")],
    )
    tenant_id: str
    draft_id: str
    author: str = "nobody"
    slug: str | None = None
    rank: int = Field(default=0, ge=0, le=9999)


class Sheet(Entity, table=lab, lock="updated_at"):
    """Locked by the time of its last write."""

    keys = Keys("SHEET#{sheet_id}", "SHEET#{sheet_id}", GSI1=("SHEETS", "{sum:5}#{sheet_id}"))
    sheet_id: str
    sum: int = Field(default=0, ge=0, le=99_999)
    note: str = ""


class Answer(BaseModel):
    """Something inside of something."""

    text: str
    weight: int = Field(default=1, ge=0)
    hints: set[str] = Field(default_factory=set)


class Survey(Entity, table=lab, nested="survey"):
    """Its fields live in one map, with index keys, a counter and a unique code made of them."""

    keys = Keys(
        "TENANT#{tenant_id}",
        "SURVEY#{survey_id}",
        GSI1=("SURVEYS#{tenant_id}", "{title}#{survey_id}"),
        GSI2=sparse("POPULAR#{tenant_id}", "{votes:5}#{survey_id}", when=attr("votes") >= 2),
        GSI3=("CHANGED#{tenant_id}", "{updated_at}#{survey_id}"),
        unique=[Unique("tenant_id", "code")],
    )
    tenant_id: str
    survey_id: str
    title: str = "untitled"
    code: str | None = None
    votes: int = Field(default=0, ge=0)
    answer: Answer | None = None


class Note(Entity, table=lab, timestamps=False):
    """Nothing but fields."""

    keys = Keys("NOTE#{note_id}", "NOTE#{note_id}", GSI1=("TOPIC#{topic}", "{note_id}"))
    note_id: str
    topic: str | None = None
    text: str = ""


class Line(BaseModel):
    """One line of an invoice."""

    product: str
    quantity: int = Field(ge=1, le=100)
    price: Annotated[Decimal, Field(decimal_places=2, max_digits=8)] = Decimal("1.00")


class Address(BaseModel):
    """Where somebody lives."""

    city: str
    street: str | None = None


class Invoice(Entity, table=lab):
    """Nested values of all kinds."""

    keys = Keys("INVOICE#{invoice_id}", "INVOICE#{invoice_id}", GSI1=("INVOICES", "{made_at}#{invoice_id}"))
    invoice_id: str
    made_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    lines: list[Line] = Field(default_factory=list)
    address: Address | None = None
    extra: dict[str, int] = Field(default_factory=dict)
    labels: set[str] = Field(default_factory=lambda: {"draft"})
    total: Annotated[Decimal, Field(ge=0, decimal_places=2, max_digits=8)] = Decimal("0.00")
    share: float = 0.5
    body: str = ""


@lab.pattern
def ticket(tenant_id: str, ticket_id: str) -> Get[Ticket]:
    "One ticket."
    return get(Ticket, Ticket.tenant_id == tenant_id, Ticket.ticket_id == ticket_id)


@lab.pattern
def tickets_in(status: Status, from_rank: int | None = None) -> Query[Ticket]:
    "Tickets in a status by rank."
    return query(Ticket, Ticket.status == status).when(from_rank, lambda r: Ticket.rank >= r)


@lab.pattern
def tickets_of(tenant_id: str) -> Query[Ticket]:
    "All tickets of a tenant."
    return query(Ticket, Ticket.tenant_id == tenant_id)


@lab.pattern
def tickets_due(since: datetime, until: datetime) -> Query[Ticket]:
    "Tickets due in a time, over the days that it spans."
    return query(Ticket, given(Ticket.due_at) >= since, given(Ticket.due_at) <= until)


@lab.pattern
def drafts_of(tenant_id: str) -> Query[Draft]:
    "Drafts of a tenant."
    return query(Draft, Draft.tenant_id == tenant_id)


@lab.pattern
def changed_drafts(tenant_id: str) -> Query[Draft]:
    "Drafts of a tenant by their last change, which is where tombstones stay."
    return query(Draft, Draft.tenant_id == tenant_id).via("GSI3")


@lab.pattern
def drafts_by(author: str) -> Query[Draft]:
    "Drafts of an author."
    return query(Draft, Draft.author == author)


@lab.pattern
def account_by_email(email: str) -> Get[Account]:
    "An account by email."
    return get(Account, Account.email == email)


@lab.pattern
def account(account_id: str) -> Get[Account]:
    "An account."
    return get(Account, Account.account_id == account_id)


@lab.change
def close(t: Ticket, note: str) -> None:
    "An open ticket is done."
    require(t.status == "OPEN")
    t.status = "DONE"
    t.assignee = None
    t.notes.append(note)


@lab.change
def vote(s: Survey) -> None:
    "One more vote."
    s.votes = s.votes + 1
