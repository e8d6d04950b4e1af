"""Legacy items that exchange values that keys are made of: each stands in the other's way."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError
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


@pytest.mark.parametrize("count", [40, 120, pytest.param(300, marks=pytest.mark.full)])
def test_addresses_move_on_by_one(both: Both, count: int) -> None:
    moved(both, count)
    for number in range(count):  # by code of yesterday, so that nothing is noted
        both.put_legacy(str(number), f"m{number + 1}")
    written = both.session.put("Old", {"id": "0", "mail": "m1", "name": "zero"})
    assert written.settled is (count == 40)  # a write does not go to the end of any row
    assert both.session.repair().failed == {}
    assert mails(both, count) == [f"m{number + 1}" for number in range(count)]
    assert both.session.mend().failed == {}  # nothing told of the first one's old address
    assert both.session.verify().well, both.session.verify().text()


@pytest.mark.parametrize("count", [3, 20])
def test_addresses_go_round(both: Both, count: int) -> None:
    moved(both, count)
    for number in range(count):
        both.put_legacy(str(number), f"m{(number + 1) % count}")
    assert both.session.put("Old", {"id": "1", "mail": "m2", "name": "one"}).settled
    assert mails(both, count) == [f"m{(number + 1) % count}" for number in range(count)]
    assert both.session.verify().well, both.session.verify().text()
    assert both.session.repair().failed == {}


def test_a_round_that_no_transaction_holds_stays_as_it_was(both: Both) -> None:
    moved(both, 120)
    for number in range(120):
        both.put_legacy(str(number), f"m{(number + 1) % 120}")
    assert both.session.put("Old", {"id": "7", "mail": "m8", "name": "seven"}).reason == TAKEN
    assert mails(both, 120) == [f"m{number}" for number in range(120)]
    assert both.session.repair().failed.keys() == {TAKEN}
    assert both.session.repair().failed == {TAKEN: 120}
    assert mails(both, 120) == [f"m{number}" for number in range(120)]


def test_before_the_new_table_is_written_alone_nobody_has_to_decide(both: Both) -> None:
    with pytest.raises(ArgumentError, match="before it, legacy tables are right"):
        both.session.repair(wins="new")


def test_an_owner_and_its_value_go_or_stay_together(both: Both) -> None:
    """Who holds a value that its legacy item gave away keeps it until it gets the other one, which is taken here."""
    moved(both, 4)
    assert both.session.put("Old", {"id": "3", "mail": "m1"}).reason == TAKEN
    assert both.session.put("Old", {"id": "4", "mail": "m3"}).reason == TAKEN
    assert mails(both, 5) == ["m0", "m1", "m2", "m3", "-"]
    assert both.session.repair().failed == {TAKEN: 2}
    assert both.session.put("Old", {"id": "1", "mail": "elsewhere"}).settled
    assert both.session.repair().failed == {}
    assert mails(both, 5) == ["m0", "elsewhere", "m2", "m1", "m3"]


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
