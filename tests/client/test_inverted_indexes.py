"""Indexes that share key attributes, on real tables: read from both ends, left by what is deleted, true after every write."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import (
    GSI,
    Collection,
    Entity,
    Keys,
    Query,
    Session,
    SoftDelete,
    Table,
    Unique,
    attr,
    collect,
    key,
    many,
    one,
    query,
    sparse,
    starts_with,
)
from tests.client.conftest import CURSOR_KEYS

club = Table("Club", indexes=[GSI("Inverted", pk="SK", sk="PK"), GSI("GSI1"), GSI("Turned", pk="GSI1SK", sk="GSI1PK")])


class Person(Entity, table=club):
    keys = Keys("PERSON#{name}", "PERSON#{name}", unique=[Unique("email")])
    name: str
    email: str | None = None


class Group(Entity, table=club):
    keys = Keys("GROUP#{group}", "GROUP#{group}")
    group: str


class Membership(Entity, table=club, soft_delete=SoftDelete(keep=timedelta(days=1))):
    keys = Keys(
        "PERSON#{name}", "GROUP#{group}", GSI1=sparse("ROLE#{role}", "{group}#{name}", when=attr("role") == "admin")
    )
    name: str
    group: str
    role: Literal["admin", "member"] = "member"


@club.pattern
def members(group: str, beginning: str | None = None) -> Query[Membership]:
    read = query(Membership, Membership.group == group)
    return read.when(beginning, lambda b: starts_with(Membership.name, b))


@club.pattern
def groups(name: str) -> Query[Membership]:
    return query(Membership, Membership.name == name)


@club.pattern
def admins(group: str, name: str) -> Query[Membership]:
    return query(Membership, Membership.group == group, Membership.name == name, Membership.role == "admin").via(
        "Turned"
    )


@dataclass
class GroupPage:
    group: Group | None
    members: list[Membership]


@club.pattern
def group_page(group: str) -> Collection[GroupPage]:
    return collect(
        GroupPage,
        group=one(query(Group, Group.group == group).via("Inverted")),
        members=many(query(Membership, Membership.group == group)),
    )


PLACES = ["memory", "file", pytest.param("dynamodb-local", marks=pytest.mark.dynamodb_local)]


@pytest.fixture(params=PLACES)
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    if request.param == "dynamodb-local":
        url: str = request.getfixturevalue("dynamodb_local_url")
        with club.open(url, create=True, table_name=f"club-{uuid.uuid4().hex}", cursor_keys=CURSOR_KEYS) as opened:
            yield opened
            opened.delete_table()
        return
    with club.open("memory:" if request.param == "memory" else tmp_path / "club.db", cursor_keys=CURSOR_KEYS) as opened:
        yield opened


def test_links_are_read_from_both_ends(db: Session) -> None:
    db.create(Person(name="ada", email="a@x"))  # its marker is in the inverted index, too
    db.create(Group(group="chess"))
    for name in ("cleo", "ada", "bob"):
        db.create(Membership(name=name, group="chess"))
    db.create(Membership(name="ada", group="chess2"))
    assert [m.name for m in db.run(members, "chess")] == ["ada", "bob", "cleo"]
    assert [m.name for m in db.run(members, "chess", "b")] == ["bob"]
    assert [m.group for m in db.run(groups, "ada")] == ["chess", "chess2"]
    page = db.run(group_page, "chess")
    assert page.group == Group(group="chess")
    assert [m.name for m in page.members] == ["ada", "bob", "cleo"]
    first = db.run(members, "chess").page(2)
    assert [m.name for m in first.items] == ["ada", "bob"]
    assert [m.name for m in db.run(members, "chess").page(2, cursor=first.cursor).items] == ["cleo"]
    assert db.run(members, "chess").count() == 3


def test_tombstones_stay_in_the_inverted_index_and_are_not_read(db: Session) -> None:
    db.create(Group(group="chess"))
    for name in ("ada", "bob"):
        db.create(Membership(name=name, group="chess"))
    db.delete(key(Membership, name="ada", group="chess"))
    assert [m.name for m in db.run(members, "chess")] == ["bob"]
    assert [m.name for m in db.run(group_page, "chess").members] == ["bob"]
    assert db.run(members, "chess").count() == 1
    db.undelete(key(Membership, name="ada", group="chess"))
    assert [m.name for m in db.run(members, "chess")] == ["ada", "bob"]


def test_an_index_that_follows_another_is_entered_and_left_with_it(db: Session) -> None:
    link = Membership(name="ada", group="chess")
    db.create(link)
    assert db.run(admins, "chess", "ada").all() == []
    db.update(key(Membership, name="ada", group="chess"), set={"role": "admin"})
    assert [m.role for m in db.run(admins, "chess", "ada")] == ["admin"]
    db.put(link)
    assert db.run(admins, "chess", "ada").all() == []
    db.upsert(Membership(name="ada", group="chess", role="admin"))
    assert [m.role for m in db.run(admins, "chess", "ada")] == ["admin"]
    db.delete(key(Membership, name="ada", group="chess"))
    assert db.run(admins, "chess", "ada").all() == []


def test_a_collection_can_be_deleted_through_an_inverted_index(db: Session) -> None:
    for name in ("ada", "bob"):
        db.create(Membership(name=name, group="chess"))
        db.create(Membership(name=name, group="go"))
    assert db.delete_collection(members("chess")).items == 2
    assert db.run(members, "chess").all() == []
    assert [m.name for m in db.run(members, "go")] == ["ada", "bob"]


NAMES = ("a", "a#", "ab", "b", "PERSON", "GROUP", "a$", "%")


@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["put", "delete", "admin", "forget"]), st.sampled_from(NAMES), st.sampled_from(NAMES)
        ),
        max_size=30,
    )
)
def test_an_inverted_index_answers_like_a_naive_filter(steps: list[tuple[str, str, str]]) -> None:
    known: dict[tuple[str, str], str] = {}
    with club.open("memory:") as db:
        for name in NAMES:
            db.create(Person(name=name, email=f"{name}@x"))
            db.create(Group(group=name))
        for what, name, group in steps:
            there = key(Membership, name=name, group=group)
            if what == "put":
                db.put(Membership(name=name, group=group))
                known[name, group] = "member"
            elif what == "admin":
                db.upsert(Membership(name=name, group=group, role="admin"))
                known[name, group] = "admin"
            elif what == "delete":
                db.delete(there)
                known.pop((name, group), None)
            else:
                db.purge(there)
                known.pop((name, group), None)
        for asked in NAMES:
            assert [m.name for m in db.run(members, asked)] == sorted(n for n, g in known if g == asked)
            assert [m.group for m in db.run(groups, asked)] == sorted(g for n, g in known if n == asked)
            begin = sorted(n for n, g in known if g == asked and n.startswith("a"))
            assert [m.name for m in db.run(members, asked, "a")] == begin
            for other in NAMES:
                expected = ["admin"] if known.get((other, asked)) == "admin" else []
                assert [m.role for m in db.run(admins, asked, other)] == expected
