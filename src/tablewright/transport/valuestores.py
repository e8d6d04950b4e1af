"""Places for offloaded values: a folder, or a bucket of S3 through a client of the user's own."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tablewright.errors import ConfigError


class FolderStore:
    """Keeps offloaded values as files below a folder, which is made when it is first needed."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def __repr__(self) -> str:
        return f"FolderStore({str(self._folder)!r})"

    def put(self, name: str, data: bytes) -> None:
        """Writes a file; when this returns it survives a crash, and nobody ever sees half of it."""
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        with half.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        half.replace(path)
        if os.name == "posix":
            for folder in (path.parent, *path.parent.parents):
                _sync(folder)
                if folder == self._folder:
                    break

    def get(self, name: str) -> bytes:
        """Reads a file."""
        return self._path(name).read_bytes()

    def delete(self, name: str) -> None:
        """Deletes a file."""
        self._path(name).unlink(missing_ok=True)

    def names(self, prefix: str) -> Iterator[tuple[str, datetime]]:
        """The files whose names begin so."""
        for path in sorted(self._folder.rglob("*")):
            name = path.relative_to(self._folder).as_posix()
            if name.startswith(prefix) and not path.name.startswith(".") and path.is_file():
                yield name, datetime.fromtimestamp(path.stat().st_mtime, UTC)

    def _path(self, name: str) -> Path:
        parts = name.split("/")
        if not all(parts) or any(part.startswith(".") for part in parts) or "\\" in name or "\0" in name:
            raise ConfigError("A name in a folder of values leads out of it.")
        return self._folder.joinpath(*parts)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class S3Store:
    """Keeps offloaded values in a bucket: `S3Store(boto3.client("s3"), "my-bucket", prefix="values/")`."""

    def __init__(self, client: Any, bucket: str, *, prefix: str = "") -> None:
        if not all(callable(getattr(client, m, None)) for m in ("put_object", "get_object", "delete_object")):
            raise ConfigError(
                f"S3Store was given {type(client).__name__}, which is no client of S3.", hint='boto3.client("s3")'
            )
        if not isinstance(bucket, str) or not bucket:
            raise ConfigError("S3Store needs the name of a bucket.")
        self._client = client
        self._bucket = bucket
        self._prefix = prefix

    def __repr__(self) -> str:
        return f"S3Store({self._bucket!r}, prefix={self._prefix!r})"

    def put(self, name: str, data: bytes) -> None:
        """Stores an object."""
        self._client.put_object(Bucket=self._bucket, Key=self._prefix + name, Body=data)

    def get(self, name: str) -> bytes:
        """Reads an object."""
        answer = self._client.get_object(Bucket=self._bucket, Key=self._prefix + name)
        data: bytes = answer["Body"].read()
        return data

    def delete(self, name: str) -> None:
        """Deletes an object."""
        self._client.delete_object(Bucket=self._bucket, Key=self._prefix + name)

    def names(self, prefix: str) -> Iterator[tuple[str, datetime]]:
        """The objects whose names begin so."""
        pages = self._client.get_paginator("list_objects_v2")
        for page in pages.paginate(Bucket=self._bucket, Prefix=self._prefix + prefix):
            for found in page.get("Contents", ()):
                yield found["Key"].removeprefix(self._prefix), found["LastModified"]
