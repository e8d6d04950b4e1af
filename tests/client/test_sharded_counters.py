"""Counters spread over shards: every count is in the sum, once."""

from __future__ import annotations

import asyncio
import random
import threading
from decimal import Decimal
from typing import Any

import pytest

from tablewright import Entity, Keys, RetryPolicy, Session, ShardedCounter, SoftDelete, Table, key
from tablewright.engine import open_engine
from tablewright.engine.faults import Throttle
from tablewright.errors import AlreadyExistsError, ArgumentError, ContentionError, FieldTypeError, ModelError, Throttled
from tablewright.transport.embedded import EmbeddedTransport

web = Table("Visits")


class Views(Entity, table=web):
    keys = Keys("VIEWS#{page}#{shard:2}", "VIEWS")
    page: str
    shard: int
    views: int = 0


class Income(Entity, table=web, version=True):
    keys = Keys("INCOME#{shop}#{shard}", "INCOME")
    shop: str
    shard: str
    share: int = 0
    amount: Decimal = Decimal(0)


class Sums(Entity, table=web):
    keys = Keys("SUMS#{shard:1}", "SUMS")
    shard: int
    amount: Decimal = Decimal(0)


views = ShardedCounter(Views.shard, Views.views, of=8)
sums = ShardedCounter(Sums.shard, Sums.amount, of=3)


def shares(db: Session) -> dict[int, int]:
    items = db.send("Scan", {"TableName": db.table_name})["Items"]
    return {int(i["shard"]["N"]): int(i["views"]["N"]) for i in items if i["Type"] == {"S": "Views"}}


class Hidden(Entity, table=web, soft_delete=SoftDelete()):
    keys = Keys("HIDDEN#{shard:1}", "HIDDEN")
    shard: int
    amount: int = 1


def test_a_deleted_shard_is_not_summed_up() -> None:
    hidden = ShardedCounter(Hidden.shard, Hidden.amount, of=2)
    with web.open("memory:") as db:
        db.create(Hidden(shard=0, amount=3))
        db.create(Hidden(shard=1, amount=4))
        assert db.total(hidden()) == 7
        db.delete(key(Hidden, shard=1))
        assert db.total(hidden()) == 3


def test_counts_are_spread_and_summed_up() -> None:
    chosen = random.Random(1)
    with web.open("memory:", retry=RetryPolicy(random=chosen.random)) as db:
        for _ in range(200):
            db.count_up(views(page="home"))
        db.count_up(views(page="other"), 5)
        db.count_up(views(page="home"), -20)
        assert len(shares(db)) == 8
        with db.measure() as meter:
            assert db.total(views(page="home")) == 180
        assert [r.operation for r in meter.requests] == ["BatchGetItem"]
        assert db.total(views(page="nobody")) == 0
        for amount in (Decimal("0.1"), Decimal("0.2"), 3):
            db.count_up(sums(), amount)
        assert db.total(sums()) == Decimal("3.3")


def test_the_same_text_has_the_same_shard() -> None:
    with web.open("memory:") as db:
        for _ in range(10):
            db.count_up(views(page="home"), spread="visitor 7")
        assert shares(db) == {views.shard_for("visitor 7"): 10}
    assert {views.shard_for(str(n)) for n in range(100)} == set(range(8))
    assert views.shard_for("visitor 7") == 2  # for ever: it is in stored keys


def test_the_last_shard_is_the_last() -> None:
    with web.open("memory:", retry=RetryPolicy(random=lambda: 1.0)) as db:
        db.count_up(views(page="home"))
        assert shares(db) == {7: 1}


@pytest.mark.parametrize("place", ["memory", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)])
def test_on_every_engine(place: str, request: pytest.FixtureRequest) -> None:
    where = "memory:" if place == "memory" else request.getfixturevalue("dynamodb_local_url")
    with web.open(where, create=True, table_name=f"visits-{place}") as db:
        for number in range(20):
            db.count_up(views(page="home"), number)
        assert db.total(views(page="home")) == sum(range(20))
        if place != "memory":
            db.delete_table()


def hammer(db: Session, counts: int, workers: int) -> int:
    """So many counts by so many threads; returns how many were acknowledged."""
    done = [0] * workers
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for _ in range(counts // workers):
                try:
                    db.count_up(views(page="home"))
                except (ContentionError, Throttled):
                    continue
                done[number] += 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    return sum(done)


@pytest.mark.parametrize("counts", [800, pytest.param(10_000, marks=pytest.mark.full)])
def test_contended_counts_add_up(counts: int) -> None:
    with open_engine("memory:") as engine, web.open(EmbeddedTransport(engine, owned=False), create=True) as db:
        assert hammer(db, counts, 8) == counts
        assert db.total(views(page="home")) == counts


def test_counts_under_throttling_add_up() -> None:
    quick = RetryPolicy(base_delay=0.0, max_delay=0.0)
    with (
        open_engine("memory:") as engine,
        web.open(EmbeddedTransport(engine, owned=False), create=True, retry=quick) as db,
    ):
        engine.faults.inject(Throttle(share=0.3, seed=3))
        done = hammer(db, 400, 4)
        engine.faults.clear()
        assert done > 0
        assert db.total(views(page="home")) == done


def test_what_is_no_counter() -> None:
    for shard, count, of in (
        (1, Views.views, 8),
        (Views.shard, Sums.amount, 8),
        (Views.shard, Views.shard, 8),
        (Views.shard, Views.views, 0),
        (Views.shard, Views.views, 101),
        (Views.shard, Views.views, True),
    ):
        with pytest.raises(ModelError):
            ShardedCounter(shard, count, of=of)  # type: ignore[type-var]
    wrong: Any = ShardedCounter(Income.share, Income.amount, of=2)
    with web.open("memory:") as db:
        with pytest.raises(ArgumentError, match="must be part of its primary key"):
            db.count_up(wrong(shop="a"))
        with pytest.raises(ArgumentError, match="no sharded counter"):
            db.total(views)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="is a text"):
            db.count_up(views(page="home"), spread=7)  # type: ignore[arg-type]
        with pytest.raises(FieldTypeError):
            db.count_up(views(page="home"), "7")  # type: ignore[misc]
        assert shares(db) == {}


def test_a_count_is_made_with_the_rest_of_its_transaction_or_not_at_all() -> None:
    with web.open("memory:") as db:
        for number in (1, 2):
            with db.transaction() as tx:
                tx.create(Sums(shard=number, amount=Decimal(1)))
                tx.count_up(views(page="home"), 3, spread="visitor 7")
        with pytest.raises(AlreadyExistsError), db.transaction() as tx:
            tx.count_up(views(page="home"), 3, spread="visitor 7")
            tx.create(Sums(shard=1, amount=Decimal(1)))
        with pytest.raises(ArgumentError, match="is a text"), db.transaction() as tx:
            tx.count_up(views(page="home"), spread=7)  # type: ignore[arg-type]
        assert shares(db) == {2: 6}


def test_counts_of_contended_transactions_add_up() -> None:
    with open_engine("memory:") as engine, web.open(EmbeddedTransport(engine, owned=False), create=True) as db:
        refused: list[int] = []

        def work(worker: int) -> None:
            for number in range(20):
                try:
                    with db.transaction() as tx:
                        tx.create(Views(page=str(number), shard=0, views=worker))
                        tx.count_up(views(page="home"))
                except AlreadyExistsError:
                    refused.append(number)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (len(refused), db.total(views(page="home"))) == (60, 20)


def test_async_counts() -> None:
    async def work() -> None:
        async with web.open_async("memory:") as db:
            await asyncio.gather(*(db.count_up(views(page="home")) for _ in range(50)))
            async with db.transaction() as tx:
                tx.count_up(views(page="home"), 2)
            assert await db.total(views(page="home")) == 52

    asyncio.run(work())
