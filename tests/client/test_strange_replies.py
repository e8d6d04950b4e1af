"""Replies that nobody expects: items that are none, conditions that fail on items which nobody told, keys that were not
asked for. They are told as what they are, and nothing is claimed that is not known."""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from tablewright import (
    GSI,
    Entity,
    Keys,
    Query,
    RetryPolicy,
    Session,
    SoftDelete,
    Table,
    attr,
    collect,
    key,
    many,
    one,
    query,
)
from tablewright import open_table as open_plain
from tablewright.engine import Engine, open_engine
from tablewright.errors import (
    AlreadyExistsError,
    ConcurrentModificationError,
    ConditionalCheckError,
    ConditionalCheckFailed,
    ContentionError,
    DecodeError,
    NetworkError,
    NotFoundError,
    TablewrightError,
    TransactionCanceled,
    UnprocessedError,
)
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.doubles import AsyncScripted

table = Table("Strange", indexes=[GSI("GSI1"), GSI("GSI2")])


class User(Entity, table=table, version=True):
    """With everything that makes writes look at items."""

    keys = Keys("USER#{id}", "USER#{id}", GSI1=("STATUS#{status}", "{id}"), unique=["email"])
    id: str
    status: str = "a"
    n: int = 0
    email: str | None = None
    tags: set[str] = set()  # noqa: RUF012 - Pydantic copies it
    parts: dict[str, int] = {}  # noqa: RUF012


class Note(Entity, table=table, soft_delete=SoftDelete(feed="GSI2")):
    """With tombstones and a feed."""

    keys = Keys("USER#{id}", "NOTE#{note}", GSI2=("NOTES#{id}", "{updated_at}#{note}"))
    id: str
    note: str
    text: str = ""


class Plain(Entity, table=table, timestamps=False):
    """Nothing but fields: its writes are prepared."""

    keys = Keys("PLAIN#{id}", "PLAIN")
    id: str
    text: str = ""


class Both:
    """A user with the notes."""

    def __init__(self, user: User | None, notes: list[Note]) -> None:
        self.user, self.notes = user, notes


@table.pattern
def notes_of(id: str) -> Query[Note]:  # noqa: A002
    "The notes of a user."
    return query(Note, Note.id == id)


class Mangling:
    """Sends on to an engine, and does to answers and errors what it was told."""

    def __init__(self, engine: Engine) -> None:
        self._inner = EmbeddedTransport(engine, owned=False)
        self.sent: list[str] = []
        self.answer: Callable[[str, dict[str, Any]], dict[str, Any]] = lambda _, answer: answer
        self.tells = True

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.sent.append(operation)
        try:
            answer = self._inner.send(operation, request)
        except ConditionalCheckFailed as failed:
            failed.item = self.answer(operation, {"Item": failed.item})["Item"] if self.tells else None
            raise
        except TransactionCanceled as canceled:
            if not self.tells:
                canceled.reasons = tuple(replace(reason, item=None) for reason in canceled.reasons)
            raise
        return self.answer(operation, copy.deepcopy(answer))

    def close(self) -> None:
        self._inner.close()


@pytest.fixture
def wire() -> Iterator[Mangling]:
    with open_engine("memory:") as engine:
        yield Mangling(engine)


@pytest.fixture
def db(wire: Mangling) -> Iterator[Session]:
    policy = RetryPolicy(base_delay=0.0, max_delay=0.0)
    with table.open(wire, create=True, retry=policy, cursor_keys=[bytes(16)]) as session:
        session.create(User(id="1", email="e", tags={"t"}, parts={"p": 1}))
        session.create(Note(id="1", note="1"))
        session.create(Note(id="1", note="2"))
        session.create(Plain(id="1"))
        wire.sent.clear()
        yield session


USER, NOTE, PLAIN = key(User, id="1"), key(Note, id="1", note="1"), key(Plain, id="1")

# ------------------------------------------------------------------------------------------- items that are none


def _edited(db: Session) -> None:
    with db.edit(USER) as user:
        user.status = "z"


def _together(db: Session) -> None:
    with db.transaction() as tx:
        tx.update(USER, add={"n": 1})
        tx.delete(NOTE)


DEEDS: dict[str, Callable[[Session], object]] = {
    "get": lambda db: db.get(USER),
    "get-many": lambda db: db.get_many([USER, NOTE]),
    "get-together": lambda db: db.get_many([USER, NOTE], together=True),
    "put": lambda db: db.put(User(id="1", status="q")),
    "put-note": lambda db: db.put(Note(id="1", note="1", text="q")),
    "put-old": lambda db: db.put(Plain(id="1"), returns="old"),
    "update": lambda db: db.update(USER, set={"status": "b"}),
    "update-plain": lambda db: db.update(PLAIN, set={"text": "b"}),
    "update-old": lambda db: db.update(NOTE, set={"text": "b"}, returns="old"),
    "update-when": lambda db: db.update(USER, set={"status": "b"}, when=User.n == 5),
    "increment": lambda db: db.increment(USER, User.n),
    "upsert": lambda db: db.upsert(User(id="1", n=3)),
    "create": lambda db: db.create(User(id="1")),
    "delete": lambda db: db.delete(USER),
    "bury": lambda db: db.delete(NOTE),
    "query": lambda db: db.run(notes_of, "1").all(),
    "page": lambda db: db.run(notes_of, "1").page(limit=1),
    "changes": lambda db: db.changes(Note, Note.id == "1"),
    "collection": lambda db: db.delete_collection(USER),
    "edit": _edited,
    "transaction": _together,
    "scan": lambda db: list(db.scan_for_maintenance(Note)),
}
NO_VALUES: dict[str, Any] = {
    "null": None,
    "number": 1,
    "text": "x",
    "list": [],
    "empty": {},
    "two": {"S": "a", "N": "1"},
    "untrue-text": {"S": 1},
    "untrue-number": {"N": "x"},
    "untrue-map": {"M": []},
    "untrue-list": {"L": {}},
    "untrue-set": {"SS": [1]},
}


def _mangled(value: Any) -> Callable[[str, dict[str, Any]], Iterator[dict[str, Any]]]:
    """The same answer with one attribute of one item replaced, for each attribute of each item in turn."""

    def each(operation: str, answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
        holders = [answer, *(r for r in _listed(answer.get("Responses")) if isinstance(r, dict))]
        items = [i for h in holders for i in (h.get("Item"), h.get("Attributes")) if i]
        items += answer.get("Items", [])
        if isinstance(answer.get("Responses"), dict):
            items += [i for found in answer["Responses"].values() for i in found]
        for item in items:
            for name in list(item):
                kept, item[name] = item[name], value
                yield copy.deepcopy(answer)
                del item[name]
                yield copy.deepcopy(answer)
                item[name] = kept

    return each


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


@pytest.mark.parametrize("value", NO_VALUES.values(), ids=list(NO_VALUES))
@pytest.mark.parametrize("deed", DEEDS.values(), ids=list(DEEDS))
def test_an_item_that_is_none_is_told_as_such(wire: Mangling, db: Session, deed: Any, value: Any) -> None:
    """Whatever stands where in the first reply that holds items, the error is one of ours, if there is one."""
    seen: list[tuple[str, dict[str, Any]]] = []

    def note(operation: str, answer: dict[str, Any]) -> dict[str, Any]:
        seen.append((operation, copy.deepcopy(answer)))
        return answer

    wire.answer = note
    with contextlib.suppress(TablewrightError):
        deed(db)
    operation, first = next((o, a) for o, a in seen if any(_mangled(None)(o, a)))
    for mangled in _mangled(value)(operation, first):
        once = [mangled]
        wire.answer = lambda op, answer, once=once: once.pop() if once and op == operation else answer  # type: ignore[misc]
        with contextlib.suppress(TablewrightError):
            deed(db)
        assert once == [], "nobody asked for this reply"


def _set(name: str, value: Any) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    def answer(operation: str, answer: dict[str, Any]) -> dict[str, Any]:
        for item in (answer.get("Item"), answer.get("Attributes"), *answer.get("Items", [])):
            if item:
                item[name] = value
        return answer

    return answer


def test_the_error_names_operation_and_attribute_but_no_value(wire: Mangling, db: Session) -> None:
    wire.answer = _set("CreatedAt", "a secret")
    with pytest.raises(DecodeError, match=r"item in the reply to GetItem has 'CreatedAt', which is no") as caught:
        db.put(User(id="1"))
    assert "a secret" not in str(caught.value)
    wire.answer = _set("Type", "a secret")
    with pytest.raises(DecodeError, match=r"A stored Note has a 'Type' that is no attribute value") as caught:
        db.run(notes_of, "1").all()
    assert "a secret" not in str(caught.value)


def test_an_item_that_lacks_its_key_is_told_as_such(wire: Mangling, db: Session) -> None:
    def without(operation: str, answer: dict[str, Any]) -> dict[str, Any]:
        for item in answer.get("Items", []):
            item.pop("GSI2SK", None)
        return answer

    wire.answer = without
    with pytest.raises(DecodeError, match="lacks 'GSI2SK'"):
        db.changes(Note, Note.id == "1")


def test_a_write_whose_answer_is_no_item_is_said_to_be_made(wire: Mangling, db: Session) -> None:
    wire.answer = lambda op, answer: _set("Type", 1)(op, answer) if op == "UpdateItem" else answer
    with pytest.raises(DecodeError, match="The change was written, but the item cannot be read"):
        db.update(PLAIN, set={"text": "new"})
    wire.answer = lambda _, answer: answer
    found = db.get(PLAIN)
    assert found is not None
    assert found.text == "new"


def test_an_item_of_an_earlier_page_is_blamed_too(wire: Mangling, db: Session) -> None:
    pages = iter(range(10))

    def paged(operation: str, answer: dict[str, Any]) -> dict[str, Any]:
        if operation == "Query" and next(pages) == 0:
            answer["Items"][0]["SK"] = 1
            answer["LastEvaluatedKey"] = {"PK": {"S": "USER#1"}, "SK": {"S": "NOTE#0"}}
        return answer

    wire.answer = paged
    with pytest.raises(DecodeError, match="item in a reply to Query has 'SK', which is no attribute value"):
        db.execute(collect(Both, user=one(query(User, User.id == "1")), notes=many(query(Note, Note.id == "1"))))


def test_what_a_function_of_the_users_raises_stays_what_it_is(db: Session) -> None:
    def wrong(user: User) -> None:
        raise KeyError("Type")

    with pytest.raises(KeyError, match="Type"):
        db.revise(USER, wrong)


def test_a_plain_table_tells_it_too(wire: Mangling, db: Session) -> None:
    with open_plain("Strange", wire) as plain:
        wire.answer = _set("text", 5)
        for read in (
            lambda: plain.get({"PK": "PLAIN#1", "SK": "PLAIN"}),
            lambda: list(plain.query("USER#1")),
        ):
            with pytest.raises(DecodeError, match="'text', which is no attribute value"):
                read()


# --------------------------------------------------------------------- conditions on items that nobody told


def test_a_condition_without_an_item_is_no_proof_of_absence(wire: Mangling, db: Session) -> None:
    wire.tells = False
    with pytest.raises(ConditionalCheckError) as caught:
        db.update(PLAIN, set={"text": "b"}, when=Plain.text == "other")
    assert caught.value.item == Plain(id="1")
    with pytest.raises(ConcurrentModificationError):
        db.update(USER, set={"n": 2}, expected_version=7)
    with pytest.raises(ConditionalCheckError):
        db.delete(PLAIN, when=Plain.text == "other")
    with pytest.raises(AlreadyExistsError):
        db.create(Plain(id="1"))


def test_what_is_not_there_is_told_as_such(wire: Mangling, db: Session) -> None:
    for wire.tells in (True, False):
        for _ in range(2):  # the second time the update is prepared
            with pytest.raises(NotFoundError):
                db.update(key(Plain, id="none"), set={"text": "b"})
        with pytest.raises(NotFoundError), db.transaction() as tx:
            tx.check(key(Plain, id="none"))
            tx.update(PLAIN, set={"text": "b"})


def test_prepared_updates_claim_no_more(wire: Mangling, db: Session) -> None:
    """What was not there when the update came, but is now, is updated now."""
    absent = key(Plain, id="2")
    db.update(PLAIN, set={"text": "a"})  # prepares it
    assert db.update(PLAIN, set={"text": "b"}).text == "b"
    wire.sent.clear()

    def late(operation: str, answer: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpdateItem" and answer["Item"] is None:
            wire.answer = lambda _, answer: answer
            db.create(Plain(id="2"))
        return answer

    wire.answer = late
    assert db.update(absent, set={"text": "c"}).text == "c"
    assert wire.sent == ["UpdateItem", "PutItem", "GetItem", "UpdateItem"]


def test_guards_hold_where_nobody_tells(wire: Mangling, db: Session) -> None:
    wire.tells = False
    stale = db.get(USER)
    db.update(USER, set={"n": 5})
    assert stale is not None
    with pytest.raises(ConcurrentModificationError):
        db.update(stale, add={"n": 1})
    with pytest.raises(ConcurrentModificationError), db.transaction() as tx:
        tx.put(stale)
        tx.create(Plain(id="9"))
    assert db.get(key(Plain, id="9")) is None
    assert db.upsert(Plain(id="1", text="u")).text == "u"
    assert db.upsert(Plain(id="3", text="new")).text == "new"
    assert db.upsert(User(id="1", status="c")).status == "c"


def test_a_transaction_says_which_condition_failed_where_nobody_tells(wire: Mangling, db: Session) -> None:
    wire.tells = False
    with pytest.raises(ConditionalCheckError) as caught, db.transaction() as tx:
        tx.update(USER, set={"n": 1})
        tx.update(PLAIN, set={"text": "b"}, when=Plain.text == "other")
    assert caught.value.context["action"] == 1


def test_a_service_that_refuses_for_no_reason_is_not_asked_for_ever(wire: Mangling, db: Session) -> None:
    send = wire.send

    def refusing(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation == "UpdateItem":
            raise ConditionalCheckFailed()
        return send(operation, request)

    wire.send = refusing  # type: ignore[method-assign]
    with pytest.raises(ContentionError):
        db.update(PLAIN, set={"text": "b"}, when=Plain.text == "")


def test_a_plain_table_does_not_promise_an_item_that_it_has_not(wire: Mangling, db: Session) -> None:
    wire.tells = False
    with open_plain("Strange", wire) as plain:
        there = {"PK": "PLAIN#1", "SK": "PLAIN"}
        with pytest.raises(ConditionalCheckError, match="no item was told") as caught:
            plain.update(there, set={"text": "b"}, when=attr("text") == "x")
        assert caught.value.item is None


# ------------------------------------------------------------------------------------------ what is left over


LEFT = {
    "no-key": {"PutRequest": {"Item": {"id": {"S": "1"}}}},
    "no-request": {},
    "another": {"PutRequest": {"Item": {"PK": {"S": "PLAIN#other"}, "SK": {"S": "PLAIN"}}}},
    "a-delete": {"DeleteRequest": {"Key": {"PK": {"S": "PLAIN#other"}}}},
}


@pytest.mark.parametrize("left", LEFT.values(), ids=list(LEFT))
def test_unprocessed_writes_that_were_not_sent_are_not_made(wire: Mangling, db: Session, left: dict[str, Any]) -> None:
    wire.answer = lambda op, answer: {"UnprocessedItems": {"Strange": [left]}} if op == "BatchWriteItem" else answer
    with pytest.raises(UnprocessedError) as caught, db.batch() as batch:
        batch.put(Plain(id="7"))
    assert caught.value.keys == [{"PK": {"S": "PLAIN#7"}, "SK": {"S": "PLAIN"}}]
    assert isinstance(caught.value.__cause__, NetworkError)
    assert wire.sent == ["BatchWriteItem"]
    assert db.get(key(Plain, id="other")) is None


def test_unprocessed_keys_that_were_not_asked_for_are_not_read(wire: Mangling, db: Session) -> None:
    other = {"PK": {"S": "PLAIN#other"}, "SK": {"S": "PLAIN"}}
    wire.answer = lambda _, answer: {**answer, "UnprocessedKeys": {"Strange": {"Keys": [other]}}}
    with pytest.raises(NetworkError, match="not one that DynamoDB gives"):
        db.get_many([USER, PLAIN])
    assert wire.sent == ["BatchGetItem"]


READS: dict[str, Callable[[Session], object]] = {
    "all": lambda db: len(db.run(notes_of, "1").all()),
    "page": lambda db: db.run(notes_of, "1").page(limit=1).cursor is None,
    "count": lambda db: db.run(notes_of, "1").count(),
    "scan": lambda db: len(list(db.scan_for_maintenance(Note))),
    "sweep": lambda db: db.sweep_for_maintenance(Note, len, segments=1).items,
    "tally": lambda db: db.tally(notes_of("1")).count,
}


@pytest.mark.parametrize("name", READS)
def test_an_empty_last_key_is_the_end(wire: Mangling, db: Session, name: str) -> None:
    read = READS[name]
    expected = True if name == "page" else read(db)
    wire.sent.clear()
    wire.answer = lambda op, answer: {**answer, "LastEvaluatedKey": {}} if op in ("Query", "Scan") else answer
    assert read(db) == expected
    assert len(wire.sent) == 1


def test_async_sessions_tell_the_same() -> None:
    answers = ({"Item": {"PK": {"S": "PLAIN#1"}, "SK": {"S": "PLAIN"}, "Type": 1}}, {"Item": {"CreatedAt": "x"}})

    async def work() -> None:
        async with table.open_async(AsyncScripted(*answers), create=False) as db:
            with pytest.raises(DecodeError, match="A stored Plain has a 'Type' that is no attribute value"):
                await db.get(PLAIN)
            with pytest.raises(DecodeError, match="item in the reply to GetItem has 'CreatedAt', which is no"):
                await db.put(User(id="1"))

    asyncio.run(work())
