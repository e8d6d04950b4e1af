"""A situation in which much goes wrong at once: each rule must find what is its own in the traffic of all the others."""

from __future__ import annotations

from functools import partial

from bench.advice_models import Customer, Document, customer, document
from bench.advice_partitions import creating
from bench.advice_reads import by_hand, scan
from bench.advice_situations import ill
from bench.advice_world import Job, World, once
from bench.advice_writes import AT_ONCE, QUICK, a_report, one_by_one, read_and_put, taken
from tablewright import key

FOUND = (
    "hot-partition",
    "inefficient-scan",
    "large-item",
    "missed-batch",
    "read-before-write",
    "sequential-partition-keys",
    "unconditional-update",
    "unhandled-conflicts",
    "unmetered",
)


def much_at_once(world: World) -> None:
    world.furnish()
    db, choice, number = world.db, world.random.choice, world.number
    tenants, name = world.names(number(30, 100)), world.name()
    world.fill(Document(tenant=tenant, document_id=name) for tenant in tenants)
    world.fill([large := a_report(world, world.between(120_000, 300_000))])
    often = key(Customer, customer_id=choice(world.people).customer_id)

    def get() -> None:
        db.run(customer, choice(world.people).customer_id)

    jobs: list[Job] = [once(db.run, document, tenants[0], name) for _ in range(number(450, 700))]
    jobs += [once(db.run, document, choice(tenants[1:]), name) for _ in range(number(100, 300))]
    jobs += [one_by_one(world, number(13, 30), QUICK, get) for _ in range(number(6, 10))]
    jobs += [
        read_and_put(world, choice(world.people).customer_id, AT_ONCE, by_update=False) for _ in range(number(40, 80))
    ]
    jobs += [once(partial(db.update, often, set={"city": world.name()})) for _ in range(number(15, 30))]
    jobs += [once(scan, world) for _ in range(number(12, 20))]
    jobs += [once(by_hand, world, False) for _ in range(number(150, 250))]
    jobs += [once(choice(taken(world))) for _ in range(number(4, 10))]
    jobs += [once(db.get, key(type(large), report_id=large.report_id))]
    world.random.shuffle(jobs)
    first = number(1, 10_000)
    created = creating(world, [str(first + n) for n in range(number(25, 80))], 0.02)
    at = sorted(world.random.sample(range(len(jobs)), len(created)), reverse=True)
    for place, job in zip(at, reversed(created), strict=True):
        jobs.insert(place, job)
    world.play(jobs, innocents=number(100, 300), span=number(200, 400))


for rule in FOUND:
    ill(rule, beside=" ".join(FOUND))(much_at_once)
