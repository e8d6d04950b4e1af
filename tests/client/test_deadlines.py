"""`timeout`: a call ends in time, and nothing is tried that could not be finished."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from tablewright import Entity, Keys, RetryPolicy, Table, key
from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.engine import open_engine
from tablewright.errors import (
    ConfigError,
    DeadlineError,
    NetworkError,
    OutcomeUnknownError,
    TablewrightError,
    Throttled,
    UnprocessedError,
)
from tablewright.testing import Throttle, Unprocessed
from tests.client.doubles import AsyncScripted, Scripted

GET = Call("GetItem", {"TableName": "Lab", "Key": {}}, repeatable=True)
UPDATE = Call("UpdateItem", {"TableName": "Lab", "Key": {}})
SLOW = RetryPolicy(base_delay=60.0, max_delay=60.0, random=lambda: 1.0, sleep=lambda _: pytest.fail("it slept"))
places = Table("Places")


class Place(Entity, table=places):
    keys = Keys("PLACE#{place_id}", "PLACE")
    place_id: str
    visits: int = 0


def one(call: Call) -> Steps[Any]:
    return (yield call)


def given_up(asynchronous: bool, steps: Steps[Any], *answers: Any, timeout: float = 5.0) -> TablewrightError:
    with pytest.raises(TablewrightError) as found:
        if asynchronous:
            asyncio.run(AsyncDriver(AsyncScripted(*answers), SLOW, timeout=timeout).run(steps))
        else:
            SyncDriver(Scripted(*answers), SLOW, timeout=timeout).run(steps)
    return found.value


both = pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])


@both
def test_a_retry_that_could_not_finish_is_not_tried(asynchronous: bool) -> None:
    error = given_up(asynchronous, one(GET), Throttled("Slow down."))
    assert isinstance(error, DeadlineError)
    assert isinstance(error.__cause__, Throttled)
    assert (error.code, error.operation) == ("DEADLINE", "GetItem")
    assert (error.context["table"], error.context["timeout"], error.context["retries"]) == ("Lab", 5.0, 0)


@both
def test_a_write_that_may_have_happened_is_told_so(asynchronous: bool) -> None:
    delete = Call("DeleteItem", {"TableName": "Lab", "Key": {}}, repeatable=True)
    error = given_up(asynchronous, one(delete), NetworkError("lost", sent=True))
    assert isinstance(error, OutcomeUnknownError)
    assert isinstance(error.__cause__, DeadlineError)
    assert isinstance(given_up(asynchronous, one(UPDATE), Throttled("Slow down.")), DeadlineError)


@both
def test_pauses_count_too(asynchronous: bool) -> None:
    def steps() -> Steps[None]:
        yield Pause(0)

    assert isinstance(given_up(asynchronous, steps()), DeadlineError)


@both
def test_time_that_is_over_sends_nothing_more(asynchronous: bool) -> None:
    wire, async_wire = Scripted({}, {}), AsyncScripted({}, {})

    def steps() -> Steps[None]:
        yield GET
        time.sleep(0.03)
        yield UPDATE  # which is not said to have happened, perhaps

    with pytest.raises(DeadlineError):
        if asynchronous:
            asyncio.run(AsyncDriver(async_wire, SLOW, timeout=0.02).run(steps()))
        else:
            SyncDriver(wire, SLOW, timeout=0.02).run(steps())
    assert len(wire.sent) + len(async_wire.sent) == 1


class Sleepy(AsyncScripted):
    async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:  # type: ignore[override]
        await asyncio.sleep(60)
        return {}


@pytest.mark.parametrize(("call", "kind"), [(GET, DeadlineError), (UPDATE, OutcomeUnknownError)], ids=["read", "write"])
def test_a_reply_that_does_not_come_is_not_waited_for(call: Call, kind: type[TablewrightError]) -> None:
    with pytest.raises(kind):
        asyncio.run(AsyncDriver(Sleepy(), SLOW, timeout=0.02).run(one(call)))


def test_a_timeout_of_the_transports_own_is_passed_on() -> None:
    class Own(AsyncScripted):
        async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:  # type: ignore[override]
            raise TimeoutError("my own")

    with pytest.raises(TimeoutError, match="my own"):
        asyncio.run(AsyncDriver(Own(), SLOW, timeout=5).run(one(GET)))


def test_sessions_have_the_option() -> None:
    with open_engine("memory:") as engine, places.open(engine, timeout=5, retry=SLOW) as db:
        db.create(Place(place_id="1"))
        engine.faults.inject(Throttle(operations="GetItem"))
        with pytest.raises(DeadlineError):
            db.get(key(Place, place_id="1"))
        engine.faults.inject(Unprocessed(first=100))
        with pytest.raises((DeadlineError, UnprocessedError)), db.batch() as batch:
            batch.put(Place(place_id="2"))


def test_async_sessions_have_it_too() -> None:
    async def work() -> None:
        with open_engine("memory:") as engine:
            async with places.open_async(engine, timeout=5, retry=SLOW) as db:
                await db.create(Place(place_id="1"))
                engine.faults.inject(Throttle(operations="GetItem"))
                with pytest.raises(DeadlineError):
                    await db.get(key(Place, place_id="1"))

    asyncio.run(work())


def test_without_it_nothing_is_given_up() -> None:
    slept: list[float] = []
    policy = RetryPolicy(base_delay=60.0, max_delay=60.0, random=lambda: 1.0, sleep=slept.append)
    assert SyncDriver(Scripted(Throttled("x"), {"Item": {}}), policy).run(one(GET)) == {"Item": {}}
    assert slept == [60.0]


def test_the_budget_is_the_policys() -> None:
    policy = RetryPolicy(budget=1, base_delay=0.0, max_delay=0.0)
    wire = Scripted(*[Throttled("x")] * 5)
    with pytest.raises(Throttled):
        SyncDriver(wire, policy).run(one(GET))
    assert len(wire.sent) == 2


@pytest.mark.parametrize("wrong", [0, -1, "5", True, float("nan")], ids=str)
def test_wrong_timeouts_are_refused_at_construction(wrong: Any) -> None:
    with pytest.raises(ConfigError, match="timeout"):
        places.open("memory:", timeout=wrong)


def test_what_is_given_up_is_told_as_what_it_is() -> None:
    """A read that must wait for what was left over is no write that others overtook."""
    keys = [{"PK": {"S": f"PLACE#{n}"}, "SK": {"S": "PLACE"}} for n in range(2)]
    left = {"Responses": {"Places": []}, "UnprocessedKeys": {"Places": {"Keys": keys}}}
    with (
        places.open(Scripted(left), create=False, retry=SLOW, timeout=1.0) as db,
        pytest.raises(DeadlineError, match=r"A read of keys that were left over was given up"),
    ):
        db.get_many([key(Place, place_id=str(n)) for n in range(2)])
