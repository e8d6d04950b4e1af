"""What is paid for beside reads, writes and storage: streams, change data capture, backups, restores, and further regions."""

from __future__ import annotations

import math
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from tablewright.cost.prices import GIGABYTE, MONTH, Bill, Prices, Rates
from tablewright.errors import ArgumentError
from tablewright.wording import counted

PARTITION_BYTES = 10 * GIGABYTE
PARTITION_READS, PARTITION_WRITES = 3_000, 1_000
"""What a partition bears in a second, and how much it holds."""
_RECORDS, _RECORDS_BYTES = 1_000, 2**20
"""What one request to a stream returns at most."""


class Beside(Struct, frozen=True, kw_only=True):
    """What is used of DynamoDB beside the table itself."""

    stream_readers: int = 0
    """Programs that read the table's stream on their own; what Lambda functions read is free."""
    polls: float = 1.0
    """How often in a second such a program asks each shard of the stream."""
    kinesis: bool = False
    """Whether changes are sent to a Kinesis data stream, whose own price is not counted."""
    backups: float = 0.0
    """Backups on demand of the whole table that are kept at one time."""
    restores: float = 0.0
    """How often in a month the whole table is restored."""
    replicas: int = 0
    """Further regions that hold the same table."""

    def __post_init__(self) -> None:
        for name in ("stream_readers", "polls", "backups", "restores", "replicas"):
            value = getattr(self, name)
            if not math.isfinite(value) or value < 0:
                raise ArgumentError(f"{name.replace('_', ' ')} is a number from 0 on.", field=name)

    @property
    def used(self) -> bool:
        """Whether there is any of it."""
        return bool(self.stream_readers or self.kinesis or self.backups or self.restores or self.replicas)


NOTHING = Beside()


class Volume(Struct, frozen=True):
    """What a table holds and how much happens to it, as far as matters here."""

    peak: tuple[float, float]
    """Read and write units a second of the table itself, when it is busiest."""
    changes: float
    """Items of the table that are written in a second, on average."""
    captured: float
    """Kilobytes of these, each item rounded up, in a second."""
    copied: float
    """Write units of all indexes in a second, on average."""
    table: int
    """Bytes of the table and its local indexes, as they are charged."""
    stored: int
    """Bytes of everything."""
    recoverable: int
    """Bytes with recovery to a point in time."""


class Replicated(Struct, frozen=True):
    """Provisioned write units of a further region: of the table, and of its indexes."""

    table: float
    indexes: float


def with_beside(
    bill: Bill, beside: Beside, volume: Volume, rates: Rates, prices: Prices, ready: Replicated | None
) -> Bill:
    """The bill with what is used beside the table. `ready` is what is provisioned; None on demand."""
    streams = max(0.0, stream_requests(beside, volume) - prices.streams_free) / 1e6 * (prices.streams or 0.0)
    if beside.kinesis:
        streams += volume.captured * MONTH / 1e6 * (prices.kinesis or 0.0)
    size = volume.table / GIGABYTE
    backups = beside.backups * size * (prices.backup or 0.0) + beside.restores * size * (prices.restore or 0.0)
    kept = (volume.stored * rates.storage + volume.recoverable * (rates.recovery or 0.0)) / GIGABYTE
    replicas = 0.0
    if beside.replicas and _replicated(rates, ready) is not None:
        replicas = beside.replicas * (_written(volume, rates, ready) + kept)
    return replace(bill, streams=streams, backups=backups, replicas=replicas)


def stream_requests(beside: Beside, volume: Volume) -> float:
    """Requests to a stream in a month: readers ask each shard again and again, whether something happened or not, and at
    least as often as what happened fills an answer."""
    shards = max(
        1,
        math.ceil(volume.table / PARTITION_BYTES),
        math.ceil(volume.peak[0] / PARTITION_READS),
        math.ceil(volume.peak[1] / PARTITION_WRITES),
    )
    least = max(volume.changes / _RECORDS, volume.captured * 1024 / _RECORDS_BYTES)
    return beside.stream_readers * max(shards * beside.polls, least) * MONTH


def _replicated(rates: Rates, ready: Replicated | None) -> float | None:
    return rates.replicated if ready is None else rates.replicated_hour


def _written(volume: Volume, rates: Rates, ready: Replicated | None) -> float:
    if ready is not None:
        hours = MONTH / 3600
        return hours * (ready.table * (rates.replicated_hour or 0.0) + ready.indexes * rates.write_hour)
    return MONTH / 1e6 * (volume.captured * (rates.replicated or 0.0) + volume.copied * rates.writes)


def beside_notes(beside: Beside, volume: Volume, prices: Prices, *, streamed: bool) -> Iterator[str]:
    """What was taken for granted, and what could not be counted."""
    if streamed and not beside.stream_readers:
        yield "The stream is read by Lambda functions, which is free, or by nobody."
    if beside.stream_readers:
        yield (
            f"The stream gets {stream_requests(beside, volume) / 1e6:,.1f} million requests a month from "
            f"{counted(beside.stream_readers, 'reader')}, by how many partitions there must be; {prices.streams_free:,} are "
            "free, of all streams of an account and region together."
        )
    if beside.kinesis:
        yield "Changes go to Kinesis as one unit for each KB of the larger image; Kinesis itself is not counted."
    if beside.backups or beside.restores:
        yield "Backups and restores are of the table and its local indexes; indexes of a restored table cost nothing more."
    if beside.replicas:
        yield "Further regions are written and stored in full; what is read there, and transfer between them, is not counted."
    for used, price, what in (
        (beside.stream_readers, prices.streams, "reading streams"),
        (beside.kinesis, prices.kinesis, "change data capture"),
        (beside.backups, prices.backup, "backups"),
        (beside.restores, prices.restore, "restores"),
    ):
        if used and price is None:
            yield f"These prices name none for {what}, which is not counted."
    lacking = sorted(
        name for name, rates in prices.classes.items() if rates.replicated is None or rates.replicated_hour is None
    )
    if beside.replicas and lacking:
        yield f"Not all prices of further regions are known for {', '.join(lacking)}: where one is missing, they are not counted."
