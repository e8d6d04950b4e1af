"""Situations of writes: what is overwritten unseen, written one by one, large, dear, or refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bench.advice_models import Customer, Document, Page, Report, customer, orders_of, report
from bench.advice_reads import KILOBYTE, UNITS
from bench.advice_situations import ill, well
from bench.advice_world import Job, World, caught, once
from tablewright import key

# -------------------------------------------------------------------------------------------------------- missed-batch


def one_by_one(world: World, number: int, pause: tuple[float, float], act: Callable[[], object]) -> Job:
    """Somebody who first looks for things, and then asks for each of them."""
    world.read(orders_of, world.random.choice(world.people).customer_id)
    for _ in range(number):
        yield world.between(*pause)
        act()


def _single(world: World) -> Callable[[], object]:
    """A single request, of a kind that is the same in a run."""

    def get() -> None:
        world.db.run(customer, world.random.choice(world.people).customer_id)

    def put() -> None:
        world.db.put(Document(tenant=world.name(), document_id=world.name()))

    def create() -> None:
        name = world.name()
        world.db.create(Customer(customer_id=name, email=name))

    def delete() -> None:
        world.db.delete(key(Document, tenant=world.name(), document_id=world.name()))

    return world.random.choice((get, get, get, put, create, delete))


QUICK, _SLOW = (0.0005, 0.01), (0.15, 1.0)
"""Seconds between the requests of one caller, beside some milliseconds for each: more than ten in a second, and surely fewer."""


@ill("missed-batch")
def a_request_for_each_thing_that_was_found(world: World) -> None:
    world.furnish()
    act = _single(world)
    loops = [one_by_one(world, world.number(13, 60), QUICK, act) for _ in range(world.number(5, 25))]
    # The others must not take so much of the time that a row takes longer than a second.
    innocents = world.number(50, 400)
    world.play(loops, innocents=innocents, span=innocents / 5 + 10)


@well("missed-batch")
def as_many_requests_by_as_many_callers(world: World) -> None:
    world.furnish()
    act = _single(world)
    world.play([once(act) for _ in range(world.number(200, 900))], innocents=100, span=world.between(3, 60))


@well("missed-batch")
def short_rows(world: World) -> None:
    world.furnish()
    act = _single(world)
    loops = [one_by_one(world, world.number(2, 9), QUICK, act) for _ in range(world.number(20, 80))]
    world.play(loops, innocents=world.number(50, 300))


@well("missed-batch")
def rows_that_take_their_time(world: World) -> None:
    world.furnish()
    act = _single(world)
    loops = [one_by_one(world, world.number(15, 40), _SLOW, act) for _ in range(world.number(5, 20))]
    world.play(loops, innocents=world.number(50, 300))


@ill("missed-batch")
def one_long_row(world: World) -> None:
    world.furnish()
    # Of one row, what lies between 80 and 130 requests is not drawn.
    loop = one_by_one(world, world.number(130, 600), QUICK, _single(world))
    world.play([loop], innocents=world.number(50, 200), span=100)


@well("missed-batch")
def a_row_or_two(world: World) -> None:
    world.furnish()
    act = _single(world)
    rows = [one_by_one(world, world.number(13, 40), QUICK, act) for _ in range(world.random.choice((1, 2)))]
    world.play(rows, innocents=world.number(100, 400))


@well("missed-batch")
def batches(world: World) -> None:
    world.furnish()

    def together() -> None:
        some = world.random.sample(world.people, 40)
        world.db.get_many([key(Customer, customer_id=one.customer_id) for one in some])

    world.play([once(together) for _ in range(world.number(10, 40))], innocents=world.number(100, 300))


# --------------------------------------------------------------------------------------------------- read-before-write


def _some_people(world: World) -> list[str]:
    """So many that none is chosen again and again."""
    world.furnish()
    return [one.customer_id for one in world.people]


def read_and_put(world: World, who: str, think: tuple[float, float], *, by_update: bool) -> Job:
    found: Any = world.db.run(customer, who)
    yield world.between(*think)
    if by_update:
        world.db.update(key(Customer, customer_id=who), set={"visits": found.visits + 1})
    else:
        found.visits += 1
        world.db.put(found)


AT_ONCE, _LATER = (0.001, 0.05), (0.2, 5.0)


@ill("read-before-write")
def read_and_written_back(world: World) -> None:
    people, by_update = _some_people(world), world.random.random() < 0.5
    chosen = [world.random.choice(people) for _ in range(world.number(28, 250))]
    world.play(
        [read_and_put(world, who, AT_ONCE, by_update=by_update) for who in chosen],
        innocents=world.number(20, 100),
        span=len(chosen) / 2,
    )


@well("read-before-write")
def written_back_under_a_lock(world: World) -> None:
    def edit(who: str) -> None:
        with world.db.edit(key(Customer, customer_id=who)) as one:
            one.visits += 1

    def revise(who: str) -> None:
        world.db.revise(key(Customer, customer_id=who), lambda one: setattr(one, "city", world.name()))

    people, act = _some_people(world), world.random.choice((edit, revise))
    world.play([once(act, world.random.choice(people)) for _ in range(world.number(35, 250))], innocents=100)


@well("read-before-write")
def written_back_with_a_version(world: World) -> None:
    pages = world.names(30)
    for name in pages:
        world.filling.create(Page(page_id=name))

    def rewrite(name: str) -> Job:
        found: Any = world.db.get(key(Page, page_id=name))
        yield world.between(*AT_ONCE)
        found.text = world.name()
        world.db.put(found)

    jobs = [rewrite(world.random.choice(pages)) for _ in range(world.number(35, 200))]
    world.play(jobs, innocents=world.number(50, 200), span=len(jobs) / 2)


@well("read-before-write")
def read_and_changed_under_a_condition(world: World) -> None:
    def change(who: str) -> Job:
        found: Any = world.db.run(customer, who)
        yield world.between(*AT_ONCE)
        world.db.update(key(Customer, customer_id=who), set={"visits": 7}, when=Customer.visits == found.visits)

    people = _some_people(world)
    jobs = [change(world.random.choice(people)) for _ in range(world.number(35, 200))]
    world.play(jobs, innocents=world.number(50, 200), span=len(jobs) / 2)


@well("read-before-write")
def read_and_counted_up(world: World) -> None:
    def count(who: str) -> Job:
        world.db.run(customer, who)
        yield world.between(*AT_ONCE)
        world.db.update(key(Customer, customer_id=who), add={"visits": 1})

    people = _some_people(world)
    world.play([count(world.random.choice(people)) for _ in range(world.number(35, 200))], innocents=100)


@well("read-before-write")
def read_by_one_and_written_by_another(world: World) -> None:
    people = _some_people(world)
    chosen = [world.random.choice(people) for _ in range(world.number(35, 200))]
    writes = [
        once(partial(world.db.update, key(Customer, customer_id=who), set={"city": world.name()})) for who in chosen
    ]
    reads = [once(world.db.run, customer, who) for who in chosen]
    world.play([job for pair in zip(reads, writes, strict=True) for job in pair], innocents=100)


@well("read-before-write")
def one_is_read_and_another_is_written(world: World) -> None:
    def order(who: str) -> Job:
        world.db.run(customer, who)
        yield world.between(*AT_ONCE)
        world.db.put(world.an_order())

    people = _some_people(world)
    world.play([order(world.random.choice(people)) for _ in range(world.number(35, 200))], innocents=100)


@well("read-before-write")
def read_and_written_back_much_later(world: World) -> None:
    people = _some_people(world)
    jobs = [
        read_and_put(world, world.random.choice(people), _LATER, by_update=True) for _ in range(world.number(35, 150))
    ]
    world.play(jobs, innocents=100)


# ------------------------------------------------------------------------------------------------- unconditional-update


def _targets(world: World, number: int) -> list[Any]:
    return [key(Customer, customer_id=one.customer_id) for one in world.random.sample(world.people, number)]


@ill("unconditional-update")
def a_few_items_overwritten_again_and_again(world: World) -> None:
    world.furnish()
    whole, others = world.random.random() < 0.5, world.number(1, 150)
    jobs: list[Job] = []
    for target in _targets(world, world.number(1, 5)):
        for _ in range(world.number(12, 60)):
            if whole:
                name = target.fields["customer_id"]
                jobs.append(
                    once(world.db.put, Customer(customer_id=name, email=f"{name}@example.org", city=world.name()))
                )
            else:
                jobs.append(once(partial(world.db.update, target, set={"city": world.name()})))
    for target in _targets(world, min(others, len(world.people))):
        jobs.append(once(partial(world.db.update, target, set={"city": world.name()})))
    world.random.shuffle(jobs)
    world.play(jobs, innocents=world.number(50, 300))


@well("unconditional-update")
def counters(world: World) -> None:
    world.furnish()
    jobs = [
        once(partial(world.db.update, target, add={"visits": 1}))
        for target in _targets(world, world.number(1, 5))
        for _ in range(world.number(14, 100))
    ]
    world.play(jobs, innocents=world.number(50, 300))


@well("unconditional-update")
def the_same_items_under_a_condition(world: World) -> None:
    world.furnish()
    edited = world.random.random() < 0.5

    def edit(target: Any) -> None:
        with world.db.edit(target) as one:
            one.city = world.name()

    def update(target: Any) -> None:
        world.db.update(target, set={"city": world.name()}, when=Customer.visits >= 0)

    jobs = [
        once(edit if edited else update, target)
        for target in _targets(world, world.number(1, 5))
        for _ in range(world.number(14, 60))
    ]
    world.play(jobs, innocents=world.number(50, 300))


@well("unconditional-update")
def the_same_items_with_a_version(world: World) -> None:
    name = world.name()
    world.filling.create(Page(page_id=name))

    def rewrite() -> None:
        found: Any = world.db.get(key(Page, page_id=name), consistent=True)
        found.text = world.name()
        world.db.put(found)

    world.play([once(rewrite) for _ in range(world.number(14, 80))], innocents=world.number(50, 300))


@well("unconditional-update")
def many_items_overwritten_now_and_then(world: World) -> None:
    world.furnish()
    jobs = [
        once(partial(world.db.update, target, set={"city": world.name()}))
        for target in _targets(world, len(world.people))
        for _ in range(world.number(1, 5))
    ]
    world.random.shuffle(jobs)
    world.play(jobs, innocents=world.number(50, 200))


# --------------------------------------------------------------------------------- large-item


def a_report(world: World, size: float) -> Report:
    return Report(report_id=world.name(), owner=world.name(), body="x" * round(size))


_LARGE = 100 * KILOBYTE


@ill("large-item")
def a_large_item_is_written(world: World) -> None:
    size = world.between(1.02 * _LARGE, 390_000)
    some = [a_report(world, size), *(a_report(world, world.number(100, 20_000)) for _ in range(world.number(1, 40)))]
    world.random.shuffle(some)
    world.play([once(world.db.put, one) for one in some], innocents=world.number(100, 300))


@ill("large-item")
def a_large_item_is_read(world: World) -> None:
    large = a_report(world, world.between(1.02 * _LARGE, 390_000))
    world.fill([large])
    world.play([once(world.db.run, report, large.report_id) for _ in range(world.number(1, 20))], innocents=200)


@ill("large-item", beside="hot-partition")
def a_little_of_a_large_item_is_changed(world: World) -> None:
    large = a_report(world, world.between(1.02 * _LARGE, 390_000))
    world.fill([large])
    target = key(Report, report_id=large.report_id)
    changes = [once(partial(world.db.update, target, set={"title": world.name()})) for _ in range(world.number(1, 6))]
    world.play(changes, innocents=200)


@well("large-item")
def items_that_are_nearly_large(world: World) -> None:
    some = [a_report(world, world.between(1_000, 0.97 * _LARGE)) for _ in range(world.number(3, 15))]
    jobs = [once(world.db.put, one) for one in some] + [once(world.db.run, report, one.report_id) for one in some]
    world.play(jobs, innocents=world.number(100, 300))


@well("large-item")
def many_small_items_at_once(world: World) -> None:
    owner = world.name()

    def batch() -> None:
        with world.db.batch() as some:
            for _ in range(25):
                some.put(Document(tenant=owner, document_id=world.name(), text="x" * 8_000))

    def transaction() -> None:
        with world.db.transaction() as some:
            for _ in range(10):
                some.put(Document(tenant=owner, document_id=world.name(), text="x" * 12_000))

    jobs = [once(world.random.choice((batch, transaction))) for _ in range(world.number(2, 8))]
    world.play(jobs, innocents=world.number(100, 300))


# ------------------------------------------------------------------------------------------------------- costly-writes


def _writing(world: World, units: float) -> Callable[[], object]:
    """A write that takes so many units: of one item and its copy in an index, of a batch, or of a transaction."""

    def indexed() -> None:
        world.db.put(a_report(world, (units / 2 - 1) * KILOBYTE))

    def batch() -> None:
        with world.db.batch() as some:
            for _ in range(20):
                some.put(
                    Document(
                        tenant=world.name(), document_id=world.name(), text="x" * int((units / 20 - 0.5) * KILOBYTE)
                    )
                )

    def transaction() -> None:
        with world.db.transaction() as some:
            for _ in range(5):
                some.put(
                    Document(
                        tenant=world.name(), document_id=world.name(), text="x" * int((units / 10 - 0.5) * KILOBYTE)
                    )
                )

    return world.random.choice((indexed, batch, transaction))


def _small_writes(world: World, number: int) -> list[Job]:
    return [once(world.db.put, a_report(world, 10)) for _ in range(number)]


@ill("costly-writes", units=UNITS)
def writes_that_are_dear(world: World) -> None:
    dear = _writing(world, world.between(125, 180))
    jobs = [once(dear) for _ in range(world.number(11, 25))] + _small_writes(world, world.number(1, 200))
    world.random.shuffle(jobs)
    world.play(jobs, innocents=world.number(20, 200))


@well("costly-writes", units=UNITS)
def writes_that_are_nearly_dear(world: World) -> None:
    write = _writing(world, world.between(20, 80))
    world.play([once(write) for _ in range(world.number(13, 30))], innocents=world.number(20, 200))


@well("costly-writes", units=UNITS)
def a_dear_write_now_and_then(world: World) -> None:
    dear = _writing(world, world.between(125, 180))
    jobs = [once(dear) for _ in range(world.number(1, 9))] + _small_writes(world, world.number(1, 200))
    world.random.shuffle(jobs)
    world.play(jobs, innocents=world.number(20, 200))


# -------------------------------------------------------------------------------------------------- unhandled-conflicts


def taken(world: World) -> list[Callable[[], object]]:
    """Writes that somebody else was faster with."""
    who = world.random.choice(world.people)
    target = key(Customer, customer_id=who.customer_id)
    return [
        lambda: world.db.create(who),
        lambda: world.db.update(target, set={"visits": 3}, when=Customer.visits > 1_000_000),
        lambda: world.db.delete(key(Customer, customer_id=world.name()), when=Customer.visits > 1_000_000),
    ]


@ill("unhandled-conflicts")
def conflicts_that_nobody_catches(world: World) -> None:
    world.furnish()
    jobs = [once(world.random.choice(taken(world))) for _ in range(world.number(3, 40))]
    world.play(jobs, innocents=world.number(50, 300))


@well("unhandled-conflicts")
def conflicts_that_are_caught(world: World) -> None:
    world.furnish()
    jobs = [caught(world.random.choice(taken(world))) for _ in range(world.number(4, 60))]
    world.play(jobs, innocents=world.number(50, 300))


@well("unhandled-conflicts")
def a_conflict_or_two(world: World) -> None:
    world.furnish()
    jobs = [once(world.random.choice(taken(world))) for _ in range(world.random.choice((1, 2)))]
    world.play(jobs, innocents=world.number(50, 300))


@well("unhandled-conflicts")
def errors_of_another_kind(world: World) -> None:
    def refused() -> None:
        world.db.send("GetItem", {"TableName": world.db.table_name, "Key": {}})

    jobs = [once(refused) for _ in range(world.number(4, 40))]
    world.play(jobs, innocents=world.number(50, 300))
