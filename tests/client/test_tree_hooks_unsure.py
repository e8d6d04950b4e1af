"""A tree whose save may have happened: hooks run once for what a save creates, and not at all for what is there already."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from tablewright import Aggregate, Entity, Keys, RetryPolicy, Session, Table, before_create, children
from tablewright.engine import Engine, open_engine
from tablewright.errors import OutcomeUnknownError
from tablewright.testing import LostReply

AT_ONCE = RetryPolicy(max_retries=1, base_delay=0.0, max_delay=0.0)
ran: list[str] = []
numbers = itertools.count(1)
trips = Table("Trips")


class Trip(Entity, table=trips):
    keys = Keys("TRIP#{trip}", "TRIP")
    trip: str
    stops: int = 0
    number: int = 0

    @before_create
    def _numbered(self) -> None:
        ran.append(f"trip {self.trip}")
        self.number = next(numbers)


class Stop(Entity, table=trips):
    """Its hook gives it its key, and differs each time."""

    keys = Keys("TRIP#{trip}", "STOP#{stop}")
    trip: str = ""
    stop: str = ""
    number: int = 0

    @before_create
    def _named(self) -> None:
        ran.append(f"stop {self.stop}")
        self.number = next(numbers)
        self.stop = self.stop or f"s{self.number}"


class TripTree(Aggregate[Trip]):
    stops: list[Stop] = children(count="stops")


@pytest.fixture
def engine() -> Iterator[Engine]:
    ran.clear()
    with open_engine("memory:") as engine:
        yield engine


@pytest.fixture
def db(engine: Engine) -> Iterator[Session]:
    with trips.open(engine, create=True, retry=AT_ONCE) as db:
        yield db


def unsure(engine: Engine, db: Session, tree: TripTree, *, carried_out: bool, **how: bool) -> None:
    lost = LostReply(operations="TransactWriteItems", carried_out=carried_out, every=1)
    with engine.faults.inject(lost), pytest.raises(OutcomeUnknownError):
        db.save_tree(tree, **how)


def stored(db: Session) -> list[Stop]:
    return list(db.scan_for_maintenance(Stop))


@pytest.mark.parametrize("carried_out", [True, False])
def test_hooks_of_the_next_save(engine: Engine, db: Session, carried_out: bool) -> None:
    tree = TripTree(entity=Trip(trip="t"), stops=[Stop(), Stop(stop="x")])
    unsure(engine, db, tree, carried_out=carried_out)
    assert len(ran) == 3
    ran.clear()
    before = tree.entity.number
    made = db.save_tree(tree)
    if carried_out:
        assert (ran, made.actions) == ([], 0)
        assert tree.entity.number == before
    else:
        assert ran == ["trip t", f"stop {tree.stops[0].stop}", "stop x"]
        assert len(made.created) == 3
    assert sorted(s.number for s in stored(db)) == sorted(s.number for s in tree.stops)
    assert tree.entity.stops == 2
    ran.clear()
    assert db.save_tree(tree).actions == 0
    assert ran == []


@pytest.mark.parametrize("carried_out", [True, False])
def test_what_was_added_since_is_hooked_once(engine: Engine, db: Session, carried_out: bool) -> None:
    tree = TripTree(entity=Trip(trip="t"), stops=[Stop(stop="x")])
    unsure(engine, db, tree, carried_out=carried_out)
    tree.stops.append(Stop())  # it has no key before its hook has run
    ran.clear()
    db.save_tree(tree)
    assert ran == (["stop "] if carried_out else ["trip t", "stop x", "stop "])
    assert {s.stop for s in stored(db)} == {s.stop for s in tree.stops}
    assert tree.entity.stops == 2


def test_a_resumed_save_runs_them_once(engine: Engine, db: Session) -> None:
    first = TripTree(entity=Trip(trip="t"), stops=[Stop(stop="x")])
    unsure(engine, db, first, carried_out=False, atomic=False)
    again = TripTree(entity=Trip(trip="t"), stops=[Stop(stop="x")])
    ran.clear()
    db.save_tree(again, atomic=False, resume=True)
    assert ran == ["trip t", "stop x"]
    assert [s.number for s in stored(db)] == [again.stops[0].number]


def test_a_removed_tree_that_may_be_there(engine: Engine, db: Session) -> None:
    tree = TripTree(entity=Trip(trip="t"), stops=[Stop(stop="x")])
    db.save_tree(tree)
    tree.stops.append(Stop(stop="y"))
    unsure(engine, db, tree, carried_out=True)
    ran.clear()
    db.remove_tree(tree)
    assert (ran, stored(db)) == ([], [])
