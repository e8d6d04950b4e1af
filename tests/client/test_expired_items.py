"""Items whose time to live has ended, but which nobody has deleted yet: hidden where a session was told to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import pytest
from pydantic import BaseModel

from tablewright import (
    GSI,
    Collection,
    Entity,
    Epoch,
    Get,
    Keys,
    Mixed,
    Query,
    Session,
    Shard,
    Table,
    collect,
    get,
    key,
    many,
    number,
    one,
    query,
)
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError, ConfigError
from tests.client.conftest import CURSOR_KEYS

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
web = Table(
    "Web",
    indexes=[
        GSI("GSI1"),
        GSI("GSI2"),
        GSI("Narrow", projection="KEYS_ONLY"),
        GSI("ByEnd", pk=["end_user", "end_kind"], sk=[number("expires_at")]),
    ],
)


class Login(Entity, table=web, ttl="expires_at"):
    """Some of them end."""

    keys = Keys(
        "USER#{user}",
        "LOGIN#{token}",
        GSI1=("TOKEN#{token}", "TOKEN"),
        GSI2=("ALL#{shard}", "{token}"),
        Narrow=("NARROW#{user}", "{token}"),
        ByEnd=(("{user}", "{kind}"), ("{expires_at}",)),
        derive={"shard": Shard("token", of=2)},
    )
    user: str
    token: str
    kind: str = "k"
    expires_at: Annotated[datetime, Epoch("s")] | None = None


class User(Entity, table=web):
    """Nobody expires."""

    keys = Keys("USER#{user}", "USER")
    user: str


class Token(BaseModel):
    """Little of a login."""

    token: str


@dataclass
class Home:
    """A user with their logins."""

    user: User | None
    logins: list[Login]


@web.pattern
def logins_of(user: str) -> Query[Login]:
    return query(Login, Login.user == user)


@web.pattern
def everybody() -> Query[Login]:
    return query(Login).via("GSI2")


@web.pattern
def tokens_of(user: str) -> Query[Token]:
    return query(Login, Login.user == user).only(Token)


@web.pattern
def narrow(user: str) -> Query[Token]:
    return query(Login, Login.user == user).via("Narrow").only(Token)


@web.pattern
def narrow_one(user: str, token: str) -> Get[Token]:
    return get(Login, Login.user == user, Login.token == token).via("Narrow").only(Token)


@web.pattern
def ending(user: str, kind: str) -> Query[Login]:
    return query(Login, Login.user == user, Login.kind == kind).via("ByEnd")


@web.pattern
def login(user: str, token: str) -> Get[Login]:
    return get(Login, Login.user == user, Login.token == token)


@web.pattern
def by_token(token: str) -> Get[Login]:
    return get(Login, Login.token == token)


@web.pattern
def token_only(user: str, token: str) -> Get[Token]:
    return get(Login, Login.user == user, Login.token == token).only(Token)


@web.pattern
def home(user: str) -> Collection[Home]:
    return collect(
        Home,
        user=one(query(User, User.user == user)),
        logins=many(query(Login, Login.user == user)),
    )


@web.pattern
def mixed(user: str) -> Mixed[User | Login]:
    return query(Login, Login.user == user) | query(User, User.user == user)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as opened:
        yield opened


@pytest.fixture
def seeing(engine: Engine) -> Session:
    """A session that hides nothing."""
    db = web.open(engine, clock=lambda: NOW, cursor_keys=CURSOR_KEYS)
    db.create(User(user="u"))
    ends = {
        "a": timedelta(seconds=-1),
        "b": timedelta(0),
        "c": timedelta(seconds=1),
        "d": None,
        "e": timedelta(days=-9),
    }
    for token, left in ends.items():
        db.create(Login(user="u", token=token, expires_at=None if left is None else NOW + left))
    return db


@pytest.fixture
def hiding(engine: Engine, seeing: Session) -> Session:
    """One that hides what has expired."""
    return web.open(engine, clock=lambda: NOW, cursor_keys=CURSOR_KEYS, hide_expired=True)


def tokens(found: Any) -> list[str]:
    return sorted(x.token for x in found)


def test_every_read_leaves_out_what_has_expired(seeing: Session, hiding: Session) -> None:
    for db, left in ((seeing, ["a", "b", "c", "d", "e"]), (hiding, ["c", "d"])):
        assert tokens(db.run(logins_of, "u")) == left
        assert tokens(db.run(everybody)) == left
        assert tokens(db.run(tokens_of, "u")) == left
        assert db.run(logins_of, "u").count() == len(left)
        first = db.run(logins_of, "u").first()
        assert first is not None
        assert first.token == left[0]
        assert tokens(db.run(home, "u").logins) == left
        assert db.run(home, "u").user == User(user="u")
        assert len(db.run(mixed, "u").all()) == len(left) + 1
        for token in "abcde":
            there = token in left
            named = key(Login, user="u", token=token)
            for found in (
                db.run(login, "u", token),
                db.run(by_token, token),
                db.run(token_only, "u", token),
                db.get(named),
                db.get(named, consistent=True),
                db.get(by_token(token), consistent=True),
                *db.get_many([named]),
                *db.get_many([named, key(Login, user="u", token="none")])[:1],
                *db.get_many([named], together=True),
            ):
                assert (found is not None) is there


def test_pages_go_on_while_time_does(engine: Engine, seeing: Session) -> None:
    now = NOW
    db = web.open(engine, clock=lambda: now, cursor_keys=CURSOR_KEYS, hide_expired=True)
    page = db.run(everybody).page(1)
    now += timedelta(seconds=5)
    rest = db.run(everybody).page(5, page.cursor)
    assert (tokens(page), tokens(rest)) == (["c"], ["d"])
    assert tokens(db.run(everybody)) == ["d"]


def test_writes_and_maintenance_see_everything(hiding: Session) -> None:
    assert tokens(hiding.scan_for_maintenance(Login)) == ["a", "b", "c", "d", "e"]
    assert hiding.update(key(Login, user="u", token="a"), set={"expires_at": NOW + timedelta(days=1)}).token == "a"
    assert tokens(hiding.run(logins_of, "u")) == ["a", "c", "d"]
    assert hiding.delete(key(Login, user="u", token="e")) is not None


def test_indexes_that_cannot_tell_are_refused(seeing: Session, hiding: Session) -> None:
    assert len(seeing.run(narrow, "u").all()) == 5
    assert len(seeing.run(ending, "u", "k").all()) == 4
    with pytest.raises(ArgumentError, match="does not hold 'expires_at'"):
        hiding.run(narrow, "u").all()
    with pytest.raises(ArgumentError, match="does not hold 'expires_at'"):
        hiding.run(narrow_one, "u", "c")
    with pytest.raises(ArgumentError, match="does not filter by keys"):
        hiding.run(ending, "u", "k").all()


def test_the_option_is_a_flag() -> None:
    with pytest.raises(ConfigError, match="hide_expired"):
        web.open("memory:", hide_expired="yes")  # type: ignore[typeddict-item]


def test_the_same_with_asyncio() -> None:
    async def go() -> None:
        async with web.open_async("memory:", clock=lambda: NOW, hide_expired=True) as db:
            await db.create(Login(user="u", token="old", expires_at=NOW - timedelta(1)))
            await db.create(Login(user="u", token="new", expires_at=NOW + timedelta(1)))
            assert tokens([x async for x in db.run(logins_of, "u")]) == ["new"]
            assert await db.run(login, "u", "old") is None

    asyncio.run(go())
