"""Conditions agree with what readers see, where the library stores a value by leaving it out; tried on stored items."""

from typing import Any

import pytest
from pydantic import BaseModel, Field

from tablewright import GSI, Entity, Keys, Session, Table, attr, contains, key, negate, require, size, sparse
from tablewright.errors import ArgumentError, ConditionalCheckError, ModelError

table = Table("Absent")


class Part(BaseModel):
    tags: set[str] = Field(default_factory=set)
    notes: list[str] | None = None


class Thing(Entity, table=table):
    keys = Keys("T#{id}", "T#{id}")
    id: str
    tags: set[str] = Field(default_factory=set)
    marks: set[str] | None = None
    words: list[str] = Field(default_factory=list)
    lines: list[str] | None = Field(default_factory=list)
    text: str = ""
    part: Part = Part()
    count: int = 0
    kept: set[int] = Field(default={1})


@table.change
def tag(t: Thing, word: str) -> None:
    require(size(t.tags) < 3)
    t.tags.add(word)


def holds(db: Session, condition: Any) -> bool:
    try:
        db.update(key(Thing, id="1"), add={"count": 1}, when=condition)
    except ConditionalCheckError:
        return False
    return True


@pytest.mark.parametrize("field", ["tags", "marks", "words", "lines", "text", "part.tags", "part.notes"])
@pytest.mark.parametrize("bare", [False, True], ids=["as created", "as others left it"])
def test_the_size_of_what_is_not_stored_is_zero(field: str, bare: bool) -> None:
    with table.open("memory:") as db:
        db.create(Thing(id="1", lines=None))
        if bare:
            db.send(
                "PutItem",
                {
                    "TableName": "Absent",
                    "Item": {
                        **{n: {"S": "T#1"} for n in ("PK", "SK")},
                        "Type": {"S": "Thing"},
                        "id": {"S": "1"},
                        "part": {"M": {}},
                    },
                },
            )
        path: Any = Thing
        for step in field.split("."):
            path = getattr(path, step)
        for condition, expected in (
            (size(path) < 3, True),
            (size(path) <= 0, True),
            (size(path) == 0, True),
            (size(path) >= 0, True),
            (size(path) != 1, True),
            (size(path) > 0, False),
            (size(path) >= 1, False),
            (size(path) == 1, False),
            (size(path) != 0, False),
            (size(path) < 0, False),
            (negate(size(path) > 0), True),
            (negate(size(path) < 3), False),
        ):
            assert holds(db, condition) is expected, condition


def test_a_change_may_require_a_size_of_an_empty_set() -> None:
    with table.open("memory:") as db:
        db.create(Thing(id="1"))
        for word in "abc":
            db.apply(tag, key(Thing, id="1"), word)
        with pytest.raises(ConditionalCheckError):
            db.apply(tag, key(Thing, id="1"), "d")


def test_an_empty_set_is_compared_by_its_absence() -> None:
    with table.open("memory:") as db:
        db.create(Thing(id="1"))
        assert holds(db, Thing.tags == set())
        assert holds(db, Thing.part.tags == set())
        assert not holds(db, Thing.tags != set())
        assert not holds(db, contains(Thing.tags, "a"))
        db.update(key(Thing, id="1"), include={"tags": ["a"], "part.tags": ["b"]})
        assert not holds(db, Thing.tags == set())
        assert not holds(db, Thing.part.tags == set())
        assert holds(db, Thing.tags != set())
        for never in (Thing.marks == set(), Thing.kept == set()):
            with pytest.raises(ArgumentError, match="is compared with an empty set, which is never stored"):
                holds(db, never)


def test_an_absence_that_reads_as_something_is_not_empty() -> None:
    with table.open("memory:") as db:
        db.create(Thing(id="1"))
        db.send(
            "UpdateItem",
            {
                "TableName": "Absent",
                "Key": {n: {"S": "T#1"} for n in ("PK", "SK")},
                "UpdateExpression": "REMOVE kept",
            },
        )
        assert not holds(db, size(Thing.kept) == 0)


def test_what_has_no_size_is_refused_at_once() -> None:
    with pytest.raises(ArgumentError, match=r"Thing.count is int, which has no size. Compare the field itself"):
        size(Thing.count)  # type: ignore[arg-type]
    size(attr("count"))


def test_an_index_may_be_sparse_by_an_empty_set() -> None:
    bare = Table("Bare", indexes=[GSI("GSI1")])

    class Post(Entity, table=bare):
        keys = Keys("P#{id}", "P#{id}", GSI1=sparse("UNTAGGED", "{id}", when=attr("tags") == set()))
        id: str
        tags: set[str] = Field(default_factory=set)

    (binding,) = bare.plan.of(Post).bindings
    assert binding.compute({"id": "1", "tags": set()}) is not None
    assert binding.compute({"id": "1", "tags": {"a"}}) is None
    with pytest.raises(ModelError, match="DynamoDB has no empty sets"):

        class Wrong(Entity, table=bare):
            keys = Keys("W#{id}", "W#{id}", GSI1=sparse("UNTAGGED", "{id}", when=attr("tags") == set()))
            id: str
            tags: set[str]
