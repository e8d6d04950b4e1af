"""Legacy items that exchange values that keys are made of: each stands in the other's way."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.evolve.moving import MovingSession, open_moving
from tablewright.transport.base import Transport
from tablewright.transport.embedded import EmbeddedTransport
from tests.evolve.moving.conftest import AT_ONCE
from tests.evolve.moving.dying import Crash, Dying
from tests.evolve.moving.merchants import Clock
from tests.evolve.moving.people import fill, into_new, old_table, people_moving, person

TAKEN = "a key is taken by an item that came from elsewhere"


@dataclass
class Both:
    """A moving in the phase dual, with its sides."""

    legacy: Engine
    new: Engine
    clock: Clock

    def __post_init__(self) -> None:
        self.legacy.execute("CreateTable", old_table())
        self.session = self.open(lambda way: way)
        into_new(self.session, self.clock, until="dual")

    def open(self, on: Callable[[Transport], Transport]) -> MovingSession:
        """Another process, with something on its way to either side."""
        new, legacy = (on(EmbeddedTransport(engine, owned=False)) for engine in (self.new, self.legacy))
        beside = None if self.legacy is self.new else legacy
        return open_moving(people_moving(), new, legacy=beside, clock=self.clock, retry=AT_ONCE, create=False)

    def put_legacy(self, person_id: str, mail: str) -> None:
        """Code of yesterday, which notes nothing."""
        item = {"id": {"S": person_id}, "mail": {"S": mail}}
        self.legacy.execute("PutItem", {"TableName": "Old", "Item": item})


@pytest.fixture(params=["together", "apart"])
def both(request: pytest.FixtureRequest) -> Iterator[Both]:
    with open_engine("memory:") as new, open_engine("memory:") as other:
        yield Both(new if request.param == "together" else other, new, Clock())


def moved(both: Both, count: int) -> None:
    """So many people on both sides."""
    fill(both.legacy, *range(count))
    both.session.backfill(write=True)
    assert both.session.repair().exit_code == 0
    assert both.session.verify().well


def mails(both: Both, count: int) -> list[str]:
    found = (both.session.db.run(person, str(number)) for number in range(count))
    return ["-" if one is None else one.mail for one in found]


def test_two_exchange_their_addresses(both: Both) -> None:
    session = both.session
    moved(both, 2)
    first = session.update("Old", {"id": "0"}, set={"mail": "m1"})
    assert (first.settled, first.reason) == (False, TAKEN)  # both say so in the legacy table now
    assert session.update("Old", {"id": "1"}, set={"mail": "m0"}).settled
    assert session.repair().exit_code == 0
    assert mails(both, 2) == ["m1", "m0"]
    assert session.verify().well, session.verify().text()
    assert session.repair().settled == 0


def test_an_address_that_two_have_is_nobodys_to_give(both: Both) -> None:
    session = both.session
    moved(both, 2)
    session.update("Old", {"id": "0"}, set={"mail": "m1"})
    for _ in range(2):
        assert session.repair().failed == {TAKEN: 1}
        assert mails(both, 2) == ["m0", "m1"]
    assert not session.verify().well


def test_addresses_go_round_among_many(both: Both) -> None:
    session = both.session
    moved(both, 300)
    for number in range(300):  # by code of yesterday, so that nothing is noted
        both.put_legacy(str(number), f"m{(number + 1) % 300}")
    assert session.put("Old", {"id": "7", "mail": "m8", "name": "seven"}).settled
    assert mails(both, 300) == [f"m{(number + 1) % 300}" for number in range(300)]
    assert session.verify().well, session.verify().text()


def test_what_goes_for_another_comes_back_after_a_crash(both: Both) -> None:
    moved(both, 2)
    both.session.update("Old", {"id": "0"}, set={"mail": "m1"})
    both.put_legacy("1", "m0")
    for after in (False, True):
        for at in itertools.count(1):
            dying = Dying(at, after=after)
            try:
                with both.open(dying.on) as session:
                    session.repair()
                break
            except Crash:
                continue
        assert at > 2 - after
    assert both.session.repair().exit_code == 0
    assert mails(both, 2) == ["m1", "m0"]
    assert both.session.verify().well
