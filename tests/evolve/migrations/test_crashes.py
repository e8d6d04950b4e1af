"""A crash between any two requests, before or after the table has carried the request out, is resumed; and two at once do no harm."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

import pytest

from tablewright.errors import ContentionError
from tablewright.evolve.migrations import AddIndex, FillKeys, MoveEntity, RenameAttribute
from tablewright.evolve.migrations.files import MigrationFile
from tablewright.evolve.migrations.migrator import Migrator
from tests.evolve.migrations.tables import Crash, Shop, Through, file, shop, skipped, written
from tests.evolve.migrations.test_steps import CASES, LASTING, ground_of

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


def ran(migrator: Migrator) -> None:
    migrator.run(write=True)


def cut_over(migrator: Migrator) -> None:
    migrator.run(write=True)
    migrator.cutover()


WAYS: dict[str, tuple[Callable[[Migrator], object] | None, Callable[[Migrator], None]]] = {
    "forward": (None, forward),
    "back from ran": (ran, back),
    "back from cut over": (cut_over, back),
    "back from retired": (forward, back),
}
PATHS = [(case, way) for case in CASES for way in WAYS if way != "back from retired" or case not in LASTING]
"""Every kind of step, forward and back from each state."""


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize(("case", "way"), PATHS)
def test_a_crash_after_any_request_is_resumed(case: str, way: str, stride: int) -> None:
    """After one is before the next one, as the table sees it; the very first and the last are those without a crash."""
    begin, go = WAYS[way]
    migration = file(*CASES[case][1])

    @contextmanager
    def started() -> Iterator[Shop]:
        with ground_of(case, 2) as ground:
            if begin is not None:
                begin(ground.migrator(migration))
            yield ground

    resumed_anywhere(started, go, migration, lambda ground: (ground.items(), ground.indexes()), stride, len(case + way))


def resumed_anywhere(
    started: Callable[[], AbstractContextManager[Shop]],
    go: Callable[[Migrator], object],
    migration: MigrationFile,
    seen: Callable[[Shop], object],
    stride: int = 1,
    first: int = 0,
) -> None:
    """Whoever dies with any request, or every so many from the first on, is followed by one who comes to the same."""
    with started() as ground:
        go(ground.migrator(migration))
        expected = seen(ground)
    number = first % stride
    while True:
        number += stride
        with started() as ground:
            migrator, count = crashing(ground, number, late=True, files=migration)
            try:
                go(migrator)
            except Crash:
                pass
            else:
                assert count() > 5
                return
            ground.clock.move(61)
            go(ground.migrator(migration))
            assert seen(ground) == expected, number


@pytest.mark.parametrize("stride", [7, pytest.param(1, marks=pytest.mark.full)])
@pytest.mark.parametrize(
    ("case", "stage"),
    [(case, stage) for case in CASES for stage in ("run", "retire") if stage == "run" or case not in LASTING],
)
def test_a_rollback_that_comes_in_the_middle(case: str, stage: str, stride: int) -> None:
    """A process has died at any of its requests; somebody wants to go back from there, and may die too."""
    migration = file(*CASES[case][1])
    number, ended = len(case + stage) % stride, False
    while not ended:
        number += stride
        with ground_of(case, 2) as ground:
            before, indexes = ground.items(), ground.indexes()
            if stage == "retire":
                cut_over(ground.migrator(migration))
            migrator, _ = crashing(ground, number, late=number % 2 == 0, files=migration)
            try:
                getattr(migrator, stage)(write=True)
                ended = True
            except Crash:
                pass
            ground.clock.move(61)
            migrator, _ = crashing(ground, 1 + number % 11, late=number % 2 == 1, files=migration)
            with suppress(Crash):
                back(migrator)
            ground.clock.move(61)
            back(ground.migrator(migration))
            assert (ground.items(), ground.indexes()) == (before, indexes), number
    assert number > 5


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


def test_who_knows_that_the_other_one_has_died_takes_its_lock_at_once() -> None:
    with shop(*MODEL) as ground:
        ground.fill(2)
        first, _ = crashing(ground, 12, late=True, files=MIGRATION)
        with pytest.raises(Crash):
            first.run(write=True)
        second = ground.migrator(MIGRATION, take_over=True)
        assert skipped(second.run(write=True)) == {}
        assert second.status()[0].state == "ran"


def test_who_was_alive_after_all_notes_nothing_any_more() -> None:
    with shop(*MODEL) as ground:
        ground.fill(2)

        def overtake(count: int) -> None:
            if count == 12:
                forward(ground.migrator(MIGRATION, take_over=True))

        slow = ground.migrator(MIGRATION, session=ground.opened(lambda inner: Through(inner, overtake, lambda n: None)))
        with pytest.raises(ContentionError, match="has taken over"):
            slow.run(write=True)
        assert [one.state for one in ground.migrator(MIGRATION).status()] == ["retired"]


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


class Filling:
    """A table whose new index takes a long time to be filled."""

    def __init__(self, inner: Any, polled: Callable[[int], object]) -> None:
        self._inner = inner
        self._polled = polled
        self.polls = 0

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """One request."""
        response: dict[str, Any] = self._inner.send(operation, request)
        if operation != "DescribeTable" or self.polls >= 12:
            return response
        found = copy.deepcopy(response)
        for index in found["Table"].get("GlobalSecondaryIndexes", []):
            if index["IndexName"] == "GSI2":
                self.polls += 1
                self._polled(self.polls)
                index["IndexStatus"] = "CREATING"
        return found

    def close(self) -> None:
        """The engine is the test's."""


def test_the_lock_is_held_while_an_index_is_filled() -> None:
    refused: list[int] = []
    with shop(*MODEL) as ground:
        ground.fill(2)

        def polled(count: int) -> None:
            ground.clock.move(20)
            if count % 4 == 0:
                with pytest.raises(ContentionError, match="Another process is migrating"):
                    ground.migrator(MIGRATION).run(write=True)
                refused.append(count)

        slow = ground.migrator(MIGRATION, session=ground.opened(lambda inner: Filling(inner, polled)))
        assert skipped(slow.run(write=True)) == {}
    assert refused == [4, 8, 12]
