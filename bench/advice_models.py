"""The tables whose use is judged: a shop that most situations happen in, and small ones whose models are what is judged."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from tablewright import GSI, Entity, Get, Keys, Query, Table, attr, get, query, sparse

shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])


class Customer(Entity, table=shop):
    """Somebody who buys."""

    keys = Keys("CUSTOMER#{customer_id}", "PROFILE", GSI1=("EMAIL#{email}", "CUSTOMER"))
    customer_id: str
    email: str
    name: str = "Ann"
    city: str = "Nice"
    street: str = ""
    phone: str = ""
    language: str = "fr"
    visits: int = 0
    notes: str = ""


class Order(Entity, table=shop):
    """What was bought."""

    keys = Keys("CUSTOMER#{customer_id}", "ORDER#{order_id}", GSI2=("TENANT#{tenant}", "{order_id}"))
    customer_id: str
    order_id: str
    tenant: str
    total: int = 0
    note: str = ""


class Document(Entity, table=shop):
    """Something that a tenant keeps."""

    keys = Keys("TENANT#{tenant}", "DOCUMENT#{document_id}")
    tenant: str
    document_id: str
    text: str = ""


class Page(Entity, table=shop, version=True):
    """What several people write."""

    keys = Keys("PAGE#{page_id}", "PAGE")
    page_id: str
    text: str = ""


class Report(Entity, table=shop):
    """What may become large."""

    keys = Keys("REPORT#{report_id}", "REPORT", GSI1=("OWNER#{owner}", "{report_id}"))
    report_id: str
    owner: str
    title: str = ""
    body: str = ""


class Visit(Entity, table=shop):
    """What happens all the time."""

    keys = Keys("VISITS#{span}", "{visit_id}")
    span: str
    visit_id: str


class Heading(BaseModel):
    """What a list of reports shows."""

    report_id: str
    title: str


@shop.pattern
def customer(customer_id: str) -> Get[Customer]:
    "One customer."
    return get(Customer, Customer.customer_id == customer_id)


@shop.pattern
def by_email(email: str) -> Query[Customer]:
    "Customers with an email address."
    return query(Customer, Customer.email == email)


@shop.pattern
def orders_of(customer_id: str) -> Query[Order]:
    "A customer's orders."
    return query(Order, Order.customer_id == customer_id)


@shop.pattern
def dear_orders_of(customer_id: str, least: int) -> Query[Order]:
    "A customer's orders of some worth."
    return query(Order, Order.customer_id == customer_id).filter(Order.total >= least)


@shop.pattern
def orders_at(tenant: str) -> Query[Order]:
    "All orders at a tenant."
    return query(Order, Order.tenant == tenant)


@shop.pattern
def document(tenant: str, document_id: str) -> Get[Document]:
    "One document."
    return get(Document, Document.tenant == tenant, Document.document_id == document_id)


@shop.pattern
def documents_of(tenant: str) -> Query[Document]:
    "A tenant's documents."
    return query(Document, Document.tenant == tenant)


@shop.pattern
def report(report_id: str) -> Get[Report]:
    "One report."
    return get(Report, Report.report_id == report_id)


@shop.pattern
def heading(report_id: str) -> Get[Heading]:
    "The title of a report."
    return get(Report, Report.report_id == report_id).only(Heading)


@shop.pattern
def reports_of(owner: str) -> Query[Report]:
    "The reports of one owner."
    return query(Report, Report.owner == owner)


# ------------------------------------------------------------------------------------- the same shop, as it was before


def _before() -> tuple[Table, type[Any]]:
    table = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])

    class Customer(Entity, table=table):
        """The same customer, before somebody wrote the keys in another way."""

        keys = Keys("Customer#{customer_id}", "PROFILE", GSI1=("EMAIL#{email}", "CUSTOMER"))
        customer_id: str
        email: str

    return table, Customer


earlier, EarlierCustomer = _before()

# ------------------------------------------------------------------------------------- keys that are not written alike

motley = Table("Motley")


class Author(Entity, table=motley):
    """One of most."""

    keys = Keys("AUTHOR#{number}", "AUTHOR")
    number: str


class Book(Entity, table=motley):
    """One of most."""

    keys = Keys("BOOK#{number}", "BOOK")
    number: str


class Loan(Entity, table=motley):
    """Written in lower case."""

    keys = Keys("loan#{number}", "LOAN")
    number: str


class Shelf(Entity, table=motley):
    """Written without a word that says what it is."""

    keys = Keys("{number}", "SHELF")
    number: str


class Reader(Entity, table=motley):
    """One of most."""

    keys = Keys("READER#{number}", "READER")
    number: str


directory = Table("Directory")


class Person(Entity, table=directory):
    """Known by an address, which is the whole key."""

    keys = Keys("{address}", "PERSON")
    address: str


# ------------------------------------------------------------------------------------- indexes that hold too much, or not

Status = Literal["open", "waiting", "closed"]
desk = Table("Desk", indexes=[GSI("GSI1")])


class Ticket(Entity, table=desk):
    """Something to be done; only one pattern reads its index, and filters."""

    keys = Keys("TICKET#{number}", "TICKET", GSI1=("TEAM#{team}", "{number}"))
    number: str
    team: str
    status: Status = "closed"


@desk.pattern
def open_tickets(team: str) -> Query[Ticket]:
    "What a team has to do."
    return query(Ticket, Ticket.team == team).filter(Ticket.status == "open")


@desk.pattern
def ticket(number: str) -> Get[Ticket]:
    "One ticket."
    return get(Ticket, Ticket.number == number)


listed_desk = Table("Desk", indexes=[GSI("GSI1")])


class ListedTicket(Entity, table=listed_desk, type="Ticket"):
    """The same, where another pattern wants the others as well."""

    keys = Keys("TICKET#{number}", "TICKET", GSI1=("TEAM#{team}", "{number}"))
    number: str
    team: str
    status: Status = "closed"


@listed_desk.pattern
def listed_open_tickets(team: str) -> Query[ListedTicket]:
    "What a team has to do."
    return query(ListedTicket, ListedTicket.team == team).filter(ListedTicket.status == "open")


@listed_desk.pattern
def listed_tickets(team: str) -> Query[ListedTicket]:
    "Everything of a team."
    return query(ListedTicket, ListedTicket.team == team)


queue = Table("Queue", indexes=[GSI("GSI1")])


class Job(Entity, table=queue):
    """Something to be done, found by its state, of which only one is ever asked for."""

    keys = Keys("JOB#{number}", "JOB", GSI1=("STATUS#{status}", "{number}"))
    number: str
    status: Status = "closed"


@queue.pattern
def open_jobs() -> Query[Job]:
    "What is to be done."
    return query(Job, Job.status == "open")


sparse_desk = Table("Desk", indexes=[GSI("GSI1")])


class SparseTicket(Entity, table=sparse_desk, type="Ticket"):
    """A ticket that is in the index as long as it is open."""

    keys = Keys("TICKET#{number}", "TICKET", GSI1=sparse("TEAM#{team}", "{number}", when=attr("status") == "open"))
    number: str
    team: str
    status: Status = "closed"


@sparse_desk.pattern
def sparse_open_tickets(team: str) -> Query[SparseTicket]:
    "What a team has to do."
    return query(SparseTicket, SparseTicket.team == team, SparseTicket.status == "open")


# ------------------------------------------------------------------------------------- fields written into one key

joined = Table("Joined", indexes=[GSI("GSI1")])


class Sale(Entity, table=joined):
    """An index for itself, with two fields in its partition key."""

    keys = Keys("SALE#{number}", "SALE", GSI1=("TENANT#{tenant}#BUYER#{buyer}", "{number}"))
    number: str
    tenant: str
    buyer: str


@joined.pattern
def sales_to(tenant: str, buyer: str) -> Query[Sale]:
    "What somebody bought at a tenant."
    return query(Sale, Sale.tenant == tenant, Sale.buyer == buyer)


shared = Table("Shared", indexes=[GSI("GSI1")])


class SharedSale(Entity, table=shared):
    """An index that another entity has keys on, too."""

    keys = Keys("SALE#{number}", "SALE", GSI1=("TENANT#{tenant}#BUYER#{buyer}", "SALE#{number}"))
    number: str
    tenant: str
    buyer: str


class Refund(Entity, table=shared):
    """The other entity."""

    keys = Keys("REFUND#{number}", "REFUND", GSI1=("TENANT#{tenant}#BUYER#{buyer}", "REFUND#{number}"))
    number: str
    tenant: str
    buyer: str


@shared.pattern
def shared_sales_to(tenant: str, buyer: str) -> Query[SharedSale]:
    "What somebody bought at a tenant."
    return query(SharedSale, SharedSale.tenant == tenant, SharedSale.buyer == buyer)


# ------------------------------------------------------------------------------------- capacity that is kept ready

stock = Table("Stock")


class Part(Entity, table=stock):
    """Something on a shelf."""

    keys = Keys("SHELF#{shelf}", "PART#{number}")
    shelf: str
    number: str
    text: str = ""
