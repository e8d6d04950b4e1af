"""An async session that was not entered makes its table before its first request, once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tablewright import AsyncSession, key, query
from tablewright.engine import Engine, open_engine
from tablewright.errors import AccessRefused, ConfigError, ResourceInUse, ResourceNotFound
from tablewright.transport.embedded import AsyncEmbeddedTransport
from tests.client.doubles import AsyncScripted
from tests.client.lab import Note, lab

ONE = key(Note, note_id="1")


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(work())


async def nothing(db: AsyncSession) -> None:
    assert await db.get(ONE) is None


async def creation(db: AsyncSession) -> None:
    await db.create(Note(note_id="1", topic="m"))


async def listing(db: AsyncSession) -> None:
    assert [n async for n in db.query(Note, Note.note_id == "1")] == []


async def first_of_a_query(db: AsyncSession) -> None:
    assert await db.execute(query(Note, Note.note_id == "1")).first() is None


async def transaction(db: AsyncSession) -> None:
    async with db.transaction() as tx:
        tx.create(Note(note_id="1", topic="m"))


async def batch(db: AsyncSession) -> None:
    async with db.batch() as many:
        many.put(Note(note_id="1", topic="m"))


async def scan(db: AsyncSession) -> None:
    assert [n async for n in db.scan_for_maintenance(Note)] == []


async def raw(db: AsyncSession) -> None:
    assert (await db.send("Scan", {"TableName": db.table_name}))["Items"] == []


async def ensuring(db: AsyncSession) -> None:
    await db.ensure_table()


async def making(db: AsyncSession) -> None:
    await db.create_table()
    with pytest.raises(ResourceInUse):
        await db.create_table()


USES = [nothing, creation, listing, first_of_a_query, transaction, batch, scan, raw, ensuring, making]


@pytest.mark.parametrize("use", USES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("place", ["memory", "file", "engine", "transport"])
def test_whatever_comes_first_finds_the_table(
    place: str, use: Callable[[AsyncSession], Awaitable[None]], tmp_path: Path
) -> None:
    async def work() -> None:
        with open_engine("memory:") as engine:
            target: Any = {
                "memory": "memory:",
                "file": tmp_path / "lab.db",
                "engine": engine,
                "transport": AsyncEmbeddedTransport(engine, in_memory=True, owned=False),
            }[place]
            db = lab.open_async(target, create=True) if place == "transport" else lab.open_async(target)
            await use(db)
            await db.put(Note(note_id="2", topic="m"))
            await db.close()

    run(work)


class Slow:
    """Sends on to an engine, after letting the other tasks have a turn; counts, and refuses at first if told to."""

    def __init__(self, engine: Engine, *refusals: Exception) -> None:
        self._inner = AsyncEmbeddedTransport(engine, in_memory=True, owned=False)
        self.refusals = list(refusals)
        self.operations: list[str] = []

    async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.operations.append(operation)
        await asyncio.sleep(0.005)
        if self.refusals:
            raise self.refusals.pop(0)
        return await self._inner.send(operation, request)

    async def close(self) -> None:
        await self._inner.close()


def test_many_tasks_make_it_once() -> None:
    async def work() -> None:
        with open_engine("memory:") as engine:
            wire = Slow(engine)
            db = lab.open_async(wire, create=True)
            await asyncio.gather(*(db.put(Note(note_id=str(n), topic="m")) for n in range(20)))
            assert wire.operations.count("CreateTable") == 1
            made = wire.operations.index("UpdateItem")
            assert set(wire.operations[made:]) == {"UpdateItem"}
            async with db:
                assert wire.operations.count("CreateTable") == 1

    run(work)


def test_what_failed_is_tried_again_by_whoever_comes_next() -> None:
    async def work() -> None:
        with open_engine("memory:") as engine:
            db = lab.open_async(Slow(engine, AccessRefused("not yet")), create=True)
            first, second = await asyncio.gather(db.get(ONE), db.get(ONE), return_exceptions=True)
            assert isinstance(first, AccessRefused)
            assert second is None
            await db.close()

    run(work)


def test_a_task_that_is_given_up_does_not_take_the_others_along() -> None:
    async def work() -> None:
        with open_engine("memory:") as engine:
            db = lab.open_async(Slow(engine), create=True)
            first, second = asyncio.create_task(db.get(ONE)), asyncio.create_task(db.get(ONE))
            await asyncio.sleep(0)
            first.cancel()
            assert await second is None
            assert first.cancelled()
            await db.close()

    run(work)


def test_a_table_that_is_not_the_models_is_refused() -> None:
    async def work() -> None:
        with open_engine("memory:") as engine:
            keys = [{"AttributeName": "id", "KeyType": "HASH"}]
            types = [{"AttributeName": "id", "AttributeType": "S"}]
            request = {"TableName": "Lab", "KeySchema": keys, "AttributeDefinitions": types}
            engine.execute("CreateTable", {**request, "BillingMode": "PAY_PER_REQUEST"})
            db = lab.open_async(engine)
            for _ in range(2):
                with pytest.raises(ConfigError):
                    await db.get(ONE)
            await db.close()

    run(work)


def test_a_table_that_is_not_to_be_made_is_not() -> None:
    async def work() -> None:
        db = lab.open_async("memory:", create=False)
        with pytest.raises(ResourceNotFound, match=r"not found\. It was asked of the table 'Lab'"):
            await db.get(ONE)
        await db.close()

    run(work)


def test_its_making_is_no_part_of_what_is_measured() -> None:
    async def work() -> None:
        db = lab.open_async("memory:")
        with db.measure() as meter:
            await db.get(ONE)
        assert [sent.operation for sent in meter.requests] == ["GetItem"]
        await db.close()

    run(work)


def test_a_session_that_was_never_used_sends_nothing() -> None:
    async def work() -> None:
        wire = AsyncScripted()
        await lab.open_async(wire, create=True).close()
        assert wire.sent == []

    run(work)


def test_what_failed_in_one_event_loop_is_tried_again_in_another() -> None:
    with open_engine("memory:") as engine:
        inner = AsyncEmbeddedTransport(engine, owned=False)
        down = True

        class Down:
            async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
                await asyncio.sleep(0.001)  # so that the others wait for the first one
                if down:
                    raise AccessRefused("Not yet.")
                return await inner.send(operation, request)

            async def close(self) -> None:
                await inner.close()

        db = lab.open_async(Down(), create=True)

        async def three() -> list[Any]:
            return await asyncio.gather(*(db.get(ONE) for _ in range(3)), return_exceptions=True)

        assert [type(error) for error in asyncio.run(three())] == [AccessRefused] * 3
        down = False
        assert asyncio.run(three()) == [None] * 3
