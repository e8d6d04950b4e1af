"""Opening a table: targets, options and the environment; what is wrong fails at once, and nothing is left open."""

from __future__ import annotations

import asyncio
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tablewright import GSI, Entity, Keys, RetryPolicy, SessionOptions, Table, key, number
from tablewright.client.settings import Environment
from tablewright.engine import open_engine
from tablewright.errors import AccessRefused, ConfigError, ModelError, NetworkError, ResourceInUse, ResourceNotFound
from tablewright.transport.http import aio, place, sync
from tablewright.transport.http.credentials import MADE_UP, Fixed
from tablewright.transport.http.route import Timeouts
from tests.client.doubles import AsyncScripted, Scripted
from tests.client.lab import Note, lab

staged = Table("things-{stage}-table", indexes=[GSI("GSI1")])


class Thing(Entity, table=staged):
    """Something."""

    keys = Keys("THING#{number}", "THING#{number}", GSI1=("ALL", "{number}"))
    number: str


AWS = ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL", "TABLEWRIGHT_STAGE")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that says nothing."""
    for name in (*AWS, "TABLEWRIGHT_DEBUG", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


# --------------------------------------------------------------------------------------------------- environment


def test_the_environment_is_read() -> None:
    assert Environment.read({}) == Environment()
    full = {
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "other",
        "AWS_ENDPOINT_URL_DYNAMODB": "http://here",
        "AWS_ENDPOINT_URL": "http://there",
        "TABLEWRIGHT_STAGE": "dev",
        "TABLEWRIGHT_DEBUG": "yes",
    }
    assert Environment.read(full) == Environment("eu-west-1", "http://here", "dev", True)
    second = {"AWS_DEFAULT_REGION": "other", "AWS_ENDPOINT_URL": "http://there"}
    assert Environment.read(second) == Environment("other", "http://there")
    assert Environment.read(dict.fromkeys(full, "")) == Environment()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("1", True),
        ("ON", True),
        (" yes ", True),
        ("false", False),
        ("0", False),
        ("No", False),
        ("", False),
    ],
)
def test_booleans_are_read(text: str, value: bool) -> None:
    assert Environment.read({"TABLEWRIGHT_DEBUG": text}).debug is value


@pytest.mark.parametrize("text", ["2", "maybe", "truth"])
def test_a_wrong_boolean_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEWRIGHT_DEBUG", text)
    with pytest.raises(ConfigError, match="TABLEWRIGHT_DEBUG"):
        lab.open("memory:")


def test_messages_leave_the_stage_out() -> None:
    class Elsewhere(Entity, table=Table("Elsewhere")):
        keys = Keys("X#{x}", "X")
        x: str

    with staged.open("memory:", stage="prod") as db, pytest.raises(ModelError, match=r"no entity of things-table\."):
        db.put(Elsewhere(x="1"))
    assert Table("{stage}_things").label == "things"
    assert Table("{stage}").label == "{stage}"


def test_a_stage_fills_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Exception, match="stage"):
        staged.open("memory:")
    monkeypatch.setenv("TABLEWRIGHT_STAGE", "dev")
    with staged.open("memory:") as db:
        assert db.table_name == "things-dev-table"
    with staged.open("memory:", stage="prod") as db:
        assert db.table_name == "things-prod-table"
    with staged.open("memory:", table_name="Another") as db:
        assert db.table_name == "Another"
    for wrong in ("a b", "ä", "x" * 300):
        with pytest.raises(ConfigError, match="name of a table"):
            staged.open("memory:", stage=wrong)


# ------------------------------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    "wrong",
    [
        {"creat": True},
        {"create": "yes"},
        {"stage": ""},
        {"stage": 5},
        {"table_name": ""},
        {"table_name": "x"},
        {"tenant": ""},
        {"tenant": 5},
        {"retry": 3},
        {"cursor_keys": b"one key, not a list"},
        {"cursor_keys": ["a text, not bytes"]},
        {"cursor_keys": [b"short"]},
        {"cursor_max_age": -1},
        {"cursor_max_age": "5"},
        {"clock": datetime(2026, 1, 1, tzinfo=UTC)},
        {"clock": lambda: datetime(2026, 1, 1)},
        {"token": "t"},
        {"profile": ""},
        {"profile": 5},
        {"ca_bundle": ""},
        {"ca_bundle": 5},
        {"connect_timeout": 0},
        {"connect_timeout": "5"},
        {"read_timeout": -1},
        {"read_timeout": True},
        {"max_connections": 0},
        {"max_connections": 1.5},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_wrong_options_are_refused_by_both_sessions(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        lab.open("memory:", **wrong)
    with pytest.raises(ConfigError):
        lab.open_async("memory:", **wrong)


def test_a_misspelt_option_is_explained() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'create'"):
        SessionOptions.of({"creat": True})


def test_clock_token_and_retries_are_used() -> None:
    time = datetime(2026, 1, 1, tzinfo=UTC)
    wire = Scripted()
    options: Any = {"clock": lambda: time, "token": lambda: "a token", "retry": RetryPolicy(max_retries=0)}
    with lab.open(wire, **options) as db, db.transaction() as tx:
        tx.put(Note(note_id="1"))
    assert wire.sent[0][1]["ClientRequestToken"] == "a token"


# ------------------------------------------------------------------------------------------------------- targets


@pytest.mark.parametrize("target", ["", 5, object(), [], b"file.db"], ids=lambda target: type(target).__name__)
def test_wrong_targets_are_refused(target: Any) -> None:
    with pytest.raises(ConfigError):
        lab.open(target)
    with pytest.raises(ConfigError):
        lab.open_async(target)


@pytest.mark.parametrize(
    ("target", "meant"),
    [("memory", "memory:"), ("eu-west-1", "aws:eu-west-1"), ("localhost:8000", "http://localhost:8000")],
)
def test_targets_that_would_make_a_file_by_mistake_are_refused(target: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=meant):
        lab.open(target)


def test_a_file_is_made_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "lab.db"
    with pytest.raises(ConfigError, match="no file"):
        lab.open(path, create=False)
    with lab.open(path) as db:
        db.create(Note(note_id="1", text="kept"))

    async def read() -> str:
        async with lab.open_async(str(path)) as db:
            found = await db.get(Note(note_id="1"))
            assert found is not None
            return found.text

    assert asyncio.run(read()) == "kept"
    with lab.open(path, create=False) as db:
        assert db.get(Note(note_id="1")) is not None


def test_memory_is_empty_each_time() -> None:
    with lab.open("memory:") as db:
        db.create(Note(note_id="1"))
    with lab.open("memory:") as db:
        assert db.get(Note(note_id="1")) is None


def test_the_service_is_opened_as_target_and_environment_say(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str | None, str | None, str | None]] = []

    def note(region: str | None, endpoint: str | None, profile: str | None, _: Any) -> place.Place:
        opened.append((region, endpoint, profile))
        return place.Place(endpoint or "https://example.test", region or "us-east-1", Fixed(MADE_UP))

    monkeypatch.setattr(place, "find_place", note)
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    for target in (None, "aws:us-east-2", "aws:", "http://127.0.0.1:8000", "https://example.test"):
        lab.open(target).close()
        lab.open_async(target)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://local")
    lab.open("aws:us-east-2", profile="me").close()
    expected = [
        ("eu-west-1", None, None),
        ("us-east-2", None, None),
        ("eu-west-1", None, None),
        ("eu-west-1", "http://127.0.0.1:8000", None),
        ("eu-west-1", "https://example.test", None),
    ]
    assert opened == [where for where in expected for _ in range(2)] + [("us-east-2", "http://local", "me")]


def test_connections_have_five_seconds_to_be_made_and_to_answer_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[tuple[float, float, int]] = []

    class Noting(Scripted):
        def __init__(self, route: Any, region: str, credentials: Any, timeouts: Timeouts, most: int) -> None:
            super().__init__()
            opened.append((timeouts.connect, timeouts.read, most))

    monkeypatch.setattr(sync, "HttpTransport", Noting)
    monkeypatch.setattr(aio, "AsyncHttpTransport", Noting)
    lab.open("http://127.0.0.1:8000")
    lab.open_async("http://127.0.0.1:8000")
    lab.open("http://127.0.0.1:8000", connect_timeout=1, read_timeout=60.5, max_connections=7)
    assert opened == [(5.0, 5.0, 50), (5.0, 5.0, 50), (1, 60.5, 7)]
    assert (Timeouts().connect, Timeouts().read) == (5.0, 5.0)


def test_a_transport_of_the_callers_own_is_used_as_it_is() -> None:
    wire = Scripted()
    with lab.open(wire) as db:
        db.put(Note(note_id="1"))
    assert [o for o, _ in wire.sent] == ["UpdateItem"]

    async def work() -> int:
        own = AsyncScripted()
        async with lab.open_async(own) as db:
            await db.put(Note(note_id="1"))
        return len(own.sent)

    assert asyncio.run(work()) == 1


def test_a_session_that_cannot_make_its_table_is_closed() -> None:
    closed: list[str] = []

    class Failing(Scripted):
        def close(self) -> None:
            closed.append("sync")

    class AsyncFailing(AsyncScripted):
        async def close(self) -> None:  # type: ignore[override]
            closed.append("async")

    async def enter() -> None:
        async with lab.open_async(AsyncFailing(AccessRefused("no")), create=True):
            pass

    with pytest.raises(AccessRefused):
        lab.open(Failing(AccessRefused("no")), create=True)
    with pytest.raises(AccessRefused):
        asyncio.run(enter())
    assert closed == ["sync", "async"]


# ----------------------------------------------------------------------------------------------------- the table


def test_a_table_is_made_with_its_indexes_and_recognised(tmp_path: Path) -> None:
    with lab.open(tmp_path / "lab.db", create=True) as db:
        db.ensure_table()
        described = db.send("DescribeTable", {"TableName": "Lab"})["Table"]
        assert {i["IndexName"] for i in described["GlobalSecondaryIndexes"]} == {
            "GSI1",
            "GSI2",
            "GSI3",
            "GSI4",
            "ByPlace",
            "Active",
        }
        with pytest.raises(ResourceInUse):
            db.create_table()
        db.delete_table()
        with pytest.raises(ResourceNotFound):
            db.put(Note(note_id="1"))
        db.create_table()
        db.put(Note(note_id="1"))


def other_table(**difference: Any) -> Table:
    table = Table("Lab", **difference)

    class Other(Entity, table=table):
        keys = Keys("OTHER#{name}") if difference.get("sk", True) is None else Keys("OTHER#{name}", "OTHER#{name}")
        name: str

    return table


@pytest.mark.parametrize(
    "difference",
    [
        {"sk": None},
        {"pk": "pk"},
        {"sk": "Range"},
        {"indexes": [GSI("GSI9")]},
        {"indexes": [GSI("GSI1", pk="Other")]},
        {"indexes": [GSI("GSI1", sk=number("GSI1SK"))]},
    ],
    ids=str,
)
def test_a_table_of_another_shape_is_refused(tmp_path: Path, difference: dict[str, Any]) -> None:
    path = tmp_path / "lab.db"
    lab.open(path).close()
    with pytest.raises(ConfigError, match="Lab"):
        other_table(**difference).open(path)

    async def enter() -> None:
        async with other_table(**difference).open_async(path):
            pass

    with pytest.raises(ConfigError, match="Lab"):
        asyncio.run(enter())


def test_a_table_that_never_becomes_active_is_reported() -> None:
    creating = {"Table": {"TableStatus": "CREATING"}}
    wire = Scripted({}, *[creating] * 100)
    with lab.open(wire, retry=RetryPolicy(base_delay=0, max_delay=0)) as db, pytest.raises(ResourceInUse):
        db.create_table()


def test_somebody_else_may_be_faster() -> None:
    with lab.open("memory:") as real:
        description = real.send("DescribeTable", {"TableName": "Lab"})
    wire = Scripted(ResourceNotFound("no"), ResourceInUse("made"), description)
    with lab.open(wire) as db:
        db.ensure_table()
    assert [o for o, _ in wire.sent] == ["DescribeTable", "CreateTable", "DescribeTable"]


def test_an_engine_that_is_open_already_is_used_and_left_open() -> None:
    with open_engine("memory:") as engine:
        with lab.open(engine) as db:
            db.create(Note(note_id="1"))
        assert engine.execute("Scan", {"TableName": "Lab", "Select": "COUNT"})["Count"] == 1

        async def read() -> Note | None:
            async with lab.open_async(engine) as again:
                return await again.get(key(Note, note_id="1"))

        assert asyncio.run(read()) == Note(note_id="1")
        assert engine.execute("ListTables", {}) == {"TableNames": ["Lab"]}


def test_a_table_that_is_missing_is_named() -> None:
    with (
        open_engine("memory:") as engine,
        lab.open(engine, create=False) as db,
        pytest.raises(ResourceNotFound, match=r"asked of the table 'Lab'; open\(\.\.\., create=True\) makes it"),
    ):
        db.get(key(Note, note_id="1"))


def test_an_address_where_nobody_answers_is_named() -> None:
    with (
        lab.open("http://127.0.0.1:9", retry=RetryPolicy(max_retries=0)) as db,
        pytest.raises(NetworkError, match=r"No connection to http://127.0.0.1:9 for GetItem\. Is it running"),
    ):
        db.get(key(Note, note_id="1"))
