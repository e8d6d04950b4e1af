"""Items that are put together again after code of the new model has written them: nothing of it is lost, and nothing is left unsaid."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import key
from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import SplitItem
from tablewright.evolve.migrations.migrator import Migrator
from tablewright.evolve.migrations.works.gathering import NOBODYS, UNSPLIT, kinds_named
from tablewright.evolve.migrations.works.splitting import CHANGED, DELETED, NEW
from tests.evolve.migrations.tables import Shop, Through, file, shop, skipped, written
from tests.evolve.migrations.test_crashes import resumed_anywhere
from tests.evolve.migrations.test_split_items import (
    BACK,
    MOVE,
    MOVED,
    PIECE,
    STEP,
    days,
    marks,
    new_deletes,
    new_sets,
    old_deletes,
    old_sets,
    pieces,
    texts,
)
from tests.evolve.migrations.test_tombstones_of_pairs import KEPT

DAYLESS = [*PIECE, ('    day: str = "2026-01-01"\n', "")]
"""The new model does not have what is split."""


def adds(ground: Shop, n: int, text: str, number: str = "1") -> None:
    ground.new.create(ground.new_module.Piece(number=number, n=n, text=text))


def creates(ground: Shop, number: str, *said: str) -> None:
    """A whole order, as code of the new model writes it."""
    ground.new.create(ground.new_module.Order(number=number, buyer="b"))
    for n, text in enumerate(said):
        adds(ground, n, text, number)


def writes_anew(ground: Shop, number: str) -> None:
    """The order alone: code of the new model has its parts still."""
    ground.new.delete(key(ground.new_module.Order, number=number))
    creates(ground, number)


def begun(ground: Shop, *steps: Any) -> Migrator:
    ground.fill(2)
    migrator = ground.migrator(file(*steps))
    for _ in range(len(steps)):  # what a split notes on an item, its copy gets by the next run
        assert skipped(migrator.run(write=True)) == {}
    migrator.cutover()
    return migrator


# ------------------------------------------------------------------------------------------------- back


def test_what_code_of_the_new_model_made_goes_back_with_the_rest() -> None:
    with shop(*DAYLESS) as ground:
        migrator = begun(ground, BACK)
        adds(ground, 3, "more")
        creates(ground, "7", "a", "b")
        creates(ground, "8")
        assert [one.outcome.left for one in migrator.verify()] == [0, 0]
        assert written(migrator.run(write=True)) == 0
        assert skipped(migrator.rollback(write=False)) == {}
        assert skipped(migrator.rollback(write=True)) == {}
        assert days(ground) == {"0": "2026-01-01", "1": "2026-01-01-more", "7": "a-b"}
        assert [texts(ground, n) for n in ("0", "1", "7", "8")] == [[], [], [], []]
        assert (marks(ground), migrator.status()[0].state) == ([], None)


def test_without_a_function_all_of_it_is_left_and_told() -> None:
    with shop(*DAYLESS) as ground:
        migrator = begun(ground, STEP)
        adds(ground, 3, "more")
        creates(ground, "7", "a", "b")
        creates(ground, "8")
        for _ in range(2):
            assert skipped(migrator.rollback(write=True)) == {CHANGED: 2, NEW: 1}
            assert (texts(ground), texts(ground, "7")) == (["2026", "01", "01", "more"], ["a", "b"])
        assert migrator.status()[0].state == "rolling back"
        mended = ground.migrator(file(BACK, digest="two"))
        assert skipped(mended.rollback(write=True)) == {}
        assert days(ground) == {"0": "2026-01-01", "1": "2026-01-01-more", "7": "a-b"}
        assert (marks(ground), mended.status()[0].state) == ([], None)


def test_an_item_that_new_code_has_put_again_has_its_parts_still() -> None:
    with shop(*DAYLESS) as ground:
        migrator = begun(ground, BACK)
        writes_anew(ground, "1")
        adds(ground, 3, "more")
        assert skipped(migrator.rollback(write=True)) == {}
        assert days(ground) == {"0": "2026-01-01", "1": "2026-01-01-more"}
        assert (texts(ground), marks(ground)) == ([], [])


@pytest.mark.parametrize("runs", [True, False])
def test_retiring_leaves_the_parts_of_an_item_that_new_code_has_put_again(runs: bool) -> None:
    with shop(*DAYLESS) as ground:
        migrator = begun(ground, STEP)
        writes_anew(ground, "1")
        new_sets(ground, "mine")
        old_deletes(ground, "0")
        ground.old.create(ground.old_module.Order(number="0", buyer="b", day="x-y"))
        if runs:
            migrator.run(write=True)
            assert [one.outcome.left for one in migrator.verify()] == [0, 0]
        assert skipped(migrator.retire(write=True)) == {}
        assert (texts(ground, "0"), texts(ground)) == (["x", "y"], ["2026", "mine", "01"])
        assert (days(ground), marks(ground)) == ({}, [])


def test_parts_without_an_item_are_told() -> None:
    with shop(*DAYLESS) as ground:
        migrator = begun(ground, BACK)
        adds(ground, 0, "alone", "9")
        assert skipped(migrator.rollback(write=True)) == {NOBODYS: 1}
        assert texts(ground, "9") == ["alone"]
        new_deletes(ground, 0, "9")
        assert skipped(migrator.rollback(write=True)) == {}


def test_a_part_of_what_is_not_split_is_told() -> None:
    """The function would not know what the item says itself."""
    with shop(*DAYLESS) as ground:
        migrator = begun(ground, BACK)
        ground.old.create(ground.old_module.Order(number="late", buyer="b", day="a-b"))
        adds(ground, 7, "more", "late")
        assert skipped(migrator.rollback(write=True)) == {UNSPLIT: 1}
        assert (days(ground)["late"], texts(ground, "late")) == ("a-b", ["more"])


def test_what_nobody_has_said_to_be_a_part_is_left_and_told() -> None:
    """An entity may have items that are none, and they were there before."""
    unsaid = SplitItem("Order", by=pieces, removes=("day",), back=BACK.back)
    with shop(*PIECE) as ground:
        ground.fill(1)
        adds(ground, 7, "other", "0")
        migrator = ground.migrator(file(unsaid))
        migrator.run(write=True)
        for _ in range(2):
            assert skipped(migrator.rollback(write=True)) == {UNSPLIT: 1}
            assert (days(ground), texts(ground, "0")) == ({"0": "2026-01-01"}, ["other"])
        said = SplitItem("Order", by=pieces, removes=("day",), back=BACK.back, parts=())
        assert skipped(ground.migrator(file(said)).rollback(write=True)) == {}
        assert (days(ground), texts(ground, "0")) == ({"0": "2026-01-01"}, ["other"])


def test_what_only_looks_like_a_part_may_be_said_to_be_none() -> None:
    by_itself = SplitItem("Order", by=pieces, removes=("day",), back=BACK.back, parts=())
    with shop(*PIECE) as ground:
        ground.fill(1)
        adds(ground, 7, "other", "0")
        migrator = ground.migrator(file(by_itself))
        migrator.run(write=True)
        assert skipped(migrator.rollback(write=True)) == {}
        assert (days(ground), texts(ground, "0")) == ({"0": "2026-01-01"}, ["other"])


def test_a_part_that_was_made_while_items_are_put_together_is_told() -> None:
    """At any request of the rollback."""
    for at in range(1, 30):
        with shop(*DAYLESS) as ground:
            migrator = begun(ground, BACK)

            def write(count: int, ground: Shop = ground, at: int = at) -> None:
                if count == at:
                    adds(ground, 3, "more")

            told = ground.migrator(file(BACK), session=ground.opened(lambda inner, w=write: Through(inner, w, after)))
            left = skipped(told.rollback(write=True))
            there = texts(ground)
            if days(ground)["1"] == "2026-01-01-more":
                assert (left, there) == ({}, [])
            elif left:
                assert "more" in there
            else:
                assert there in ([], ["more"]), "behind the last look at it"
            assert migrator.status()[0].state == ("rolling back" if left else None)


def after(count: int) -> None:
    """Nothing happens behind a request."""


def test_parts_go_back_to_an_item_that_goes_back_itself() -> None:
    for steps in ([BACK, MOVE], [MOVE, BACK]):
        with shop(*DAYLESS, *MOVED) as ground:
            migrator = begun(ground, *steps)
            adds(ground, 3, "more")
            creates(ground, "7", "a", "b")
            assert skipped(migrator.rollback(write=True)) == {}
            assert days(ground) == {"0": "2026-01-01", "1": "2026-01-01-more", "7": "a-b"}
            assert marks(ground) == []
            assert ground.old.run(ground.old_module.order, "7").day == "a-b"


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.full)])
def test_a_crash_after_any_request_is_resumed(stride: int) -> None:
    @contextmanager
    def prepared() -> Iterator[Shop]:
        with shop(*DAYLESS) as ground:
            begun(ground, BACK)
            adds(ground, 3, "more")
            writes_anew(ground, "0")
            creates(ground, "7", "a", "b")
            creates(ground, "8")
            yield ground

    def undone(migrator: Migrator) -> None:
        if migrator.status()[0].state is not None:
            migrator.rollback(write=True)

    def seen(ground: Shop) -> Any:
        assert days(ground) == {"0": "2026-01-01", "1": "2026-01-01-more", "7": "a-b"}
        assert marks(ground) == []
        return [item for item in ground.items() if "text" in item], ground.migrator(file(BACK)).status()[0].state

    resumed_anywhere(prepared, undone, file(BACK), seen, stride)


# ------------------------------------------------------------------------------------------------- which are parts


def test_parts_that_the_model_does_not_have_are_refused_before_anything_is_done() -> None:
    with shop(*DAYLESS) as ground:
        ground.fill(1)
        with pytest.raises(ArgumentError, match="no entity 'Peace'"):
            ground.migrator(file(SplitItem("Order", by=pieces, removes=("day",), parts=("Peace",)))).run(write=True)
        assert marks(ground) == []


def helped(item: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return pieces(item)


def test_entities_that_a_function_names_are_found_in_what_it_calls_too() -> None:
    named: dict[str, Any] = {"Piece": None, "Note": None, "Order": None}
    assert kinds_named(pieces, named) == kinds_named(helped, named) == ("Piece",)
    assert kinds_named(lambda item: [(name, {}) for name in ("Note", "Piece")], named) == ("Piece", "Note")
    assert kinds_named(len, named) == ()


# ------------------------------------------------------------------------------------------------- not split


def test_an_item_of_the_new_model_is_not_given_to_the_function() -> None:
    asked: list[str] = []

    def asking(item: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        asked.append(item["number"])
        return pieces(item)

    with shop(*DAYLESS) as ground:
        creates(ground, "7", "a", "b")
        migrator = begun(ground, SplitItem("Order", by=asking, removes=("day",)))
        creates(ground, "8")
        assert skipped(migrator.run(write=True)) == {}
        assert skipped(migrator.retire(write=True)) == {}
        assert set(asked) == {"0", "1"}
        assert (texts(ground, "7"), texts(ground), marks(ground)) == (["a", "b"], ["2026", "01", "01"], [])


@pytest.mark.parametrize("end", ["undelete", "purge"])
def test_what_was_deleted_softly_is_kept_until_somebody_decides(end: str) -> None:
    with shop(*DAYLESS, *KEPT, before=KEPT) as ground:
        ground.fill(2)
        old_deletes(ground)
        migrator = ground.migrator(file(STEP))
        assert skipped(migrator.run(write=True)) == {}
        migrator.cutover()
        for write in (False, True, True):
            assert skipped(migrator.retire(write=write)) == {DELETED: 1}
        getattr(ground.new, end)(key(ground.new_module.Order, number="1"))
        assert skipped(migrator.retire(write=True)) == {}
        assert migrator.status()[0].state == "retired"
        assert texts(ground) == (["2026", "01", "01"] if end == "undelete" else [])


def test_what_is_deleted_softly_later_was_left_to_its_parts_before() -> None:
    with shop(*DAYLESS, *KEPT, before=KEPT) as ground:
        migrator = begun(ground, STEP)
        old_deletes(ground, "0")
        assert skipped(migrator.retire(write=True)) == {DELETED: 1}
        ground.new.delete(key(ground.new_module.Order, number="1"))
        ground.new.undelete(key(ground.new_module.Order, number="0"))
        assert skipped(migrator.retire(write=True)) == {}
        assert (texts(ground, "0"), texts(ground)) == (["2026", "01", "01"],) * 2


# ------------------------------------------------------------------------------------------------- histories


class Told:
    """What an order should be, told by hand."""

    def __init__(self) -> None:
        self.exists = True
        self.day: str | None = "2026-01-01"
        self.parts = dict(enumerate(self.day.split("-")))
        self.touched: set[int] = set()
        self.by_old = self.by_new = False
        self.noted = True
        """Whether it is noted which parts it has: one that is gone is missed then."""

    @property
    def said(self) -> str | None:
        """What the parts say."""
        return "-".join(text for _, text in sorted(self.parts.items())) or None


NUMBERS = st.sampled_from(["0", "1"])
PLACES = st.integers(0, 4)
WORDS = (
    "old sets",
    "old deletes",
    "old creates",
    "new sets",
    "new deletes",
    "new adds",
    "new creates",
    "new puts",
    "run",
)
STEPS = st.tuples(st.sampled_from(WORDS), NUMBERS, PLACES)


def happens(ground: Shop, order: Told, what: str, number: str, n: int, token: str) -> None:
    """One write, in the table and by hand."""
    wrote = True
    match what:
        case "old sets" if order.exists:
            if order.day is None:  # code of the new model has written it, and what it has not touched follows again
                order.by_new = bool(order.touched & order.parts.keys())
            order.day, order.by_old = f"{token}x-{token}y", True
            old_sets(ground, order.day, number)
        case "old deletes" if order.exists:
            old_deletes(ground, number)
            order.exists, order.day = False, None
        case "old creates" if not order.exists:
            order.exists, order.day = True, f"{token}x"
            ground.old.create(ground.old_module.Order(number=number, buyer="b", day=order.day))
            order.by_old, order.by_new = True, bool(order.touched & order.parts.keys())
            order.noted = False
        case "new creates" if not order.exists:
            creates(ground, number)
            order.exists, order.by_old, order.by_new, order.noted = True, False, True, False
        case "new puts" if order.exists:
            writes_anew(ground, number)
            order.day, order.by_old, order.by_new, order.noted = None, False, True, False
        case "new sets" if n in order.parts:
            new_sets(ground, token, n, number)
            order.parts[n] = token
        case "new deletes" if n in order.parts:
            new_deletes(ground, n, number)
            del order.parts[n]
        case "new adds" if n not in order.parts:
            adds(ground, n, token, number)
            order.parts[n] = token
        case _:
            wrote = False
    if wrote and (what in ("new sets", "new adds") or (what == "new deletes" and order.noted)):
        order.touched.add(n)
        order.by_new = True


def stored(ground: Shop, number: str) -> tuple[bool, str | None, dict[int, str]]:
    items = [i for i in ground.items() if i["PK"] == {"S": f"ORDER#{number}"}]
    parts = {int(i["n"]["N"]): i["text"]["S"] for i in items if "text" in i}
    return any(i["SK"] == {"S": "ORDER"} for i in items), days(ground).get(number), parts


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(STEPS, max_size=10))
def test_no_rollback_loses_what_anybody_wrote(history: list[tuple[str, str, int]]) -> None:
    with shop(*DAYLESS) as ground:
        migrator = begun(ground, BACK)
        orders = {number: Told() for number in ("0", "1")}
        for place, (what, number, n) in enumerate(history):
            if what != "run":
                happens(ground, orders[number], what, number, n, f"t{place}")
                continue
            migrator.run(write=True)
            for number, order in orders.items():
                exists, day, parts = stored(ground, number)
                assert (exists, day) == (order.exists, order.day)
                if order.exists and order.by_old and not order.by_new:
                    assert parts == dict(enumerate((order.day or "").split("-")))
                    order.parts, order.by_old, order.noted = parts, False, True
                elif order.exists and not order.by_old:
                    assert parts == order.parts
                else:
                    assert all(parts[n] == order.parts[n] for n in order.touched & order.parts.keys())
                order.parts = parts
                if order.exists and order.day is None:  # they are the new model's from now on
                    order.touched |= parts.keys()
        left = skipped(migrator.rollback(write=True))
        for number, order in orders.items():
            exists, day, parts = stored(ground, number)
            kept = parts.items() <= order.parts.items() and order.touched & order.parts.keys() <= parts.keys()
            assert exists == order.exists
            assert not parts or left
            if not exists:
                assert kept
            elif order.by_old and order.by_new and order.parts:
                together = day == order.said and {*(order.day or "").split("-")} <= {*order.parts.values()}
                assert (together and not parts) or (kept and day == order.day)
            else:
                assert (day, parts) == (order.day if order.by_old or not order.by_new else order.said, {})
        assert left or (marks(ground), migrator.status()[0].state) == ([], None)
