"""Changes of what an item lacks: they start from what its readers see there, also inside of models and for sets."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pydantic.dataclasses
import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from tablewright import GSI, Entity, Keys, Session, Table, attr, contains, key, sparse
from tablewright.engine import open_engine
from tablewright.errors import ArgumentError, ConditionalCheckError, EmptySetError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.doubles import OnTheWay

table = Table("Starts", indexes=[GSI("GSI1")])


class Limits(BaseModel):
    """Defaults of every kind."""

    most: int = Field(default=10, le=12)
    made: int = Field(default_factory=lambda: 20)
    none: int | None = None
    needed: int
    steps: list[str] = Field(default=["first"], max_length=3)
    marks: set[str] = {"old"}
    follows: int = Field(default_factory=lambda data: data["most"])


@dataclasses.dataclass
class Data:
    """The same as a dataclass."""

    most: int = 10
    marks: set[str] = dataclasses.field(default_factory=lambda: {"old"})
    needed: int | None = None


@pydantic.dataclasses.dataclass
class Checked:
    """The same as a dataclass of Pydantic's."""

    most: int = Field(default=10)


class Loose(TypedDict, total=False):
    """Nothing stands for what is not there."""

    most: int


class Small(BaseModel):
    """One form of two."""

    small: int = 0
    marks: set[str] = set()


class Large(BaseModel):
    """The other one, with another default that stands for nothing."""

    large: int = 0
    marks: set[str] | None = None


class Box(Entity, table=table, timestamps=False):
    """Holds all of them; `tags` feeds an index."""

    keys = Keys("BOX#{id}", "BOX", GSI1=sparse("HOT", "{id}", when=contains(attr("tags"), "hot")))
    id: str
    limits: Limits = Limits(needed=0)
    data: Data = Data()
    checked: Checked = Checked()
    loose: Loose = Field(default_factory=Loose)
    form: Small | Large = Small()
    tags: set[str] = Field(default_factory=lambda: {"hot", "old"})
    numbers: set[int] = Field(default={1})
    maybe: set[str] | None = None


class Inside(Entity, table=table, timestamps=False, nested="fields"):
    """Its fields live in a map."""

    keys = Keys("INSIDE#{id}", "INSIDE")
    id: str
    tags: set[str] = Field(default={"old"})


@pytest.fixture
def wire() -> Iterator[OnTheWay]:
    with open_engine("memory:") as engine:
        yield OnTheWay(EmbeddedTransport(engine, owned=False))


@pytest.fixture
def db(wire: OnTheWay) -> Iterator[Session]:
    with table.open(wire, create=True) as session:
        yield session


EMPTY: dict[str, Any] = {"M": {}}
RECORDS = {"limits": {"M": {"needed": {"N": "0"}}}, "data": EMPTY, "checked": EMPTY, "loose": EMPTY}


@pytest.fixture
def bare(db: Session) -> str:
    """An item that other code wrote, without what has a default."""
    item = {"PK": {"S": "BOX#1"}, "SK": {"S": "BOX"}, "Type": {"S": "Box"}, "id": {"S": "1"}, **RECORDS}
    db.send("PutItem", {"TableName": "Starts", "Item": item})
    return "1"


def read(db: Session, name: str = "BOX") -> dict[str, Any]:
    keys = {"PK": {"S": f"{name}#1"}, "SK": {"S": name}}
    found: dict[str, Any] = db.send("GetItem", {"TableName": "Starts", "Key": keys})["Item"]
    return found


@pytest.mark.parametrize(
    ("path", "becomes"),
    [
        ("limits.most", 11),
        ("limits.made", 21),
        ("limits.none", 1),
        ("limits.needed", 1),
        ("data.most", 11),
        ("data.needed", 1),
        ("checked.most", 11),
        ("loose.most", 1),
    ],
)
def test_a_number_starts_from_the_default_of_its_part(db: Session, bare: str, path: str, becomes: int) -> None:
    after: Any = db.update(key(Box, id=bare), add={path: 1})
    for step in path.split("."):
        after = after[step] if isinstance(after, dict) else getattr(after, step)
    assert after == becomes


def test_the_bounds_of_a_part_hold_from_its_default_on(db: Session, bare: str) -> None:
    with pytest.raises(ConditionalCheckError, match=r"limits\.most must stay <= 12"):
        db.update(key(Box, id=bare), add={"limits.most": 3})
    assert db.update(key(Box, id=bare), add={"limits.most": 2}).limits.most == 12


def test_a_list_inside_a_model_starts_from_its_default(db: Session, bare: str) -> None:
    assert db.update(key(Box, id=bare), append={"limits.steps": ["second"]}).limits.steps == ["first", "second"]


def test_the_longest_list_counts_what_it_starts_from(db: Session, bare: str) -> None:
    with pytest.raises(ConditionalCheckError, match="at most 3 long"):
        db.update(key(Box, id=bare), append={"limits.steps": ["2", "3", "4"]})
    assert "steps" not in read(db)["limits"]["M"]


def test_what_is_not_known_beforehand_is_refused(db: Session, bare: str) -> None:
    before = read(db)
    with pytest.raises(ArgumentError, match=r"limits\.follows cannot be changed: the stored item lacks it"):
        db.update(key(Box, id=bare), add={"limits.follows": 1})
    assert read(db) == before


def test_two_forms_that_start_from_nothing_start_alike(db: Session) -> None:
    db.create(Box(id="1", form=Large()))
    assert db.update(key(Box, id="1"), include={"form.marks": ["new"]}).form == Large(marks={"new"})


def test_what_is_stored_is_counted_on(db: Session) -> None:
    db.create(Box(id="1", limits=Limits(needed=0, most=3, follows=5)))
    after = db.update(key(Box, id="1"), add={"limits.most": 1, "limits.follows": 1})
    assert (after.limits.most, after.limits.follows) == (4, 6)


# -------------------------------------------------------------------------------------------------------- sets


@pytest.mark.parametrize(
    ("change", "read_back"),
    [
        ({"include": {"tags": ["new"]}}, lambda b: b.tags == {"hot", "old", "new"}),
        ({"discard": {"tags": ["old"]}}, lambda b: b.tags == {"hot"}),
        ({"include": {"numbers": [2]}}, lambda b: b.numbers == {1, 2}),
        ({"include": {"limits.marks": ["new"]}}, lambda b: b.limits.marks == {"old", "new"}),
        ({"include": {"data.marks": ["new"]}}, lambda b: b.data.marks == {"old", "new"}),
        ({"include": {"maybe": ["new"]}}, lambda b: b.maybe == {"new"}),
    ],
    ids=["include", "discard", "numbers", "in-a-model", "in-a-dataclass", "none"],
)
@pytest.mark.parametrize("way", ["update", "transaction", "token", "upsert"])
def test_a_set_starts_from_its_default(
    db: Session, bare: str, way: str, change: dict[str, Any], read_back: Callable[[Box], bool]
) -> None:
    match way:
        case "update":
            db.update(key(Box, id=bare), **change)
        case "upsert":
            db.upsert(Box(id=bare), **change)
        case _:
            with db.transaction(token="t" if way == "token" else None) as tx:
                tx.update(key(Box, id=bare), **change)
    found = db.get(key(Box, id=bare))
    assert found is not None
    assert read_back(found)


def test_the_last_member_of_a_default_is_not_taken(db: Session, bare: str) -> None:
    before = read(db)
    with pytest.raises(EmptySetError, match=r"Box.tags would lose its last member"):
        db.update(key(Box, id=bare), discard={"tags": ["hot", "old"]})
    assert read(db) == before


def test_an_index_sees_the_default_that_a_set_starts_from(db: Session, bare: str) -> None:
    db.update(key(Box, id=bare), include={"tags": ["new"]})
    assert read(db)["GSI1PK"] == {"S": "HOT"}
    db.update(key(Box, id=bare), discard={"tags": ["hot"]})
    assert "GSI1PK" not in read(db)


def test_a_set_that_is_stored_is_only_added_to(db: Session) -> None:
    db.create(Box(id="1", numbers={5}))
    assert db.update(key(Box, id="1"), include={"numbers": [6]}).numbers == {5, 6}


def test_a_set_that_another_writer_stored_meanwhile_is_kept(db: Session, wire: OnTheWay, bare: str) -> None:
    wire.restart()
    request = {
        "TableName": "Starts",
        "Key": {"PK": {"S": "BOX#1"}, "SK": {"S": "BOX"}},
        "UpdateExpression": "SET numbers = :n",
        "ExpressionAttributeValues": {":n": {"NS": ["7"]}},
    }
    wire.before[1] = lambda: wire.inner.send("UpdateItem", request)
    assert db.update(key(Box, id=bare), include={"numbers": [8]}).numbers == {7, 8}


def test_a_set_in_the_map_of_all_fields_starts_from_its_default(db: Session) -> None:
    without: dict[str, Any] = {}
    empty: dict[str, Any] = {"fields": {"M": {}}}
    for fields in (without, empty):
        item = {"PK": {"S": "INSIDE#1"}, "SK": {"S": "INSIDE"}, "Type": {"S": "Inside"}, "id": {"S": "1"}, **fields}
        db.send("PutItem", {"TableName": "Starts", "Item": item})
        assert db.update(key(Inside, id="1"), include={"tags": ["new"]}).tags == {"old", "new"}
        assert set(read(db, "INSIDE")["fields"]["M"]["tags"]["SS"]) == {"new", "old"}
