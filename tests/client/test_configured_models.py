"""What a model's configuration says of its values holds on every way to the table: keys, updates, appends, conditions."""

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from tablewright import Entity, Keys, Query, Table, key, query
from tablewright.client.session import Session
from tablewright.errors import FieldTypeError

table = Table("Configured")


class Address(BaseModel):
    model_config = ConfigDict(str_to_upper=True)
    city: str
    lines: list[str] = []


class Person(Entity, table=table):
    model_config = ConfigDict(str_strip_whitespace=True, str_to_lower=True, str_max_length=20)
    keys = Keys("PERSON#{name}", "PERSON#{name}")
    name: str
    nick: str = ""
    tags: list[str] = Field(default_factory=list)
    checked: str = ""
    address: Address = Address(city="rome")

    @field_validator("checked")
    @classmethod
    def without_dots(cls, value: str) -> str:
        return value.replace(".", "")


class Strict(Entity, table=table):
    model_config = ConfigDict(strict=True)
    keys = Keys("STRICT#{name}", "STRICT#{name}")
    name: str
    count: int = 0


@table.pattern
def person(name: str) -> Query[Person]:
    return query(Person, Person.name == name)


@pytest.fixture
def db() -> Session:
    session = table.open("memory:")
    session.create(Person(name=" Ann "))
    return session


def test_keys_and_arguments_are_made_like_the_field(db: Session) -> None:
    with db:
        assert db.get(key(Person, name=" ANN ")) is not None
        assert db.get_many([key(Person, name=" ANN"), key(Person, name="ann")]) == [Person(name="ann")] * 2
        assert [p.name for p in db.run(person, " ANN ").all()] == ["ann"]


def test_an_update_stores_what_the_constructor_would_hold(db: Session) -> None:
    with db:
        found = db.update(
            key(Person, name="ann"),
            set={"nick": " NICKY ", "checked": " A.B. ", "address.city": "oslo", "address.lines": [" one "]},
            append={"tags": [" RED "]},
        )
        assert (found.nick, found.checked, found.tags) == ("nicky", "ab", ["red"])
        assert (found.address.city, found.address.lines) == ("OSLO", [" ONE "])
        found = db.update(key(Person, name="ann"), append={"address.lines": ["two"]})
        assert found.address.lines == [" ONE ", "TWO"]
        assert found == db.get(found)


@pytest.mark.parametrize("changes", [{"nick": "x" * 21}, {"checked": "x" * 21}, {"tags[0]": "x" * 21}])
def test_what_the_configuration_refuses_is_not_written(db: Session, changes: dict[str, str]) -> None:
    with db:
        before = db.update(key(Person, name="ann"), append={"tags": ["red"]})
        with pytest.raises(FieldTypeError):
            db.update(key(Person, name="ann"), set=changes)
        assert db.get(key(Person, name="ann")) == before


def test_strict_models_take_no_texts_for_numbers(db: Session) -> None:
    with db:
        db.create(Strict(name="one"))
        with pytest.raises(FieldTypeError):
            db.update(key(Strict, name="one"), set={"count": "5"})
        assert db.update(key(Strict, name="one"), set={"count": 5}).count == 5
