"""The first few of a read, and pages that are filled although a filter drops most of what is read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright import GSI, Entity, Keys, Query, Session, Shard, Table, attr, open_table, query
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError
from tests.client.conftest import CURSOR_KEYS

games = Table("Games", indexes=[GSI("GSI1")])


class Score(Entity, table=games):
    keys = Keys(
        "GAME#{game}",
        "{points:6}",
        GSI1=("PLAYER#{player}#{shard}", "{points:6}"),
        derive={"shard": Shard("points", of=3)},
    )
    game: str = "g"
    points: int
    player: str = "p"
    rare: bool = False


@games.pattern
def best(game: str) -> Query[Score]:
    "The best first."
    return query(Score, Score.game == game).newest_first()


@games.pattern
def rare(game: str) -> Query[Score]:
    "One in forty."
    return query(Score, Score.game == game).filter(Score.rare == True)  # noqa: E712 - a condition


@games.pattern
def of_player(player: str) -> Query[Score]:
    "Over shards."
    return query(Score, Score.player == player)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as opened:
        yield opened


@pytest.fixture
def db(engine: Engine) -> Iterator[Session]:
    with games.open(engine, cursor_keys=CURSOR_KEYS) as opened:
        with opened.batch() as batch:
            for n in range(200):
                batch.put(Score(points=n, rare=n % 40 == 39))
        yield opened


def test_the_first_few_and_no_more_is_read(db: Session) -> None:
    with db.measure() as meter:
        assert [s.points for s in db.run(best, "g").take(3)] == [199, 198, 197]
    assert [r.capacity.read for r in meter.requests] == [0.5]
    assert len(db.run(best, "g").take(1000)) == 200
    assert db.run(best, "nobody").take(3) == []
    assert [s.points for s in db.run(of_player, "p").take(5)] == [0, 1, 2, 3, 4]
    assert [s.points for s in db.run(rare, "g").take(2)] == [39, 79]
    first = db.run(rare, "g").first()
    assert first is not None
    assert first.points == 39


def test_a_page_is_filled_if_asked_for(db: Session) -> None:
    short = db.run(rare, "g").page(2)
    assert len(short) < 2
    assert short.has_more
    full = db.run(rare, "g").page(2, fill=True)
    assert [s.points for s in full] == [39, 79]
    assert full.scanned is not None
    assert full.scanned >= 80
    rest = db.run(rare, "g").page(10, full.cursor, fill=True)
    assert ([s.points for s in rest], rest.has_more) == ([119, 159, 199], False)


def test_statements_and_plain_tables_can_too(db: Session, engine: Engine) -> None:
    text = 'SELECT * FROM "{table}" WHERE PK = ? AND rare = true'
    assert [s.points for s in db.statement(text, ["GAME#g"], into=Score).take(2)] == [39, 79]
    page = db.statement(text, ["GAME#g"], into=Score).page(3, fill=True)
    assert [s.points for s in page] == [39, 79, 119]
    with open_table("Games", engine, cursor_keys=CURSOR_KEYS) as table:
        found = table.query("GAME#g")
        assert [item["points"] for item in found.take(2)] == [0, 1]
        assert [item["points"] for item in table.query("GAME#g", limit=3).take(5)] == [0, 1, 2]
        some = table.query("GAME#g", filter=attr("rare") == True)  # noqa: E712 - a condition
        assert [item["points"] for item in some.take(2)] == [39, 79]
        assert [item["points"] for item in some.page(3, fill=True)] == [39, 79, 119]


def test_wrong_numbers_are_refused(db: Session) -> None:
    wrong: Any
    for wrong in (0, -1, True, "3", None, 2.0):
        with pytest.raises(ArgumentError, match="at least one"):
            db.run(best, "g").take(wrong)
        with pytest.raises(ArgumentError, match="at least one"):
            db.statement('SELECT * FROM "{table}"', into=Score).take(wrong)


def test_the_same_with_asyncio(engine: Engine, db: Session) -> None:
    async def go() -> None:
        async with games.open_async(engine, cursor_keys=CURSOR_KEYS) as other:
            assert [s.points for s in await other.run(best, "g").take(2)] == [199, 198]
            page = await other.run(rare, "g").page(4, fill=True)
            assert [s.points for s in page] == [39, 79, 119, 159]
            answers = other.statement('SELECT * FROM "{table}" WHERE PK = ?', ["GAME#g"], into=Score)
            assert [s.points for s in await answers.take(2)] == [0, 1]
            assert len(await answers.page(3, fill=True)) == 3

    asyncio.run(go())
