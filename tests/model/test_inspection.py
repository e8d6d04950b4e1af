"""Models that are wrong, read as a whole: every mistake is noted, and what is right is there."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright import GSI, Aggregate, Entity, Get, Keys, Query, Relationship, Table, child, get, query
from tablewright.errors import KeyCollisionError, ModelError, PatternError
from tablewright.model.inspection import Inspection, inspecting


def read() -> tuple[Inspection, Table]:
    with inspecting() as found:
        table = Table("AppTable", indexes=[GSI("GSI1")])

        class User(Entity, table=table):
            keys = Keys("USER#{user_id}", "USER#{user_id}")
            user_id: str
            name: str

        class Twin(Entity, table=table):
            keys = Keys("USER#{twin_id}", "USER#{twin_id}")
            twin_id: str

        class Keyless(Entity, table=table):
            name: str

        @table.pattern
        def user(user_id: str) -> Get[User]:
            return get(User, User.user_id == user_id)

        @table.pattern
        def by_name(name: str) -> Query[User]:
            return query(User, User.name == name)

        @table.pattern
        def twin(twin_id: str) -> Get[Twin]:
            return get(Twin, Twin.twin_id == twin_id)

        @table.pattern
        def keyless(name: str) -> Query[Keyless]:
            return query(Keyless, Keyless.name == name)

        @table.change
        def rename(u: User, name: str) -> None:
            u.nickname = name  # type: ignore[attr-defined]

        table.relate(Relationship(User, Twin, "1:N", "item collection"))
        table.expect(by_name, rate=5)
        table.expect(User, item=5)  # type: ignore[call-overload]
        table.waive("TW101", by_name, reason="gone with it")

        class Pair(Aggregate[User]):
            twin: Twin | None = child()

    return found, table


def test_every_mistake_is_noted_and_what_is_right_is_there() -> None:
    found, table = read()
    assert found.tables == [table]
    assert list(table.entities) == ["User"]
    assert list(table.patterns) == ["user"]
    assert list(table.unserved) == ["by_name", "twin"]
    assert (table.changes, table.relationships, table.aggregates) == ({}, [], {})
    assert table.expectations.of_pattern("by_name").rate == 5
    assert [waiver.on.name for waiver in table.waivers] == ["by_name"]
    told = [(r.kind, r.name, type(r.error), r.follows) for r in found.refused]
    assert told[:7] == [
        ("entity", "Twin", KeyCollisionError, False),
        ("entity", "Keyless", ModelError, False),
        ("pattern", "by_name", PatternError, False),
        ("pattern", "twin", ModelError, True),
        ("pattern", "keyless", PatternError, True),
        ("change", "rename", told[5][2], False),
        ("relationship", "The relationship User to Twin", ModelError, True),
    ]
    assert [(r.kind, r.follows) for r in found.refused[7:]] == [("expectation", False), ("aggregate", True)]
    assert all(r.table is table for r in found.refused)


def test_afterwards_mistakes_are_raised_again() -> None:
    _, table = read()
    with pytest.raises(PatternError):

        @table.pattern
        def everybody() -> Query[Any]:
            return query(table.entities["User"])
