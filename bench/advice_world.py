"""A table in memory that is used for a while: by jobs that go on side by side, in time that passes when something happens."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from contextvars import Context
from itertools import accumulate, count
from random import Random
from types import TracebackType
from typing import Any, Self

from bench.advice_models import Customer, Order, by_email, customer, orders_at, orders_of
from tablewright import Entity, Session, Table, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import TablewrightError
from tablewright.observe.collector import Collector
from tablewright.observe.snapshot import Thresholds
from tablewright.transport.base import Read, Request, Response
from tablewright.transport.embedded import EmbeddedTransport

DAY = 86_400.0
START = 1_790_000_000.0
SAMPLES = (1.0, 1 / 16, 1 / 256)
Job = Iterator[float]
"""What one caller does: between its requests it tells how many seconds it waits."""


class Clock:
    """Time that passes when somebody says so; the engine's, too."""

    def __init__(self) -> None:
        self.seconds = START

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> float:
        """Seconds since 1970."""
        return self.seconds


class Wire:
    """The way to the engine, which takes some milliseconds of that time."""

    def __init__(self, engine: Engine, clock: Clock, random: Random) -> None:
        self._clock = clock
        self._random = random
        self._engine = EmbeddedTransport(engine, owned=False)
        self.delay: Callable[[str, Request], float] = self.usual

    def usual(self, operation: str, request: Request) -> float:
        """How long a request usually takes: four milliseconds, more or less, and never a tenth of a second."""
        return min(0.08, 0.004 * math.exp(self._random.gauss(0.0, 0.5)))

    def send(self, operation: str, request: Request) -> Response:
        """One request."""
        self._clock.seconds += self.delay(operation, request)
        return self._engine.send(operation, request)

    def read_json(self, operation: str, request: Request, read: Read) -> Response:
        """As `send`, with the response as `read` makes it."""
        self._clock.seconds += self.delay(operation, request)
        return self._engine.read_json(operation, request, read)

    def close(self) -> None:
        """The engine is closed by whoever opened it."""


class World:
    """One run of one situation."""

    def __init__(
        self, random: Random, table: Table, *, fields: bool = False, thresholds: Thresholds | None = None
    ) -> None:
        self.random = random
        self.table = table
        self.clock = Clock()
        self.collector = Collector(
            sample=random.choice(SAMPLES), fields=fields, thresholds=thresholds, clock=self.clock, timer=self.clock
        )
        self._open = ExitStack()
        self.engine = self._open.enter_context(open_engine("memory:", clock=self.clock, sweep_every=None))
        self.filling: Session = self._open.enter_context(table.open(self.engine))
        """A session that nobody observes: what it writes was there before."""
        self.wire = Wire(self.engine, self.clock, random)
        self.db: Session = self.observed(table)
        self.people: list[Customer] = []
        self.tenants: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self._open.close()

    def observed(self, table: Table) -> Session:
        """A session that is observed, by this model."""
        return self._open.enter_context(table.open(self.wire, create=False, observe=self.collector))

    # ------------------------------------------------------------------------------------------------ what is drawn

    def name(self) -> str:
        """A name that nobody had before, in no order."""
        return f"{self.random.getrandbits(64):016x}"

    def names(self, number: int) -> list[str]:
        """So many of them."""
        return [self.name() for _ in range(number)]

    def between(self, least: float, most: float) -> float:
        """Any number in between, small ones as likely as large ones by their orders of magnitude."""
        return math.exp(self.random.uniform(math.log(least), math.log(most)))

    def number(self, least: int, most: int) -> int:
        """The same, whole."""
        return round(self.between(least, most))

    # ------------------------------------------------------------------------------------------------ what is there

    def fill(self, entities: Iterable[Entity]) -> None:
        """Puts these there before anybody looks."""
        with self.filling.batch() as batch:
            for entity in entities:
                batch.put(entity)

    def furnish(self) -> None:
        """Customers and orders for those who use the shop as they should."""
        self.tenants = self.names(self.number(30, 60))
        self.people = [Customer(customer_id=n, email=f"{n}@example.org") for n in self.names(self.number(60, 200))]
        self.fill(self.people)
        self.fill(self.an_order() for _ in range(self.number(30, 120)))

    def an_order(self) -> Order:
        """A new order of somebody, somewhere."""
        choice = self.random.choice
        return Order(customer_id=choice(self.people).customer_id, order_id=self.name(), tenant=choice(self.tenants))

    # ------------------------------------------------------------------------------------------------ what happens

    def read(self, pattern: Any, *given: object) -> list[Any]:
        """Everything that a pattern finds, page after page."""
        found: list[Any] = self.db.run(pattern, *given).all()
        return found

    def innocent(self) -> Job:
        """One caller who does a single thing with the shop, as one should."""
        db, who = self.db, self.random.choice(self.people)
        (what,) = self.random.choices(range(8), cum_weights=_OFTEN)
        if what == 0:
            db.run(customer, who.customer_id)
        elif what == 1:
            db.run(orders_of, who.customer_id).all()
        elif what == 2:
            db.run(by_email, who.email).all()
        elif what == 3:
            db.run(orders_at, self.random.choice(self.tenants)).all()
        elif what == 4:
            db.update(key(Customer, customer_id=who.customer_id), add={"visits": 1})
        elif what == 5:
            name = self.name()
            db.create(Customer(customer_id=name, email=f"{name}@example.org"))
        elif what == 6:
            db.put(self.an_order())
        else:
            db.get_many([key(Customer, customer_id=one.customer_id) for one in self.random.sample(self.people, 5)])
        yield from ()

    def innocents(self, number: int) -> list[Job]:
        """So many of them; the shop is furnished for them."""
        if number and not self.people:
            self.furnish()
        return [self.innocent() for _ in range(number)]

    def play(self, jobs: Sequence[Job], *, innocents: int = 0, span: float | None = None) -> None:
        """Lets jobs begin one after another in some span of time, and innocent ones in between. Each has a caller of its own."""
        beside = self.innocents(innocents)
        rate = self.between(2.0, 20.0)
        length = span if span is not None else (len(jobs) + len(beside)) / rate
        began, order = self.clock.seconds, count()
        due: list[tuple[float, int, Context, Job]] = []
        for some in (jobs, beside):
            starts = sorted(self.random.uniform(0.0, length) for _ in some)
            due += [(began + at, next(order), Context(), job) for at, job in zip(starts, some, strict=True)]
        heapq.heapify(due)
        while due:
            at, _, caller, job = heapq.heappop(due)
            self.clock.seconds = max(self.clock.seconds, at)
            try:
                pause = caller.run(next, job)
            except StopIteration:
                continue
            except TablewrightError as error:
                self.collector.unhandled(error)  # as the last handler of a framework does
                continue
            heapq.heappush(due, (self.clock.seconds + pause, next(order), caller, job))
        self.clock.seconds = max(self.clock.seconds, began + length)

    def advice(self) -> set[str]:
        """The rules that have something to say."""
        return {one.rule for one in self.db.recommendations()}


_OFTEN = list(accumulate((40, 12, 8, 8, 10, 6, 8, 8)))


def once(act: Callable[..., object], *given: object) -> Job:
    """A caller who does one thing."""
    act(*given)
    yield from ()


def caught(act: Callable[..., object], *given: object) -> Job:
    """A caller who does one thing, and knows what to do if it is refused."""
    with suppress(TablewrightError):
        act(*given)
    yield from ()


def zipf(keys: int, exponent: float) -> list[float]:
    """The shares of keys by their ranks, the greatest first."""
    weights = [1 / rank**exponent for rank in range(1, keys + 1)]
    whole = sum(weights)
    return [weight / whole for weight in weights]


def ask(db: Session, operation: str, **request: Any) -> Response:
    """Sends a request of one's own, which asks what it consumes as one should."""
    return db.send(operation, {"TableName": db.table_name, "ReturnConsumedCapacity": "INDEXES", **request})
