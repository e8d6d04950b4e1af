"""How programs use a table, and what they are told: each habit by its own rule, and good habits by none."""

from collections.abc import Callable, Iterator
from random import Random

import pytest

from tablewright import Entity, Get, Keys, Query, Session, Table, get, key, query
from tablewright.errors import AlreadyExistsError
from tablewright.observe.advising import advise
from tablewright.observe.collector import Collector
from tablewright.observe.recommendation import Observed

RULES = {
    *("missed-batch", "unconditional-update", "fetch-to-filter", "read-before-write", "sequential-partition-keys"),
    *("unused-fields", "missing-pages", "unmetered", "inconsistent-keys", "unhandled-conflicts"),
}

shop = Table("Shop")


class Order(Entity, table=shop):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
    username: str
    order_id: str
    paid: bool = False
    total: int = 0
    text: str = ""


class Event(Entity, table=shop):
    keys = Keys("EVENTS#{day}", "{event_id}")
    day: str
    event_id: str


@shop.pattern
def order(username: str, order_id: str) -> Get[Order]:
    return get(Order, Order.username == username, Order.order_id == order_id)


@shop.pattern
def unpaid(username: str) -> Query[Order]:
    return query(Order, Order.username == username).filter(Order.paid == False)  # noqa: E712


class Run:
    """A session that is observed, and a timer that goes on as it is told."""

    def __init__(self) -> None:
        self.now = 0.0
        self.random = Random(5)
        self.collector = Collector(fields=True, timer=lambda: self.now)
        self.db: Session = shop.open("memory:", observe=self.collector)

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def order(self, number: int) -> Order:
        return Order(
            username=f"u{number % 10}", order_id=f"o{number}", total=number, paid=number % 20 != 0, text="x" * 50
        )

    def filled(self, number: int = 200) -> list[Order]:
        orders = [self.order(n) for n in range(number)]
        with self.db.batch() as batch:
            for one in orders:
                batch.put(one)
        self.wait(10)
        return orders


@pytest.fixture
def run() -> Iterator[Run]:
    made = Run()
    with made.db:
        yield made


def one_by_one(run: Run) -> None:
    for _ in range(4):
        for one in run.filled(30):
            assert run.db.run(order, one.username, one.order_id) is not None
            run.wait(0.01)
        run.wait(5)


def together(run: Run) -> None:
    for _ in range(4):
        orders = run.filled(30)
        assert None not in run.db.get_many([key(Order, username=o.username, order_id=o.order_id) for o in orders])
        run.wait(5)


def read_and_put(run: Run) -> None:
    for number in range(60):
        one = run.filled(60)[number] if number == 0 else run.order(number)
        found = run.db.get(one)
        assert found is not None
        found.total += 1
        run.wait(0.02)
        run.db.put(found)
        run.wait(1)


def edit(run: Run) -> None:
    run.filled(60)
    for number in range(60):
        with run.db.edit(run.order(number)) as found:
            found.total += 1
        run.wait(1)


def overwrite(run: Run) -> None:
    for number in range(30):
        run.db.put(Order(username="ada", order_id="o1", total=number))
        run.wait(1)


def count(run: Run) -> None:
    run.db.put(Order(username="ada", order_id="o1"))
    for _ in range(30):
        run.wait(1)
        run.db.update(key(Order, username="ada", order_id="o1"), add={"total": 1})


def select_by_filter(run: Run) -> None:
    run.filled()
    for _ in range(40):
        assert len(run.db.run(unpaid, "u0").all()) == 10
        run.wait(1)
    for _ in range(200):
        assert run.db.run(unpaid, f"u{run.random.randrange(1, 10)}").all() == []
        run.wait(1)


def days(run: Run) -> None:
    for day in range(1, 11):
        for number in range(5):
            run.db.put(Event(day=f"2026-11-{day:02}", event_id=f"{run.random.getrandbits(64):016x}{number}"))
            run.wait(1)


def look_at_little(run: Run) -> None:
    for one in run.filled(120):
        found = run.db.run(order, one.username, one.order_id)
        assert found is not None
        assert found.total == one.total
        run.wait(1)


def look_at_all(run: Run) -> None:
    for one in run.filled(120):
        found = run.db.run(order, one.username, one.order_id)
        assert found == one
        run.wait(1)


def conflicts(run: Run) -> None:
    run.filled(5)
    for number in range(5):
        try:
            run.db.create(run.order(number))
        except AlreadyExistsError as error:
            run.collector.unhandled(error)
        run.wait(1)


def unasked(run: Run) -> None:
    for one in run.filled(30):
        item = {"PK": {"S": f"CUSTOMER#{one.username}"}, "SK": {"S": f"ORDER#{one.order_id}"}}
        run.db.send("GetItem", {"TableName": "Shop", "Key": item, "ReturnConsumedCapacity": "NONE"})
        run.wait(1)


@pytest.mark.parametrize(
    ("use", "told"),
    [
        (one_by_one, {"missed-batch"}),
        (together, set()),
        (read_and_put, {"read-before-write"}),
        (edit, set()),
        (overwrite, {"unconditional-update"}),
        (count, set()),
        (select_by_filter, {"fetch-to-filter"}),
        (days, {"sequential-partition-keys"}),
        (look_at_little, {"unused-fields"}),
        (look_at_all, set()),
        (conflicts, {"unhandled-conflicts"}),
        (unasked, {"unmetered"}),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_habits(run: Run, use: Callable[[Run], None], told: set[str]) -> None:
    use(run)
    found = advise(Observed(run.collector.snapshot(), shop.plan))
    assert {one.rule for one in found} & RULES == told, [one.message for one in found]
