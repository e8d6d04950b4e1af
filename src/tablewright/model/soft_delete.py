"""Soft delete: what an entity says about the tombstones that its deleted items leave."""

from __future__ import annotations

from datetime import timedelta

from msgspec import Struct

from tablewright.errors import ModelError


class SoftDelete(Struct, frozen=True):
    """`class Order(Entity, table=shop, soft_delete=SoftDelete(keep=timedelta(days=30), feed="GSI4"))`

    A deleted item becomes a tombstone: reads hide it, undelete() brings it back, and the table's time to live removes it
    when `keep` is over. It leaves every index but the `feed`, where a reader of changes sees that it was deleted, and those
    that are made of the table's own key attributes, which are read like the table.
    """

    keep: timedelta = timedelta(days=30)
    """How long a tombstone stays."""
    feed: str | None = None
    """The index that shows deletions to `changes()`."""

    def __post_init__(self) -> None:
        if not isinstance(self.keep, timedelta) or self.keep < timedelta(seconds=1):
            raise ModelError(
                "SoftDelete(keep=...) takes a time of at least a second.", hint="SoftDelete(keep=timedelta(days=30))"
            )
        if self.feed is not None and (not isinstance(self.feed, str) or not self.feed):
            raise ModelError("SoftDelete(feed=...) takes the name of an index.", hint='SoftDelete(feed="GSI4")')
