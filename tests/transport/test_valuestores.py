"""Stores of offloaded values: a folder that never shows half a value, and a bucket of S3."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from tablewright import FolderStore, S3Store, ValueStore
from tablewright.errors import ConfigError


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket="values")
        try:
            yield client
        finally:
            client.close()


@pytest.fixture(params=["folder", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ValueStore:
    if request.param == "folder":
        return FolderStore(tmp_path / "not" / "yet")
    return S3Store(request.getfixturevalue("bucket"), "values", prefix="some/where/")


def test_values_are_kept_listed_and_forgotten(store: ValueStore) -> None:
    assert list(store.names("T/")) == []
    store.put("T/Doc/body/1", b"one")
    store.put("T/Doc/body/2", b"")
    store.put("Other/Doc/body/3", b"three")
    assert store.get("T/Doc/body/1") == b"one"
    assert store.get("T/Doc/body/2") == b""
    found = dict(store.names("T/"))
    assert sorted(found) == ["T/Doc/body/1", "T/Doc/body/2"]
    assert all(abs(datetime.now(UTC) - at) < timedelta(hours=1) for at in found.values())
    store.delete("T/Doc/body/1")
    store.delete("T/Doc/body/1")
    assert sorted(dict(store.names("T/"))) == ["T/Doc/body/2"]
    with pytest.raises(Exception, match=r"NoSuchKey|No such file"):
        store.get("T/Doc/body/1")


def test_a_bucket_is_listed_to_its_end(bucket: Any) -> None:
    store = S3Store(bucket, "values")
    for number in range(1005):
        bucket.put_object(Bucket="values", Key=f"T/{number}", Body=b"")
    assert len(list(store.names("T/"))) == 1005


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/passwd", "a//b", ".hidden", "a\\..\\b", "a/\0", ""])
def test_names_do_not_lead_out_of_a_folder(tmp_path: Path, name: str) -> None:
    store = FolderStore(tmp_path / "inside")
    with pytest.raises(ConfigError):
        store.put(name, b"x")
    assert list(tmp_path.iterdir()) == []


def test_half_a_value_is_never_seen(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    store.put("a/1", b"x")
    (tmp_path / "a" / ".1.half").write_bytes(b"ha")
    assert [name for name, _ in store.names("")] == ["a/1"]


def test_wrong_settings_are_refused_at_construction(bucket: Any) -> None:
    with pytest.raises(ConfigError, match="no client of S3"):
        S3Store("values", "values")
    with pytest.raises(ConfigError, match="bucket"):
        S3Store(bucket, "")
    assert repr(S3Store(bucket, "values")) == "S3Store('values', prefix='')"
    assert repr(FolderStore("x")) == "FolderStore('x')"
