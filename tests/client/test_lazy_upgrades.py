"""Upgrades on read: written back under a condition, and whoever was faster is not overwritten."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import key
from tablewright.engine import open_engine
from tablewright.errors import AccessRefused, ConcurrentModificationError, ConfigError, SchemaVersionError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.doubles import OnTheWay
from tests.client.people import OldPerson, Person, household, in_city, names_in, new, old

ANN = Person(id="1", email="ann@x", first="Ann", last="Lee", city="Rom", n=1)
KEY = {"PK": {"S": "PERSON#1"}, "SK": {"S": "PERSON"}}


class Place:
    """One table with older, newer and upgrading code on it."""

    def __init__(self, engine: Any) -> None:
        self.engine = engine
        self.wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        self.before = old.open(EmbeddedTransport(engine, owned=False), create=True)
        self.other = new.open(EmbeddedTransport(engine, owned=False))
        self.db = new.open(self.wire, upgrade_on_read=True)
        self.begin()

    def begin(self) -> None:
        self.wire.restart()
        self.other.delete(key(Person, id="1"))
        self.before.create(OldPerson(id="1", email="ann@x", name="Ann Lee", town="Rom", n=1))

    def item(self) -> dict[str, Any]:
        found: dict[str, Any] = self.engine.execute("GetItem", {"TableName": "People", "Key": KEY}).get("Item", {})
        return found


@pytest.fixture
def place() -> Iterator[Place]:
    with open_engine("memory:") as engine:
        yield Place(engine)
        assert engine.verify() == []


def test_a_read_writes_back_what_it_hands_out(place: Place) -> None:
    before = place.item()
    assert place.db.get(key(Person, id="1")) == ANN
    after = place.item()
    assert after["SchemaVersion"] == {"N": "3"}
    assert after.keys().isdisjoint({"name", "town", "GSI3PK", "GSI3SK"})
    assert (after["GSI1PK"], after["GSI1SK"]) == ({"S": "CITY#Rom"}, {"S": "Lee#1"})
    assert all(after[name] == before[name] for name in ("Version", "CreatedAt", "UpdatedAt", "Type", "email"))
    place.wire.restart()
    assert place.db.get(key(Person, id="1")) == ANN
    assert place.wire.operations == ["GetItem"]
    assert [one.id for one in place.db.run(in_city, "Rom")] == ["1"]


READS: dict[str, Callable[[Place], Any]] = {
    "get": lambda place: place.db.get(key(Person, id="1")),
    "many": lambda place: place.db.get_many([key(Person, id="1")])[0],
    "together": lambda place: place.db.get_many([key(Person, id="1")], together=True)[0],
    "sweep": lambda place: next(iter(place.db.scan_for_maintenance(Person)), None),
    "collection": lambda place: place.db.run(household, "1").person,
}


@pytest.mark.parametrize("read", READS)
def test_every_read_upgrades(place: Place, read: str) -> None:
    assert READS[read](place) == ANN
    assert place.item()["SchemaVersion"] == {"N": "3"}


def test_a_part_is_upgraded_as_a_whole(place: Place) -> None:
    item = {**place.item(), "GSI1PK": {"S": "CITY#Rom"}, "GSI1SK": {"S": "Lee#1"}}
    place.engine.execute("PutItem", {"TableName": "People", "Item": item})
    assert [one.last for one in place.db.run(names_in, "Rom")] == ["Lee"]
    assert place.item()["SchemaVersion"] == {"N": "3"}


def at_upgrade(place: Place, action: Callable[[], object]) -> None:
    """Does something after the item was read, right before it is written back."""
    place.wire.restart()
    place.wire.before[1] = action


def test_a_lost_race_returns_the_newer_item(place: Place) -> None:
    at_upgrade(place, lambda: place.before.update(key(OldPerson, id="1"), set={"name": "Zoe Ray"}))
    assert place.db.get(key(Person, id="1")) == Person(id="1", email="ann@x", first="Zoe", last="Ray", city="Rom", n=1)
    assert place.item()["name"] == {"S": "Zoe Ray"}
    assert place.wire.operations == ["GetItem", "UpdateItem", "GetItem"]


def test_a_race_with_another_upgrade_changes_nothing(place: Place) -> None:
    at_upgrade(place, lambda: place.other.update(key(Person, id="1"), set={"n": 7}))
    found = place.db.get(key(Person, id="1"))
    assert found is not None
    assert (found.n, place.item()["n"]) == (7, {"N": "7"})


@pytest.mark.parametrize("read", ["get", "many", "sweep", "collection"])
def test_what_vanished_meanwhile_stays_gone(place: Place, read: str) -> None:
    at_upgrade(place, lambda: place.before.delete(key(OldPerson, id="1")))
    assert READS[read](place) is None
    assert place.item() == {}


def test_a_read_of_one_moment_stays_one(place: Place) -> None:
    at_upgrade(place, lambda: place.before.update(key(OldPerson, id="1"), set={"n": 7}))
    assert READS["together"](place) == ANN
    assert place.item()["n"] == {"N": "7"}


def test_who_may_not_write_still_reads(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    place.wire.restart()
    place.wire.refuse[1] = AccessRefused("not allowed")
    with caplog.at_level(logging.WARNING, "tablewright"):
        assert place.db.get(key(Person, id="1")) == ANN
    assert "A stored Person was read, but could not be upgraded" in caplog.text
    assert place.item()["SchemaVersion"] == {"N": "1"}


def test_upgrading_and_writing_older_versions_exclude_each_other() -> None:
    with pytest.raises(ConfigError, match="cannot be written in an older version and upgraded where it is read"):
        new.open("memory:", upgrade_on_read=True, write_versions={Person: 1})


WRITERS: dict[str, Callable[[Place], object]] = {
    "count, older": lambda place: place.before.update(key(OldPerson, id="1"), add={"n": 1}),
    "count": lambda place: place.other.update(key(Person, id="1"), add={"n": 1}),
    "move": lambda place: place.other.update(key(Person, id="1"), set={"city": "Bonn"}, add={"n": 1}),
    "transaction": lambda place: _in_transaction(place),
    "read": lambda place: place.other.get(key(Person, id="1")),
}


def _in_transaction(place: Place) -> None:
    with place.other.transaction() as tx:
        tx.update(key(Person, id="1"), add={"n": 1})


@pytest.fixture(scope="module")
def shared() -> Iterator[Place]:
    """One place for many tries."""
    with open_engine("memory:") as engine:
        yield Place(engine)
        assert engine.verify() == []


@given(st.dictionaries(st.integers(0, 5), st.sampled_from(sorted(WRITERS)), max_size=5), st.data())
def test_no_write_is_lost_however_it_meets_an_upgrade(
    shared: Place, steps: dict[int, str], data: st.DataObject
) -> None:
    """Writers come between any two requests of reads and writes that upgrade: each count is there in the end, once."""
    place = shared
    place.begin()
    counted, moved, unable = itertools.count(), [], list[str]()

    def done(name: str) -> Callable[[], None]:
        def write() -> None:
            try:
                WRITERS[name](place)
            except SchemaVersionError:
                # Older code cannot write what is upgraded already.
                unable.append(name)
            else:
                if name != "read":
                    next(counted)
                if name == "move":
                    moved.append(name)

        return write

    place.wire.before = {number: done(name) for number, name in steps.items()}
    for _ in range(data.draw(st.integers(1, 3))):
        if data.draw(st.booleans()):
            place.db.get(key(Person, id="1"))
        else:
            try:
                place.db.update(key(Person, id="1"), add={"n": 1})
            except ConcurrentModificationError:
                continue
            next(counted)
    place.wire.restart()
    place.db.get(key(Person, id="1"))
    found = place.other.get(key(Person, id="1"))
    assert found is not None
    assert found.n == 1 + next(counted)
    assert set(unable) <= {"count, older"}
    assert found.city == ("Bonn" if moved else "Rom")
    assert place.item()["SchemaVersion"] == {"N": "3"}
