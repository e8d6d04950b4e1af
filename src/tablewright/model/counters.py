"""Sharded counters: a number that many add to, spread over several items so that none of them is hot."""

from __future__ import annotations

import hashlib
from decimal import Decimal
from typing import Any, Generic, TypeVar

from msgspec import Struct

from tablewright.errors import ModelError
from tablewright.model.comparing import field_path

N = TypeVar("N", int, Decimal)
MAX_SHARDS = 100
"""As many as one request reads."""


class ShardedCounter(Generic[N]):
    """`page_views = ShardedCounter(PageViews.shard, PageViews.views, of=16)`

    The first field numbers the shards and is part of the entity's primary key; the second holds each shard's share. Count
    with `db.count_up(page_views(page="home"))`, sum up with `db.total(page_views(page="home"))`.
    """

    def __init__(self, shard: int, count: N, *, of: int) -> None:
        shards, counts = field_path(shard), field_path(count)
        if shards is None or counts is None:
            raise ModelError(
                "ShardedCounter() takes two fields.", hint="ShardedCounter(PageViews.shard, PageViews.views, of=16)"
            )
        self.entity: Any = shards[0]
        if counts[0] is not self.entity or len(shards[1]) > 1 or len(counts[1]) > 1 or shards[1] == counts[1]:
            raise ModelError("The two fields of a ShardedCounter are different fields of one entity.")
        self.shard, self.count = str(*shards[1]), str(*counts[1])
        if not isinstance(of, int) or isinstance(of, bool) or not 1 <= of <= MAX_SHARDS:
            raise ModelError(f"A ShardedCounter has 1 to {MAX_SHARDS} shards: as many as one request reads.")
        self.of = of
        table: Any = getattr(self.entity, "__table__", None)
        if table is not None:
            table.counters[self.entity, self.shard, self.count] = self

    def __call__(self, **fields: Any) -> Counted[N]:
        """One counter of many, by the entity's other key fields."""
        return Counted(self, fields)

    def shard_for(self, spread: str) -> int:
        """The shard that a text always goes to."""
        digest = hashlib.blake2b(spread.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.of


class Counted(Struct, Generic[N], frozen=True):
    """A sharded counter of something: `page_views(page="home")`."""

    counter: ShardedCounter[N]
    """What counts."""
    fields: dict[str, Any]
    """What is counted: the key fields that were given."""
