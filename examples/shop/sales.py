"""Sales: what was sold on each day and of each product, counted from the table's stream. `python -m examples.shop.sales
shop.db` follows it.

All orders of a day add to one item, and all of a bestseller to another. Written with the order, these would make
customers wait for each other, so a consumer of the stream writes them, many orders at a time. A stream tells a record at
least once: whether an order is counted stands in an item that is written in the transaction of its sums.
"""

import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from tablewright import Page, Session, StreamRecord, key
from tablewright.errors import AlreadyExistsError

from .department import Department
from .model import CountedOrder, DailySales, Order, Product, ProductSales, bestsellers, sales, shop
from .stream import StreamReader

MOST_ACTIONS = 100


@dataclass(frozen=True)
class Bestseller:
    """A product and how many of it were sold in a year."""

    product: Product
    sold: int


class Sales(Department):
    """What the shop looks at when it has sold something. These figures follow the orders within seconds."""

    def sales(self, start: date, end: date) -> list[DailySales]:
        """What was sold on each day from one to another, both included; days without an order are left out."""
        return self._db.run(sales, start, end).all()

    def bestsellers(self, year: int) -> list[Bestseller]:
        """The ten products that were sold most in a year, without those that the shop no longer has."""
        top: Page[ProductSales] = self._db.run(bestsellers, year).page()
        products = self._db.get_many([key(Product, product_id=entry.product_id) for entry in top])
        return [Bestseller(found, entry.sold) for entry, found in zip(top, products, strict=True) if found is not None]


class SalesCounter:
    """Counts orders, each once, however often and by however many it is told of them."""

    def __init__(self, db: Session) -> None:
        self._db = db

    def take(self, records: Iterable[StreamRecord]) -> int:
        """Counts the orders that were placed, in records of the table's stream; how many were new."""
        return self.count([r.new for r in records if r.event == "INSERT" and isinstance(r.new, Order)])

    def recount(self) -> int:
        """Counts every order of the table that is not counted yet, such as after more than a day without a consumer: a stream
        forgets. Reads the whole table."""
        counted = 0
        waiting: list[Order] = []
        for placed in self._db.scan_for_maintenance(Order):
            waiting.append(placed)
            if len(waiting) == MOST_ACTIONS:
                counted += self.count(waiting)
                waiting.clear()
        return counted + self.count(waiting)

    def count(self, orders: Iterable[Order]) -> int:
        """Counts those of these orders that are not counted yet."""
        return sum(self._count_together(some) for some in _transactions(orders))

    def _count_together(self, orders: Sequence[Order]) -> int:
        while True:
            marks = self._db.get_many([key(CountedOrder, order_id=o.order_id) for o in orders], consistent=True)
            new = [o for o, mark in zip(orders, marks, strict=True) if mark is None]
            try:
                if new:
                    self._write(new)
            except AlreadyExistsError:
                continue  # another consumer counted one of them in between
            return len(new)

    def _write(self, orders: Sequence[Order]) -> None:
        with self._db.transaction() as tx:
            for placed in orders:
                tx.create(CountedOrder(order_id=placed.order_id))
            for sums in _by_day(orders):
                tx.upsert(sums, add={"orders": sums.orders, "total": sums.total})
            for (product_id, year), sold in _by_product(orders).items():
                tx.upsert(ProductSales(product_id=product_id, year=year, sold=sold), add={"sold": sold})


def _transactions(orders: Iterable[Order]) -> Iterator[list[Order]]:
    """The orders, each once, in lots of which each fits into one transaction."""
    lot: list[Order] = []
    for placed in {o.order_id: o for o in orders}.values():
        if lot and _actions([*lot, placed]) > MOST_ACTIONS:
            yield lot
            lot = []
        lot.append(placed)
    if lot:
        yield lot


def _actions(orders: Sequence[Order]) -> int:
    return len(orders) + len(_by_day(orders)) + len(_by_product(orders))


def _by_day(orders: Sequence[Order]) -> list[DailySales]:
    sums: dict[date, DailySales] = {}
    for placed in orders:
        day = placed.placed_at.date()
        so_far = sums.get(day, DailySales(day=day, orders=0, total=Decimal()))
        sums[day] = DailySales(day=day, orders=so_far.orders + 1, total=so_far.total + placed.total)
    return list(sums.values())


def _by_product(orders: Sequence[Order]) -> Counter[tuple[str, int]]:
    sold: Counter[tuple[str, int]] = Counter()
    for placed in orders:
        for line in placed.lines:
            sold[line.product_id, placed.placed_at.year] += line.quantity
    return sold


def follow(db: Session, pause: float = 1.0) -> None:
    """Counts what is placed, until the process ends. It may be killed at any moment and started again."""
    reader, counter = StreamReader(db), SalesCounter(db)
    while True:
        records = reader.read()
        counter.take(records)
        if not records:
            time.sleep(pause)


if __name__ == "__main__":
    arguments = ArgumentParser(prog="python -m examples.shop.sales")
    arguments.add_argument("file", help="where the table is kept, such as shop.db")
    with shop.open(arguments.parse_args().file) as opened:
        follow(opened)
