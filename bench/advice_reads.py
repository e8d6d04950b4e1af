"""Situations of reads: what is looked at and not returned, not fetched, large, slow, or not metered."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from bench.advice_models import (
    Customer,
    Document,
    Order,
    Report,
    customer,
    dear_orders_of,
    documents_of,
    heading,
    orders_of,
    report,
    reports_of,
)
from bench.advice_situations import ill, well
from bench.advice_world import Job, World, ask, once
from tablewright.transport.base import Request

KILOBYTE = 1_024
UNITS = 100.0
"""The threshold for single requests that is set where it is judged."""

# --------------------------------------------------------------------------------------------------- inefficient-scan


def _scans(world: World, share: float) -> list[Job]:
    """Scans whose filter passes this share of what they look at."""
    items = world.number(120, 400)
    passing = max(1, round(share * items))
    world.fill(
        Document(tenant=world.name(), document_id=world.name(), text="yes" if n < passing else "no")
        for n in range(items)
    )
    return [once(scan, world) for _ in range(world.number(12, 40))]


def scan(world: World, **more: Any) -> None:
    names, values = {"#t": "text"}, {":t": {"S": "yes"}}
    filtered = {"FilterExpression": "#t = :t", "ExpressionAttributeNames": names, "ExpressionAttributeValues": values}
    ask(world.db, "Scan", **(more or filtered))


@ill("inefficient-scan")
def scans_that_return_little(world: World) -> None:
    # Below 20% it is little; what lies between 16% and that is not drawn. Those who create things meanwhile make it less.
    world.play(_scans(world, world.random.uniform(0.005, 0.16)), innocents=world.number(1, 100))


@well("inefficient-scan")
def scans_that_return_much(world: World) -> None:
    world.play(_scans(world, world.random.uniform(0.24, 1.0)))


@well("inefficient-scan")
def sweeps_of_the_whole_table(world: World) -> None:
    world.fill(Document(tenant=world.name(), document_id=world.name()) for _ in range(world.number(120, 400)))
    world.play([once(partial(scan, world, Limit=1_000)) for _ in range(world.number(12, 40))], innocents=100)


@well("inefficient-scan")
def scans_of_a_handful(world: World) -> None:
    world.fill(Document(tenant=world.name(), document_id=world.name()) for _ in range(world.number(2, 10)))
    world.play([once(scan, world) for _ in range(world.number(12, 60))])


# ---------------------------------------------------------------------------------------------------- fetch-to-filter


def _filtering(world: World, share: float, size: tuple[int, int]) -> list[Job]:
    """Queries whose filter passes this share of what they look at, in collections of such sizes."""
    owners = {name: world.number(*size) for name in world.names(world.number(3, 12))}
    world.furnish()
    for owner, number in owners.items():
        passing = (math.ceil if share >= 0.2 else math.floor)(share * number)
        world.fill(
            Order(
                customer_id=owner,
                order_id=world.name(),
                tenant=world.random.choice(world.tenants),
                total=1_000 if n < passing else world.number(1, 99),
            )
            for n in range(number)
        )
    asked = world.random.choices(list(owners), k=world.number(25, 120))
    return [once(world.read, dear_orders_of, owner, 100) for owner in asked]


@ill("fetch-to-filter")
def filters_that_select(world: World) -> None:
    world.play(_filtering(world, world.random.uniform(0.0, 0.18), (11, 80)), innocents=world.number(50, 300))


@well("fetch-to-filter")
def filters_that_drop_some(world: World) -> None:
    world.play(_filtering(world, world.random.uniform(0.22, 1.0), (11, 80)), innocents=world.number(50, 300))


@well("fetch-to-filter")
def filters_of_a_handful(world: World) -> None:
    world.play(_filtering(world, world.random.uniform(0.0, 0.3), (2, 9)), innocents=world.number(50, 300))


@well("fetch-to-filter")
def queries_without_a_filter(world: World) -> None:
    owners = world.names(world.number(3, 12))
    world.furnish()
    for owner in owners:
        world.fill(
            Order(customer_id=owner, order_id=world.name(), tenant=world.random.choice(world.tenants))
            for _ in range(world.number(15, 80))
        )
    asked = world.random.choices(owners, k=world.number(25, 120))
    world.play([once(world.read, orders_of, owner) for owner in asked], innocents=world.number(50, 300))


# ------------------------------------------------------------------------------------------------------ missing-pages


def _large_collections(world: World, size: float) -> list[str]:
    """Tenants whose documents have so many bytes together."""
    each = world.number(20_000, 60_000)
    tenants = world.names(world.number(1, 2))
    for tenant in tenants:
        world.fill(
            Document(tenant=tenant, document_id=world.name(), text="x" * each) for _ in range(-(-int(size) // each))
        )
    return tenants


def _first_page(world: World, tenant: str, **more: Any) -> dict[str, Any]:
    partition = {":p": {"S": f"TENANT#{tenant}"}}
    return ask(world.db, "Query", KeyConditionExpression="PK = :p", ExpressionAttributeValues=partition, **more)


def _pages(world: World, tenant: str) -> Job:
    """Somebody who goes on until the end."""
    page = _first_page(world, tenant)
    while (last := page.get("LastEvaluatedKey")) is not None:
        yield world.between(0.01, 2.0)
        page = _first_page(world, tenant, ExclusiveStartKey=last)


@ill("missing-pages")
def pages_that_nobody_goes_on_from(world: World) -> None:
    tenants = _large_collections(world, world.random.uniform(1.2e6, 2.0e6))
    jobs: list[Job] = [once(_first_page, world, world.random.choice(tenants)) for _ in range(world.number(7, 16))]
    jobs += [_pages(world, world.random.choice(tenants)) for _ in range(world.random.randrange(1 + len(jobs) // 4))]
    world.random.shuffle(jobs)
    world.play(jobs, innocents=world.number(50, 300))


@well("missing-pages")
def pages_until_the_end(world: World) -> None:
    tenants = _large_collections(world, world.random.uniform(1.2e6, 2.0e6))
    raw = world.random.random() < 0.5
    jobs: list[Job] = []
    for _ in range(world.number(6, 12)):
        tenant = world.random.choice(tenants)
        jobs.append(_pages(world, tenant) if raw else once(world.read, documents_of, tenant))
    world.play(jobs, innocents=world.number(50, 300))


@well("missing-pages")
def pages_of_so_many_items(world: World) -> None:
    tenants = _large_collections(world, world.random.uniform(1.2e6, 2.0e6))
    asked = [world.random.choice(tenants) for _ in range(world.number(8, 30))]
    world.play([once(partial(_first_page, world, t, Limit=world.number(1, 15))) for t in asked], innocents=100)


@well("missing-pages")
def the_first_few_of_many(world: World) -> None:
    tenants = _large_collections(world, world.random.uniform(1.2e6, 2.0e6))

    def first() -> None:
        world.db.run(documents_of, world.random.choice(tenants)).take(world.number(1, 15))

    world.play([once(first) for _ in range(world.number(8, 30))], innocents=world.number(50, 300))


@well("missing-pages")
def answers_that_are_whole(world: World) -> None:
    tenants = _large_collections(world, world.random.uniform(1e5, 8e5))
    asked = [world.random.choice(tenants) for _ in range(world.number(8, 30))]
    world.play([once(_first_page, world, t) for t in asked], innocents=world.number(50, 300))


# ------------------------------------------------------------------------------------------------------- costly-reads


def _reading(world: World, units: float, number: int) -> list[Job]:
    """Reads of one kind that take about so many units each."""
    consistent = world.random.random() < 0.5
    size = units * 4 * KILOBYTE * (1 if consistent else 2)
    tenant, each = world.name(), world.number(3_000, 9_000)
    world.fill(Document(tenant=tenant, document_id=world.name(), text="x" * each) for _ in range(int(size) // each))
    return [once(partial(_first_page, world, tenant, ConsistentRead=consistent)) for _ in range(number)]


def _small_reads(world: World, number: int) -> list[Job]:
    tenants = world.names(20)
    world.fill(Document(tenant=tenant, document_id=world.name()) for tenant in tenants)
    return [once(_first_page, world, world.random.choice(tenants)) for _ in range(number)]


@ill("costly-reads", units=UNITS)
def reads_that_are_dear(world: World) -> None:
    # Not above 120, where an answer of 1 MB would be cut.
    jobs = _reading(world, world.random.uniform(105, 120), world.number(11, 30)) + _small_reads(
        world, world.number(1, 300)
    )
    world.random.shuffle(jobs)
    world.play(jobs, innocents=world.number(20, 200))


@well("costly-reads", units=UNITS)
def reads_that_are_nearly_dear(world: World) -> None:
    world.play(_reading(world, world.random.uniform(20, 96), world.number(13, 40)), innocents=world.number(20, 200))


@well("costly-reads", units=UNITS)
def a_dear_read_now_and_then(world: World) -> None:
    jobs = _reading(world, world.random.uniform(105, 120), world.number(1, 9)) + _small_reads(
        world, world.number(1, 300)
    )
    world.random.shuffle(jobs)
    world.play(jobs, innocents=world.number(20, 200))


# --------------------------------------------------------------------------------------------------- large-projection


def _reports(world: World, sizes: list[int]) -> list[Report]:
    reports = [
        Report(report_id=world.name(), owner=world.name(), title=world.name(), body="x" * size) for size in sizes
    ]
    world.fill(reports)
    return reports


def _whole(world: World, reports: list[Report], *, number: int) -> list[Job]:
    """Reads of whole reports, by key or through an index; enough of them that some are measured."""
    through = world.random.random() < 0.5
    chosen = [world.random.choice(reports) for _ in range(number)]
    return [
        once(world.read, reports_of, one.owner) if through else once(world.db.run, report, one.report_id)
        for one in chosen
    ]


def _enough_measured(world: World) -> int:
    """So many reads that twice as many items are measured as the rule wants to see."""
    every = round(1 / world.collector.sample)
    return {1: 130, 16: 400, 256: 3_200}[every]


@ill("large-projection")
def large_items_read_whole(world: World) -> None:
    size = world.between(11_000, 40_000)
    reports = _reports(world, [round(size * world.random.uniform(0.95, 1.05)) for _ in range(world.number(25, 60))])
    world.play(_whole(world, reports, number=_enough_measured(world)), innocents=world.number(10, 50))


@well("large-projection")
def small_items_read_whole(world: World) -> None:
    size = world.between(100, 9_400)
    reports = _reports(world, [round(size * world.random.uniform(0.95, 1.05)) for _ in range(world.number(25, 60))])
    world.play(_whole(world, reports, number=_enough_measured(world)), innocents=world.number(10, 50))


@well("large-projection")
def a_large_item_among_small_ones(world: World) -> None:
    sizes = [60_000, *(world.number(100, 2_000) for _ in range(world.number(20, 60)))]
    world.play(_whole(world, _reports(world, sizes), number=_enough_measured(world)), innocents=world.number(10, 50))


@well("large-projection")
def large_items_read_in_part(world: World) -> None:
    reports = _reports(world, [world.number(12_000, 40_000) for _ in range(world.number(25, 60))])
    asked = [world.random.choice(reports) for _ in range(world.number(120, 500))]
    world.play([once(world.db.run, heading, one.report_id) for one in asked], innocents=world.number(10, 100))


@well("large-projection")
def large_items_read_seldom(world: World) -> None:
    reports = _reports(world, [world.number(12_000, 40_000) for _ in range(world.number(25, 60))])
    world.play(_whole(world, reports, number=world.number(5, 90)), innocents=world.number(100, 300))


# ------------------------------------------------------------------------------------------------------ slow-requests


def _slow(world: World, share: float, least: int) -> list[Job]:
    """Reads of which this share is slow, and at least so many."""
    number = max(world.number(200, 900), round(1.5 * least / share))
    left = world.random.sample(range(number), max(least, round(share * number)))
    slow, asked = set(left), iter(range(number))

    def delay(operation: str, request: Request) -> float:
        if operation == "GetItem" and "VISITS" in request["Key"]["PK"]["S"] and next(asked) in slow:
            return world.between(0.13, 1.5)
        return world.wire.usual(operation, request)

    world.wire.delay = delay
    targets = [{"PK": {"S": f"VISITS#{name}"}, "SK": {"S": name}} for name in world.names(number)]
    return [once(partial(ask, world.db, "GetItem", Key=target)) for target in targets]


@ill("slow-requests")
def requests_that_are_slow_again_and_again(world: World) -> None:
    world.play(_slow(world, world.between(0.015, 0.9), 11), innocents=world.number(20, 200))


@well("slow-requests")
def requests_that_are_slow_by_accident(world: World) -> None:
    number = world.number(300, 1_200)
    world.play(_slow(world, world.random.uniform(1, 6) / number, 1)[:number], innocents=world.number(20, 200))


@well("slow-requests")
def requests_that_take_their_time(world: World) -> None:
    usual = world.random.uniform(0.02, 0.07)
    world.wire.delay = lambda _operation, _request: min(0.095, usual * world.random.uniform(0.6, 1.4))
    world.play([], innocents=world.number(300, 900))


@well("slow-requests")
def requests_at_the_usual_pace(world: World) -> None:
    world.play([], innocents=world.number(300, 900))


# ---------------------------------------------------------------------------------------------------------- unmetered


def by_hand(world: World, metered: bool) -> None:
    """A read that somebody wrote by hand, and perhaps forgot to ask what it takes."""
    who = world.random.choice(world.people).customer_id
    request: Request = {
        "TableName": world.db.table_name,
        "Key": {"PK": {"S": f"CUSTOMER#{who}"}, "SK": {"S": "PROFILE"}},
    }
    world.db.send("GetItem", {**request, "ReturnConsumedCapacity": "TOTAL"} if metered else request)


@ill("unmetered")
def requestsby_hand_that_do_not_ask(world: World) -> None:
    number = world.number(22, 300)
    world.play([once(by_hand, world, False) for _ in range(number)], innocents=round(number * world.between(0.1, 12)))


@well("unmetered")
def requestsby_hand_that_ask(world: World) -> None:
    number = world.number(30, 300)
    world.play([once(by_hand, world, True) for _ in range(number)], innocents=round(number * world.between(0.5, 4)))


@well("unmetered")
def a_few_requests_that_do_not_ask(world: World) -> None:
    world.play([once(by_hand, world, False) for _ in range(world.number(1, 15))], innocents=world.number(100, 600))


# ------------------------------------------------------------------------------------------------------- unused-fields

_FIELDS = ("customer_id", "email", "name", "city", "street", "phone", "language", "visits", "notes")


def _looking(world: World, fields: tuple[str, ...], who: str) -> None:
    found: Any = world.db.run(customer, who)
    for name in fields:
        getattr(found, name)


@ill("unused-fields", fields=True)
def entities_of_which_little_is_used(world: World) -> None:
    world.furnish()
    used = tuple(world.random.sample(_FIELDS, world.number(1, 4)))
    asked = [world.random.choice(world.people).customer_id for _ in range(world.number(120, 400))]
    world.play([once(_looking, world, used, who) for who in asked])


@well("unused-fields", fields=True)
def entities_that_are_used(world: World) -> None:
    world.furnish()
    unused = world.random.choice((None, "visits", "language"))
    used = tuple(name for name in _FIELDS if name != unused)
    asked = [world.random.choice(world.people).customer_id for _ in range(world.number(120, 400))]
    jobs = [once(_looking, world, tuple(world.random.sample(used, 5)), who) for who in asked]
    world.play(jobs)


@well("unused-fields", fields=True)
def entities_that_are_dumped(world: World) -> None:
    world.furnish()

    def dump(who: Customer) -> None:
        found: Any = world.db.run(customer, who.customer_id)
        found.model_dump_json()

    world.play([once(dump, world.random.choice(world.people)) for _ in range(world.number(120, 400))])


@well("unused-fields", fields=True)
def too_few_entities_to_tell(world: World) -> None:
    world.furnish()
    asked = [world.random.choice(world.people).customer_id for _ in range(world.number(5, 90))]
    world.play([once(_looking, world, ("name",), who) for who in asked])


@well("unused-fields", fields=True)
def views_instead_of_entities(world: World) -> None:
    reports = _reports(world, [world.number(100, 2_000) for _ in range(20)])
    asked = [world.random.choice(reports).report_id for _ in range(world.number(120, 400))]

    def look(report_id: str) -> None:
        found: Any = world.db.run(heading, report_id)
        assert found.title

    world.play([once(look, one) for one in asked])
