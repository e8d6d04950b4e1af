"""Against servers that run: our own, with and without signatures, and DynamoDB Local."""

from __future__ import annotations

import asyncio
import time
import uuid
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import key
from tablewright.errors import (
    AccessRefused,
    ConditionalCheckFailed,
    RequestRefused,
    ResourceNotFound,
    TablewrightError,
    TransactionCanceled,
)
from tablewright.server import serve_in_thread
from tablewright.transport.http.credentials import Credentials, Fixed
from tests.client.lab import Note, lab
from tests.transport.http.rogue import Caller

BYTES = b64encode(b"\x00\x01").decode()
ITEM = {
    "PK": {"S": "a"},
    "s": {"S": "text \u2028 ünï 😀"},
    "n": {"N": "12.5"},
    "b": {"B": BYTES},
    "t": {"BOOL": True},
    "z": {"NULL": True},
    "l": {"L": [{"B": BYTES}, {"L": []}]},
    "m": {"M": {"B": {"S": "a map with a key called B"}, "BS": {"BS": [BYTES]}}},
    "ss": {"SS": ["a"]},
    "ns": {"NS": ["1"]},
}
KEY = {"PK": {"S": "a"}}


@pytest.fixture(params=["server", "signed", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "dynamodb-local":
        yield request.getfixturevalue("dynamodb_local_url")
        return
    keys = {"access_key": "local", "secret_key": "local"} if request.param == "signed" else {}
    with serve_in_thread(**keys) as server:
        yield server.url


def test_every_type_and_error(kind: str, url: str) -> None:
    name = f"test-{uuid.uuid4().hex}"
    with Caller(kind, url) as caller:
        caller.send(
            "CreateTable",
            {
                "TableName": name,
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
            },
        )
        assert caller.send("PutItem", {"TableName": name, "Item": ITEM}) == {}
        assert caller.send("GetItem", {"TableName": name, "Key": KEY}) == {"Item": ITEM}
        assert caller.send("Scan", {"TableName": name})["Items"] == [ITEM]

        def fails(operation: str, **request: Any) -> TablewrightError:
            with pytest.raises(TablewrightError) as caught:
                caller.send(operation, request)
            assert caught.value.operation == operation
            return caught.value

        new = {"ConditionExpression": "attribute_not_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        failed = fails("PutItem", TableName=name, Item=ITEM, **new)
        assert isinstance(failed, ConditionalCheckFailed)
        assert failed.item == ITEM
        canceled = fails("TransactWriteItems", TransactItems=[{"Put": {"TableName": name, "Item": ITEM, **new}}])
        assert isinstance(canceled, TransactionCanceled)
        assert [(r.code, r.item) for r in canceled.reasons] == [("ConditionalCheckFailed", ITEM)]
        assert isinstance(fails("GetItem", TableName="NoSuchTable", Key=KEY), ResourceNotFound)
        refused = fails("GetItem", TableName=name, Key={"Other": {"S": "a"}})
        assert isinstance(refused, RequestRefused)
        assert refused.wire_name == "ValidationException"
        caller.send("DeleteTable", {"TableName": name})


def test_a_wrong_secret_and_a_wrong_clock(kind: str) -> None:
    with serve_in_thread(access_key="ours", secret_key="right") as server:
        right = Fixed(Credentials("ours", "right"))
        for wrong in (Credentials("ours", "wrong"), Credentials("theirs", "right")):
            with Caller(kind, server.url, credentials=Fixed(wrong)) as caller, pytest.raises(AccessRefused):
                caller.send("ListTables")
        for hours in (-3, 0, 3):
            with Caller(kind, server.url, credentials=right, now=lambda h=hours: time.time() + h * 3600) as caller:
                assert caller.send("ListTables") == {"TableNames": []}
                assert caller.send("ListTables") == {"TableNames": []}


def test_an_async_session(url: str) -> None:
    async def work() -> None:
        name = f"test-{uuid.uuid4().hex}"
        async with lab.open_async(url, create=True, table_name=name, max_connections=5) as db:
            await asyncio.gather(*(db.create(Note(note_id=str(n), text="ä")) for n in range(30)))
            found = await asyncio.gather(*(db.get(key(Note, note_id=str(n))) for n in range(30)))
            assert [note.text for note in found if note is not None] == ["ä"] * 30
            await db.delete_table()

    asyncio.run(work())
