"""Fields that rules of an entity work out from others: an update stores them as create does, with all that hangs on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Self

import pytest
from pydantic import Field, ValidationInfo, field_validator, model_validator

from tablewright import (
    GSI,
    AesGcm,
    Aggregate,
    Encrypted,
    Entity,
    Keys,
    RetryPolicy,
    Session,
    Table,
    Written,
    after_write,
    children,
    key,
    query,
)
from tablewright.engine import open_engine
from tablewright.errors import ImmutableFieldError, OutcomeUnknownError, UniqueViolationError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.doubles import OnTheWay

table = Table("WorkedOut", indexes=[GSI("GSI1")])


class PostInit(Entity, table=table, timestamps=False):
    """Worked out after the fields are there; an index, a unique value and a set hang on it."""

    keys = Keys("POST#{id}", "POST", GSI1=("SIZE#{size}", "{id}"), unique=["slug"])
    id: str
    title: str
    width: int = 1
    height: int = 1
    size: str = ""
    slug: str = ""
    area: int | None = None
    words: set[str] = Field(default_factory=set)
    note: str = ""

    def model_post_init(self, context: Any) -> None:
        self.area = self.width * self.height or None
        self.size = "large" if self.area and self.area > 10 else "small"
        self.slug = self.title.lower().replace(" ", "-")
        self.words = {word for word in self.title.split() if len(word) > 3}


class Looking(Entity, table=table, timestamps=False):
    """A validator of one field that looks at another."""

    keys = Keys("LOOK#{id}", "LOOK")
    id: str
    title: str
    slug: str = Field(default="", validate_default=True)

    @field_validator("slug")
    @classmethod
    def of_title(cls, value: str, info: ValidationInfo) -> str:
        return str(info.data["title"]).lower()


class Moving(Entity, table=table, timestamps=False):
    """A rule that works out a part of the key."""

    keys = Keys("MOVE#{id}", "{place}")
    id: str
    room: str
    place: str = ""

    @model_validator(mode="after")
    def placed(self) -> Self:
        vars(self)["place"] = f"in-{self.room}"
        return self


told: list[frozenset[str]] = []


class Sealed(Entity, table=table, timestamps=False):
    """What is worked out is encrypted; a hook is told which fields were changed."""

    keys = Keys("SEALED#{id}", "SEALED")
    id: str
    name: str
    note: str = ""
    secret: Annotated[str, Encrypted(AesGcm({"k": bytes(16)}))] = ""

    def model_post_init(self, context: Any) -> None:
        self.secret = f"of {self.name}"

    @staticmethod
    @after_write
    def tell(written: Written[Any]) -> None:
        told.append(written.fields)


@pytest.fixture
def db() -> Iterator[Session]:
    with table.open("memory:") as session:
        yield session


def raw(db: Session, pk: str, sk: str) -> dict[str, Any]:
    request = {"TableName": "WorkedOut", "Key": {"PK": {"S": pk}, "SK": {"S": sk}}}
    found: dict[str, Any] = db.send("GetItem", request)["Item"]
    return found


def same_as_created(db: Session, **fields: Any) -> None:
    """What is stored is what create() would store."""
    found = raw(db, "POST#1", "POST")
    db.delete(key(PostInit, id="1"))
    db.create(PostInit(id="1", **fields))
    assert found == raw(db, "POST#1", "POST")


def test_an_update_stores_what_the_rules_work_out_with_its_index_keys(db: Session) -> None:
    db.create(PostInit(id="1", title="a", width=2, height=3))
    after = db.update(key(PostInit, id="1"), set={"width": 5})
    assert (after.area, after.size) == (15, "large")
    assert raw(db, "POST#1", "POST")["GSI1PK"] == {"S": "SIZE#large"}
    assert [p.id for p in db.execute(query(PostInit, PostInit.size == "large"))] == ["1"]
    same_as_created(db, title="a", width=5, height=3)


def test_what_is_worked_out_as_nothing_is_removed(db: Session) -> None:
    db.create(PostInit(id="1", title="long title", width=2))
    db.update(key(PostInit, id="1"), set={"width": 0, "title": "no"})
    item = raw(db, "POST#1", "POST")
    assert "area" not in item
    assert "words" not in item
    same_as_created(db, title="no", width=0)


def test_a_unique_value_that_is_worked_out_moves(db: Session) -> None:
    db.create(PostInit(id="1", title="One"))
    db.create(PostInit(id="2", title="Two"))
    with pytest.raises(UniqueViolationError):
        db.update(key(PostInit, id="2"), set={"title": "ONE"})
    db.update(key(PostInit, id="1"), set={"title": "Three"})
    assert db.update(key(PostInit, id="2"), set={"title": "ONE"}).slug == "one"
    with pytest.raises(UniqueViolationError):
        db.create(PostInit(id="3", title="three"))


@pytest.mark.parametrize("way", ["transaction", "upsert", "edit", "revise", "increment"])
def test_every_write_stores_what_is_worked_out(db: Session, way: str) -> None:
    db.create(PostInit(id="1", title="a", width=4, height=3))
    one = key(PostInit, id="1")
    match way:
        case "transaction":
            with db.transaction() as tx:
                tx.update(one, set={"width": 5})
        case "upsert":
            db.upsert(PostInit(id="1", title="a"), set={"width": 5})
        case "edit":
            with db.edit(one) as post:
                post.width = 5
        case "revise":
            db.revise(one, lambda post: setattr(post, "width", 5))
        case _:
            db.increment(one, PostInit.width)
    assert raw(db, "POST#1", "POST")["area"] == {"N": "15"}


def test_a_field_that_nothing_is_worked_out_of_changes_alone(db: Session) -> None:
    db.create(PostInit(id="1", title="a"))
    fields = db.update(key(PostInit, id="1"), set={"note": "n"}, returns="new_fields")
    assert fields == {"note": "n"}


def test_the_changed_fields_include_what_was_worked_out(db: Session) -> None:
    db.create(PostInit(id="1", title="a"))
    fields = db.update(key(PostInit, id="1"), set={"width": 20}, returns="new_fields")
    assert fields == {"width": 20, "area": 20, "size": "large"}


def test_a_validator_that_looks_at_another_field_is_followed(db: Session) -> None:
    db.create(Looking(id="1", title="One"))
    assert db.update(key(Looking, id="1"), set={"title": "TWO"}).slug == "two"


def test_a_rule_that_would_move_the_item_is_refused(db: Session) -> None:
    made = db.create(Moving(id="1", room="a"))
    before = raw(db, "MOVE#1", "in-a")
    with pytest.raises(ImmutableFieldError, match="a rule of Moving makes another 'place'"):
        db.update(made, set={"room": "b"})
    assert raw(db, "MOVE#1", "in-a") == before


def test_a_second_plan_works_out_anew(db: Session) -> None:
    """The first plan met an item that another writer changed meanwhile."""
    first = db.create(PostInit(id="1", title="a", width=20))
    db.update(key(PostInit, id="1"), set={"height": 0})
    after = db.update(first, set={"width": 3})
    assert (after.area, after.size) == (None, "small")
    same_as_created(db, title="a", width=3, height=0)


def test_a_sealed_field_that_is_worked_out_is_sealed_anew_and_told(db: Session) -> None:
    db.create(Sealed(id="1", name="a"))
    before = raw(db, "SEALED#1", "SEALED")["secret"]
    told.clear()
    db.update(key(Sealed, id="1"), set={"note": "n"})
    assert raw(db, "SEALED#1", "SEALED")["secret"] == before
    assert db.update(key(Sealed, id="1"), set={"name": "b"}).secret == "of b"
    assert raw(db, "SEALED#1", "SEALED")["secret"] != before
    assert told == [{"note"}, {"name", "secret"}]


# ------------------------------------------------------------------------------------------------------- trees


class Cart(Entity, table=table, version=True):
    """Counts its lines, and works out more from their number."""

    keys = Keys("CART#{id}", "CART", GSI1=("CARTS#{state}", "{id}"))
    id: str
    count: int = 0
    state: str = "empty"
    title: str = ""

    def model_post_init(self, context: Any) -> None:
        self.state = "full" if self.count else "empty"


class Line(Entity, table=table):
    """One line of a cart."""

    keys = Keys("CART#{id}", "LINE#{line}")
    id: str
    line: str


class CartTree(Aggregate[Cart]):
    """A cart with its lines."""

    lines: list[Line] = children(count="count")


def state_of(db: Session, tree: CartTree) -> list[str]:
    """What the tree, the item and its index say."""
    item = raw(db, "CART#1", "CART")
    return [tree.entity.state, item["state"]["S"], item["GSI1PK"]["S"].removeprefix("CARTS#")]


@pytest.mark.parametrize("lost", [False, True], ids=["answered", "lost"])
def test_what_is_worked_out_from_a_counted_number_of_children_follows_it(lost: bool) -> None:
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        policy = RetryPolicy(base_delay=0.0, max_delay=0.0, max_retries=0 if lost else 3)
        with table.open(wire, create=True, retry=policy) as db:
            tree = CartTree(entity=Cart(id="1"), lines=[Line(id="1", line="a")])
            wire.restart()
            wire.lose = {0} if lost else set()
            if lost:
                with pytest.raises(OutcomeUnknownError):
                    db.save_tree(tree)
            db.save_tree(tree)
            assert state_of(db, tree) == ["full"] * 3
            tree.lines.clear()
            db.save_tree(tree)
            assert state_of(db, tree) == ["empty"] * 3
            tree.entity.title = "t"  # is guarded by what the tree knows of the item
            tree.lines.append(Line(id="1", line="b"))
            db.save_tree(tree)
            assert state_of(db, tree) == ["full"] * 3
