"""Errors about a stored item tell which one it is: its entity and the fields of its key, in attributes and not in messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any

import pytest
from pydantic import Field

from tablewright import (
    Aggregate,
    Entity,
    Keys,
    Session,
    SoftDelete,
    Table,
    attr,
    children,
    key,
    missing,
    open_table,
)
from tablewright.errors import (
    AlreadyExistsError,
    ConcurrentModificationError,
    ConditionalCheckError,
    NotFoundError,
    UniqueViolationError,
)

SECRET = "nobody-may-see-this"
which = Table("Which")


class Page(Entity, table=which, version=True):
    keys = Keys("SITE#{site}", "PAGE#{path}", unique=["slug"])
    site: str
    path: str
    slug: str | None = None
    views: Annotated[int, Field(ge=0, le=5)] = 0
    text: str = ""


class Note(Entity, table=which, soft_delete=SoftDelete()):
    keys = Keys("NOTE#{note_id}", "NOTE#{note_id}")
    note_id: str
    text: str = ""


class Order(Entity, table=which, version=True):
    keys = Keys("ORDER#{order_id}", "ORDER")
    order_id: str
    state: str = "new"


class Line(Entity, table=which, version=True):
    keys = Keys("ORDER#{order_id}", "LINE#{line_id}")
    order_id: str
    line_id: str
    count: int = 1


class OrderTree(Aggregate[Order]):
    lines: list[Line] = children()


HOME = {"site": SECRET, "path": "home"}
ONE = {"note_id": SECRET}


@pytest.fixture
def db() -> Iterator[Session]:
    with which.open("memory:") as opened:
        opened.create(Page(**HOME, slug="first"))
        opened.create(Page(site=SECRET, path="other", slug="second"))
        opened.create(Note(**ONE))
        yield opened


def overtaken_put(db: Session) -> None:
    page = db.get(key(Page, **HOME))
    assert page is not None
    db.update(key(Page, **HOME), set={"text": "theirs"})
    db.put(page)


def overtaken_edit(db: Session) -> None:
    with db.edit(key(Note, **ONE)) as note:
        db.update(key(Note, **ONE), set={"text": "theirs"})
        note.text = "mine"


def overtaken_in_a_transaction(db: Session) -> None:
    page = db.get(key(Page, **HOME))
    assert page is not None
    db.update(key(Page, **HOME), set={"text": "theirs"})
    with db.transaction() as tx:
        tx.create(Page(site="x", path="y"))
        tx.update(page, set={"text": "mine"})


def forgotten(db: Session) -> None:
    db.delete(key(Note, **ONE))
    db.purge(key(Note, **ONE))
    db.undelete(key(Note, **ONE))


@pytest.mark.parametrize(
    ("act", "error", "entity", "fields"),
    [
        pytest.param(overtaken_put, ConcurrentModificationError, "Page", HOME, id="put"),
        pytest.param(overtaken_edit, ConcurrentModificationError, "Note", ONE, id="edit"),
        pytest.param(overtaken_in_a_transaction, ConcurrentModificationError, "Page", HOME, id="transaction"),
        pytest.param(
            lambda db: db.update(key(Page, **HOME), set={"text": "x"}, expected_version=7),
            ConcurrentModificationError,
            "Page",
            HOME,
            id="expected version",
        ),
        pytest.param(lambda db: db.create(Page(**HOME)), AlreadyExistsError, "Page", HOME, id="create"),
        pytest.param(
            lambda db: db.update(key(Page, site=SECRET, path="none"), set={"text": "x"}),
            NotFoundError,
            "Page",
            {"site": SECRET, "path": "none"},
            id="update",
        ),
        pytest.param(
            lambda db: db.update(key(Page, **HOME), set={"text": "x"}, when=missing(Page.text)),
            ConditionalCheckError,
            "Page",
            HOME,
            id="condition",
        ),
        pytest.param(
            lambda db: db.update(key(Page, **HOME), set={"slug": "second"}),
            UniqueViolationError,
            "Page",
            HOME,
            id="unique",
        ),
        pytest.param(
            lambda db: db.increment(key(Page, **HOME), Page.views, 9), ConditionalCheckError, "Page", HOME, id="limit"
        ),
        pytest.param(forgotten, NotFoundError, "Note", ONE, id="undelete"),
        pytest.param(lambda db: db.undelete(key(Note, **ONE)), AlreadyExistsError, "Note", ONE, id="not deleted"),
    ],
)
def test_which_item_it_is(
    db: Session, act: Callable[[Session], Any], error: type[ConditionalCheckError], entity: str, fields: dict[str, Any]
) -> None:
    with pytest.raises(error) as caught:
        act(db)
    assert type(caught.value) is error
    assert caught.value.entity == entity
    assert caught.value.key == fields
    assert SECRET not in str(caught.value)
    assert entity in caught.value.message
    if error is ConcurrentModificationError:
        assert f"{entity} ({', '.join(fields)})" in caught.value.message


def test_which_item_of_a_tree(db: Session) -> None:
    tree = OrderTree(entity=Order(order_id="o1"), lines=[Line(order_id="o1", line_id=SECRET)])
    db.save_tree(tree)
    loaded = db.load_tree(OrderTree, key(Order, order_id="o1"))
    db.update(key(Line, order_id="o1", line_id=SECRET), set={"count": 2})
    loaded.lines[0].count = 3
    with pytest.raises(
        ConcurrentModificationError, match=r"removed a Line of this tree \(order_id, line_id\) since"
    ) as caught:
        db.save_tree(loaded)
    assert (caught.value.entity, caught.value.key) == ("Line", {"order_id": "o1", "line_id": SECRET})


def test_which_item_of_a_plain_table() -> None:
    with open_table("Plain", "memory:", definition=Table("Plain", pk="id", sk=None)) as plain:
        plain.save({"id": SECRET})
        with pytest.raises(ConcurrentModificationError) as caught:
            plain.save({"id": SECRET})
        assert caught.value.key == {"id": SECRET}
        assert caught.value.entity is None
        assert SECRET not in str(caught.value)
        with pytest.raises(ConditionalCheckError):
            plain.put({"id": SECRET}, when=missing(attr("id")))


def test_a_key_that_other_code_made_is_told_as_far_as_it_goes(db: Session) -> None:
    table = Table("Adopted", pk="PK", sk="SK")

    class Seat(Entity, table=table):
        keys = Keys("HALL#{hall}", "SEAT#{row:3}")
        hall: str
        row: int

    plan = table.plan.of(Seat)
    assert plan.told_by_key({"PK": {"S": "HALL#a"}, "SK": {"S": "elsewhere"}}) == {"hall": "a"}
    assert plan.told_by_key({"PK": {"S": "HALL#a"}, "SK": {"S": "SEAT#007"}}) == {"hall": "a", "row": 7}
