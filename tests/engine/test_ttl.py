"""Time to live: how it is switched, and that exactly the items whose time is over go."""

from __future__ import annotations

import gc
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine import open_engine
from tablewright.engine.storage.expiry_index import OLDEST_SECONDS
from tablewright.errors import ConfigError
from tests.engine.timed_lab import definition
from tests.engine.waiting import eventually


def spec(attribute: str = "ttl", *, enabled: bool = True) -> dict[str, Any]:
    return {"TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": attribute}}


def enable(lab: Any, name: str = "App") -> None:
    lab("UpdateTimeToLive", TableName=name, **spec())


def left(lab: Any, name: str = "App") -> set[str]:
    return {item["pk"]["S"] for item in lab("Scan", TableName=name)["Items"]}


# ------------------------------------------------------------------------------------------------------ switching


def test_it_is_switched_on_and_off(lab: Any) -> None:
    lab.create(None)
    off = {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    assert lab("DescribeTimeToLive", TableName="App") == off
    assert lab("UpdateTimeToLive", TableName="App", **spec()) == spec()
    assert lab("DescribeTimeToLive", TableName="App") == {
        "TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
    }
    assert lab("UpdateTimeToLive", TableName="App", **spec(enabled=False)) == spec(enabled=False)
    assert lab("DescribeTimeToLive", TableName="App") == off
    # A key attribute is allowed, as on the service; text never expires.
    lab("UpdateTimeToLive", TableName="App", **spec("pk"))
    lab.put("1")
    assert lab.engine.sweep() == 0


def test_changes_that_are_refused(lab: Any) -> None:
    lab.create(None)
    already = ("ValidationException", "TimeToLive is already disabled")
    assert lab.refused("UpdateTimeToLive", TableName="App", **spec(enabled=False)) == already
    enable(lab)
    assert lab.refused("UpdateTimeToLive", TableName="App", **spec()) == (
        "ValidationException",
        "TimeToLive is already enabled",
    )
    for enabled in (True, False):
        assert lab.refused("UpdateTimeToLive", TableName="App", **spec("other", enabled=enabled)) == (
            "ValidationException",
            "TimeToLive is active on a different AttributeName: current AttributeName is ttl",
        )
    for operation, more in (("UpdateTimeToLive", spec()), ("DescribeTimeToLive", {})):
        assert lab.refused(operation, TableName="Nowhere", **more) == (
            "ResourceNotFoundException",
            "Requested resource not found: Table: Nowhere not found",
        )


@pytest.mark.parametrize(
    ("given_", "where"),
    [
        ({"AttributeName": "ttl"}, "enabled"),
        ({"Enabled": True}, "attributeName"),
        ({"Enabled": True, "AttributeName": ""}, "attributeName"),
        ({"Enabled": True, "AttributeName": "a" * 256}, "attributeName"),
        (None, None),
    ],
    ids=["no flag", "no name", "empty", "long", "nothing"],
)
def test_shapes_that_are_refused(lab: Any, given_: dict[str, Any] | None, where: str | None) -> None:
    lab.create(None)
    wire_name, message = lab.refused("UpdateTimeToLive", TableName="App", TimeToLiveSpecification=given_)
    assert wire_name == "ValidationException"
    assert "timeToLiveSpecification" + ("" if where is None else f".{where}") in message


# ------------------------------------------------------------------------------------------------------- sweeping


def test_items_stay_until_they_are_swept(lab: Any) -> None:
    lab.create(None)
    enable(lab)
    now = int(lab.clock.now())
    lab.put("early", ttl={"N": str(now + 10)})
    lab.put("late", ttl={"N": str(now + 100)})
    lab.put("never")
    assert lab.engine.sweep() == 0
    lab.clock.move(50)
    assert left(lab) == {"early", "late", "never"}
    assert lab.engine.sweep() == 1
    assert left(lab) == {"late", "never"}
    lab.clock.move(1000)
    assert lab.engine.sweep() == 1
    assert lab.engine.sweep() == 0
    assert left(lab) == {"never"}


def test_only_numbers_of_the_last_five_years_count(lab: Any) -> None:
    lab.create(None)
    enable(lab)
    now = int(lab.clock.now())
    kept = {
        "text": {"S": str(now - 10)},
        "ancient": {"N": str(now - OLDEST_SECONDS - 1)},
        "milliseconds": {"N": str(now * 1000)},
        "negative": {"N": "-5"},
        "zero": {"N": "0"},
        "huge": {"N": "9E+125"},
        "set": {"NS": [str(now - 10)]},
        "list": {"L": [{"N": str(now - 10)}]},
        "now and a half": {"N": f"{now}.5"},
    }
    gone = {"old": {"N": str(now - OLDEST_SECONDS + 60)}, "just": {"N": str(now)}, "half": {"N": f"{now - 1}.5"}}
    for name, value in {**kept, **gone}.items():
        lab.put(name, ttl=value)
    assert lab.engine.sweep() == len(gone)
    assert left(lab) == kept.keys()


def test_items_that_were_there_before_expire_too(lab: Any) -> None:
    lab.create(None)
    for number in range(60):
        lab.put(f"k{number}", ttl={"N": str(int(lab.clock.now()) + number)})
    enable(lab)
    lab.clock.move(30)
    assert lab.engine.sweep() == 31
    lab("UpdateTimeToLive", TableName="App", **spec(enabled=False))
    lab.clock.move(100)
    assert lab.engine.sweep() == 0
    enable(lab)
    assert lab.engine.sweep() == 29


def test_a_limit(lab: Any) -> None:
    lab.create(None)
    enable(lab)
    for number in range(70):
        lab.put(f"k{number}", ttl={"N": "1749990000"})
    assert [lab.engine.sweep(limit=30) for _ in range(4)] == [30, 30, 10, 0]
    assert lab.engine.sweep(limit=0) == 0


def test_the_stream_says_who_deleted(lab: Any) -> None:
    arn = lab.create("OLD_IMAGE")
    enable(lab)
    lab.put("a", ttl={"N": "1749990000"})
    lab.put("b", ttl={"N": "1749990000"})
    lab.delete("b")
    lab.engine.sweep()
    by_hand, by_time = lab.records(arn)[-2:]
    assert "userIdentity" not in by_hand
    assert by_time["eventName"] == "REMOVE"
    assert by_time["userIdentity"] == {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
    assert by_time["dynamodb"]["OldImage"]["ttl"] == {"N": "1749990000"}


def test_indexes_follow(lab: Any, table_definition: Callable[[str], dict[str, Any]]) -> None:
    lab("CreateTable", **table_definition("App"))
    enable(lab)
    for number in range(5):
        item = {"pk": {"S": "p"}, "sk": {"N": str(number)}, "g": {"S": "g"}, "r": {"S": "r"}}
        lab("PutItem", TableName="App", Item={**item, "ttl": {"N": str(1749990000 + (number % 2) * 10**6)}})
    assert lab.engine.sweep() == 3
    found = lab(
        "Query",
        TableName="App",
        IndexName="ByGroup",
        KeyConditionExpression="g = :g",
        ExpressionAttributeValues={":g": {"S": "g"}},
    )
    assert sorted(item["sk"]["N"] for item in found["Items"]) == ["1", "3"]


moments = st.one_of(st.none(), st.integers(-20, 20))


@given(
    todo=st.lists(
        st.one_of(
            st.tuples(st.sampled_from("abcd"), moments, st.sampled_from(["put", "set", "delete"])), st.integers(1, 9)
        ),
        max_size=20,
    )
)
def test_random_lives(make_lab: Callable[[], Any], todo: list[Any]) -> None:
    lab = make_lab()
    lab.create(None)
    enable(lab)
    model: dict[str, int | None] = {}
    for step in todo:
        if isinstance(step, int):
            lab.clock.move(step)
            expired = {key for key, moment in model.items() if moment is not None and moment < lab.clock.now()}
            assert lab.engine.sweep() == len(expired)
            model = {key: moment for key, moment in model.items() if key not in expired}
        else:
            key, offset, how = step
            moment = None if offset is None else int(lab.clock.now()) + offset
            if how == "delete":
                lab.delete(key)
                model.pop(key, None)
            elif how == "put" or moment is None:
                lab.put(key, **({} if moment is None else {"ttl": {"N": str(moment)}}))
                model[key] = moment
            else:
                lab(
                    "UpdateItem",
                    TableName="App",
                    Key={"pk": {"S": key}, "sk": {"N": "0"}},
                    UpdateExpression="SET #t = :t",
                    ExpressionAttributeNames={"#t": "ttl"},
                    ExpressionAttributeValues={":t": {"N": str(moment)}},
                )
                model[key] = moment
        assert left(lab) == model.keys()
    assert lab.engine.verify() == []


# ------------------------------------------------------------------------------------------------------ the thread


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "tablewright-ttl"]


def test_a_thread_sweeps_where_there_is_work(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    item = {"pk": {"S": "a"}, "ttl": {"N": str(int(time.time()) - 10)}}
    with open_engine(path, synchronous="NORMAL", sweep_every=0.01) as engine:
        engine.execute("CreateTable", definition())
        assert threads() == []
        engine.execute("UpdateTimeToLive", {"TableName": "App", **spec()})
        assert len(threads()) == 1
        engine.execute("PutItem", {"TableName": "App", "Item": item})
        assert eventually(lambda: engine.execute("Scan", {"TableName": "App"})["Count"] == 0)
    assert threads() == []
    with open_engine(path, synchronous="NORMAL", sweep_every=None) as engine:
        assert threads() == []
        engine.execute("PutItem", {"TableName": "App", "Item": item})
    # Opened again, it begins at once.
    with open_engine(path, synchronous="NORMAL", sweep_every=0.01) as engine:
        assert len(threads()) == 1
        assert eventually(lambda: engine.execute("Scan", {"TableName": "App"})["Count"] == 0)
    assert threads() == []


def test_the_thread_of_a_forgotten_engine_ends() -> None:
    engine = open_engine("memory:", sweep_every=0.01)
    engine.execute("CreateTable", definition())
    engine.execute("UpdateTimeToLive", {"TableName": "App", **spec()})
    assert len(threads()) == 1
    # Nobody closes it; what is left of it is a connection, which says so when it is collected.
    database = engine._database
    del engine
    gc.collect()
    assert eventually(lambda: threads() == [])
    database.close()


def test_two_processes_may_sweep_one_file(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with (
        open_engine(path, synchronous="NORMAL", sweep_every=None) as one,
        open_engine(path, synchronous="NORMAL", sweep_every=None) as two,
    ):
        one.execute("CreateTable", {**definition(), "StreamSpecification": {
            "StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}})  # fmt: skip
        one.execute("UpdateTimeToLive", {"TableName": "App", **spec()})
        for number in range(120):
            item = {"pk": {"S": str(number)}, "ttl": {"N": str(int(time.time()) - 10)}}
            one.execute("PutItem", {"TableName": "App", "Item": item})
        swept: list[int] = []
        workers = [threading.Thread(target=lambda engine=engine: swept.append(engine.sweep())) for engine in (one, two)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert sum(swept) == 120
        assert one.verify() == []
    plain = sqlite3.connect(path)
    kinds = plain.execute("SELECT kind, count(*) FROM stream_1_1 GROUP BY kind").fetchall()
    plain.close()
    assert kinds == [(0, 120), (3, 120)]


def test_a_table_that_goes_during_a_sweep(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with (
        open_engine(path, synchronous="NORMAL", sweep_every=None) as one,
        open_engine(path, synchronous="NORMAL", sweep_every=None) as two,
    ):
        one.execute("CreateTable", definition())
        one.execute("UpdateTimeToLive", {"TableName": "App", **spec()})
        two.sweep()
        one.execute("DeleteTable", {"TableName": "App"})
        assert two.sweep() == 0


@pytest.mark.parametrize("every", [0, -1.0])
def test_intervals_that_cannot_be(every: float) -> None:
    with pytest.raises(ConfigError, match="sweep_every"):
        open_engine("memory:", sweep_every=every)
