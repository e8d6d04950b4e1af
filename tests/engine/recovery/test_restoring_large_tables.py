"""Restores of tables that hold many items: taken over in portions, right whatever is written meanwhile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.engine import Engine, backfill, open_engine
from tablewright.engine.storage import Portion
from tests.engine.conftest import Caller
from tests.engine.timed_lab import MovingClock
from tests.engine.waiting import eventually, writing

TABLE: dict[str, Any] = {
    "TableName": "App",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "ByGroup",
            "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}
KEPT = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}


def create(engine: Engine, *, recovery: bool = False) -> None:
    engine.execute("CreateTable", TABLE)
    if recovery:
        engine.execute("UpdateContinuousBackups", {"TableName": "App", **KEPT})


def put(engine: Engine, name: str, value: str) -> None:
    engine.execute("PutItem", {"TableName": "App", "Item": {"pk": {"S": name}, "g": {"S": value}}})


def fill(engine: Engine, number: int) -> None:
    for start in range(0, number, 25):
        puts = [
            {"PutRequest": {"Item": {"pk": {"S": f"{n:05d}"}, "g": {"S": "old"}}}}
            for n in range(start, min(start + 25, number))
        ]
        engine.execute("BatchWriteItem", {"RequestItems": {"App": puts}})


def scan(engine: Engine, table: str, **more: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    request: dict[str, Any] = {"TableName": table, **more}
    while True:
        page = engine.execute("Scan", request)
        found.update({item["pk"]["S"]: item["g"]["S"] for item in page["Items"]})
        if "LastEvaluatedKey" not in page:
            return found
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def status(engine: Engine) -> str:
    return str(engine.execute("DescribeTable", {"TableName": "Copy"})["Table"]["TableStatus"])


def wait_until_active(engine: Engine) -> None:
    assert eventually(lambda: status(engine) == "ACTIVE"), "the table was never restored"


def backup(engine: Engine) -> str:
    made = engine.execute("CreateBackup", {"TableName": "App", "BackupName": "early"})
    return str(made["BackupDetails"]["BackupArn"])


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from("abcdefgh"), st.sampled_from("xyz")),
        st.tuples(st.just("delete"), st.sampled_from("abcdefgh"), st.just("")),
        st.tuples(st.just("go on"), st.just(""), st.just("")),
    ),
    max_size=25,
)


@pytest.fixture
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows at a time, none before the answer, in memory too."""
    monkeypatch.setattr("tablewright.engine.storage.restoring._CHUNK", 2)
    monkeypatch.setattr("tablewright.engine.context.Context.restored_portion", Portion(rows=1))


def go_on(engine: Engine) -> bool:
    return backfill.fill_portion(engine._database, Portion(rows=1)) is not None


@pytest.mark.usefixtures("small_portions")
@pytest.mark.parametrize("moment", ["now", "earlier"])
def test_what_is_written_meanwhile_does_not_show(moment: str) -> None:
    @given(before=STEPS, after=STEPS, meanwhile=STEPS)
    def check(before: list[Any], after: list[Any], meanwhile: list[Any]) -> None:
        clock = MovingClock()
        with open_engine("memory:", clock=clock, backfills=False, sweep_every=None) as engine:
            create(engine, recovery=True)
            held: dict[str, str] = {}

            def carry_out(steps: list[Any]) -> None:
                for kind, name, value in steps:
                    if kind == "put":
                        put(engine, name, value)
                        held[name] = value
                    elif kind == "delete":
                        engine.execute("DeleteItem", {"TableName": "App", "Key": {"pk": {"S": name}}})
                        held.pop(name, None)
                    else:
                        go_on(engine)
                    assert engine.verify() == []

            carry_out(before)
            wanted, then = dict(held), clock.now()
            if moment == "earlier":
                clock.move(1)
                carry_out(after)
            when = {"UseLatestRestorableTime": True} if moment == "now" else {"RestoreDateTime": then}
            names = {"SourceTableName": "App", "TargetTableName": "Copy"}
            engine.execute("RestoreTableToPointInTime", {**names, **when})
            # Even at the very same moment: what counts is what came first.
            carry_out(meanwhile)
            while go_on(engine):
                assert engine.verify() == []
            assert scan(engine, "Copy") == scan(engine, "Copy", IndexName="ByGroup") == wanted
            assert scan(engine, "App") == held

    check()


@pytest.mark.usefixtures("small_portions")
def test_a_table_that_is_being_restored_cannot_be_used() -> None:
    with open_engine("memory:", backfills=False, sweep_every=None) as engine:
        create(engine, recovery=True)
        fill(engine, 10)
        arn = backup(engine)
        call = Caller(engine)
        call("RestoreTableFromBackup", BackupArn=arn, TargetTableName="Copy")
        told = call("DescribeTable", TableName="Copy")["Table"]
        assert (told["TableStatus"], told["RestoreSummary"]["RestoreInProgress"]) == ("CREATING", True)
        assert [index["IndexStatus"] for index in told["GlobalSecondaryIndexes"]] == ["CREATING"]
        missing = ("ResourceNotFoundException", "Requested resource not found")
        key = {"pk": {"S": "00001"}}
        assert call.refused("GetItem", TableName="Copy", Key=key) == missing
        assert call.refused("PutItem", TableName="Copy", Item=key) == missing
        assert call.refused("ExecuteStatement", Statement="SELECT * FROM \"Copy\" WHERE pk = 'a'")[0] == missing[0]
        in_use = (
            "ResourceInUseException",
            "Attempt to change a resource which is still in use: Table is being created: Copy",
        )
        assert call.refused("DeleteTable", TableName="Copy") == in_use
        assert call.refused("UpdateTable", TableName="Copy", DeletionProtectionEnabled=True) == in_use
        ttl = {"Enabled": True, "AttributeName": "ttl"}
        assert call.refused("UpdateTimeToLive", TableName="Copy", TimeToLiveSpecification=ttl) == in_use
        assert call.refused("CreateBackup", TableName="Copy", BackupName="copy")[0] == "TableInUseException"
        # Nor can what it comes from be taken away.
        assert call.refused("DeleteBackup", BackupArn=arn)[0] == "BackupInUseException"
        while go_on(engine):
            assert engine.verify() == []
        assert status(engine) == "ACTIVE"
        assert len(scan(engine, "Copy", IndexName="ByGroup")) == 10
        call("DeleteBackup", BackupArn=arn)
        names = {"SourceTableName": "App", "TargetTableName": "Past"}
        call("RestoreTableToPointInTime", **names, UseLatestRestorableTime=True)
        off = {"PointInTimeRecoveryEnabled": False}
        assert call.refused("DeleteTable", TableName="App")[0] == "ResourceInUseException"
        refused = call.refused("UpdateContinuousBackups", TableName="App", PointInTimeRecoverySpecification=off)
        assert refused[0] == "ResourceInUseException"
        engine.backfill()
        call("DeleteTable", TableName="App")
        assert len(scan(engine, "Past")) == 10


@pytest.mark.usefixtures("small_portions")
def test_a_log_is_not_trimmed_while_somebody_needs_it() -> None:
    clock = MovingClock()
    with open_engine("memory:", clock=clock, backfills=False, sweep_every=None) as engine:
        create(engine, recovery=True)
        fill(engine, 10)
        then = clock.now()
        clock.move(1)
        for number in range(10):
            put(engine, f"{number:05d}", "new")
        names = {"SourceTableName": "App", "TargetTableName": "Copy"}
        engine.execute("RestoreTableToPointInTime", {**names, "RestoreDateTime": then})
        clock.move(36 * 24 * 3600)
        engine.sweep()
        engine.backfill()
        assert set(scan(engine, "Copy").values()) == {"old"}


@pytest.mark.parametrize("kind", ["backup", "past"])
def test_a_large_table_in_a_file_is_restored_while_others_write(tmp_path: Path, kind: str) -> None:
    number = 12_000
    with open_engine(tmp_path / "large.db", synchronous="NORMAL", sweep_every=None) as engine:
        create(engine, recovery=kind == "past")
        fill(engine, number)
        if kind == "backup":
            engine.execute("RestoreTableFromBackup", {"BackupArn": backup(engine), "TargetTableName": "Copy"})
        else:
            names = {"SourceTableName": "App", "TargetTableName": "Copy"}
            engine.execute("RestoreTableToPointInTime", {**names, "UseLatestRestorableTime": True})
        assert status(engine) == "CREATING"
        with writing(lambda count: put(engine, f"{number - 1 - count % number:05d}", "new")) as written:
            wait_until_active(engine)
        assert written[0] > 0
        assert engine.verify() == []
        copied = scan(engine, "Copy")
        assert (len(copied), set(copied.values())) == (number, {"old"})
        assert scan(engine, "Copy", IndexName="ByGroup") == copied


def test_an_engine_goes_on_restoring_where_a_process_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    script = (
        "import os, sys\n"
        "from tests.engine.recovery.test_restoring_large_tables import *\n"
        "engine = open_engine(sys.argv[1], synchronous='NORMAL', sweep_every=None)\n"
        "create(engine)\n"
        "fill(engine, 6000)\n"
        "arn = backup(engine)\n"
        "engine._context.filler.stop()\n"
        "engine.execute('RestoreTableFromBackup', {'BackupArn': arn, 'TargetTableName': 'Copy'})\n"
        "go_on(engine)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    root = Path(__file__).parents[3]
    killed = subprocess.run([sys.executable, "-c", script, str(path)], cwd=root, check=False)
    assert killed.returncode == -9
    with open_engine(path, synchronous="NORMAL", sweep_every=None) as engine:
        wait_until_active(engine)
        assert engine.verify() == []
        assert len(scan(engine, "Copy")) == len(scan(engine, "Copy", IndexName="ByGroup")) == 6000
