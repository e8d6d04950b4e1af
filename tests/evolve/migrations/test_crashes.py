"""A crash between any two requests, before or after the table has carried the request out, is resumed; and two at once do no harm."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.errors import ContentionError
from tablewright.evolve.migrations import AddIndex, FillKeys, MoveEntity, RenameAttribute
from tablewright.evolve.migrations.files import MigrationFile
from tablewright.evolve.migrations.migrator import Migrator
from tests.evolve.migrations.tables import Crash, Shop, Through, file, shop, skipped, written

MODEL = [
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]'),
    ('"ORDER#{number}"))', '"ORDER#{number}"), GSI2=("STATE#{state}", "ORDER#{number}"))'),
    ('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1'),
]
MIGRATION = file(
    AddIndex("GSI2", pk=("GSI2PK (S)",), sk=("GSI2SK (S)",)),
    FillKeys("Order", "GSI2"),
    RenameAttribute("Order", "day", to="date"),
    MoveEntity("Order", was=("ORDER#{number}", "ORDER")),
)


def forward(migrator: Migrator) -> None:
    """From whatever was reached to the end."""
    while (state := migrator.status()[0].state) != "retired":
        if state in (None, "running"):
            migrator.run(write=True)
        elif state == "ran":
            migrator.cutover()
        else:
            migrator.retire(write=True)


def back(migrator: Migrator) -> None:
    """From whatever was reached to the beginning."""
    if migrator.status()[0].state is not None:
        migrator.rollback(write=True)


def crashing(ground: Shop, at: int, *, late: bool, files: MigrationFile) -> tuple[Migrator, Callable[[], int]]:
    """A process that ends with its request of this number, and from which nothing comes after that."""
    made: list[Through] = []

    def stop(count: int) -> None:
        if count > at or (count == at and not late):
            raise Crash

    def stop_late(count: int) -> None:
        if count == at:
            raise Crash

    def between(inner: Any) -> Through:
        made.append(Through(inner, stop, stop_late))
        return made[0]

    migrator = ground.migrator(files, session=ground.opened(between))
    return migrator, lambda: made[0].count


def prepared(ground: Shop, begin: Callable[[Migrator], object] | None) -> None:
    ground.fill(2)
    if begin is not None:
        begin(ground.migrator(MIGRATION))


def begin_and_cut_over(migrator: Migrator) -> None:
    migrator.run(write=True)
    migrator.cutover()


WAYS: dict[str, tuple[Callable[[Migrator], object] | None, Callable[[Migrator], None]]] = {
    "forward": (None, forward),
    "back": (begin_and_cut_over, back),
    "back from the end": (forward, back),
}


_SELDOM = [("forward", False), ("back", True), ("back from the end", False), ("back from the end", True)]
"""In the long run only: each is some thirty crashes."""


@pytest.mark.parametrize(
    ("way", "late"),
    [
        ("forward", True),
        ("back", False),
        *(pytest.param(*case, marks=pytest.mark.full) for case in _SELDOM),
    ],
)
def test_a_crash_at_any_request_is_resumed(way: str, late: bool) -> None:
    begin, go = WAYS[way]
    with shop(*MODEL) as ground:
        prepared(ground, begin)
        go(ground.migrator(MIGRATION))
        expected, indexes = ground.items(), ground.indexes()
    number = 0
    while True:
        number += 1
        with shop(*MODEL) as ground:
            prepared(ground, begin)
            migrator, count = crashing(ground, number, late=late, files=MIGRATION)
            try:
                go(migrator)
            except Crash:
                pass
            else:
                assert count() > 20
                return
            ground.clock.move(61)
            go(ground.migrator(MIGRATION))
            assert (ground.items(), ground.indexes()) == (expected, indexes), number


def test_who_comes_second_is_refused_until_the_lock_ends() -> None:
    with shop(*MODEL) as ground:
        ground.fill(2)
        first, _ = crashing(ground, 12, late=True, files=MIGRATION)
        with pytest.raises(Crash):
            first.run(write=True)
        second = ground.migrator(MIGRATION)
        assert written(second.run(write=False)) > 0, "a dry run needs no lock"
        with pytest.raises(ContentionError, match="Another process is migrating") as refused:
            second.run(write=True)
        assert "60 seconds" in str(refused.value.hint)
        ground.clock.move(61)
        assert skipped(second.run(write=True)) == {}


@pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.full)])
def test_who_lost_the_lock_notes_nothing_any_more(stride: int) -> None:
    """Somebody was away for so long that another process has taken over, at each of its requests."""
    number = 0
    finished = False
    while not finished:
        number += stride
        with shop(*MODEL) as ground:
            ground.fill(2)
            files = MIGRATION

            def overtake(count: int, ground: Shop = ground, number: int = number) -> None:
                if count == number:
                    ground.clock.move(61)
                    other = ground.migrator(MIGRATION)
                    forward(other)

            slow = ground.migrator(files, session=ground.opened(lambda inner: Through(inner, overtake, lambda n: None)))
            finished = True
            try:
                slow.run(write=True)
            except ContentionError:
                finished = False
            states = [one.state for one in ground.migrator(MIGRATION).status()]
            assert states in (["retired"], ["ran"]), number
            if states == ["retired"]:
                assert all("Tablewright" not in name for item in ground.items() for name in item), number
                finished = False
    assert number > 20
