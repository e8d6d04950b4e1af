"""The way back from the last phase for entities with unique values, which code of the new table has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import key
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError
from tablewright.evolve.moving import open_moving
from tests.evolve.moving.merchants import Clock
from tests.evolve.moving.people import Person, fill, into_new, old_table, people_moving


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as made:
        made.execute("CreateTable", old_table())
        fill(made, 1, 2, 3)
        yield made


def test_values_that_were_changed_meanwhile_belong_to_both_sides_again(engine: Engine) -> None:
    clock = Clock()
    with open_moving(people_moving(), engine, clock=clock) as session:
        into_new(session, clock)
        session.db.update(key(Person, person_id="1"), set={"mail": "changed"})
        session.db.create(Person(person_id="9", mail="new"))
        session.db.delete(key(Person, person_id="3"))
        assert session.restore_legacy(write=False) == session.restore_legacy()
        assert session.restore_legacy().written == 0
        found = session.verify()
        assert found.well, found.text()
        session.go_back("switched")
        clock.pass_(seconds=11)
        assert session.put("Old", {"id": "1", "mail": "again"}).settled
        assert session.put("Old", {"id": "8", "mail": "m3"}).settled  # whose owner is gone
        assert session.delete("Old", {"id": "9"}).settled
        found = session.verify()
        assert found.well, found.text()


def test_a_function_for_the_way_back_that_fails_is_told_without_values(engine: Engine) -> None:
    clock = Clock()

    def failing(entity: Any) -> dict[str, Any]:
        raise KeyError(entity.mail)

    with open_moving(people_moving(failing), engine, clock=clock) as session:
        into_new(session, clock)
        with pytest.raises(ArgumentError, match="back= of 'Old' raised KeyError") as told:
            session.restore_legacy()
        assert "m1" not in f"{told.value}"
