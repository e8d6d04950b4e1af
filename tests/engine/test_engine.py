"""The engine as a whole: opening, closing, and that nothing is shared with its callers."""

import copy
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import OPERATIONS, SystemClock, open_engine
from tablewright.engine.operations import UNSUPPORTED
from tablewright.errors import ConfigError, RequestRefused, ServiceError, StorageError
from tablewright.transport.embedded import EmbeddedTransport

KEY: dict[str, Any] = {"pk": {"S": "a"}, "sk": {"N": "1"}}


def test_an_operation_that_nobody_knows(call: Any) -> None:
    error = call.error("MakeCoffee")
    assert isinstance(error, RequestRefused)
    assert error.wire_name == "UnknownOperationException"
    assert "PutItem" in str(error.hint)
    assert error.message == "The operation MakeCoffee is not known."
    assert str(error.hint).startswith("The engine answers BatchExecuteStatement")


@pytest.mark.parametrize(("name", "meant"), [("listtables", "ListTables"), ("PutItems", "PutItem")])
def test_an_operation_that_is_nearly_right(call: Any, name: str, meant: str) -> None:
    assert str(call.error(name).hint).startswith(f"Did you mean {meant}? The engine answers ")


def test_operations_of_the_service_that_the_engine_lacks_are_told_as_such(call: Any) -> None:
    assert "CreateGlobalTable" in UNSUPPORTED
    assert UNSUPPORTED.isdisjoint(OPERATIONS)
    for name in UNSUPPORTED:
        error = call.error(name)
        assert error.wire_name == "UnknownOperationException"
        assert error.message == f"The operation {name} is not supported by the engine."
        assert "Did you mean" not in str(error.hint)


def test_unknown_parameters_and_nulls_are_ignored(table: Any) -> None:
    assert table("PutItem", Item=KEY, Color="red", ConditionExpression=None, ReturnValues=None) == {}
    assert table("GetItem", Key=KEY, ProjectionExpression=None) == {"Item": KEY}


def test_requests_stay_as_they_were_and_stored_items_do_not_follow_them(table: Any) -> None:
    item = {**copy.deepcopy(KEY), "v": {"N": "1.0"}, "list": {"L": [{"S": "x"}]}}
    before = copy.deepcopy(item)
    table("PutItem", Item=item)
    assert item == before
    item["list"]["L"].append({"S": "later"})
    item["v"]["N"] = "2"
    assert table.get("a", 1) == {**KEY, "v": {"N": "1"}, "list": {"L": [{"S": "x"}]}}


def test_responses_belong_to_the_caller(table: Any) -> None:
    table.put(**KEY, m={"M": {"x": {"S": "1"}}})
    value = {"M": {"y": {"S": "2"}}}
    new = table(
        "UpdateItem",
        Key=KEY,
        UpdateExpression="SET n = :n",
        ExpressionAttributeValues={":n": value},
        ReturnValues="ALL_NEW",
    )["Attributes"]
    new["n"]["M"].clear()
    new["m"]["M"].clear()
    assert value == {"M": {"y": {"S": "2"}}}
    table.get("a", 1)["m"]["M"].clear()
    table("Scan")["Items"][0].clear()
    assert table.get("a", 1) == {**KEY, "m": {"M": {"x": {"S": "1"}}}, "n": {"M": {"y": {"S": "2"}}}}


def test_a_closed_engine_says_so(tmp_path: Path, table_definition: Any) -> None:
    for target in ("memory:", tmp_path / "closed.db"):
        engine = open_engine(target)
        engine.execute("CreateTable", table_definition("App"))
        engine.close()
        engine.close()
        for operation, request in (("GetItem", {"Key": KEY}), ("PutItem", {"Item": KEY})):
            with pytest.raises(StorageError, match="The engine is closed"):
                engine.execute(operation, {"TableName": "App", **request})
        with pytest.raises(StorageError, match="The engine is closed"):
            engine.execute("ListTables", {})


def test_closing_waits_for_writes(tmp_path: Path, table_definition: Any) -> None:
    engine = open_engine(tmp_path / "closing.db")
    engine.execute("CreateTable", table_definition("App"))
    written: list[int] = []
    started = threading.Barrier(5)

    def write(worker: int) -> None:
        started.wait()
        for number in range(200):
            try:
                engine.execute(
                    "PutItem", {"TableName": "App", "Item": {"pk": {"S": str(worker)}, "sk": {"N": str(number)}}}
                )
            except StorageError:
                return
            written.append(worker)

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    engine.close()
    for thread in threads:
        thread.join()
    with open_engine(tmp_path / "closing.db") as reopened:
        count = 0
        request: dict[str, Any] = {"TableName": "App", "Select": "COUNT"}
        count = reopened.execute("Scan", request)["Count"]
        assert count == len(written)
        assert reopened.verify() == []


def test_a_reopened_file_has_everything(tmp_path: Path, table_definition: Any) -> None:
    path = tmp_path / "kept.db"
    item = {**KEY, "g": {"S": "g"}, "r": {"S": "r"}, "h": {"N": "2"}, "l": {"S": "l"}, "v": {"B": "AAEC"}}
    with open_engine(path) as engine:
        engine.execute("CreateTable", table_definition("App"))
        engine.execute("PutItem", {"TableName": "App", "Item": item})
        described = engine.execute("DescribeTable", {"TableName": "App"})
    with open_engine(os.fspath(path)) as engine:
        assert engine.execute("DescribeTable", {"TableName": "App"}) == described
        assert engine.execute("GetItem", {"TableName": "App", "Key": KEY}) == {"Item": item}
        for index in ("ByGroup", "ByFour", "ByLocal", "ByLocalKeys"):
            assert engine.execute("Scan", {"TableName": "App", "IndexName": index})["Count"] == 1
        assert engine.verify() == []


def test_settings_are_checked(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="synchronous"):
        open_engine(tmp_path / "x.db", synchronous="OFF")  # type: ignore[arg-type]
    for target in ("", ":memory:"):
        with pytest.raises(ConfigError, match="or 'memory:'"):
            open_engine(target)
    with pytest.raises(StorageError, match="cannot be opened"):
        open_engine(tmp_path / "missing" / "x.db")


def test_names_that_are_meant_for_elsewhere_make_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"Did you mean 'memory:'\? .* './memory'"):
        open_engine("memory")
    for target in ("aws", "aws:", "aws:eu-west-1"):
        with pytest.raises(ConfigError, match="a name of AWS"):
            open_engine(target)
    for target in ("http://localhost:8000", "HTTPS://example.com", "sqlite:///shop.db"):
        with pytest.raises(ConfigError, match="a URL"):
            open_engine(target)
    assert list(tmp_path.iterdir()) == []
    for chosen in ("./memory", Path("aws:eu-west-1"), "awesome.db"):
        open_engine(chosen).close()
        assert Path(chosen).is_file()
    EmbeddedTransport.open("memory").close()


def test_memory_engines_are_separate(table_definition: Any) -> None:
    with open_engine("memory:") as one, open_engine("memory:") as two:
        one.execute("CreateTable", table_definition("App"))
        assert two.execute("ListTables", {}) == {"TableNames": []}


def test_the_system_clock_tells_the_time() -> None:
    assert SystemClock().now() > 1_700_000_000


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_is_told_to_open_its_own(tmp_path: Path, table_definition: Any) -> None:
    with open_engine(tmp_path / "forked.db") as engine:
        engine.execute("CreateTable", table_definition("App"))
        engine.execute("PutItem", {"TableName": "App", "Item": KEY})
        child = os.fork()
        if child == 0:
            refused = 0
            for operation, request in (("GetItem", {"Key": KEY}), ("PutItem", {"Item": KEY})):
                try:
                    engine.execute(operation, {"TableName": "App", **request})
                except StorageError:
                    refused += 1
            engine.close()
            os._exit(0 if refused == 2 else 1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert engine.execute("GetItem", {"TableName": "App", "Key": KEY}) == {"Item": KEY}


@pytest.mark.parametrize(
    ("operation", "request_"),
    [
        ("Scan", {"TableName": "App", "Segment": 1.5, "TotalSegments": 2}),
        ("Scan", {"TableName": "App", "Segment": 0, "TotalSegments": 2.5}),
        ("Scan", {"TableName": "App", "Limit": 1.5}),
        ("ListTables", {"Limit": 1.5}),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Delete": {"TableName": "App", "Key": {}}}], "ClientRequestToken": "\ud800"},
        ),
    ],
)
def test_odd_json_is_refused_as_the_service_does(operation: str, request_: dict[str, Any]) -> None:
    with open_engine("memory:") as engine, pytest.raises(ServiceError):
        engine.execute(operation, request_)
