"""Writes that were noted just before the phase "new" began, and not settled: the new table may be newer by now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright import key
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError
from tablewright.evolve.moving import MovingSession, ledger, open_moving
from tablewright.evolve.moving.deriving import State, derive
from tablewright.evolve.moving.late import LATE
from tablewright.values.wire import to_wire_item
from tests.evolve.moving.conftest import AT_ONCE
from tests.evolve.moving.merchants import Clock
from tests.evolve.moving.people import Person, fill, into_new, old_table, people_moving, person


class Ground:
    """The legacy writes of a process that died before it settled them, in the last seconds in which both sides are written."""

    def __init__(self, legacy: Engine, new: Engine) -> None:
        self.legacy, self.new, self.clock = legacy, new, Clock()
        legacy.execute("CreateTable", old_table())
        fill(legacy, 1, 2, 3)
        self.session = self.open()
        into_new(self.session, self.clock, until="switched")
        self.session.switch(100)
        assert self.session.verify().well
        self.session.advance("new")

    def open(self) -> MovingSession:
        beside = None if self.legacy is self.new else self.legacy
        return open_moving(people_moving(), self.new, legacy=beside, clock=self.clock, retry=AT_ONCE)

    def put_and_die(self, **item: str) -> None:
        wire = to_wire_item(item)
        self._write(item["id"], {"Put": {"TableName": "Old", "Item": wire}})

    def delete_and_die(self, person_id: str) -> None:
        self._write(person_id, {"Delete": {"TableName": "Old", "Key": {"id": {"S": person_id}}}})

    def _write(self, person_id: str, action: dict[str, object]) -> None:
        place = self.session._meanwhile.place
        (move,) = place.moving.moves
        old = {"id": {"S": person_id}, "mail": {"S": f"m{person_id}"}}
        there = [part.key for part in derive(place.moving, move, State(old), place.now())]
        noted = ledger.noting(place, move, {"id": old["id"]}, there)
        self.legacy.execute("TransactWriteItems", {"TransactItems": [action, noted]})

    def hold(self) -> None:
        self.clock.pass_(seconds=11)

    def mail(self, person_id: str) -> str | None:
        found = self.session.db.run(person, person_id)
        return None if found is None else found.mail


@pytest.fixture(params=["together", "apart"])
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    with open_engine("memory:") as new, open_engine("memory:") as other:
        yield Ground(new if request.param == "together" else other, new)


def test_what_the_new_table_was_not_written_over_is_settled(ground: Ground) -> None:
    ground.put_and_die(id="1", mail="late")
    ground.delete_and_die("2")
    ground.hold()
    assert ground.session.repair().settled == 2
    assert (ground.mail("1"), ground.mail("2")) == ("late", None)
    assert ground.session.repair().settled == 0
    assert ground.session.restore_legacy() == ground.session.restore_legacy(write=False)
    assert ground.session.verify().well


def test_what_it_was_written_over_is_left_until_somebody_decides(ground: Ground) -> None:
    ground.put_and_die(id="1", mail="late")
    ground.delete_and_die("2")
    ground.delete_and_die("3")
    ground.hold()
    ground.session.db.update(key(Person, person_id="1"), set={"name": "newer"})
    ground.session.db.update(key(Person, person_id="2"), set={"name": "newer"})
    ground.session.db.delete(key(Person, person_id="3"))
    for _ in range(2):
        left = ground.session.repair()
        assert left.failed == {LATE: 2}  # both agree about the third
    assert (ground.mail("1"), ground.mail("2")) == ("m1", "m2")
    assert ground.session.repair(wins="new").settled == 2
    assert ground.session.db.run(person, "1") == Person(person_id="1", mail="m1", name="newer")
    assert ground.mail("2") == "m2"
    assert ground.session.repair().failed == {}


def test_legacy_tables_may_be_what_is_right(ground: Ground) -> None:
    ground.put_and_die(id="1", mail="late")
    ground.delete_and_die("2")
    ground.hold()
    ground.session.db.update(key(Person, person_id="1"), set={"name": "newer"})
    ground.session.db.update(key(Person, person_id="2"), set={"name": "newer"})
    assert ground.session.repair(wins="legacy").settled == 2
    assert ground.session.db.run(person, "1") == Person(person_id="1", mail="late")
    assert ground.mail("2") is None
    ground.session.db.create(Person(person_id="4", mail="m1"))  # which nobody has any more
    ground.session.db.create(Person(person_id="5", mail="m2"))


def test_nothing_is_retired_before(ground: Ground, tmp_path: Path) -> None:
    ground.put_and_die(id="1", mail="late")
    ground.hold()
    with pytest.raises(ArgumentError, match="pending in the ledger, which only legacy tables know of") as told:
        ground.session.retire(tmp_path)
    assert "repair()" in str(told.value)
    assert [*tmp_path.iterdir()] == []
    assert ground.session.repair().exit_code == 0
    assert ground.session.retire(tmp_path)["Old"].items == 3
