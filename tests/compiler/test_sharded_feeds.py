"""Joined queries over shards: one request for each, merged; what is not spread alike is refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright import GSI, Entity, Keys, Mixed, Shard, Table, collect, many, query
from tablewright.errors import PatternError

START = datetime(2026, 1, 1, tzinfo=UTC)


def feed(first: int, second: int) -> tuple[Table, Any, Any]:
    table = Table("Feed", indexes=[GSI("GSI1")])

    class Post(Entity, table=table):
        keys = Keys("POST#{n}", "POST", GSI1=("FEED#{shard}", "{at}#POST#{n}"), derive={"shard": Shard("n", of=first)})
        n: str
        at: datetime

    class Photo(Entity, table=table):
        keys = Keys(
            "PHOTO#{n}", "PHOTO", GSI1=("FEED#{shard}", "{at}#PHOTO#{n}"), derive={"shard": Shard("n", of=second)}
        )
        n: str
        at: datetime

    return table, Post, Photo


@pytest.mark.parametrize("descending", [False, True], ids=["ascending", "descending"])
def test_all_shards_are_merged_in_one_order_page_by_page(descending: bool) -> None:
    table, post, photo = feed(3, 3)
    with table.open("memory:") as db:
        for number in range(20):
            db.put((post if number % 3 else photo)(n=str(number), at=START + timedelta(hours=number)))

        def both() -> Mixed[Any]:
            posts, photos = query(post), query(photo)
            return posts.newest_first() | photos.newest_first() if descending else posts | photos

        latest = table.pattern(both)
        assert table.explain(latest)[0].note == "Post + Photo; one request per shard"
        expected = [START + timedelta(hours=n) for n in range(20)]
        with db.measure() as meter:
            found = [item.at for item in db.run(latest).all()]
        assert len(meter.requests) == 3
        assert found == (expected[::-1] if descending else expected)
        pages, cursor = [], None
        while True:
            page = db.run(latest).page(3, cursor=cursor)
            pages += [item.at for item in page.items]
            cursor = page.cursor
            if cursor is None:
                break
        assert pages == found


def test_each_must_have_as_many_shards() -> None:
    table, post, photo = feed(3, 4)

    def both() -> Mixed[Any]:
        return query(post) | query(photo)

    with pytest.raises(PatternError, match="Photo is not spread over shards as Post is"):
        table.pattern(both)


def test_collect_reads_one_partition() -> None:
    table, post, photo = feed(3, 3)

    def both():  # type: ignore[no-untyped-def]
        return collect(dict, posts=many(query(post)), photos=many(query(photo)))

    with pytest.raises(PatternError, match="spread over shards, and collect"):
        table.pattern(both)
