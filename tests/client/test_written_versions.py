"""Writing an older schema version while older code runs: it reads and writes whatever the newer code wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import Session, key
from tablewright.engine import Engine, open_engine
from tablewright.errors import (
    AlreadyExistsError,
    ConcurrentModificationError,
    ConditionalCheckError,
    ConfigError,
    ModelError,
    NotFoundError,
    UniqueViolationError,
)
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.doubles import OnTheWay
from tests.client.people import OldPerson, OldPet, Person, Pet, in_city, new, old


class Both:
    """Older code, and newer code that writes as it does."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        self.before = old.open(EmbeddedTransport(engine, owned=False), create=True)
        self.db: Session = new.open(self.wire, write_versions={Person: 1})

    def versions(self) -> set[str]:
        items: list[dict[str, Any]] = self.engine.execute("Scan", {"TableName": "People"})["Items"]
        return {item["SchemaVersion"]["N"] for item in items if item["Type"] == {"S": "Person"}}


@pytest.fixture
def both() -> Iterator[Both]:
    with open_engine("memory:") as engine:
        yield Both(engine)
        assert engine.verify() == []


def person(n: int = 0, **more: Any) -> Person:
    return Person(**{"id": "1", "email": "ann@x", "first": "Ann", "last": "Lee", "city": "Rom", "n": n, **more})


def test_older_code_reads_and_writes_what_newer_code_does(both: Both) -> None:
    both.db.create(person())
    assert both.before.get(key(OldPerson, id="1")) == OldPerson(id="1", email="ann@x", name="Ann Lee", town="Rom")
    both.before.update(key(OldPerson, id="1"), set={"name": "Zoe Ray"}, add={"n": 1})
    assert both.db.get(key(Person, id="1")) == person(1, first="Zoe", last="Ray")
    assert both.db.update(key(Person, id="1"), set={"last": "Day"}, add={"n": 1}) == person(2, first="Zoe", last="Day")
    found = both.before.get(key(OldPerson, id="1"))
    assert found is not None
    assert (found.name, found.n) == ("Zoe Day", 2)
    assert [one.last for one in both.db.run(in_city, "Rom")] == ["Day"]
    assert both.versions() == {"1"}


def test_every_kind_of_write_is_of_the_older_version(both: Both) -> None:
    both.db.put(person())
    both.db.put(person(city="Ulm"))
    both.db.upsert(person(n=4))
    both.db.upsert(person(id="2", email="bob@x"))
    with both.db.transaction() as tx:
        tx.update(key(Person, id="1"), add={"n": 1})
        tx.check(key(Person, id="2"), Person.first == "Ann")
        tx.create(Pet(owner="1", name="Rex", kind="dog"))
    with both.db.edit(key(Person, id="2")) as edited:
        edited.first = "Eve"
    found = both.before.get(key(OldPerson, id="1")), both.before.get(key(OldPerson, id="2"))
    assert [(one.name, one.n) for one in found if one is not None] == [("Ann Lee", 5), ("Eve Lee", 0)]
    assert both.versions() == {"1"}
    both.db.delete(key(Person, id="1"), when=Person.first == "Ann")
    assert both.before.get(key(OldPerson, id="1")) is None
    both.before.create(OldPerson(id="9", email="ann@x", name="A B"))  # the value is free again


def test_errors_are_those_of_any_write(both: Both) -> None:
    both.db.create(person())
    attempts: list[tuple[Callable[[], object], type[Exception]]] = [
        (lambda: both.db.create(person()), AlreadyExistsError),
        (lambda: both.db.create(person(id="2")), UniqueViolationError),
        (lambda: both.db.update(key(Person, id="2"), set={"n": 1}), NotFoundError),
        (lambda: both.db.update(key(Person, id="1"), set={"n": 1}, when=Person.first == "Bob"), ConditionalCheckError),
        (lambda: both.db.update(key(Person, id="1"), set={"n": 1}, expected_version=9), ConcurrentModificationError),
        (lambda: both.db.delete(key(Person, id="1"), when=Person.first == "Bob"), ConditionalCheckError),
    ]
    for attempt, error in attempts:
        with pytest.raises(error):
            attempt()
    assert both.db.get(key(Person, id="1")) == person()


def test_a_write_that_was_overtaken_is_worked_out_anew(both: Both) -> None:
    both.db.create(person())
    both.wire.restart()
    both.wire.before[1] = lambda: both.before.update(key(OldPerson, id="1"), add={"n": 10})
    assert both.db.update(key(Person, id="1"), add={"n": 1}).n == 11
    assert both.wire.operations == ["GetItem", "PutItem", "GetItem", "PutItem"]


def test_a_tombstone_keeps_an_item_of_the_older_version() -> None:
    with open_engine("memory:") as engine:
        before = old.open(EmbeddedTransport(engine, owned=False), create=True)
        before.create(OldPet(owner="1", name="Rex", species="dog"))
        new.downcast(Pet, 2)(lambda item: {"species": item.pop("kind"), **item})
        with new.open(engine, write_versions={Pet: 1}) as db:
            db.delete(key(Pet, owner="1", name="Rex"))
        assert before.undelete(key(OldPet, owner="1", name="Rex")) == OldPet(owner="1", name="Rex", species="dog")


def test_versions_that_nothing_leads_to_are_refused() -> None:
    from tablewright import Entity, Keys, Table

    table = Table("Ways")

    class Plain(Entity, table=table):
        keys = Keys("PLAIN#{id}", "P")
        id: str

    class Way(Entity, table=table, schema_version=2):
        keys = Keys("WAY#{id}", "W")
        id: str

    with pytest.raises(ConfigError, match="which has no schema version"):
        table.open("memory:", write_versions={Plain: 1})
    with pytest.raises(ModelError, match="no downcast from version 2"):
        table.open("memory:", write_versions={Way: 1})
    with pytest.raises(ModelError, match="has the versions from 1 to 2, not 3"):
        table.open("memory:", write_versions={Way: 3})
    with pytest.raises(ConfigError, match="write_versions of open"):
        table.open("memory:", write_versions=[Way])  # type: ignore[arg-type]


STEPS = st.lists(
    st.tuples(st.booleans(), st.sampled_from(["count", "rename", "move"]), st.sampled_from(["Bea", "Eva", "Kim"])),
    max_size=8,
)


@pytest.fixture(scope="module")
def shared() -> Iterator[Both]:
    """One place for many tries."""
    with open_engine("memory:") as engine:
        yield Both(engine)


@given(STEPS)
def test_both_codes_see_the_same_after_any_writes(shared: Both, steps: list[tuple[bool, str, str]]) -> None:
    both = shared
    both.db.delete(key(Person, id="1"))
    both.db.create(person())
    n, first, city = 0, "Ann", "Rom"
    for newer, what, word in steps:
        db: Session = both.db if newer else both.before
        target: Any = key(Person, id="1") if newer else key(OldPerson, id="1")
        if what == "count":
            db.update(target, add={"n": 1})
            n += 1
        elif what == "rename":
            db.update(target, set={"first": word} if newer else {"name": f"{word} Lee"})
            first = word
        else:
            db.update(target, set={"city": word} if newer else {"town": word})
            city = word
    assert both.db.get(key(Person, id="1")) == person(n, first=first, city=city)
    assert both.before.get(key(OldPerson, id="1")) == OldPerson(
        id="1", email="ann@x", name=f"{first} Lee", town=city, n=n
    )
    assert both.versions() == {"1"}
