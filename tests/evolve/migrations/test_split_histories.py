"""Items that are split, through histories of what both models write, and through crashes in the middle of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tablewright import Entity, Keys, SoftDelete, Table, key
from tablewright.errors import UniqueViolationError
from tablewright.evolve.migrations import SplitItem
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.migrations.works.gathering import NOBODYS
from tablewright.evolve.migrations.works.splitting import BOTH, HELD
from tablewright.evolve.migrations.works.straying import ALONE
from tests.evolve.migrations.tables import Shop, file, shop, skipped, written
from tests.evolve.migrations.test_crashes import resumed_anywhere
from tests.evolve.migrations.test_split_items import (
    BACK,
    KEEPING,
    PIECE,
    STEP,
    days,
    marks,
    new_deletes,
    new_sets,
    old_deletes,
    old_sets,
    texts,
)


class Order:
    """What an order and its parts should be, told by hand."""

    def __init__(self) -> None:
        self.day: str | None = "2026-01-01"
        self.parts: dict[int, str] = dict(enumerate(self.day.split("-")))
        self.written = self.alone = False
        self.touched: set[int] = set()

    @property
    def torn(self) -> bool:
        """Whether both have written it."""
        return self.written and bool(self.touched) and self.day is not None

    def followed(self) -> None:
        """After a run."""
        if self.day is None:
            self.parts = {n: text for n, text in self.parts.items() if self.alone or n in self.touched}
            self.alone = True
        elif self.written and not self.touched:
            self.parts, self.written = dict(enumerate(self.day.split("-"))), False


def retired(orders: dict[str, Order]) -> dict[str, int]:
    """What should be left, and why."""
    for order in orders.values():
        order.followed()
        if not order.torn:
            order.day = None
    torn = sum(order.torn for order in orders.values())
    return {BOTH: torn} if torn else {}


def rolled_back(orders: dict[str, Order]) -> dict[str, int]:
    """The same, the other way."""
    left: dict[str, int] = {}
    for order in orders.values():
        if order.torn:
            left[BOTH] = left.get(BOTH, 0) + 1
        elif order.day is None:
            order.parts = {n: text for n, text in order.parts.items() if order.alone or n in order.touched}
            if order.parts:
                why = NOBODYS if order.alone else ALONE
                left[why] = left.get(why, 0) + len(order.parts)
        else:
            if order.touched:
                order.day = "-".join(order.parts.values()) or None
            order.parts = {}
    return left


NUMBERS = st.sampled_from(["0", "1"])
STEPS = st.one_of(
    st.tuples(st.just("old sets"), NUMBERS, st.integers(1, 4)),
    st.tuples(st.just("old deletes"), NUMBERS, st.just(0)),
    st.tuples(st.just("new sets"), NUMBERS, st.integers(0, 3)),
    st.tuples(st.just("new deletes"), NUMBERS, st.integers(0, 3)),
    st.tuples(st.just("run"), st.just(""), st.just(0)),
)


def happens(ground: Shop, orders: dict[str, Order], what: str, number: str, n: int, token: str) -> None:
    """One write, in the table and by hand."""
    order = orders[number]
    if what == "old sets" and order.day is not None:
        order.day = "-".join(f"{token}{i}" for i in range(n))
        order.written = True
        old_sets(ground, order.day, number)
    elif what == "old deletes" and order.day is not None:
        order.day = None
        old_deletes(ground, number)
    elif what.startswith("new") and n in order.parts:
        order.touched.add(n)
        if what == "new sets":
            order.parts[n] = token
            new_sets(ground, token, n, number)
        else:
            del order.parts[n]
            new_deletes(ground, n, number)


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(STEPS, max_size=8), st.booleans())
@example([("old deletes", "0", 0), ("new sets", "0", 0), ("run", "", 0)], False)
def test_nothing_is_lost_and_nothing_comes_back(history: list[tuple[str, str, int]], forward: bool) -> None:
    with shop(*PIECE) as ground:
        ground.fill(2)
        orders = {number: Order() for number in ("0", "1")}
        migrator = ground.migrator(file(BACK))
        migrator.run(write=True)
        migrator.cutover()
        for place, (what, number, n) in enumerate(history):
            if what == "run":
                for order in orders.values():
                    order.followed()
                torn = sum(order.torn for order in orders.values())
                assert skipped(migrator.run(write=True)) == ({BOTH: torn} if torn else {})
            else:
                happens(ground, orders, what, number, n, f"t{place}")
        told = migrator.retire(write=True) if forward else migrator.rollback(write=True)
        left = retired(orders) if forward else rolled_back(orders)
        assert skipped(told) == left
        assert days(ground) == {number: order.day for number, order in orders.items() if order.day is not None}
        assert [texts(ground, number) for number in orders] == [
            [text for _, text in sorted(order.parts.items())] for order in orders.values()
        ]
        assert bool(marks(ground)) == bool(left.keys() - {NOBODYS})  # whose marks a run has taken off


def ran(migrator: Migrator) -> None:
    migrator.run(write=True)


def ended(migrator: Migrator) -> None:
    if migrator.status()[0].state != "retired":
        migrator.retire(write=True)


def undone(migrator: Migrator) -> None:
    if migrator.status()[0].state is not None:
        migrator.rollback(write=True)


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize("go", [ran, ended, undone])
@pytest.mark.parametrize("step", [STEP, BACK, KEEPING])
def test_a_crash_after_any_request_is_resumed(step: Any, go: Callable[[Migrator], None], stride: int) -> None:
    """Of five orders, one is as it was, one was changed, one deleted, one came later, and one has other parts."""

    @contextmanager
    def prepared() -> Iterator[Shop]:
        with shop(*PIECE) as ground:
            ground.fill(4)
            migrator = ground.migrator(file(step))
            migrator.run(write=True)
            migrator.cutover()
            old_sets(ground, "x-y", "1")
            old_deletes(ground, "2")
            ground.old.create(ground.old_module.Order(number="4", buyer="b", day="a-b-c-d"))
            if step is BACK or go is not undone:
                new_deletes(ground, 2, "3")
                new_sets(ground, "mine", 1, "3")
            yield ground

    def seen(ground: Shop) -> Any:
        assert len(texts(ground, "4")) == (0 if go is undone else 4)
        return ground.items(), ground.migrator(file(step)).status()[0].state

    resumed_anywhere(prepared, go, file(step), seen, stride, len(go.__name__ + str(step)))


# ------------------------------------------------------------------------------------------------- kinds of parts

library = Table("Library")


class Shelf(Entity, table=library, soft_delete=SoftDelete(keep=timedelta(days=1))):
    keys = Keys("SHELF#{shelf}", "SHELF")
    shelf: str
    isbns: list[str]


class Book(Entity, table=library, version=True):
    keys = Keys("SHELF#{shelf}", "BOOK#{place:4}", unique=["isbn"])
    shelf: str
    place: int
    isbn: str


def books(item: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [("Book", {"shelf": item["shelf"], "place": n, "isbn": isbn}) for n, isbn in enumerate(item["isbns"])]


BOOKS = file(SplitItem("Shelf", by=books, removes=("isbns",)))
SHELF = key(Shelf, shelf="a")


def test_unique_values_follow_what_is_split_anew() -> None:
    with library.open("memory:") as db:
        db.create(Shelf(shelf="a", isbns=["1", "2", "3"]))
        migrator = Migrator(db, library, [BOOKS], fitting=False)
        migrator.run(write=True)
        db.update(SHELF, set={"isbns": ["2", "1", "4"]})
        assert (written(migrator.run(write=True)), skipped(migrator.verify())) == (1, {})
        db.create(Book(shelf="z", place=3, isbn="3"))
        for isbn in ("1", "2", "4"):
            with pytest.raises(UniqueViolationError):
                db.create(Book(shelf="z", place=1, isbn=isbn))
        found = db.send("Scan", {"TableName": "Library"})["Items"]
        versions = {item["isbn"]["S"]: item["Version"]["N"] for item in found if "isbn" in item}
        assert versions == {"1": "2", "2": "2", "3": "1", "4": "2"}, (
            "who has read a part from before could overwrite it"
        )
        db.update(SHELF, set={"isbns": ["3"]})
        assert skipped(migrator.run(write=True)) == {HELD: 1}
        db.delete(key(Book, shelf="z", place=3))
        assert skipped(migrator.run(write=True)) == {}
        db.create(Book(shelf="z", place=1, isbn="1"))


def test_parts_of_what_was_deleted_softly_go_and_come_back_with_it() -> None:
    with library.open("memory:") as db:
        db.create(Shelf(shelf="a", isbns=["1", "2"]))
        migrator = Migrator(db, library, [BOOKS], fitting=False)
        migrator.run(write=True)
        db.delete(SHELF)
        assert written(migrator.run(write=True)) == 2
        assert db.get(key(Book, shelf="a", place=0)) is None
        db.create(Book(shelf="z", place=1, isbn="1"))
        db.delete(key(Book, shelf="z", place=1))
        db.undelete(SHELF)
        assert written(migrator.run(write=True)) == 1
        assert db.get(key(Book, shelf="a", place=1)) is not None
        migrator.cutover()
        assert skipped(migrator.retire(write=True)) == {}
