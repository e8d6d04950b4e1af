"""Writes that were noted just before the phase "new" began, and not settled: the new table may be newer by now."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright import key
from tablewright.engine import open_engine
from tablewright.errors import ArgumentError
from tablewright.evolve.moving.late import LATE, Wins
from tablewright.evolve.moving.settling import TAKEN
from tests.evolve.moving.late_notes import Ground
from tests.evolve.moving.people import Person, person


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


def test_what_was_made_and_deleted_since_does_not_come_back(ground: Ground) -> None:
    """A late note of a new item, which the new table has not seen."""
    ground.put_and_die(id="4", mail="late")
    ground.hold()
    ground.session.db.create(Person(person_id="4", mail="newer"))
    assert ground.session.repair().failed == {LATE: 1}
    ground.session.db.delete(key(Person, person_id="4"))
    assert ground.session.repair().failed == {LATE: 1}
    assert ground.mail("4") is None
    assert ground.session.repair(wins="new").settled == 1
    assert ground.mail("4") is None
    assert ground.session.repair().failed == {}


def test_values_that_legacy_items_do_not_have_are_given_up(ground: Ground) -> None:
    """Those that the new table alone has given to them."""
    ground.put_and_die(id="1", mail="late")
    ground.delete_and_die("2")
    ground.hold()
    ground.session.db.update(key(Person, person_id="1"), set={"mail": "newer"})
    ground.session.db.update(key(Person, person_id="2"), set={"mail": "newest"})
    assert ground.session.repair().failed == {LATE: 2}
    assert ground.session.repair(wins="legacy").settled == 2
    assert (ground.mail("1"), ground.mail("2")) == ("late", None)
    assert ground.session.verify().well
    ground.session.db.create(Person(person_id="4", mail="newer"))
    ground.session.db.create(Person(person_id="5", mail="newest"))


def test_what_was_made_since_goes_where_legacy_tables_are_right(ground: Ground) -> None:
    ground.put_and_die(id="4", mail="late")
    ground.hold()
    ground.session.db.create(Person(person_id="4", mail="newer"))
    assert ground.session.repair().failed == {LATE: 1}
    assert ground.session.repair(wins="legacy").settled == 1
    assert ground.mail("4") == "late"
    assert ground.session.verify().well
    ground.session.db.create(Person(person_id="5", mail="newer"))


@pytest.mark.parametrize("person_id", ["1", "4"])
@pytest.mark.parametrize("wins", ["legacy", "new"])
def test_a_value_that_was_given_again_belongs_to_nobody_else(ground: Ground, person_id: str, wins: Wins) -> None:
    """As where somebody who saw a write fail has tried it again."""
    ground.put_and_die(id=person_id, mail="late", name="noted")
    ground.hold()
    if person_id == "1":
        ground.session.db.update(key(Person, person_id="1"), set={"mail": "late", "name": "again"})
    else:
        ground.session.db.create(Person(person_id=person_id, mail="late", name="again"))
    assert ground.session.repair().failed == {LATE: 1}
    assert ground.session.repair(wins=wins).settled == 1
    name = "noted" if wins == "legacy" else "again"
    assert ground.session.db.run(person, person_id) == Person(person_id=person_id, mail="late", name=name)
    assert wins == "new" or ground.session.verify().well
    ground.session.db.update(key(Person, person_id=person_id), set={"mail": "later"})
    ground.session.db.create(Person(person_id="5", mail="late"))


def test_a_value_that_somebody_else_has_got_stays_there(ground: Ground) -> None:
    ground.put_and_die(id="1", mail="late")
    ground.hold()
    ground.session.db.create(Person(person_id="5", mail="late"))
    decisions: tuple[Wins | None, ...] = (None, "legacy")
    for wins in decisions:
        assert ground.session.repair(wins=wins).failed == {TAKEN: 1}
    assert (ground.mail("1"), ground.mail("5")) == ("m1", "late")


def test_what_was_deleted_and_made_anew_goes_where_legacy_tables_are_right(ground: Ground) -> None:
    ground.delete_and_die("1")
    ground.hold()
    ground.session.db.delete(key(Person, person_id="1"))
    ground.session.db.create(Person(person_id="1", mail="anew"))
    assert ground.session.repair().failed == {LATE: 1}
    assert ground.mail("1") == "anew"
    assert ground.session.repair(wins="legacy").settled == 1
    assert ground.mail("1") is None
    assert ground.session.restore_legacy().nothing
    assert ground.session.verify().well
    ground.session.db.create(Person(person_id="5", mail="anew"))


def test_what_was_there_before_the_move_stays(ground: Ground) -> None:
    """An item of the model that no move brought, under the key of a late note."""
    item = {"PK": {"S": "PERSON#4"}, "SK": {"S": "PERSON"}, "Type": {"S": "Person"}, "person_id": {"S": "4"}}
    times = {name: {"S": "2020-01-01T00:00:00.000000Z"} for name in ("CreatedAt", "UpdatedAt")}
    ground.new.execute("PutItem", {"TableName": "People", "Item": {**item, **times, "mail": {"S": "before"}}})
    ground.put_and_die(id="4", mail="late")
    ground.hold()
    decisions: tuple[Wins | None, ...] = (None, "legacy")
    for wins in decisions:
        assert ground.session.repair(wins=wins).failed == {TAKEN: 1}
    assert ground.mail("4") == "before"
