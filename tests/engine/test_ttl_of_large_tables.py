"""Time to live of tables that hold many items: they are looked through in portions, right at every moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine import Engine, open_engine
from tests.engine.timed_lab import MovingClock, definition
from tests.engine.waiting import eventually

START = 1_750_000_000


def spec(*, enabled: bool = True) -> dict[str, Any]:
    return {"TimeToLiveSpecification": {"Enabled": enabled, "AttributeName": "ttl"}}


def state(engine: Engine) -> str:
    told = engine.execute("DescribeTimeToLive", {"TableName": "App"})["TimeToLiveDescription"]
    return str(told["TimeToLiveStatus"])


def put(engine: Engine, name: str, end: int | None) -> None:
    item = {"pk": {"S": name}, **({} if end is None else {"ttl": {"N": str(end)}})}
    engine.execute("PutItem", {"TableName": "App", "Item": item})


def names(engine: Engine) -> set[str]:
    return {item["pk"]["S"] for item in engine.execute("Scan", {"TableName": "App"})["Items"]}


LIVES = st.one_of(st.none(), st.integers(-2, 2).map(lambda days: START + days * 86_400))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from("abcdef"), LIVES),
        st.tuples(st.just("delete"), st.sampled_from("abcdef"), st.none()),
        st.tuples(st.just("fill"), st.just(""), st.integers(1, 3)),
        st.tuples(st.just("off and on"), st.just(""), st.none()),
    ),
    max_size=20,
)


@given(before=st.dictionaries(st.sampled_from("abcdefgh"), LIVES), steps=STEPS)
def test_writes_between_portions_keep_the_times_right(before: dict[str, int | None], steps: list[Any]) -> None:
    with open_engine("memory:", clock=MovingClock(), sweep_every=None, backfills=False) as engine:
        engine.execute("CreateTable", definition())
        for name, end in before.items():
            put(engine, name, end)
        engine.execute("UpdateTimeToLive", {"TableName": "App", **spec()})
        assert state(engine) == ("ENABLING" if before else "ENABLED")
        lives = dict(before)
        for kind, name, value in steps:
            if kind == "put":
                put(engine, name, value)
                lives[name] = value
            elif kind == "delete":
                engine.execute("DeleteItem", {"TableName": "App", "Key": {"pk": {"S": name}}})
                lives.pop(name, None)
            elif kind == "fill":
                engine.backfill(value)
            else:
                for enabled in (False, True):
                    wanted = {"TableName": "App", **spec(enabled=enabled)}
                    engine.execute("UpdateTimeToLive", wanted)
            assert engine.verify() == []
        engine.backfill()
        assert (state(engine), engine.verify(), engine.backfill()) == ("ENABLED", [], 0)
        engine.sweep()
        assert names(engine) == {name for name, end in lives.items() if end is None or end > START}


def test_a_large_table_in_a_file_is_looked_through_while_others_write(tmp_path: Path) -> None:
    with open_engine(tmp_path / "large.db", synchronous="NORMAL", clock=MovingClock(), sweep_every=None) as engine:
        engine.execute("CreateTable", definition())
        for start in range(0, 9_000, 25):
            puts = [
                {"PutRequest": {"Item": {"pk": {"S": f"{n:05d}"}, "ttl": {"N": str(START - n)}}}}
                for n in range(start, start + 25)
            ]
            engine.execute("BatchWriteItem", {"RequestItems": {"App": puts}})
        engine.execute("UpdateTimeToLive", {"TableName": "App", **spec()})
        assert state(engine) == "ENABLING"
        put(engine, "08999", None)
        assert eventually(lambda: state(engine) == "ENABLED")
        assert engine.verify() == []
        assert engine.sweep() == 8_999
        assert names(engine) == {"08999"}


def test_an_engine_goes_on_looking_where_a_process_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    script = (
        "import os, sys; from tablewright.engine import open_engine\n"
        "engine = open_engine(sys.argv[1], synchronous='NORMAL', backfills=False, sweep_every=None)\n"
        "table = {'TableName': 'App', 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': [{'AttributeName': 'pk', 'KeyType': 'HASH'}],\n"
        "         'AttributeDefinitions': [{'AttributeName': 'pk', 'AttributeType': 'S'}]}\n"
        "engine.execute('CreateTable', table)\n"
        "for n in range(30): engine.execute('PutItem', {'TableName': 'App', 'Item': {'pk': {'S': str(n)}, 'ttl': {'N': '1749999000'}}})\n"
        "on = {'Enabled': True, 'AttributeName': 'ttl'}\n"
        "engine.execute('UpdateTimeToLive', {'TableName': 'App', 'TimeToLiveSpecification': on})\n"
        "engine.backfill(10)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(path)], check=False).returncode == -9
    with open_engine(path, synchronous="NORMAL", clock=MovingClock(), sweep_every=None) as engine:
        assert eventually(lambda: state(engine) == "ENABLED")
        assert engine.verify() == []
        assert engine.sweep() == 30
