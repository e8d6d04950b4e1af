"""Items that are no tombstones are read with those that are, whatever their own attributes are called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from tablewright import (
    GSI,
    Collection,
    Entity,
    Keys,
    Mixed,
    Session,
    SoftDelete,
    Table,
    collect,
    key,
    many,
    one,
    query,
)
from tablewright.errors import UnknownEntityTypeError

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
office = Table("Office", indexes=[GSI("Inverted", pk="SK", sk="PK")])


class Case(Entity, table=office, stored={"closed": "DeletedAt"}):
    """Its own attribute happens to be called like the mark of tombstones."""

    keys = Keys("CASE#{case_id}", "CASE")
    case_id: str
    closed: datetime | None = None


class Letter(Entity, table=office, soft_delete=SoftDelete()):
    keys = Keys("CASE#{case_id}", "LETTER#{letter_id}")
    case_id: str
    letter_id: str


class Memo(Entity, table=office, soft_delete=SoftDelete()):
    keys = Keys("CASE#{case_id}", "MEMO#{memo_id}")
    case_id: str
    memo_id: str


@dataclass
class CasePage:
    case: Case | None
    letters: list[Letter]
    memos: list[Memo]


@office.pattern
def case_page(case_id: str) -> Collection[CasePage]:
    return collect(
        CasePage,
        case=one(query(Case, Case.case_id == case_id)),
        letters=many(query(Letter, Letter.case_id == case_id)),
        memos=many(query(Memo, Memo.case_id == case_id)),
    )


@office.pattern
def everything(case_id: str) -> Mixed[Case | Letter | Memo]:
    return (
        query(Case, Case.case_id == case_id)
        | query(Letter, Letter.case_id == case_id)
        | query(Memo, Memo.case_id == case_id)
    )


@pytest.fixture
def db() -> Iterator[Session]:
    with office.open("memory:") as opened:
        opened.create(Case(case_id="c", closed=LONG_AGO))
        for number in "12":
            opened.create(Letter(case_id="c", letter_id=number))
            opened.create(Memo(case_id="c", memo_id=number))
        opened.delete(key(Letter, case_id="c", letter_id="1"))
        opened.delete(key(Memo, case_id="c", memo_id="2"))
        yield opened


def test_a_collection_hides_tombstones_only(db: Session) -> None:
    page = db.run(case_page, "c")
    assert page.case == Case(case_id="c", closed=LONG_AGO)
    assert [x.letter_id for x in page.letters] == ["2"]
    assert [x.memo_id for x in page.memos] == ["1"]


def test_a_mixed_read_hides_tombstones_only(db: Session) -> None:
    found = db.run(everything, "c")
    assert [type(x) for x in found] == [Case, Letter, Memo]
    assert db.run(everything, "c").count() == 3
    assert [type(x) for x in db.run(everything, "c").page(10, fill=True).items] == [Case, Letter, Memo]


def test_a_deleted_collection_takes_what_is_no_tombstone(db: Session) -> None:
    assert db.delete_collection(case_page("c")).items == 3
    assert db.get(key(Case, case_id="c")) is None


def test_an_item_that_nobody_knows_is_told_whatever_it_has(db: Session) -> None:
    stranger = {n: {"S": v} for n, v in (("PK", "CASE#c"), ("SK", "LETTER#9"), ("Type", "Gone"), ("DeletedAt", "x"))}
    db.send("PutItem", {"TableName": "Office", "Item": stranger})
    with pytest.raises(UnknownEntityTypeError):
        db.run(everything, "c").all()
