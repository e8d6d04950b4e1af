"""Stands between a session and its transport, and sees what each request consumes, of which partition."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from tablewright.expressions.compiled import compiled_key_condition
from tablewright.expressions.keyschema import KeySchema
from tablewright.load.making import key_text
from tablewright.model.table import TableModel
from tablewright.transport.base import Request, Response, Transport
from tablewright.values.operations import WRITES

READS = frozenset({"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"})
Partition = tuple[str, str]
"""The name of an index, or "" for the table, and a partition key."""


class Used(Struct):
    """What the requests of one call have used."""

    writes: Mapping[str, str]
    """The partition keys that the call writes to."""
    requests: int = 0
    read_units: float = 0.0
    write_units: float = 0.0
    partitions: dict[Partition, tuple[float, float]] = field(default_factory=dict)
    """Read and write units by partition."""
    last: Partition | None = None
    """Whom the latest request asked first."""

    def add(self, place: str, key: str, reads: float, writes: float) -> None:
        """Counts units of a partition."""
        before = self.partitions.get((place, key), (0.0, 0.0))
        self.partitions[place, key] = before[0] + reads, before[1] + writes


class WatchedTransport:
    """A transport that asks every request what it consumes, and notes it for the thread that sends it."""

    def __init__(self, inner: Transport, table: TableModel) -> None:
        self._inner = inner
        self._table = table
        self._closed = False
        self._here = threading.local()
        self._keys: dict[str | None, KeySchema] = {
            None: KeySchema((table.pk.name,), () if table.sk is None else (table.sk.name,))
        }
        for index in table.indexes.values():
            hashed = (table.pk.name,) if index.local else tuple(a.name for a in index.pk)
            self._keys[index.name] = KeySchema(hashed, tuple(a.name for a in index.sk), index_name=index.name)
        self._local = {index.name for index in table.indexes.values() if index.local}

    def begin(self, writes: Mapping[str, str]) -> Used:
        """Notes what this thread sends from now on."""
        used = self._here.used = Used(writes)
        return used

    def end(self) -> None:
        """Stops doing so."""
        self._here.used = None

    def send(self, operation: str, request: Request) -> Response:
        """One request."""
        used: Used | None = getattr(self._here, "used", None)
        if used is None or (operation not in READS and operation not in WRITES):
            return self._inner.send(operation, request)
        used.requests += 1
        read = self._read(operation, request) if operation in READS else None
        used.last = read[0] if read else ("", used.writes[""]) if "" in used.writes else None
        response = self._inner.send(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        told: Any = response.get("ConsumedCapacity") or ()
        for one in (told,) if isinstance(told, dict) else told:
            if read is not None:
                units = one.get("CapacityUnits", 0.0)
                used.read_units += units
                for place, key in read:
                    used.add(place, key, units / len(read), 0.0)
            else:
                self._written(used, one)
        return response

    def close(self) -> None:
        """Closes what it stands before, once."""
        if not self._closed:
            self._closed = True
            self._inner.close()

    def _written(self, used: Used, told: Mapping[str, Any]) -> None:
        whole = told.get("CapacityUnits", 0.0)
        used.write_units += whole
        for name, one in told.get("GlobalSecondaryIndexes", {}).items():
            units = one.get("CapacityUnits", 0.0)
            whole -= units
            if name in used.writes:
                used.add(name, used.writes[name], 0.0, units)
        if "" in used.writes:
            used.add("", used.writes[""], 0.0, whole)

    def _read(self, operation: str, request: Request) -> list[Partition]:
        """The partitions that a read asks."""
        if operation == "GetItem":
            return [("", key_text(request["Key"], self._keys[None].hash))]
        if operation == "Query":
            index = request.get("IndexName")
            schema = self._keys[index]
            condition = compiled_key_condition(
                request["KeyConditionExpression"], request.get("ExpressionAttributeNames")
            )
            ranges = condition.reduce(request["ExpressionAttributeValues"], schema)
            values = {name: ranges[name].values[0] for name in schema.hash}
            return [("" if index is None or index in self._local else index, key_text(values, schema.hash))]
        if operation == "BatchGetItem":
            keys = [key for asked in request["RequestItems"].values() for key in asked["Keys"]]
        elif operation == "TransactGetItems":
            keys = [one["Get"]["Key"] for one in request["TransactItems"]]
        else:
            keys = []
        return [("", key_text(key, self._keys[None].hash)) for key in keys]
