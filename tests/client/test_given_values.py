"""What is given to a write is taken as it was then, however often the write is planned."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from pydantic import Field, ValidationInfo, field_validator

from tablewright import Entity, Keys, Session, Table, key
from tablewright.errors import TransactionError

table = Table("Given")


class Colour(str, Enum):  # noqa: UP042 - that its text is another one is the point
    RED = "red"
    BLUE = "blue"


class Bag(Entity, table=table):
    keys = Keys("BAG#{bag}", "BAG#{bag}")
    bag: str
    tags: list[int] = Field(default_factory=list)
    counts: dict[Colour, int] = Field(default_factory=dict)
    opened: int = 0

    @field_validator("tags")
    @classmethod
    def look_around(cls, value: list[int], info: ValidationInfo) -> list[int]:
        assert info.data["bag"]
        return value


ONE = key(Bag, bag="1")


@pytest.fixture
def db() -> Any:
    with table.open("memory:", create=True) as opened:
        opened.create(Bag(bag="1", counts={Colour.RED: 1}))
        yield opened


@pytest.mark.parametrize("read", [True, False])
def test_what_can_be_read_only_once_is_stored(db: Session, read: bool) -> None:
    target = db.get(ONE) if read else ONE
    assert target is not None
    given: Any = iter([1, 2])
    assert db.update(target, set={"tags": given}).tags == [1, 2]


def test_what_its_owner_changes_afterwards_is_not(db: Session) -> None:
    mine = [1]
    with db.transaction() as tx:
        tx.update(ONE, set={"tags": mine})
        mine.append(99)
    found = db.get(ONE)
    assert found is not None
    assert found.tags == [1]


def test_a_transaction_has_one_block(db: Session) -> None:
    tx = db.transaction()
    with tx:
        tx.update(ONE, add={"opened": 1})
        with pytest.raises(TransactionError, match="begun already"), tx:
            pass
    found = db.get(ONE)
    assert found is not None
    assert found.opened == 1


def test_members_of_an_enum_name_entries_of_a_map(db: Session) -> None:
    assert db.increment(ONE, Bag.counts[Colour.RED]) == 2
    changed = db.update(ONE, set={"opened": 5}, when=Bag.counts[Colour.RED] == 2)
    assert changed.opened == 5
