"""Many threads, two engines and two processes on the same data: nothing is lost, nothing is half seen."""

import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.errors import ConditionalCheckFailed, RequestRefused, ResourceNotFound

KEY: dict[str, Any] = {"pk": {"S": "a"}, "sk": {"N": "1"}}
ADD: dict[str, Any] = {
    "TableName": "App",
    "Key": KEY,
    "UpdateExpression": "ADD v :one",
    "ExpressionAttributeValues": {":one": {"N": "1"}},
}


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Run `work` in threads and raise what any of them raised."""
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def value(engine: Engine) -> int:
    return int(engine.execute("GetItem", {"TableName": "App", "Key": KEY})["Item"]["v"]["N"])


def test_no_increment_is_lost(table: Any, engine: Engine) -> None:
    def work(_: int) -> None:
        for _ in range(200):
            engine.execute("UpdateItem", ADD)

    in_threads(8, work)
    assert value(engine) == 1600


def test_one_of_many_creators_wins(table: Any, engine: Engine) -> None:
    outcomes: list[str] = []

    def work(number: int) -> None:
        for round_ in range(30):
            item = {"pk": {"S": "race"}, "sk": {"N": str(round_)}, "winner": {"N": str(number)}}
            request = {"TableName": "App", "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
            try:
                engine.execute("PutItem", request)
                outcomes.append("won")
            except ConditionalCheckFailed:
                outcomes.append("lost")

    in_threads(6, work)
    assert (outcomes.count("won"), len(outcomes)) == (30, 180)


def test_a_failing_request_leaves_its_group_alone(table: Any, engine: Engine) -> None:
    """Some requests of every group fail; the others are all there."""

    def work(number: int) -> None:
        for n in range(40):
            item = {"pk": {"S": f"w{number}"}, "sk": {"N": str(n)}, "g": {"S": "g"}, "r": {"S": "r"}}
            engine.execute("PutItem", {"TableName": "App", "Item": item})
            with pytest.raises(ConditionalCheckFailed):
                engine.execute(
                    "PutItem", {"TableName": "App", "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
                )

    in_threads(6, work)
    assert engine.execute("Scan", {"TableName": "App", "IndexName": "ByGroup", "Select": "COUNT"})["Count"] == 240


def test_readers_see_transactions_whole(table: Any, engine: Engine) -> None:
    """Two items change together; a transactional read never sees one without the other."""
    stop = threading.Event()
    keys = [{"pk": {"S": "pair"}, "sk": {"N": str(n)}} for n in (1, 2)]

    def update(key: dict[str, Any]) -> dict[str, Any]:
        return {"Update": {**ADD, "Key": key}}

    def gets() -> list[str]:
        request = {"TransactItems": [{"Get": {"TableName": "App", "Key": key}} for key in keys]}
        responses = engine.execute("TransactGetItems", request)["Responses"]
        return [response["Item"]["v"]["N"] for response in responses]

    engine.execute("TransactWriteItems", {"TransactItems": [update(key) for key in keys]})
    seen: set[tuple[str, ...]] = set()

    def work(number: int) -> None:
        if number == 0:
            for _ in range(150):
                engine.execute("TransactWriteItems", {"TransactItems": [update(key) for key in keys]})
            stop.set()
        else:
            while not stop.is_set():
                seen.add(tuple(gets()))

    in_threads(3, work)
    assert all(one == two for one, two in seen)
    assert gets() == ["151", "151"]


def test_indexes_are_right_while_one_is_being_added(table: Any, engine: Engine) -> None:
    """Writers go on while UpdateTable deletes and creates an index; no write misses it."""
    stop = threading.Event()
    index = {
        "IndexName": "ByFour",
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "h", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    create = {
        "TableName": "App",
        "AttributeDefinitions": [
            {"AttributeName": "g", "AttributeType": "S"},
            {"AttributeName": "h", "AttributeType": "N"},
        ],
        "GlobalSecondaryIndexUpdates": [{"Create": index}],
    }

    def work(number: int) -> None:
        if number == 0:
            try:
                for _ in range(5):
                    delete = {"TableName": "App", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "ByFour"}}]}
                    engine.execute("UpdateTable", delete)
                    engine.execute("UpdateTable", create)
            finally:
                stop.set()
            return
        n = 0
        while n < 20 or not stop.is_set():  # some writes, however late the thread starts
            n += 1
            item = {"pk": {"S": f"w{number}"}, "sk": {"N": str(n)}, "g": {"S": "g"}, "h": {"N": "1"}}
            engine.execute("PutItem", {"TableName": "App", "Item": item})

    in_threads(4, work)
    count = engine.execute("Scan", {"TableName": "App", "Select": "COUNT"})["Count"]
    assert count > 0
    assert engine.verify() == []


# ------------------------------------------------------------------------------------- two engines, two processes


def test_two_engines_on_one_file_see_each_others_tables(tmp_path: Path, table_definition: Any) -> None:
    path = tmp_path / "shared.db"
    with open_engine(path) as one, open_engine(path) as two:
        one.execute("CreateTable", table_definition("App"))
        two.execute("PutItem", {"TableName": "App", "Item": {**KEY, "color": {"S": "red"}}})
        assert one.execute("GetItem", {"TableName": "App", "Key": KEY})["Item"]["color"] == {"S": "red"}
        assert two.execute("ListTables", {}) == {"TableNames": ["App"]}

        # An index that one made is kept up to date by the other's next write, and can be read there.
        one.execute(
            "UpdateTable",
            {
                "TableName": "App",
                "AttributeDefinitions": [{"AttributeName": "color", "AttributeType": "S"}],
                "GlobalSecondaryIndexUpdates": [
                    {
                        "Create": {
                            "IndexName": "ByColor",
                            "KeySchema": [{"AttributeName": "color", "KeyType": "HASH"}],
                            "Projection": {"ProjectionType": "ALL"},
                        }
                    }
                ],
            },
        )
        two.execute(
            "PutItem", {"TableName": "App", "Item": {"pk": {"S": "b"}, "sk": {"N": "1"}, "color": {"S": "red"}}}
        )
        assert two.execute("Scan", {"TableName": "App", "IndexName": "ByColor"})["Count"] == 2
        assert one.verify() == []

        # A table that was dropped and made anew is the new one.
        two.execute("DeleteTable", {"TableName": "App"})
        with pytest.raises(ResourceNotFound):
            one.execute("GetItem", {"TableName": "App", "Key": KEY})
        two.execute("CreateTable", table_definition("App"))
        assert one.execute("GetItem", {"TableName": "App", "Key": KEY}) == {}
        one.execute("PutItem", {"TableName": "App", "Item": KEY})
        assert two.execute("GetItem", {"TableName": "App", "Key": KEY}) == {"Item": KEY}


def test_what_another_process_made_anew_refuses_nobody(tmp_path: Path, table_definition: Any) -> None:
    """What a request is refused for may be true of the table as it was."""
    path = tmp_path / "shared.db"
    requests: list[tuple[str, dict[str, Any]]] = [
        ("PutItem", {"TableName": "App", "Item": {"id": {"N": "1"}}}),
        ("GetItem", {"TableName": "App", "Key": {"id": {"N": "1"}}}),
        ("UpdateItem", {"TableName": "App", "Key": {"id": {"N": "1"}}}),
        ("DeleteItem", {"TableName": "App", "Key": {"id": {"N": "1"}}}),
        ("BatchGetItem", {"RequestItems": {"App": {"Keys": [{"id": {"N": "1"}}]}}}),
        ("BatchWriteItem", {"RequestItems": {"App": [{"PutRequest": {"Item": {"id": {"N": "1"}}}}]}}),
        ("TransactWriteItems", {"TransactItems": [{"Put": {"TableName": "App", "Item": {"id": {"N": "1"}}}}]}),
        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "App", "Key": {"id": {"N": "1"}}}}]}),
        ("ExecuteStatement", {"Statement": "SELECT * FROM App WHERE id = 1"}),
        (
            "Query",
            {
                "TableName": "App",
                "KeyConditionExpression": "id = :i",
                "ExpressionAttributeValues": {":i": {"N": "1"}},
            },
        ),
    ]
    anew = {
        "TableName": "App",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    }
    with open_engine(path) as one:
        for operation, request in requests:
            for together in (False, True):
                one.execute("CreateTable", table_definition("App"))
                with open_engine(path) as two:
                    two.execute("PutItem", {"TableName": "App", "Item": KEY})
                    one.execute("DeleteTable", {"TableName": "App"})
                    one.execute("CreateTable", anew)
                    if together:
                        (answer,) = two.execute_together([(operation, request, "local")])
                        assert not isinstance(answer, Exception), (operation, answer)
                    else:
                        two.execute(operation, request)
                    with pytest.raises(RequestRefused):  # and what is wrong of the table as it is stays so
                        two.execute("PutItem", {"TableName": "App", "Item": KEY})
                one.execute("DeleteTable", {"TableName": "App"})


def test_an_index_that_another_process_deleted_asks_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "shared.db"
    definition = {
        "TableName": "App",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "g")],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "ByG",
                "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    }
    with open_engine(path) as one, open_engine(path) as two:
        one.execute("CreateTable", definition)
        two.execute("PutItem", {"TableName": "App", "Item": {"pk": {"S": "a"}, "g": {"S": "b"}}})
        delete = {"TableName": "App", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "ByG"}}]}
        one.execute("UpdateTable", delete)
        two.execute("PutItem", {"TableName": "App", "Item": {"pk": {"S": "b"}, "g": {"N": "1"}}})
        assert two.verify() == []


COUNTING = textwrap.dedent(
    """
    import sys
    from tablewright.engine import open_engine

    with open_engine(sys.argv[1], synchronous="NORMAL") as engine:
        print("ready", flush=True)
        sys.stdin.readline()
        for _ in range(200):
            engine.execute("UpdateItem", {
                "TableName": "App",
                "Key": {"pk": {"S": "a"}, "sk": {"N": "1"}},
                "UpdateExpression": "ADD v :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}},
            })
    """
)


def test_all_threads_find_what_another_engine_made(tmp_path: Path, table_definition: Any) -> None:
    """Only one of them refreshes the picture; the others must look at it again."""
    path = tmp_path / "shared.db"
    key = {"pk": {"S": "a"}, "sk": {"N": "1"}}
    with open_engine(path, synchronous="NORMAL") as first, open_engine(path, synchronous="NORMAL") as second:
        for number in range(20):
            name = f"Table{number}"
            first.execute("CreateTable", table_definition(name))
            start = threading.Barrier(4)

            def work(_: int, name: str = name, start: threading.Barrier = start) -> None:
                start.wait()
                assert second.execute("GetItem", {"TableName": name, "Key": key}) == {}
                assert second.execute("Scan", {"TableName": name, "IndexName": "ByGroup"})["Count"] == 0

            in_threads(4, work)


def test_two_processes_count_together(tmp_path: Path, table_definition: Any) -> None:
    path = tmp_path / "counted.db"
    with open_engine(path, synchronous="NORMAL") as engine:
        engine.execute("CreateTable", table_definition("App"))
        children = [
            subprocess.Popen(
                [sys.executable, "-c", COUNTING, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            for _ in range(2)
        ]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        for _ in range(100):
            engine.execute("UpdateItem", ADD)
        for child in children:
            child.communicate(timeout=120)
            assert child.returncode == 0
        assert value(engine) == 500


def test_many_processes_can_create_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "created.db"
    program = "import sys; from tablewright.engine import open_engine; open_engine(sys.argv[1]).close()"
    children = [subprocess.Popen([sys.executable, "-c", program, str(path)]) for _ in range(4)]
    assert [child.wait(timeout=120) for child in children] == [0, 0, 0, 0]
    with open_engine(path) as engine:
        assert engine.verify() == []
