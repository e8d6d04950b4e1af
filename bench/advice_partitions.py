"""Situations of partitions: which of them are asked, and how their keys are written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from bench.advice_models import (
    Author,
    Book,
    Customer,
    Document,
    EarlierCustomer,
    Loan,
    Order,
    Person,
    Reader,
    Shelf,
    Visit,
    by_email,
    customer,
    directory,
    document,
    documents_of,
    earlier,
    motley,
    orders_at,
)
from bench.advice_situations import ill, well
from bench.advice_world import Job, World, ask, once, zipf
from tablewright import Session
from tablewright.values.sizes import PARTITION_READS, PARTITION_WRITES

HOT, SURELY_HOT = 0.10, 0.15
"""A key is hot beyond the first share; that it is, is seen for sure at the second. What lies between is not drawn."""


def asking(world: World, keys: Sequence[str], shares: Sequence[float], number: int) -> list[Job]:
    """Callers who each ask for one customer, chosen by these shares."""
    chosen = world.random.choices(keys, cum_weights=list(accumulate(shares)), k=number)
    return [once(world.db.run, customer, one) for one in chosen]


def drawn_zipf(world: World, *, hot: bool) -> list[float]:
    """Shares by Zipf's law, of which the greatest is hot for sure, or is not hot."""
    while True:
        shares = zipf(world.number(50, 3_000), world.random.uniform(0.6, 1.3))
        if shares[0] >= SURELY_HOT if hot else shares[0] <= HOT:
            return shares


# ------------------------------------------------------------------------------------------------------ hot-partition


@ill("hot-partition")
def keys_by_zipf_with_a_hot_one(world: World) -> None:
    shares = drawn_zipf(world, hot=True)
    world.play(asking(world, world.names(len(shares)), shares, world.number(1_200, 2_000)))


@well("hot-partition")
def keys_by_zipf_without_a_hot_one(world: World) -> None:
    shares = drawn_zipf(world, hot=False)
    world.play(asking(world, world.names(len(shares)), shares, world.number(1_200, 2_000)))


@well("hot-partition")
def keys_that_are_asked_alike(world: World) -> None:
    keys = world.names(world.number(25, 2_000))
    world.play(asking(world, keys, [1.0] * len(keys), world.number(1_100, 2_000)), innocents=world.number(10, 100))


@well("hot-partition")
def so_few_keys_that_each_has_much(world: World) -> None:
    keys = world.names(world.number(2, 15))
    world.play(asking(world, keys, [1.0] * len(keys), world.number(1_100, 2_000)))


@ill("hot-partition")
def one_hot_tenant(world: World) -> None:
    hot_share, number = world.random.uniform(SURELY_HOT, 0.6), world.number(1_200, 1_800)
    tenants = world.names(world.number(30, 300))
    jobs = _of_tenants(
        world, tenants, [hot_share, *[(1 - hot_share) / (len(tenants) - 1)] * (len(tenants) - 1)], number
    )
    world.play(jobs)


@well("hot-partition")
def tenants_of_some_difference(world: World) -> None:
    tenants = world.names(world.number(60, 300))
    # The greatest may be four times as large as the smallest.
    weights = [world.random.uniform(1.0, 4.0) for _ in tenants]
    world.play(_of_tenants(world, tenants, weights, world.number(1_200, 1_800)))


@ill("hot-partition", beside="missed-batch unconditional-update")
def a_partition_near_what_it_bears(world: World) -> None:
    _within_a_second(world, world.random.uniform(0.85, 1.2))


@well("hot-partition", beside="missed-batch unconditional-update")
def a_partition_far_from_what_it_bears(world: World) -> None:
    _within_a_second(world, world.random.uniform(0.1, 0.75))


def _within_a_second(world: World, share: float) -> None:
    """A partition is read or written for this share of what it bears in a second, again and again."""
    tenant, writes, number = world.name(), world.random.random() < 0.5, 20
    size = round(share * (PARTITION_WRITES if writes else PARTITION_READS * 4) / number) * 1024 - 400
    parts = -(-size // 300_000)
    some = [Document(tenant=tenant, document_id=world.name(), text="x" * (size // parts)) for _ in range(parts)]
    world.fill(some)
    world.play([], innocents=world.number(50, 200))
    for _ in range(world.number(1, 3)):
        world.clock.seconds = math.ceil(world.clock.seconds) + 60
        for _ in range(number):
            if writes:
                world.db.put(some[0])
            else:
                partition = {":t": {"S": f"TENANT#{tenant}"}}
                asked = {"KeyConditionExpression": "PK = :t", "ExpressionAttributeValues": partition}
                ask(world.db, "Query", **asked, ConsistentRead=True, Select="COUNT")


def _of_tenants(world: World, tenants: Sequence[str], weights: Sequence[float], number: int) -> list[Job]:
    """Callers who read and write documents of tenants, chosen by these weights."""
    kept = {tenant: world.name() for tenant in tenants}
    world.fill(Document(tenant=tenant, document_id=name) for tenant, name in kept.items())
    writes = world.random.uniform(0.0, 0.2)
    jobs: list[Job] = []
    for tenant in world.random.choices(tenants, cum_weights=list(accumulate(weights)), k=number):
        kind = world.random.random()
        if kind < writes:
            jobs.append(once(world.db.put, Document(tenant=tenant, document_id=world.name())))
        elif kind < writes + 0.1:
            jobs.append(once(world.read, documents_of, tenant))
        else:
            jobs.append(once(world.db.run, document, tenant, kept[tenant]))
    return jobs


# ------------------------------------------------------------------------------------------------ hot-index-partition


def _asking_index(world: World, tenants: Sequence[str], shares: Sequence[float], number: int) -> list[Job]:
    world.fill(Order(customer_id=world.name(), order_id=world.name(), tenant=tenant) for tenant in tenants)
    chosen = world.random.choices(tenants, cum_weights=list(accumulate(shares)), k=number)
    if world.random.random() < 0.3:
        return [once(world.read, orders_at, tenant) for tenant in chosen]
    return [once(_orders_at, world.db, tenant) for tenant in chosen]


def _orders_at(db: Session, tenant: str) -> None:
    """The same as a request of one's own."""
    partition = {":t": {"S": f"TENANT#{tenant}"}}
    ask(db, "Query", IndexName="GSI2", KeyConditionExpression="GSI2PK = :t", ExpressionAttributeValues=partition)


@ill("hot-index-partition")
def an_index_with_one_hot_tenant(world: World) -> None:
    hot_share, tenants = world.random.uniform(SURELY_HOT, 0.6), world.names(world.number(30, 200))
    others = (1 - hot_share) / (len(tenants) - 1)
    shares = [hot_share, *[others] * (len(tenants) - 1)]
    world.play(_asking_index(world, tenants, shares, world.number(1_200, 1_500)), innocents=world.number(10, 100))


@ill("hot-index-partition")
def an_index_by_zipf_with_a_hot_one(world: World) -> None:
    shares = drawn_zipf(world, hot=True)[:300]
    world.play(_asking_index(world, world.names(len(shares)), shares, world.number(1_200, 1_500)))


@well("hot-index-partition")
def an_index_that_is_asked_alike(world: World) -> None:
    tenants = world.names(world.number(25, 200))
    world.play(_asking_index(world, tenants, [1.0] * len(tenants), world.number(1_050, 1_400)))


@well("hot-index-partition")
def an_index_of_few_tenants(world: World) -> None:
    tenants = world.names(world.number(2, 15))
    world.play(_asking_index(world, tenants, [1.0] * len(tenants), world.number(1_050, 1_400)))


@well("hot-index-partition", beside="hot-partition")
def a_hot_key_of_the_table_only(world: World) -> None:
    world.furnish()
    people, hot = [one.customer_id for one in world.people], world.random.choice(world.people)
    shares = [0.4 if one == hot.customer_id else 0.6 / len(people) for one in people]
    emails = [world.random.choice(world.people).email for _ in range(world.number(100, 300))]
    asked = [once(world.read, by_email, email) for email in emails]
    jobs = asking(world, people, shares, world.number(1_000, 1_300)) + asked
    world.random.shuffle(jobs)
    world.play(jobs, innocents=100)


# ------------------------------------------------------------------------------------------ sequential-partition-keys


def creating(world: World, ids: Sequence[str], spoilt: float) -> list[Job]:
    """Customers are created with these ids in about this order: some writers overtake others."""
    order = list(ids)
    for at in range(len(order) - 1):
        if world.random.random() < spoilt:
            order[at], order[at + 1] = order[at + 1], order[at]
    return [once(world.db.create, Customer(customer_id=n, email=f"{world.name()}@example.org")) for n in order]


@ill("sequential-partition-keys")
def ids_that_count_up(world: World) -> None:
    first, step = world.number(1, 1_000_000), world.random.choice((1, 1, 1, 10))
    wide = world.random.choice((0, 10))
    ids = [f"{first + n * step:0{wide}}" for n in range(world.number(22, 200))]
    world.play(creating(world, ids, world.random.uniform(0.0, 0.05)), innocents=world.number(100, 400))


@ill("sequential-partition-keys")
def a_partition_for_each_hour_or_day(world: World) -> None:
    start, hourly = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=world.number(1, 300)), world.random.random() < 0.5
    jobs: list[Job] = []
    for n in range(world.number(6, 30)):
        at = start + (timedelta(hours=n) if hourly else timedelta(days=n))
        span = f"{at:%Y-%m-%dT%H}" if hourly else f"{at:%Y-%m-%d}"
        jobs += [once(world.db.put, Visit(span=span, visit_id=world.name())) for _ in range(world.number(3, 15))]
    world.play(jobs, innocents=world.number(100, 400))


@ill("sequential-partition-keys")
def the_time_as_an_id(world: World) -> None:
    at, unit = 1_780_000_000 + world.number(1, 9_000_000), world.random.choice((1, 1_000))
    ids = [str((at + passed) * unit) for passed in accumulate(world.number(1, 900) for _ in range(world.number(6, 60)))]
    world.play(creating(world, ids, 0.0), innocents=world.number(100, 400))


@well("sequential-partition-keys")
def random_ids(world: World) -> None:
    world.play(creating(world, world.names(world.number(50, 250)), 0.0), innocents=world.number(100, 400))


@well("sequential-partition-keys")
def ids_that_begin_with_the_time_and_are_spread(world: World) -> None:
    """As ULIDs are: nobody hands them out, and each lies in a partition of its own."""
    letters, at = "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 1_790_000_000_000
    ids = []
    for _ in range(world.number(50, 250)):
        at += world.number(1, 5_000)
        digits = [letters[at >> shift & 31] for shift in range(45, -1, -5)]
        ids.append("".join(digits + world.random.choices(letters, k=16)))
    world.play(creating(world, ids, 0.0), innocents=world.number(100, 400))


@well("sequential-partition-keys")
def random_numbers(world: World) -> None:
    digits = world.number(5, 12)
    ids = {f"{world.random.randrange(10**digits):0{digits}}" for _ in range(world.number(50, 250))}
    world.play(creating(world, world.random.sample(sorted(ids), len(ids)), 0.0), innocents=world.number(100, 300))


@well("sequential-partition-keys")
def numbers_in_no_order(world: World) -> None:
    ids = [str(n) for n in range(world.number(30, 200))]
    world.random.shuffle(ids)
    world.play(creating(world, ids, 0.0), innocents=world.number(100, 300))


@well("sequential-partition-keys")
def a_few_numbers_each_of_an_owner(world: World) -> None:
    ids = [f"{world.name()}-{n}" for n in range(world.number(30, 150))]
    world.play(creating(world, ids, 0.0), innocents=world.number(100, 300))


# -------------------------------------------------------------------------------------------------- inconsistent-keys


def _stored(world: World, kinds: Sequence[type[Author | Book | Reader | Loan | Shelf]], each: int) -> list[Job]:
    entities = [kind(number=world.name()) for kind in kinds for _ in range(each)]
    world.random.shuffle(entities)
    return [once(world.db.put, entity) for entity in entities]


@ill("inconsistent-keys", beside="unused-index")
def two_versions_of_a_program_write_keys_in_two_ways(world: World) -> None:
    before = world.observed(earlier)
    number, share = world.number(800, 1_200), world.random.uniform(0.2, 0.5)
    jobs: list[Job] = []
    for name in world.names(number):
        if world.random.random() < share:
            jobs.append(once(before.put, EarlierCustomer(customer_id=name, email=name)))
        else:
            jobs.append(once(world.db.put, Customer(customer_id=name, email=name)))
    world.play(jobs, innocents=world.number(50, 300))


@ill("inconsistent-keys", table=motley)
def one_entity_in_lower_case(world: World) -> None:
    world.play(_stored(world, (Author, Book, Reader, Loan), world.number(250, 400)))


@well("inconsistent-keys", table=motley)
def entities_that_are_written_alike(world: World) -> None:
    world.play(_stored(world, (Author, Book, Reader), world.number(200, 400)))


@well("inconsistent-keys", table=motley)
def an_entity_whose_keys_begin_with_a_value(world: World) -> None:
    world.play(_stored(world, (Author, Book, Reader, Shelf), world.number(250, 400)))


@well("inconsistent-keys")
def a_shop_that_is_written_alike(world: World) -> None:
    ids = world.names(world.number(30, 100))
    world.play(creating(world, ids, 0.0), innocents=world.number(200, 600))


@well("inconsistent-keys", table=directory)
def keys_that_are_nothing_but_values(world: World) -> None:
    """Whatever comes before the first hyphen of a value is no prefix."""
    countries = world.random.sample(("de", "es", "fr", "it", "nl", "pl", "se"), world.number(2, 6))
    people = [f"{world.random.choice(countries)}-{name}" for name in world.names(world.number(800, 1_200))]
    world.play([once(world.db.put, Person(address=address)) for address in people])


@well("inconsistent-keys", table=motley)
def too_few_keys_to_tell(world: World) -> None:
    world.play(_stored(world, (Author, Book, Reader), world.number(200, 400)) + _stored(world, (Loan,), 3))
