"""Who takes the lock of a process that lives after all lets it see that first, where its writes would be undone or ended."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tablewright.errors import ContentionError
from tablewright.evolve.migrations import MoveEntity, RenameAttribute
from tests.evolve.migrations.tables import Shop, Through, file, shop, skipped

MOVED = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]
STEPS: dict[str, tuple[list[tuple[str, str]], Any]] = {
    "move": (MOVED, MoveEntity("Order", was=("ORDER#{number}", "ORDER"))),
    "rename": ([], RenameAttribute("Order", "state", to="status")),
}


class Slow:
    """A process that runs a migration and is held up before its request of this number, until it is let go on."""

    def __init__(self, ground: Shop, migration: Any, at: int) -> None:
        self._at = at
        self._reached, self._on = threading.Event(), threading.Event()
        self._migrator = ground.migrator(
            migration, session=ground.opened(lambda inner: Through(inner, self._hold, lambda n: None))
        )
        self.failed: list[BaseException] = []
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        self._reached.wait()

    def _hold(self, count: int) -> None:
        if count == self._at:
            self._reached.set()
            self._on.wait()

    def _run(self) -> None:
        try:
            self._migrator.run(write=True)
        except ContentionError as error:
            self.failed.append(error)
        finally:
            self._reached.set()

    def go_on(self) -> None:
        """Lets it, and waits until it has ended."""
        self._on.set()
        self._thread.join()


@pytest.mark.parametrize("at", range(8, 26, 3))
@pytest.mark.parametrize("step", STEPS)
def test_a_rollback_waits_until_the_other_one_has_seen_it(step: str, at: int) -> None:
    replacements, made = STEPS[step]
    with shop(*replacements) as ground:
        ground.fill(6)
        before, waited = ground.items(), list[float]()
        slow = Slow(ground, file(made), at)

        def sleep(seconds: float) -> None:
            waited.append(seconds)
            slow.go_on()

        session = ground.opened(lambda inner: inner)
        session._driver.sleep = sleep
        try:
            assert skipped(ground.migrator(file(made), session=session, take_over=True).rollback(write=True)) == {}
        finally:
            slow.go_on()
        assert waited == [10.0]
        assert [type(error) for error in slow.failed] == [ContentionError]
        assert ground.items() == before
        assert ground.migrator(file(made)).status()[0].state is None


def test_who_goes_on_with_the_same_or_comes_late_does_not_wait() -> None:
    _, made = STEPS["rename"]
    with shop() as ground:
        ground.fill(6)
        slow, waited = Slow(ground, file(made), 12), list[float]()
        session = ground.opened(lambda inner: inner)
        session._driver.sleep = waited.append
        try:
            migrator = ground.migrator(file(made), session=session, take_over=True)
            assert skipped(migrator.run(write=True)) == {}
            assert migrator.status()[0].state == "ran"
        finally:
            slow.go_on()
        slow = Slow(ground, file(made), 5)
        ground.clock.move(11)
        try:
            assert skipped(migrator.rollback(write=True)) == {}
        finally:
            slow.go_on()
        assert waited == []
