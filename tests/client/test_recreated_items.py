"""What happens to copies of an item that was deleted and made anew, and to values that only a default gives."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import Field

from tablewright import GSI, Entity, Keys, Session, Table, key, stored, ulid
from tablewright.errors import ConcurrentModificationError, ContentionError, DecodeError
from tablewright.transport.embedded import EmbeddedTransport

table = Table("Recreated", indexes=[GSI("GSI1")])


class Plain(Entity, table=table):
    """Sorted by its time of creation."""

    keys = Keys("PLAIN#{id}", "PLAIN", GSI1=("PLAIN", "{created_at}#{id}"))
    id: str
    x: int = 0


class Locked(Entity, table=table, version=True):
    """The same with a version."""

    keys = Keys("LOCKED#{id}", "LOCKED", GSI1=("LOCKED", "{created_at}#{id}"))
    id: str
    x: int = 0


class Tagged(Entity, table=table):
    """Its index key is made of a default that is new each time."""

    keys = Keys("TAGGED#{id}", "TAGGED", GSI1=("TAGGED#{state}", "{ref}"))
    id: str
    state: str = "a"
    ref: str = Field(default_factory=ulid)
    flags: dict[str, int | bool] = Field(default_factory=dict)


class Counter(Entity, table=table):
    """A counter that feeds a key."""

    keys = Keys("COUNTER#{id}", "COUNTER", GSI1=("COUNTER#{group}", "{score:6}"))
    id: str
    group: str = "g"
    score: int = Field(default=0, ge=0)


class Interfering(EmbeddedTransport):
    """Runs something just before the next transaction is sent."""

    before: Any = None

    def __init__(self, inner: EmbeddedTransport) -> None:
        super().__init__(inner.engine)
        self.send = self._send  # type: ignore[method-assign]

    def _send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "TransactWriteItems" and self.before is not None:
            before, self.before = self.before, None
            before()
        return self.engine.execute(operation, request)


@pytest.fixture
def db() -> Iterator[Session]:
    clock = iter(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=n) for n in range(1000))
    with table.open("memory:", clock=lambda: next(clock)) as session:
        yield session


def item(db: Session, kind: str) -> dict[str, Any]:
    (found,) = [i for i in db.send("Scan", {"TableName": "Recreated"})["Items"] if i["Type"] == {"S": kind}]
    return found


def test_a_put_of_an_old_copy_keeps_the_key_of_the_new_item(db: Session) -> None:
    copy = db.create(Plain(id="1"))
    db.delete(key(Plain, id="1"))
    db.create(Plain(id="1", x=5))
    copy.x = 9
    db.put(copy)
    now = item(db, "Plain")
    assert now["GSI1SK"]["S"] == f"{now['CreatedAt']['S']}#1"
    assert now["x"] == {"N": "9"}
    known = stored(copy)
    assert known is not None
    assert known.created == now["CreatedAt"]["S"]


@pytest.mark.parametrize("way", ["put", "update", "delete", "transaction"])
def test_a_lock_holds_although_versions_start_again(db: Session, way: str) -> None:
    copy = db.create(Locked(id="1"))
    db.delete(key(Locked, id="1"))
    db.create(Locked(id="1", x=5))
    before = item(db, "Locked")
    with pytest.raises(ConcurrentModificationError):
        if way == "put":
            db.put(copy)
        elif way == "update":
            db.update(copy, set={"x": 7})
        elif way == "delete":
            db.delete(copy)
        else:
            with db.transaction() as tx:
                tx.put(copy)
    assert item(db, "Locked") == before


def test_a_default_that_a_key_is_made_of_is_stored_with_it(db: Session) -> None:
    db.create(Tagged(id="1"))
    bare = item(db, "Tagged")
    for name in ("ref", "GSI1PK", "GSI1SK"):
        del bare[name]
    db.send("PutItem", {"TableName": "Recreated", "Item": bare})
    db.update(key(Tagged, id="1"), set={"state": "b"})
    now = item(db, "Tagged")
    assert now["GSI1SK"] == now["ref"]
    assert now["GSI1PK"] == {"S": "TAGGED#b"}


def test_an_edit_sees_what_python_calls_equal(db: Session) -> None:
    db.create(Tagged(id="1", flags={"on": 1}))
    with db.edit(key(Tagged, id="1")) as tagged:
        tagged.flags["on"] = True
    assert item(db, "Tagged")["flags"] == {"M": {"on": {"BOOL": True}}}


def test_a_write_whose_answer_cannot_be_read_says_that_it_happened(db: Session) -> None:
    db.create(Counter(id="1"))
    spoilt = item(db, "Counter") | {"group": {"N": "1"}}
    del spoilt["GSI1PK"], spoilt["GSI1SK"]
    db.send("PutItem", {"TableName": "Recreated", "Item": spoilt})
    with pytest.raises(DecodeError, match="was deleted"):
        db.delete(key(Counter, id="1"))
    assert db.get(key(Counter, id="1")) is None


def test_a_token_of_the_callers_is_never_replaced() -> None:
    transport = Interfering(EmbeddedTransport.open("memory:"))
    with table.open(transport) as db:
        db.create_table()
        one = key(Counter, id="1")
        db.create(Counter(id="1"))
        transport.before = lambda: db.update(one, set={"group": "h"})
        with pytest.raises(ContentionError, match="new token"), db.transaction("pay-1") as tx:
            tx.update(one, add={"score": 5})
        found = db.get(one)
        assert found is not None
        assert (found.score, found.group) == (0, "h")
        with db.transaction("pay-2") as tx:
            tx.update(one, add={"score": 5})
        assert db.get(one, consistent=True) == Counter(id="1", group="h", score=5)
