"""A reset leaves nothing: not a table, a token, a stream or a backup of before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import open_engine

DEFINITION: dict[str, Any] = {
    "TableName": "Songs",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    "DeletionProtectionEnabled": True,
    "Tags": [{"Key": "a", "Value": "b"}],
}
WRITE: dict[str, Any] = {
    "ClientRequestToken": "once",
    "TransactItems": [{"Put": {"TableName": "Songs", "Item": {"id": {"S": "1"}}}}],
}


@pytest.mark.parametrize("place", ["memory", "file"])
def test_nothing_survives(place: str, tmp_path: Path) -> None:
    with open_engine("memory:" if place == "memory" else tmp_path / "songs.db") as engine:
        for _ in range(2):
            engine.execute("CreateTable", DEFINITION)
            arn = engine.execute("DescribeTable", {"TableName": "Songs"})["Table"]["TableArn"]
            assert engine.execute("ListTagsOfResource", {"ResourceArn": arn})["Tags"] == [{"Key": "a", "Value": "b"}]
            engine.execute("TransactWriteItems", WRITE)  # the second time it must happen again
            assert engine.execute("Scan", {"TableName": "Songs", "Select": "COUNT"})["Count"] == 1
            engine.execute("CreateBackup", {"TableName": "Songs", "BackupName": "copy"})
            point_in_time = {"PointInTimeRecoveryEnabled": True}
            engine.execute(
                "UpdateContinuousBackups", {"TableName": "Songs", "PointInTimeRecoverySpecification": point_in_time}
            )
            assert len(engine.execute("ListStreams", {})["Streams"]) == 1
            engine.reset()
            assert engine.execute("ListTables", {})["TableNames"] == []
            assert engine.execute("ListStreams", {})["Streams"] == []
            assert engine.execute("ListBackups", {})["BackupSummaries"] == []
            assert engine.verify() == []


def test_another_engine_on_the_file_notices(tmp_path: Path) -> None:
    with open_engine(tmp_path / "songs.db") as one, open_engine(tmp_path / "songs.db") as two:
        one.execute("CreateTable", DEFINITION)
        two.execute("PutItem", {"TableName": "Songs", "Item": {"id": {"S": "1"}}})
        one.reset()
        one.execute("CreateTable", DEFINITION)
        assert two.execute("Scan", {"TableName": "Songs", "Select": "COUNT"})["Count"] == 0
