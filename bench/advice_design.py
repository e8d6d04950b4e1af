"""Situations of what is kept: capacity that is ready, indexes that nobody reads, and keys that hold too much or are put together."""

from __future__ import annotations

from typing import Any

from bench.advice_models import (
    Job as QueuedJob,
)
from bench.advice_models import (
    ListedTicket,
    Part,
    Refund,
    Sale,
    SharedSale,
    SparseTicket,
    Ticket,
    by_email,
    customer,
    desk,
    joined,
    listed_desk,
    listed_open_tickets,
    listed_tickets,
    open_jobs,
    open_tickets,
    orders_at,
    queue,
    sales_to,
    shared,
    shared_sales_to,
    sparse_desk,
    sparse_open_tickets,
    stock,
    ticket,
)
from bench.advice_reads import KILOBYTE
from bench.advice_situations import ill, well
from bench.advice_world import DAY, Job, World, once
from tablewright import query

HOUR = 3_600.0

# ------------------------------------------------------------------------------------------------------ capacity-mode


def provision(world: World, reads: int, writes: int) -> None:
    """So many units are kept ready from now on."""
    ready = {"ReadCapacityUnits": reads, "WriteCapacityUnits": writes}
    world.engine.execute(
        "UpdateTable",
        {"TableName": world.db.table_name, "BillingMode": "PROVISIONED", "ProvisionedThroughput": ready},
    )


def consuming(world: World, reads: float, writes: float) -> list[Job]:
    """Requests that consume so many units in all: each as many as is possible, but not so many that there are only a few."""
    read_size, written_size = max(4, min(384, round(reads / 60) * 2)), max(1, min(384, round(writes / 60 / 2)))
    read_size -= read_size % 4
    targets = []
    for size in (read_size, written_size):
        name = world.name()
        world.fill([Part(shelf=name, number=name, text="x" * (size * KILOBYTE - 200))])
        target = {"PK": {"S": f"SHELF#{name}"}, "SK": {"S": f"PART#{name}"}}
        targets.append({"TableName": world.db.table_name, "Key": target})
    asked, metered = {"Get": {**targets[0], "ProjectionExpression": "PK"}}, {"ReturnConsumedCapacity": "INDEXES"}
    checked = {"ConditionCheck": {**targets[1], "ConditionExpression": "attribute_exists(PK)"}}

    def read() -> None:
        world.db.send("TransactGetItems", {"TransactItems": [asked], **metered})

    def write() -> None:
        # To check an item in a transaction takes what it takes to write it there.
        world.db.send("TransactWriteItems", {"TransactItems": [checked], **metered})

    jobs = [once(read) for _ in range(round(reads / (read_size / 2)))]
    jobs += [once(write) for _ in range(round(writes / (2 * written_size)))]
    world.random.shuffle(jobs)
    return jobs


def _used(world: World, reads: float, writes: float, seconds: float) -> None:
    """For so long, these shares of what is kept ready are used."""
    ready = world.number(1, 3), world.number(1, 2)
    provision(world, *ready)
    world.play(consuming(world, reads * ready[0] * seconds, writes * ready[1] * seconds), span=seconds)


@ill("capacity-mode", table=stock, beside="hot-partition")
def capacity_that_is_hardly_used(world: World) -> None:
    # Below 30% it is idle. On-demand capacity is the cheaper one below 29%: what lies above 25% is not drawn.
    share = world.random.uniform
    _used(world, share(0.05, 0.25), share(0.05, 0.25), world.between(1.05 * DAY, 2.5 * DAY))


@ill("capacity-mode", table=stock, beside="hot-partition")
def capacity_that_is_nearly_used_up(world: World) -> None:
    # Above 80% little is left; what lies below 85% is not drawn.
    much, some = world.random.uniform(0.85, 0.95), world.random.uniform(0.35, 0.95)
    reads, writes = (much, some) if world.random.random() < 0.5 else (some, much)
    _used(world, reads, writes, world.between(1.5 * HOUR, 8 * HOUR))


@well("capacity-mode", table=stock, beside="hot-partition")
def capacity_that_is_used_well(world: World) -> None:
    share = world.random.uniform
    _used(world, share(0.35, 0.75), share(0.35, 0.75), world.between(2 * HOUR, 30 * HOUR))


@well("capacity-mode", table=stock, beside="hot-partition")
def an_idle_evening(world: World) -> None:
    share = world.random.uniform
    _used(world, share(0.0, 0.3), share(0.0, 0.3), world.between(2 * HOUR, 23 * HOUR))


@well("capacity-mode", table=stock, beside="hot-partition")
def capacity_that_is_paid_by_the_request(world: World) -> None:
    seconds, share = world.between(2 * HOUR, 2 * DAY), world.random.uniform(0.05, 0.95)
    world.play(consuming(world, share * seconds, share * seconds), span=seconds)


# ------------------------------------------------------------------------------------------------------- unused-index


def _reading_both(world: World, days: float, *, unread_after: float) -> None:
    """The shop is used for so many days; its second index is not read after so many."""
    world.furnish()
    began, until = world.clock.seconds, unread_after * DAY
    jobs: list[Job] = []

    def look() -> None:
        world.db.run(customer, world.random.choice(world.people).customer_id)
        if world.random.random() < 0.3:
            world.read(by_email, world.random.choice(world.people).email)
        if world.clock.seconds - began < until and world.random.random() < 0.3:
            world.read(orders_at, world.random.choice(world.tenants))

    jobs = [once(look) for _ in range(world.number(150, 400))]
    writes = [once(world.db.put, world.an_order()) for _ in range(world.number(20, 100))]
    world.play([*jobs, *writes], span=days * DAY)
    world.read(by_email, world.random.choice(world.people).email)


@ill("unused-index")
def an_index_that_nobody_reads_for_a_week(world: World) -> None:
    _reading_both(world, world.random.uniform(8.0, 20.0), unread_after=world.random.uniform(0.0, 0.9))


@ill("unused-index")
def an_index_that_nobody_read_at_all_in_days(world: World) -> None:
    _reading_both(world, world.random.uniform(1.1, 6.5), unread_after=0.0)


@well("unused-index")
def indexes_that_are_read(world: World) -> None:
    days = world.random.uniform(8.0, 14.0)
    _reading_both(world, days, unread_after=days)


@well("unused-index")
def an_index_that_rested_for_some_days(world: World) -> None:
    days = world.random.uniform(4.0, 12.0)
    _reading_both(world, days, unread_after=days - world.random.uniform(1.0, 3.0))


@well("unused-index")
def an_index_that_was_not_read_in_some_hours(world: World) -> None:
    _reading_both(world, world.random.uniform(0.02, 0.95), unread_after=0.0)


# ------------------------------------------------------------------------------------------------------- sparse-index


def _tickets(world: World, kind: Any, share: float, teams: list[str]) -> list[Any]:
    """Tickets of which this share is open."""
    number = 30 * len(teams)
    is_open = round(share * number)
    some = [
        kind(number=world.name(), team=teams[n % len(teams)], status="open" if n < is_open else "closed")
        for n in range(number)
    ]
    world.fill(some)
    return some


def _of_teams(world: World, pattern: Any, teams: list[str], number: int) -> list[Job]:
    return [once(world.read, pattern, world.random.choice(teams)) for _ in range(number)]


@ill("sparse-index", table=desk, beside="fetch-to-filter")
def an_index_of_which_a_filter_leaves_little(world: World) -> None:
    teams = world.names(world.number(3, 10))
    some = _tickets(world, Ticket, world.random.uniform(0.0, 0.45), teams)
    jobs = _of_teams(world, open_tickets, teams, world.number(120, 300))
    jobs += [once(world.db.run, ticket, world.random.choice(some).number) for _ in range(world.number(10, 200))]
    world.random.shuffle(jobs)
    world.play(jobs)


@ill("sparse-index", table=queue)
def an_index_of_which_one_value_is_asked_for(world: World) -> None:
    number = world.number(20, 100)
    world.fill(QueuedJob(number=world.name(), status="closed" if n % 10 else "open") for n in range(number))
    world.play([once(world.read, open_jobs) for _ in range(world.number(120, 300))])


@well("sparse-index", table=desk)
def a_filter_that_leaves_most(world: World) -> None:
    teams = world.names(world.number(3, 10))
    _tickets(world, Ticket, world.random.uniform(0.5, 1.0), teams)
    world.play(_of_teams(world, open_tickets, teams, world.number(120, 300)))


@well("sparse-index", table=listed_desk, beside="fetch-to-filter")
def a_pattern_that_wants_the_others_as_well(world: World) -> None:
    teams = world.names(world.number(3, 10))
    _tickets(world, ListedTicket, world.random.uniform(0.0, 0.4), teams)
    jobs = _of_teams(world, listed_open_tickets, teams, world.number(120, 300))
    jobs += _of_teams(world, listed_tickets, teams, world.number(10, 100))
    world.random.shuffle(jobs)
    world.play(jobs)


@well("sparse-index", table=sparse_desk)
def an_index_that_is_sparse(world: World) -> None:
    teams = world.names(world.number(3, 10))
    _tickets(world, SparseTicket, world.random.uniform(0.05, 0.4), teams)
    world.play(_of_teams(world, sparse_open_tickets, teams, world.number(120, 300)))


@well("sparse-index", table=desk, beside="fetch-to-filter")
def somebody_who_asks_for_the_others_by_hand(world: World) -> None:
    teams = world.names(world.number(3, 10))
    _tickets(world, Ticket, world.random.uniform(0.0, 0.4), teams)
    jobs = _of_teams(world, open_tickets, teams, world.number(120, 300))

    def everything() -> None:
        world.db.execute(query(Ticket, Ticket.team == world.random.choice(teams))).all()

    jobs += [once(everything) for _ in range(world.number(10, 100))]
    world.random.shuffle(jobs)
    world.play(jobs)


@well("sparse-index", table=desk, beside="fetch-to-filter")
def an_index_that_is_hardly_asked(world: World) -> None:
    teams = world.names(world.number(3, 10))
    some = _tickets(world, Ticket, world.random.uniform(0.0, 0.4), teams)
    jobs = _of_teams(world, open_tickets, teams, world.number(5, 90))
    jobs += [once(world.db.run, ticket, world.random.choice(some).number) for _ in range(world.number(100, 200))]
    world.play(jobs)


# ------------------------------------------------------------------------------------------------- multi-attribute-key


def _sales(world: World, kind: Any, pattern: Any, number: int) -> list[Job]:
    some = [kind(number=world.name(), tenant=world.name(), buyer=world.name()) for _ in range(world.number(25, 100))]
    world.fill(some)
    chosen = [world.random.choice(some) for _ in range(number)]
    return [once(world.read, pattern, one.tenant, one.buyer) for one in chosen]


@ill("multi-attribute-key", table=joined)
def fields_put_together_for_one_entity(world: World) -> None:
    world.play(_sales(world, Sale, sales_to, world.number(101, 600)))


@well("multi-attribute-key", table=joined)
def fields_put_together_and_hardly_asked(world: World) -> None:
    world.play(_sales(world, Sale, sales_to, world.number(5, 99)))


@well("multi-attribute-key", table=shared)
def fields_put_together_for_several_entities(world: World) -> None:
    world.fill(Refund(number=world.name(), tenant=world.name(), buyer=world.name()) for _ in range(20))
    world.play(_sales(world, SharedSale, shared_sales_to, world.number(101, 600)))


@well("multi-attribute-key")
def an_index_of_one_field_on_each_side(world: World) -> None:
    world.furnish()
    chosen = [world.random.choice(world.tenants) for _ in range(world.number(110, 500))]
    world.play([once(world.read, orders_at, tenant) for tenant in chosen], innocents=100)
