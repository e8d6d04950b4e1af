"""A moving of people in the last seconds before its last phase, with writers that die."""

from __future__ import annotations

from tablewright.engine import Engine
from tablewright.evolve.moving import MovingSession, ledger, open_moving
from tablewright.evolve.moving.deriving import State, derive
from tablewright.values.wire import to_wire_item
from tests.evolve.moving.conftest import AT_ONCE
from tests.evolve.moving.merchants import Clock
from tests.evolve.moving.people import fill, into_new, old_table, people_moving, person


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
