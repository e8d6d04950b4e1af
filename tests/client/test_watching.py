"""The log: requests without values when asked for, large items once, and nothing else."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import Entity, Keys, Table, key
from tablewright.errors import ConditionalCheckError, Throttled
from tests.client.conftest import Laboratory
from tests.client.lab import Account, Ticket, account, lab, ticket, tickets_in

SECRET = "s3cr3t"


@pytest.fixture
def debug() -> Iterator[None]:
    """The debug log, as TABLEWRIGHT_DEBUG turns it on, and off again."""
    log = logging.getLogger("tablewright")
    level, handlers = log.level, list(log.handlers)
    yield
    log.setLevel(level)
    log.handlers = handlers


def test_a_request_is_shown_with_names_expressions_and_time(
    laboratory: Laboratory, caplog: pytest.LogCaptureFixture
) -> None:
    laboratory.db.create(Ticket(tenant_id=SECRET, ticket_id=SECRET))
    caplog.set_level(logging.DEBUG, "tablewright")
    laboratory.db.update(ticket(SECRET, SECRET), set={"city": SECRET}, when=Ticket.status == "NEW")
    laboratory.db.run(tickets_in, "NEW").all()
    laboratory.db.get(ticket(SECRET, SECRET))
    update, query, read = [r.getMessage() for r in caplog.records]
    assert read.startswith("GetItem Lab in ")
    assert update.startswith("UpdateItem Lab; Update SET city = :2, ")
    assert (
        "; Condition (Type = :0 OR attribute_exists(PK) AND attribute_not_exists(Type)) AND status = :1 in " in update
    )
    assert query.startswith("Query Lab index GSI1; KeyCondition GSI1PK = :0")
    assert all(text.endswith(" ms") for text in (read, update, query))
    assert SECRET not in caplog.text


def test_retries_and_errors_are_shown(laboratory: Laboratory, caplog: pytest.LogCaptureFixture) -> None:
    laboratory.db.create(Account(account_id="1", tenant_id="t", email=SECRET))
    laboratory.wire.restart()
    caplog.set_level(logging.DEBUG, "tablewright")
    laboratory.wire.refuse = {0: Throttled("Slow down."), 1: Throttled("Slow down.")}
    with pytest.raises(ConditionalCheckError):
        laboratory.db.update(account("1"), set={"name": SECRET}, when=Account.email == "other")
    texts = [r.getMessage() for r in caplog.records]
    assert [t.rpartition(" ms")[2] for t in texts] == [
        ": Throttled",
        ", retry 1: Throttled",
        ", retry 2: ConditionalCheckFailed",
    ]
    with laboratory.db.transaction() as tx:
        tx.update(account("1"), set={"email": "new" + SECRET})
        tx.delete(ticket(SECRET, "1"))
    last = caplog.records[-1].getMessage()
    assert last.startswith("TransactWriteItems Lab; Update, Update SET email = :3, GSI1PK = :4, ")
    assert "; Delete" in last
    with laboratory.db.batch() as batch:
        batch.put(Ticket(tenant_id=SECRET, ticket_id="1"))
    assert caplog.records[-1].getMessage().startswith("BatchWriteItem Lab in ")
    assert SECRET not in caplog.text


def test_names_that_begin_alike_are_told_apart(caplog: pytest.LogCaptureFixture) -> None:
    table = Table("Wide")
    fields = {f"field_{n}": (int, 0) for n in range(15)}
    base = {"keys": Keys("WIDE#{number}", "WIDE#{number}"), "__annotations__": {"number": str}}
    for name, (kind, default) in fields.items():
        base["__annotations__"][name] = kind  # type: ignore[index]
        base[name] = default  # type: ignore[assignment]
    wide: Any = type(Entity)("Wide", (Entity,), {**base, "__module__": __name__, "__qualname__": "Wide"}, table=table)
    with table.open("memory:") as db:
        db.create(wide(number="1"))
        caplog.set_level(logging.DEBUG, "tablewright")
        db.update(key(wide, number="1"), set=dict.fromkeys(fields, 1))
    text = caplog.records[-1].getMessage()
    assert all(f"{name} = " in text for name in fields)


def test_nothing_is_logged_when_nobody_asks(laboratory: Laboratory, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "tablewright")
    laboratory.db.create(Ticket(tenant_id="t", ticket_id="1"))
    laboratory.db.update(ticket("t", "1"), set={"city": "x"})
    assert caplog.records == []


def test_the_async_session_logs_too(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        async with lab.open_async("memory:") as db:
            caplog.set_level(logging.DEBUG, "tablewright")
            await db.create(Ticket(tenant_id="t", ticket_id="1"))

    asyncio.run(work())
    assert [r.getMessage()[:11] for r in caplog.records] == ["PutItem Lab"]


@pytest.mark.parametrize(("value", "level"), [("true", logging.DEBUG), ("1", logging.DEBUG), ("0", 0), ("", 0)])
def test_the_environment_turns_it_on(debug: None, monkeypatch: pytest.MonkeyPatch, value: str, level: int) -> None:
    monkeypatch.setenv("TABLEWRIGHT_DEBUG", value)
    logging.getLogger("tablewright").setLevel(0)
    lab.open("memory:").close()
    assert logging.getLogger("tablewright").level == level


def test_a_program_without_a_log_of_its_own_shows_it_on_standard_error() -> None:
    program = (
        "from tablewright import Entity, Keys, Table\n"
        "table = Table('Things')\n"
        "class Thing(Entity, table=table):\n"
        "    keys = Keys('THING#{number}', 'THING#{number}')\n"
        "    number: str\n"
        "with table.open('memory:') as db:\n"
        f"    db.create(Thing(number='{SECRET}'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"TABLEWRIGHT_DEBUG": "1", "PYTHONPATH": ":".join(p for p in sys.path if p)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "PutItem Things" in done.stderr
    assert SECRET not in done.stderr


# --------------------------------------------------------------------------------------------------- large items


def test_large_items_are_mentioned_once_for_each_entity(caplog: pytest.LogCaptureFixture) -> None:
    table = Table("Large")

    class Big(Entity, table=table):
        keys = Keys("BIG#{number}", "BIG#{number}")
        number: str
        body: str = ""
        more: list[str] = []  # noqa: RUF012 - Pydantic copies it

    class Other(Entity, table=table):
        keys = Keys("OTHER#{number}", "OTHER#{number}")
        number: str
        body: str = ""

    with table.open("memory:") as db:
        db.create(Big(number="1", body="x" * 90_000))
        assert caplog.records == []
        db.update(key(Big, number="1"), append={"more": ["y" * 30_000]})
        db.put(Big(number="2", body=SECRET * 50_000))
        db.create(Other(number="1", body="x" * 110_000))
        db.put(Other(number="2", body="x" * 110_000))
    assert [r.getMessage()[:8] for r in caplog.records] == ["A Big ta", "A Other "]
    assert all(r.levelno == logging.WARNING for r in caplog.records)
    assert SECRET not in caplog.text
