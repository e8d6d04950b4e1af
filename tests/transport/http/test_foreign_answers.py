"""Answers with status 200 that are not DynamoDB's: reads fail, writes are unsure, and nothing leaves the tree of errors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import Field

from tablewright import GSI, Entity, Keys, RetryPolicy, Table, get, key, open_table
from tablewright.errors import (
    AlreadyExistsError,
    DecodeError,
    NetworkError,
    OutcomeUnknownError,
    TablewrightError,
    TransactionCanceled,
    UnprocessedError,
)
from tests.transport.http.rogue import Rogue, answer, http, raw

ONCE = RetryPolicy(max_retries=0)
yard = Table("Yard", indexes=[GSI("GSI1")])


class Boat(Entity, table=yard):
    keys = Keys("BOAT#{boat}", "BOAT#{boat}", GSI1=("PIER#{pier}", "{boat}"))
    boat: str
    pier: str = "p"
    length: int = 0


class Buoy(Entity, table=yard):
    """Its items are read as dicts, because of a set that may be missing."""

    keys = Keys("BUOY#{buoy}", "BUOY#{buoy}", GSI1=("LIT#{pier}", "{buoy}"))
    buoy: str
    pier: str = "p"
    lights: set[str] = Field(default_factory=set)


def one(kind: Any) -> Any:
    return key(kind, **{kind.__name__.lower(): "1"})


def both(kind: Any) -> Any:
    return [one(kind), key(kind, **{kind.__name__.lower(): "2"})]


def item(kind: Any) -> dict[str, Any]:
    name = kind.__name__
    keys = {"PK": {"S": f"{name.upper()}#1"}, "SK": {"S": f"{name.upper()}#1"}}
    return {**keys, "Type": {"S": name}, name.lower(): {"S": "1"}, "pier": {"S": "p"}}


READS: dict[str, tuple[Callable[[Any, Any], Any], list[Any]]] = {
    "get": (lambda db, kind: db.get(one(kind)), [{"Item": 5}, {"Item": []}, {"Item": "x"}]),
    "get_many": (
        lambda db, kind: db.get_many(both(kind)),
        [
            {},
            {"Responses": None},
            {"Responses": 5},
            {"Responses": {"Yard": 5}},
            {"Responses": {"Yard": [5]}},
            {"Responses": {}, "UnprocessedKeys": 5},
            {"Responses": {}, "UnprocessedKeys": {"Yard": []}},
            {"Responses": {}, "UnprocessedKeys": {"Yard": {"Keys": 5}}},
            {"Responses": {}, "UnprocessedKeys": {"Other": {"Keys": []}}},
        ],
    ),
    "together": (
        lambda db, kind: db.get_many(both(kind), together=True),
        [{}, {"Responses": {}}, {"Responses": [{}]}, {"Responses": [{}, 5]}, {"Responses": [{}, {"Item": 5}]}],
    ),
    "query": (
        lambda db, kind: db.query(kind, kind.pier == "p").take(2),
        [
            {},
            {"Count": 1},
            {"Items": None},
            {"Items": 5},
            {"Items": {}},
            {"Items": [5]},
            {"Items": [None]},
            {"Items": [], "LastEvaluatedKey": 5},
            {"Items": [], "ScannedCount": "x"},
            {"Items": [], "ScannedCount": -1},
            {"Items": [], "ConsumedCapacity": 5},
            {"Items": [], "ConsumedCapacity": []},
        ],
    ),
    "count": (
        lambda db, kind: db.query(kind, kind.pier == "p").count(),
        [{}, {"Count": None}, {"Count": "1"}, {"Count": -1}, {"Count": 1, "LastEvaluatedKey": []}],
    ),
    "sweep": (lambda db, kind: db.sweep_for_maintenance(kind, print, segments=1), [{}, {"Items": [5]}]),
    "statement": (
        lambda db, kind: db.statement('SELECT * FROM "{table}" WHERE PK = ?', ["x"], into=kind).take(2),
        [{}, {"Items": 5}, {"Items": [], "NextToken": 5}],
    ),
    "ensure_table": (lambda db, kind: db.ensure_table(), [{}, {"Table": 5}, {"Table": {"TableStatus": "ACTIVE"}}]),
}
WRITES: dict[str, tuple[Callable[[Any, Any], Any], list[Any]]] = {
    "update": (
        lambda db, kind: db.update(one(kind), set={"pier": "q"}),
        [{}, {"Attributes": None}, {"Attributes": 5}, {"Attributes": []}],
    ),
    "put": (lambda db, kind: db.put(kind(**both(kind)[0].fields), returns="old"), [{"Attributes": 5}]),
    "delete": (lambda db, kind: db.delete(one(kind)), [{"Attributes": 5}]),
    "increment": (lambda db, kind: db.increment(one(Boat), Boat.length), [{"Attributes": 5}]),
}
DEEP = b'{"Item":' + b"[" * 5000 + b"]" * 5000 + b"}"


def told(way: str, url: str, call: Callable[[Any], Any]) -> TablewrightError:
    """The error of a call on a session of either kind."""

    async def awaited() -> None:
        async with yard.open_async(url, retry=ONCE, create=False) as db:
            await call(db)

    with pytest.raises(TablewrightError) as caught:
        if way == "async":
            asyncio.run(awaited())
        else:
            with yard.open(url, retry=ONCE, create=False) as db:
                call(db)
    return caught.value


def cases(of: dict[str, tuple[Callable[[Any, Any], Any], list[Any]]]) -> Iterator[Any]:
    for name, (call, answers) in of.items():
        for number, response in enumerate(answers):
            for entity in (Boat, Buoy):
                yield pytest.param(call, response, entity, id=f"{name}-{number}-{entity.__name__}")


@pytest.mark.parametrize(("call", "response", "entity"), list(cases(READS)))
def test_a_read_fails_as_if_no_reply_had_come(
    kind: str, call: Callable[[Any, Any], Any], response: Any, entity: Any
) -> None:
    with Rogue(answer(response)) as server:
        error = told(kind, server.url, lambda db: call(db, entity))
    assert type(error) is NetworkError
    assert error.retryable
    assert "is not one that DynamoDB gives" in error.message


@pytest.mark.parametrize(("call", "response", "entity"), list(cases(WRITES)))
def test_of_a_write_the_outcome_is_unknown(
    kind: str, call: Callable[[Any, Any], Any], response: Any, entity: Any
) -> None:
    with Rogue(answer(response)) as server:
        error = told(kind, server.url, lambda db: call(db, entity))
    assert type(error) is OutcomeUnknownError
    assert "is not one that DynamoDB gives; the write may or may not have happened." in error.message
    assert isinstance(error.__cause__, NetworkError)


def test_a_prepared_update_is_as_unsure_as_a_planned_one(kind: str) -> None:
    yard.plan.of(Boat).prepared.clear()
    good = answer({"Attributes": item(Boat)})
    with Rogue(good, answer({})) as server:

        def twice(db: Any) -> Any:
            async def awaited() -> None:
                await db.update(one(Boat), set={"length": 1})
                await db.update(one(Boat), set={"length": 2})

            if kind == "async":
                return awaited()
            db.update(one(Boat), set={"length": 1})
            return db.update(one(Boat), set={"length": 2})

        assert type(told(kind, server.url, twice)) is OutcomeUnknownError
        assert len(server.requests) == 2
    assert ("length",) in yard.plan.of(Boat).prepared


@pytest.mark.parametrize(
    "left",
    [
        5,
        {"Yard": 5},
        {"Yard": [5]},
        {"Yard": [{}]},
        {"Yard": [{"PutRequest": 5}]},
        {"Yard": [{"PutRequest": {}}]},
        {"Other": []},
    ],
)
def test_a_batch_tells_what_may_not_be_written(left: Any) -> None:
    with (
        Rogue(answer({"UnprocessedItems": left})) as server,
        yard.open(server.url, retry=ONCE, create=False) as db,
        pytest.raises(UnprocessedError) as caught,
        db.batch() as batch,
    ):
        batch.put(Boat(boat="1"))
    assert len(caught.value.keys) == 1


@pytest.mark.parametrize("status", ["200 OK", "400 Bad Request"])
def test_what_is_nested_without_end_is_no_reply(kind: str, status: str) -> None:
    with Rogue(raw(http(DEEP, status=status))) as server:
        error = told(kind, server.url, lambda db: db.get(one(Boat)))
    assert "could not be read" in error.message or "status 400" in error.message


def test_an_item_without_its_key_is_told(kind: str) -> None:
    bare = {"GSI1PK": {"S": "LIT#p"}, "GSI1SK": {"S": "1"}, "Type": {"S": "Buoy"}, "pier": {"S": "p"}}
    with Rogue(answer({"Items": [bare]})) as server:
        error = told(kind, server.url, lambda db: db.delete(get(Buoy, Buoy.pier == "p", Buoy.buoy == "1").via("GSI1")))
    assert type(error) is DecodeError
    assert error.message == "Buoy: an item came without its key attribute PK."


def test_plain_tables_too() -> None:
    description = {
        "TableStatus": "ACTIVE",
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
    }
    with (
        Rogue(answer({"Table": description}), answer(), answer({"Attributes": 5}), answer()) as server,
        open_table("Yard", server.url, retry=ONCE) as table,
    ):
        with pytest.raises(NetworkError, match="is not one that DynamoDB gives"):
            table.query("x").all()
        with pytest.raises(OutcomeUnknownError):
            table.put({"PK": "x"}, return_values="ALL_OLD")
        with pytest.raises(NetworkError, match="is not one that DynamoDB gives"):
            table.scan().count()


@pytest.mark.parametrize("item", [5, [1], "x"])
def test_a_refusal_that_brings_no_item_along(kind: str, item: Any) -> None:
    name = "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"
    refusal = {"__type": name, "message": "no", "Item": item}
    with Rogue(answer(refusal, status="400 Bad Request")) as server:
        error = told(kind, server.url, lambda db: db.create(Boat(boat="1")))
    assert isinstance(error, AlreadyExistsError)
    assert error.item is None


@pytest.mark.parametrize("reasons", [5, [5], {"Code": "x"}])
def test_a_cancellation_that_gives_no_reasons(kind: str, reasons: Any) -> None:
    name = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"
    refusal = {"__type": name, "message": "no", "CancellationReasons": reasons}
    with Rogue(answer(refusal, status="400 Bad Request")) as server:
        error = told(kind, server.url, lambda db: db.get_many(both(Boat), together=True))
    assert isinstance(error, TransactionCanceled)
    assert error.reasons == ()


def test_a_reason_of_another_kind(kind: str) -> None:
    name = "com.amazonaws.dynamodb.v20120810#TransactionCanceledException"
    refusal = {"__type": name, "message": "no", "CancellationReasons": [{"Code": ["x"]}]}
    with Rogue(answer(refusal, status="400 Bad Request")) as server:
        error = told(kind, server.url, lambda db: db.get_many(both(Boat), together=True))
    assert isinstance(error, TransactionCanceled)
    assert not error.transient


@pytest.mark.parametrize("entity", [Boat, Buoy])
def test_good_answers_are_read_whichever_way(kind: str, entity: Any) -> None:
    expected = entity(**{entity.__name__.lower(): "1"})
    page = {"Items": [item(entity)], "Count": 1, "ScannedCount": 1, "ConsumedCapacity": {"CapacityUnits": 0.5}}

    async def read(url: str) -> tuple[Any, Any]:
        async with yard.open_async(url, retry=ONCE, create=False) as db:
            return await db.get(one(entity)), await db.query(entity, entity.pier == "p").all()

    with Rogue(answer({"Item": item(entity)}), answer(page)) as server:
        if kind == "async":
            assert asyncio.run(read(server.url)) == (expected, [expected])
        else:
            with yard.open(server.url, retry=ONCE, create=False) as db:
                assert (db.get(one(entity)), db.query(entity, entity.pier == "p").all()) == (expected, [expected])
