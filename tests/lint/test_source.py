"""Source of an application: who calls DynamoDB, and where it may."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablewright import Table
from tablewright.errors import ArgumentError
from tablewright.lint import lint
from tablewright.lint.registry import selected


def told(folder: Path, *access: str) -> list[tuple[str, str, int]]:
    found = lint(Table("App"), rules=selected(("TW9",)), sources=[folder], access=[str(folder / one) for one in access])
    return sorted((Path(o.place.file).name, o.code, o.place.line) for o in found if o.place is not None)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import boto3\nc = boto3.client('dynamodb')", [("TW901", 2)]),
        ("import boto3\nc = boto3.resource(service_name='dynamodb')", [("TW901", 2)]),
        ("import aioboto3\ns = aioboto3.Session()\nx = s.resource('dynamodb')", [("TW901", 3)]),
        ("from boto3.dynamodb.conditions import Key", [("TW901", 1)]),
        ("from aiodynamo.client import Client", [("TW901", 1)]),
        ("import boto3\nc = boto3.client('s3')", []),
        ("c = app.client('dynamodb')", []),
        ("from pynamodb.models import Model", [("TW902", 1)]),
        ("from .pynamodb import Model", []),
        ("from tablewright import Table", []),
        ("def broken(:", []),
    ],
)
def test_calls_are_found(tmp_path: Path, source: str, expected: list[tuple[str, int]]) -> None:
    (tmp_path / "app.py").write_text(source, encoding="utf-8")
    assert [(code, line) for _, code, line in told(tmp_path)] == expected


def test_the_data_layer_may_call_but_use_no_other_mapper(tmp_path: Path) -> None:
    for name in ("store/deep", "storeroom", ".venv/lib"):
        (tmp_path / name).mkdir(parents=True)
        text = "import boto3\nimport pynamodb\nc = boto3.client('dynamodb')\n"
        (tmp_path / name / f"{name.replace('/', '_')}.py").write_text(text, encoding="utf-8")
    assert told(tmp_path, "store") == [
        ("store_deep.py", "TW902", 2),
        ("storeroom.py", "TW901", 3),
        ("storeroom.py", "TW902", 2),
    ]
    assert told(tmp_path / "storeroom" / "storeroom.py") == [
        ("storeroom.py", "TW901", 3),
        ("storeroom.py", "TW902", 2),
    ]


def test_source_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="no file or folder"):
        told(tmp_path / "nothing")
