"""What was sold by day and by product stays right: with concurrent orders, repeated records, and consumers that are killed."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from threading import Thread

import pytest

from examples.shop.model import CountedOrder, DailySales, Order, ProductSales, shop
from examples.shop.sales import MOST_ACTIONS, SalesCounter, _actions, _transactions
from examples.shop.seed import orders, seed
from examples.shop.store import Shop
from examples.shop.stream import StreamReader
from tablewright import Session
from tablewright.engine import open_engine
from tablewright.errors import TablewrightError
from tablewright.testing import ServerError

ROOT = Path(__file__).parents[3]
START = datetime(2026, 12, 30, 22, tzinfo=UTC)
"""Two hours before the last day of a year: the orders of a test fall on two days or more."""


def expected(db: Session) -> tuple[dict[date, tuple[int, Decimal]], dict[tuple[str, int], int]]:
    """The sums, by a plain look at all orders."""
    days: dict[date, tuple[int, Decimal]] = {}
    sold: Counter[tuple[str, int]] = Counter()
    for placed in db.scan_for_maintenance(Order):
        count, total = days.get(placed.placed_at.date(), (0, Decimal()))
        days[placed.placed_at.date()] = count + 1, total + placed.total
        for line in placed.lines:
            sold[line.product_id, placed.placed_at.year] += line.quantity
    return days, dict(sold)


def kept(db: Session) -> tuple[dict[date, tuple[int, Decimal]], dict[tuple[str, int], int]]:
    """The sums, as they are kept."""
    days = {d.day: (d.orders, d.total) for d in db.scan_for_maintenance(DailySales)}
    return days, {(s.product_id, s.year): s.sold for s in db.scan_for_maintenance(ProductSales)}


def drain(reader: StreamReader, counter: SalesCounter) -> int:
    """Reads a stream to its end for now; the engine's begins with an empty page only if there is nothing."""
    counted = 0
    while records := reader.read():
        counted += counter.take(records)
    return counted


def place_orders(store: Shop, who: str, count: int, start: datetime = START) -> None:
    for number in range(count):
        basket = {"kenya-aa": 1, "moka-pot": 2} if number % 2 else {"v60-dripper": 1}
        store.place_order(who, basket, at=start + timedelta(minutes=17 * number))


def restocked(db: Session) -> Shop:
    store = Shop(db)
    for product_id in ("kenya-aa", "moka-pot", "v60-dripper"):
        store.restock(product_id, 10_000)
    return store


# ------------------------------------------------------------------------------------------------------- reading


def test_sales_of_a_period_are_one_request_for_each_year(store: Shop, filled: Session) -> None:
    with filled.measure() as meter:
        found = store.sales(date(2025, 6, 1), date(2025, 7, 31))
    placed = [o for o in orders() if date(2025, 6, 1) <= o.placed_at.date() <= date(2025, 7, 31)]
    assert [(s.day, s.orders, s.total) for s in found] == [(o.placed_at.date(), 1, o.total) for o in placed]
    assert [(r.operation, r.index, r.capacity.read) for r in meter.requests] == [("Query", None, 0.5)]
    with filled.measure() as meter:
        store.sales(date(2024, 12, 1), date(2026, 1, 31))
    assert len(meter.requests) == 3


def test_the_ten_bestsellers_of_a_year(store: Shop, filled: Session) -> None:
    with filled.measure() as meter:
        top = store.bestsellers(2025)
    sold: Counter[str] = Counter()
    for placed in orders():
        for line in placed.lines:
            sold[line.product_id] += line.quantity
    ranked = sorted(sold, key=lambda product_id: (sold[product_id], product_id), reverse=True)
    assert [(b.product.product_id, b.sold) for b in top] == [(p, sold[p]) for p in ranked[:10]]
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", "GSI2"), ("BatchGetItem", None)]
    store.remove_product(ranked[0])
    assert [b.product.product_id for b in store.bestsellers(2025)] == ranked[1:10]
    assert store.bestsellers(2024) == []


# ------------------------------------------------------------------------------------------------------ counting


def test_an_order_counts_when_its_record_is_read(store: Shop, filled: Session) -> None:
    reader, counter = StreamReader(filled), SalesCounter(filled)
    assert drain(reader, counter) == 0  # the seed's are counted
    placed = store.place_order("deniz", {"kenya-aa": 2}, at=START)
    assert store.sales(START.date(), START.date()) == []
    assert drain(reader, counter) == 1
    assert store.sales(START.date(), START.date()) == [DailySales(day=START.date(), orders=1, total=placed.total)]
    assert [(b.product.product_id, b.sold) for b in store.bestsellers(2026)] == [("kenya-aa", 2)]
    store.ship_order(placed.order_id, "T1")
    assert drain(reader, counter) == 0


def test_the_dearest_the_largest_and_the_oldest_order_are_counted_like_others(store: Shop, filled: Session) -> None:
    dearest, most = Decimal("9999999999.99"), 1_000_000
    store.add_product("jet", "beans", "Jet", dearest, stock=9)
    store.add_product("sample", "beans", "Sample", Decimal(0), stock=most * 999)
    for number in range(9):
        store.place_order("deniz", {"jet": 1}, at=START + timedelta(minutes=number))
    for _ in range(101):
        store.place_order("deniz", {"sample": most}, at=START)
    store.place_order("deniz", {"sample": 1}, at=datetime(1, 1, 1, tzinfo=UTC))
    assert SalesCounter(filled).recount() == 111
    assert kept(filled) == expected(filled)
    assert [(d.orders, d.total) for d in store.sales(START.date(), START.date())] == [(110, 9 * dearest)]
    assert [(b.product.product_id, b.sold) for b in store.bestsellers(2026)] == [("sample", 101 * most), ("jet", 9)]
    with pytest.raises(ValueError, match="total"):
        store.place_order("deniz", {"jet": 2}, at=START)
    with pytest.raises(ValueError, match="quantity"):
        store.place_order("deniz", {"sample": most + 1}, at=START)


def test_what_is_told_again_counts_once(store: Shop, filled: Session) -> None:
    place_orders(store, "deniz", 9)
    counter = SalesCounter(filled)
    assert [drain(StreamReader(filled), counter) for _ in range(3)] == [9, 0, 0]
    assert counter.recount() == 0
    twice = list(filled.scan_for_maintenance(Order))
    assert counter.count([*twice, *twice]) == 0
    assert kept(filled) == expected(filled)


def test_orders_are_counted_many_at_a_time(store: Shop, filled: Session) -> None:
    place_orders(store, "deniz", 12, START - timedelta(days=20))
    placed = list(store.history("deniz"))[:12]
    with filled.measure() as meter:
        assert SalesCounter(filled).count(placed) == 12
    operations = [r.operation for r in meter.requests]
    assert operations.count("TransactWriteItems") == 1
    assert len(operations) == 3  # which are counted, how the sums are, and the write


def test_lots_fit_into_transactions() -> None:
    line = {"quantity": 1, "price": Decimal(1)}
    many = [
        Order.model_validate(
            {
                "username": "a",
                "order_id": f"o{number}",
                "placed_at": START + timedelta(days=number),
                "total": Decimal(19),
                "lines": [{"product_id": f"p{number}-{n}", **line} for n in range(19)],
            }
        )
        for number in range(30)
    ]
    lots = list(_transactions(many))
    assert [o for lot in lots for o in lot] == many
    assert [len(lot) for lot in lots] == [4] * 7 + [2]
    assert all(_actions(lot) <= MOST_ACTIONS for lot in lots)


def test_a_table_without_a_consumer_is_counted_from_its_orders(store: Shop, filled: Session) -> None:
    place_orders(store, "deniz", 7)
    assert SalesCounter(filled).recount() == 7
    assert kept(filled) == expected(filled)


# --------------------------------------------------------------------------------------- at once, and killed


def test_sums_are_right_with_concurrent_orders_and_two_consumers() -> None:
    """Four customers order at once, two consumers read the same stream, and each is interrupted again and again."""
    with open_engine("memory:") as engine, shop.open(engine) as db:
        seed(db)
        store = restocked(db)
        engine.faults.inject(ServerError(operations="TransactWriteItems", share=0.2, seed=5))
        buying = True

        def consume() -> None:
            reader, counter = StreamReader(db), SalesCounter(db)
            while True:
                over = not buying
                records = reader.read()
                try:
                    counter.take(records)
                except TablewrightError:
                    reader = StreamReader(db)  # it died; another one begins where the stream does
                    continue
                if over and not records:
                    return

        def buy(who: str) -> None:
            for number in range(12):
                while True:
                    try:
                        store.place_order(
                            who, {"kenya-aa": 1, "moka-pot": 2}, at=START + timedelta(minutes=17 * number)
                        )
                    except TablewrightError:
                        continue
                    break

        consumers = [Thread(target=consume) for _ in range(2)]
        buyers = [Thread(target=buy, args=(who,)) for who in ("alice", "bruno", "carla", "deniz")]
        for thread in (*consumers, *buyers):
            thread.start()
        for thread in buyers:
            thread.join()
        buying = False
        for thread in consumers:
            thread.join()
        engine.faults.clear()
        assert kept(db) == expected(db)
        assert len(list(db.scan_for_maintenance(CountedOrder))) >= 30 + 48


@pytest.mark.parametrize("kills", [2, pytest.param(25, marks=pytest.mark.full)])
def test_sums_are_right_when_the_consumer_is_killed_and_started_again(tmp_path: Path, kills: int) -> None:
    """The consumer is a process of its own on the file, and gets no chance to tidy up."""
    path = tmp_path / "shop.db"
    with shop.open(path) as db:
        seed(db)
        store = restocked(db)
        buyer = Thread(target=place_orders, args=(store, "deniz", 40 * kills))
        buyer.start()
        killed_at = []
        for _ in range(kills):
            with _consumer(path) as process:
                before = _counted(db)
                while _counted(db) < before + 3 and (buyer.is_alive() or _counted(db) < 30 + 40 * kills):
                    time.sleep(0.005)
                os.kill(process.pid, signal.SIGKILL)
            killed_at.append(_counted(db))
        buyer.join()
        assert killed_at[0] > 30  # it had counted some when it was killed
        with _consumer(path) as process:
            while _counted(db) < 30 + 40 * kills:
                time.sleep(0.02)
            process.kill()
        assert kept(db) == expected(db)


def _consumer(path: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "examples.shop.sales", str(path)]
    return subprocess.Popen(command, cwd=ROOT)  # noqa: S603 - our own program


def _counted(db: Session) -> int:
    return len(list(db.scan_for_maintenance(CountedOrder)))
