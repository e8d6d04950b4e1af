"""Entities of many fields, and items that no stamp tells of: what is deleted is still what was seen."""

from __future__ import annotations

import types
from typing import Any

import pytest

from tablewright import Entity, Keys, SoftDelete, Table, key
from tablewright.engine import open_engine
from tablewright.errors import ArgumentError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE
from tests.client.doubles import OnTheWay


def wide_entity(table: Table, fields: int, **options: Any) -> Any:
    """An entity of so many fields."""
    names = [f"field_{n}" for n in range(fields)]
    body = {
        "__module__": __name__,
        "__annotations__": {"name": str, **dict.fromkeys(names, int | None)},
        "keys": Keys("WIDE#{name}", "WIDE"),
        **dict.fromkeys(names),
    }
    return types.new_class("Wide", (Entity,), {"table": table, **options}, lambda space: space.update(body))


def test_a_wide_entity_can_be_deleted_softly_and_only_as_it_was_seen() -> None:
    table = Table("Wide")
    wide = wide_entity(table, 300, soft_delete=SoftDelete())
    one = key(wide, name="a")
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with table.open(EmbeddedTransport(engine, owned=False), create=True) as other, table.open(wire) as db:
            db.create(wide(name="a", field_7=7))
            wire.restart()
            wire.before[1] = lambda: other.update(one, set={"field_8": 8})
            db.delete(one)
            assert db.get(one) is None
            back = db.undelete(one)
            assert (back.field_7, back.field_8) == (7, 8)


def test_an_expression_that_is_too_long_is_not_called_an_item_that_is_too_large() -> None:
    table = Table("Wide")
    wide = wide_entity(table, 700)
    with table.open("memory:") as db:
        made = db.create(wide(name="a", **{f"field_{n}": n for n in range(700)}))
        with pytest.raises(ArgumentError, match="expression of more than the 4 KB"):
            db.put(made)


def test_a_delete_without_stamps_returns_what_was_deleted() -> None:
    table = Table("Bare")

    class Bare(Entity, table=table, timestamps=False):
        keys = Keys("BARE#{name}", "BARE", unique=["email"])
        name: str
        email: str = "e"
        n: int = 0

    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with (
            table.open(EmbeddedTransport(engine, owned=False), create=True) as other,
            table.open(wire, retry=AT_ONCE) as db,
        ):
            db.create(Bare(name="a"))
            wire.restart()
            wire.before[1] = lambda: other.update(key(Bare, name="a"), add={"n": 5})
            deleted = db.delete(key(Bare, name="a"))
            assert deleted is not None
            assert deleted.n == 5
