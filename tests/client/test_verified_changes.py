"""Changes inside a field that its rules can only judge together with what is stored: nothing unreadable is ever written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Self

import pytest
from pydantic import AfterValidator, BaseModel, Field, field_validator, model_validator

from tablewright import Entity, Keys, Session, Table, key
from tablewright.errors import DecodeError, FieldTypeError
from tablewright.transport.embedded import EmbeddedTransport

table = Table("Verified")


class Span(BaseModel):
    """A rule about two parts."""

    low: int
    high: int

    @model_validator(mode="after")
    def in_order(self) -> Self:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Circle(BaseModel):
    """One form."""

    kind: Literal["circle"] = "circle"
    radius: int


class Square(BaseModel):
    """Another form."""

    kind: Literal["square"] = "square"
    side: int


class Plain(BaseModel):
    """No rules at all."""

    x: int = 0


def _even(value: int) -> int:
    if value % 2:
        raise ValueError("odd")
    return value


class Thing(Entity, table=table):
    """A field for each kind of rule."""

    keys = Keys("THING#{id}", "THING")
    id: str
    span: Span = Span(low=1, high=2)
    shape: Annotated[Circle | Square, Field(discriminator="kind")] = Square(side=1)
    pair: tuple[int, str] = (1, "a")
    tags: Annotated[set[str], Field(max_length=2)] = Field(default={"a", "b"})
    lines: Annotated[list[int], Field(min_length=1)] = Field(default=[1])
    hours: Annotated[dict[Annotated[str, Field(max_length=3)], int], Field(max_length=2)] = Field(
        default={"a": 1, "b": 2}
    )
    even: int = 0
    steps: Annotated[int, AfterValidator(_even)] = 0
    plain: Plain = Plain()

    @field_validator("even")
    @classmethod
    def is_even(cls, value: int) -> int:
        return _even(value)


class Window(Entity, table=table):
    """A rule of the entity's own."""

    keys = Keys("WINDOW#{id}", "WINDOW")
    id: str
    opens: int = 9
    closes: int = 17
    note: str = ""

    @model_validator(mode="after")
    def in_order(self) -> Self:
        if self.opens >= self.closes:
            raise ValueError("a window closes after it opens")
        return self


THING, WINDOW = key(Thing, id="1"), key(Window, id="1")


@dataclass
class Watched:
    """A session and the operations that it sent."""

    db: Session
    sent: list[str] = field(default_factory=list)
    before: Any = None


@pytest.fixture
def watched() -> Iterator[Watched]:
    transport = EmbeddedTransport.open("memory:")
    execute = transport.engine.execute
    with table.open(transport, create=True) as db:
        db.create(Thing(id="1"))
        db.create(Window(id="1"))
        found = Watched(db)

        def send(operation: str, request: dict[str, Any]) -> dict[str, Any]:
            found.sent.append(operation)
            if found.before is not None and operation == "UpdateItem":
                before, found.before = found.before, None
                before()
            return execute(operation, request)

        transport.send = send  # type: ignore[method-assign]
        yield found
    transport.close()


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a rule about two parts": ({"set": {"span.low": 5}}, "span"),
    "a part of another form": ({"set": {"shape.radius": 5}}, "shape"),
    "the name of another form": ({"set": {"shape.kind": "circle"}}, "shape"),
    "a part of a fixed tuple": ({"remove": ["pair[0]"]}, "pair"),
    "too many members": ({"include": {"tags": ["c"]}}, "tags: Set should have at most 2"),
    "too few elements": ({"remove": ["lines[0]"]}, "lines: List should have at least 1"),
    "too many keys": ({"set": {"hours.c": 1}}, "hours: Dictionary should have at most 2"),
    "a key of the wrong form": ({"set": {"hours.long": 1}}, "hours"),
    "a validator of the field": ({"add": {"even": 1}}, "even: Value error, odd"),
    "a validator on the type": ({"add": {"steps": 3}}, "steps: Value error, odd"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_would_break_a_rule_is_refused_and_unchanged(watched: Watched, name: str) -> None:
    changes, words = WRONG[name]
    with pytest.raises(FieldTypeError, match=words) as caught:
        watched.db.update(THING, **changes)
    assert "Nothing was written" in str(caught.value)
    assert watched.db.get(THING) == Thing(id="1")


RIGHT: list[dict[str, Any]] = [
    {"set": {"span.low": 2}},
    {"set": {"shape.side": 5}},
    {"set": {"pair[1]": "b"}},
    {"include": {"tags": ["a"]}},
    {"set": {"hours.a": 5}},
    {"add": {"even": 2, "steps": -4}},
]


@pytest.mark.parametrize("changes", RIGHT, ids=[str(n) for n in range(len(RIGHT))])
def test_what_keeps_the_rules_is_written(watched: Watched, changes: dict[str, Any]) -> None:
    after = watched.db.update(THING, **changes)
    assert watched.sent == ["GetItem", "UpdateItem"]
    assert watched.db.get(THING) == after
    assert watched.db.put(after) == after


def test_a_change_without_such_rules_needs_no_read(watched: Watched) -> None:
    assert watched.db.update(THING, set={"plain.x": 5}).plain == Plain(x=5)
    assert watched.sent == ["UpdateItem"]


def test_a_rule_of_the_entity_holds_in_every_update(watched: Watched) -> None:
    assert watched.db.update(WINDOW, set={"opens": 8}).opens == 8
    with pytest.raises(FieldTypeError, match="a window closes after it opens"):
        watched.db.update(WINDOW, set={"opens": 18})
    with pytest.raises(FieldTypeError, match="a window closes after it opens"), watched.db.transaction() as tx:
        tx.update(WINDOW, add={"opens": 12})
    assert watched.db.get(WINDOW) == Window(id="1", opens=8)


def test_a_rule_holds_although_another_writer_was_between(watched: Watched) -> None:
    def interfere() -> None:
        watched.db.update(WINDOW, set={"closes": 12})

    watched.before = interfere
    with pytest.raises(FieldTypeError, match="a window closes after it opens"):
        watched.db.update(WINDOW, set={"opens": 14})
    assert watched.db.get(WINDOW) == Window(id="1", closes=12)


def test_what_the_service_would_refuse_is_refused_in_the_same_words_before(watched: Watched) -> None:
    numbers = {"TableName": "Verified", "Key": {"PK": {"S": "THING#1"}, "SK": {"S": "THING"}}}
    change = {"UpdateExpression": "SET tags = :t", "ExpressionAttributeValues": {":t": {"S": "no set"}}}
    watched.db.send("UpdateItem", {**numbers, **change})
    with pytest.raises(DecodeError, match="holds something else than its fields say"):
        watched.db.update(THING, include={"tags": ["c"]})
