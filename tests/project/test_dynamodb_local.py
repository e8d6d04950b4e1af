"""The reference engine: there when tests ask for it, one per run, gone afterwards, and never silently missing."""

import re
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.support.dynamodb_local import find_jar
from tests.support.small_run import run_pytest

USES_IT = """
import pytest
@pytest.mark.parametrize("number", range(4))
def test_it(dynamodb_local_url, number):
    assert False, f"SERVED AT {dynamodb_local_url}"
"""


def test_it_answers_and_keeps_items(dynamodb_local: Any, fresh_table_name: str) -> None:
    dynamodb_local.create_table(
        TableName=fresh_table_name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    item = {"pk": {"S": "a"}, "n": {"N": "1.5"}}
    dynamodb_local.put_item(TableName=fresh_table_name, Item=item)
    assert dynamodb_local.get_item(TableName=fresh_table_name, Key={"pk": {"S": "a"}})["Item"] == item


@pytest.mark.dynamodb_local
def test_workers_share_one_server_which_ends_with_the_run(tmp_path: Path) -> None:
    jar = find_jar()
    assert jar is not None
    environment = {"TABLEWRIGHT_DYNAMODB_LOCAL": str(jar.parent)}
    output = run_pytest(tmp_path, "dynamodb_local", "-p", "xdist", "-n", "2", environment=environment, uses=USES_IT)[1]
    ports = set(re.findall(r"AssertionError: SERVED AT http://127.0.0.1:(\d+)", output))
    assert "4 failed" in output
    assert len(ports) == 1
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(ports.pop())), timeout=5)


def test_where_it_is_missing_tests_are_skipped_or_fail(tmp_path: Path) -> None:
    missing = {"TABLEWRIGHT_DYNAMODB_LOCAL": str(tmp_path)}
    assert "4 skipped" in run_pytest(tmp_path, "dynamodb_local", environment=missing, uses=USES_IT)[1]
    required = {**missing, "TABLEWRIGHT_REQUIRE_DYNAMODB_LOCAL": "1"}
    assert "4 errors" in run_pytest(tmp_path, "dynamodb_local", environment=required)[1]
