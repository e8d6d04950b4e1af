"""The surveyor's legacy tables against its one table: requests, capacity units, money, time and the client's CPU.

Run with `make bench-surveyor`. Both sides hold the same data: the legacy tables are filled, and then really moved. They take turns within
one run, on the embedded engine and on DynamoDB Local. BENCH_SURVEYS, BENCH_SHAPE (sections, elements of each, components of each), BENCH_ROUNDS and
BENCH_COUNT set the size. The plan of the move expects less cost by 40 to 50 %, writes faster by 70 % and reads by 50 %: what is found is
printed beside that, whatever it is.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench import dynamodb_local
from bench.rounds import Score, ratio, run_rounds
from bench.surveyor_work import OPERATIONS, SOME, TENANT, LegacySide, Operation, Send, SingleSide, crowd
from examples.surveyor.legacy import generating, tables
from examples.surveyor.legacy.moving import surveyor_moving
from examples.surveyor.model import surveyor
from tablewright.client.opening import transport_to
from tablewright.client.settings import SessionOptions
from tablewright.cost.prices import MONTH, Rates, load_prices, usual_rates
from tablewright.evolve.jobs import InFile, run
from tablewright.evolve.moving import open_moving
from tablewright.transport.base import Transport
from tablewright.values.sizes import item_size

GIGABYTE = 2**30
OTHERS = ((6, 3, 1), (12, 6, 3), (24, 10, 3))
"""Shapes of surveys, small, usual and large, whose costs are compared besides."""
PEOPLE = 8
"""Who work on one survey at once."""
KEPT = 20_000
"""Surveys that are stored in the month that is priced."""


@dataclass(frozen=True)
class Size:
    """How much data, and how often each thing is done."""

    surveys: int
    shape: tuple[int, int, int]
    rounds: int
    count: int
    words: int = 25
    phrases: int = 200

    @staticmethod
    def of_environment() -> Size:
        shape = tuple(int(each) for each in os.environ.get("BENCH_SHAPE", "12,6,3").split(","))
        return Size(
            int(os.environ.get("BENCH_SURVEYS", "30")),
            (shape[0], shape[1], shape[2]),
            int(os.environ.get("BENCH_ROUNDS", "7")),
            int(os.environ.get("BENCH_COUNT", "10")),
        )

    @property
    def parts(self) -> int:
        sections, elements, components = self.shape
        return sections * (1 + elements * (1 + components))


@dataclass(frozen=True)
class Use:
    """What one call takes."""

    requests: float = 0.0
    reads: float = 0.0
    writes: float = 0.0

    def price(self, rates: Rates) -> float:
        """Of one call, in millionths."""
        return self.reads * rates.reads + self.writes * rates.writes


@dataclass(frozen=True)
class Found:
    """All that was measured at one place."""

    place: str
    uses: Mapping[str, tuple[Use, Use]]
    scores: Mapping[str, Score]
    stored: tuple[float, float]
    """Bytes of one survey on both sides, with what indexes copy and what is charged for each item."""
    moved: tuple[int, int, float]
    """Legacy rows, items that they became, and seconds."""
    crowds: tuple[tuple[int, float], ...] = ()
    """Where many edited one survey at once: edits that were lost, and edits a second, on both sides."""

    def waited(self, kind: str) -> float:
        """By how much less or more all who read or write wait together, as often as each thing is done; the median of rounds."""
        timed = [o for o in OPERATIONS if o.kind == kind and f"legacy {o.method}" in self.scores]
        sums = [
            [
                sum(o.rate * taken for o, taken in zip(timed, in_round, strict=True))
                for in_round in zip(*(self.scores[f"{side} {o.method}"].wall for o in timed), strict=True)
            ]
            for side in ("legacy", "single")
        ]
        return float(statistics.median(new / old for old, new in zip(*sums, strict=True))) - 1

    def faster(self, operation: Operation) -> float:
        """How many times as long the legacy side took."""
        return ratio(self.scores, f"legacy {operation.method}", f"single {operation.method}")

    def lighter(self, operation: Operation) -> float:
        """The same for the client's CPU."""
        return ratio(self.scores, f"legacy {operation.method}", f"single {operation.method}", cpu=True)


class Counting:
    """A way to the table that adds up what requests consume, while somebody wants to know."""

    def __init__(self, transport: Transport) -> None:
        self._send = transport.send
        self.uses: list[Use] | None = None

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if self.uses is None:
            return self._send(operation, request)
        response = self._send(operation, {**request, "ReturnConsumedCapacity": "TOTAL"})
        units = response["ConsumedCapacity"]["CapacityUnits"]
        reading = operation in ("GetItem", "Query")
        self.uses.append(Use(1, units if reading else 0, 0 if reading else units))
        return response


# ------------------------------------------------------------------------------------------------------------ setup


def fill(send: Send, size: Size) -> generating.Rows:
    """The legacy tables with ordinary rows."""
    sections, elements, components = size.shape
    made = generating.rows(
        tenants=1,
        surveys=size.surveys,
        sections=sections,
        elements=elements,
        components=components,
        phrases=size.phrases,
        images=size.phrases // 4,
        words=size.words,
        statuses=("in_progress",),
    )
    for definition in tables.definitions():
        send("CreateTable", definition)
    generating.fill(send, made)
    return made


def moved(place: Any, made: generating.Rows) -> tuple[int, int, float]:
    """Really moves them: how many rows, how many items, how many seconds."""
    now = [datetime.now(UTC) - timedelta(days=40)]
    with (
        tempfile.TemporaryDirectory() as scratch,
        open_moving(surveyor_moving(), place, clock=lambda: now[0], create=True) as session,
    ):
        session.prepare()
        session.advance("dual")
        now[0] += timedelta(seconds=11)
        began = time.perf_counter()
        for work in session.backfills():
            run(work, session.db, write=True, checkpoints=InFile(Path(scratch) / work.table))
        repaired = session.repair()
        seconds = time.perf_counter() - began
        found = session.verify()
        assert repaired.exit_code == found.exit_code == 0, found.text()
        _unmark(session.db.send)
        items = sum(tally.found for tally in found.entities.values())
    return sum(map(len, made.values())), items, seconds


def _unmark(send: Send) -> None:
    """What tells where items came from goes with the legacy tables."""
    for item in _scan(send, surveyor.name):
        key = {name: item[name] for name in ("PK", "SK")}
        send("UpdateItem", {"TableName": surveyor.name, "Key": key, "UpdateExpression": "REMOVE moved_from"})


def _scan(send: Send, table: str) -> Iterable[dict[str, Any]]:
    request: dict[str, Any] = {"TableName": table}
    while True:
        response = send("Scan", request)
        yield from response["Items"]
        if "LastEvaluatedKey" not in response:
            return
        request["ExclusiveStartKey"] = response["LastEvaluatedKey"]


def stored(send: Send, surveys: int) -> tuple[float, float]:
    """Bytes that are charged for a survey on both sides; libraries, images and documents are the same many on each."""
    overhead = load_prices().item_overhead
    legacy = sum(2 * (item_size(item) + overhead) for item in _scan(send, tables.SURVEYS))
    single = 0
    for item in _scan(send, surveyor.name):
        if "survey_id" in item:
            copies = 1 + sum(f"{index}PK" in item for index in surveyor.indexes)
            single += copies * (item_size(item) + overhead)
    return legacy / surveys, single / surveys


# ---------------------------------------------------------------------------------------------------------- measuring


def measure(place: str, target: Any, size: Size) -> Found:
    """Everything at one place."""
    transport, _ = transport_to(target, SessionOptions())
    counting = Counting(transport)
    made = fill(transport.send, size)
    went = moved(target, made)
    kept = stored(transport.send, size.surveys)
    ids = [row["id"] for row in made[tables.SURVEYS] if row["tenantId"] == TENANT]
    with surveyor.open(target, cursor_keys=[b"a key of the bench, no secret"]) as db:
        legacy, single = LegacySide(counting.send, ids), SingleSide(db, ids)
        _edit(legacy, single)
        uses: dict[str, tuple[Use, Use]] = {}
        for operation in OPERATIONS:
            single.reopen()
            if operation.method == "recent_changes":
                _edit(legacy, single)
            uses[operation.method] = (_legacy_use(counting, legacy, operation), _single_use(single, operation))
        _edit(legacy, single)
        scores = run_rounds(dict(_contestants(legacy, single, size)), size.rounds) if size.rounds else {}
        people = min(PEOPLE, size.shape[0])
        crowds = [crowd(side, people, size.count) for side in (legacy, single)] if size.rounds else []
    return Found(place, uses, scores, kept, went, tuple(crowds))


def _edit(legacy: LegacySide, single: SingleSide) -> None:
    for side in (legacy, single):
        side.edit_some()


def _legacy_use(counting: Counting, side: LegacySide, operation: Operation) -> Use:
    uses: list[Use] = []
    counting.uses = uses
    getattr(side, operation.method)()
    counting.uses = None
    return Use(*(sum(getattr(use, name) for use in uses) for name in ("requests", "reads", "writes")))


def _single_use(side: SingleSide, operation: Operation) -> Use:
    with side.db.measure() as meter:
        getattr(side, operation.method)()
    return Use(len(meter.requests), meter.capacity.read, meter.capacity.write)


def _contestants(
    legacy: LegacySide, single: SingleSide, size: Size
) -> Iterable[tuple[str, tuple[Callable[[int], None], int]]]:
    for operation in OPERATIONS:
        # Made surveys stay, and completed sections are completed once: these are counted, not timed.
        if operation.method in ("create_survey", "complete_section"):
            continue
        for name, side in (("legacy", legacy), ("single", single)):
            yield f"{name} {operation.method}", (_repeated(getattr(side, operation.method)), size.count)


def _repeated(call: Callable[[], None]) -> Callable[[int], None]:
    def work(count: int) -> None:
        for _ in range(count):
            call()

    return work


# ----------------------------------------------------------------------------------------------------------- telling


def month(
    found: Found, rates: Rates, side: int, *, without: frozenset[str] = frozenset()
) -> tuple[float, float, float]:
    """What reads, writes and storage of a month cost on one side."""
    money = {"read": 0.0, "write": 0.0}
    for operation in OPERATIONS:
        if operation.method not in without:
            money[operation.kind] += found.uses[operation.method][side].price(rates) * operation.rate * MONTH / 1e6
    return money["read"], money["write"], found.stored[side] * KEPT / GIGABYTE * rates.storage


def tell(found: Found, size: Size) -> None:
    """Prints all of it."""
    rates = usual_rates(load_prices())
    rows, items, seconds = found.moved
    print(
        f"\n{found.place}: {size.surveys} surveys of {size.parts} parts; {rows} rows became {items} items in {seconds:.1f} s"
    )
    print(
        f"{'':26} {'requests':>13} {'read units':>17} {'write units':>17} {'cost':>8} {'time, ms':>17} {'':>7} {'CPU':>6}"
    )
    for operation in OPERATIONS:
        old, new = found.uses[operation.method]
        line = f"{operation.name:26} {old.requests:5.0f} -> {new.requests:4.0f}"
        line += f" {old.reads:7.1f} -> {new.reads:6.1f} {old.writes:7.1f} -> {new.writes:6.1f}"
        line += f" {_change(new.price(rates), old.price(rates)):>8}"
        if f"legacy {operation.method}" in found.scores:
            times = [found.scores[f"{side} {operation.method}"].wall_us / 1000 for side in ("legacy", "single")]
            line += f" {times[0]:7.2f} -> {times[1]:6.2f} {_change(1, found.faster(operation)):>7}"
            line += f" {_change(1, found.lighter(operation)):>6}"
        print(line)
    print(
        f"{'bytes of a survey':26} {found.stored[0]:,.0f} -> {found.stored[1]:,.0f} ({_change(found.stored[1], found.stored[0])})"
    )

    if found.crowds:
        people = min(PEOPLE, size.shape[0])
        (lost, before), (left, after) = found.crowds
        print(
            f"{people} people in {people} sections of one survey, {people * size.count} edits: legacy lost {lost} ({before:,.0f}/s), "
            f"single lost {left} ({after:,.0f}/s)"
        )


def claims(found: Found) -> dict[str, float]:
    """What the plan expects, as it was found: the change, as a share."""
    rates = usual_rates(load_prices())
    costs = [sum(month(found, rates, side)) for side in (0, 1)]
    leaner = frozenset({"check_access"})
    quiet = [sum(month(found, rates, side, without=leaner)) for side in (0, 1)]
    return {
        "cost": costs[1] / costs[0] - 1,
        "cost without checks of access": quiet[1] / quiet[0] - 1,
        "cost of reads": month(found, rates, 1)[0] / month(found, rates, 0)[0] - 1,
        "write latency": found.waited("write"),
        "query latency": found.waited("read"),
        "latency of a whole survey": 1 / found.faster(OPERATIONS[0]) - 1,
        "latency of it with its library": 1 / found.faster(OPERATIONS[1]) - 1,
    }


EXPECTED = {"cost": (-0.5, -0.4), "write latency": (-0.7, -0.7), "query latency": (-0.5, -0.5)}


def judge(found: Found, *, priced: bool) -> None:
    """Prints what was found beside what the plan expects. DynamoDB Local counts too few units for transactions to be priced."""
    rates = usual_rates(load_prices())
    for side, name in ((0, "legacy"), (1, "single")) if priced else ():
        read, write, kept = month(found, rates, side)
        print(f"a month, {name}: {read:,.0f} for reads, {write:,.0f} for writes, {kept:,.0f} for storage (USD)")
    for name, share in claims(found).items():
        if name.startswith("cost") and not priced:
            continue
        wanted = EXPECTED.get(name)
        if wanted is None:
            print(f"{name:32} {share:+8.1%}")
            continue
        low, high = wanted
        held = "does not hold" if share > high else "holds" if share >= low - 0.05 else "more than that"
        told = f"{high:+.0%}" if low == high else f"{high:+.0%} to {low:+.0%}"
        print(f"{name:32} {share:+8.1%}   expected {told}: {held}")


def _change(new: float, old: float) -> str:
    return f"{new / old - 1:+.0%}" if old else "-"


def main(size: Size | None = None, *, local: bool = True, others: Iterable[tuple[int, int, int]] = OTHERS) -> int:
    """Prints the figures of every place that there is. It judges, and never fails by what it finds."""
    size = size or Size.of_environment()
    if size.surveys < SOME:
        print(f"At least {SOME} surveys are needed.", file=sys.stderr)
        return 1
    with ExitStack() as stack:
        places: list[tuple[str, Any]] = [("embedded engine", stack.enter_context(_engine()))]
        client = dynamodb_local.start(stack) if local else None
        if client is not None:
            places.append(("DynamoDB Local", client.meta.endpoint_url))
        for place, target in places:
            found = measure(place, target, size)
            tell(found, size)
            judge(found, priced=target is places[0][1])
        for shape in others:
            with _engine() as engine:
                tell_costs(replace(size, surveys=SOME, shape=shape, rounds=0), engine)
    return 0


def tell_costs(size: Size, target: Any) -> None:
    """The costs alone, for surveys of another size."""
    rates = usual_rates(load_prices())
    found = measure("embedded engine", target, size)
    print(f"\nsurveys of {size.parts} parts")
    for name, methods in (
        ("all, as often as the model expects", frozenset[str]()),
        ("without edits", frozenset(o.method for o in OPERATIONS if o.kind == "write")),
        ("whole surveys read, nothing else", frozenset(o.method for o in OPERATIONS if o.method != "load_survey")),
    ):
        old, new = (sum(month(found, rates, side, without=methods)[:2]) for side in (0, 1))
        print(f"{name:36} {old:10,.0f} -> {new:8,.0f} USD a month ({_change(new, old)})")


def _engine() -> Any:
    from tablewright.engine import open_engine

    return open_engine("memory:")


if __name__ == "__main__":
    sys.exit(main())
