"""Requests that are made once and filled in: the second write of a shape does what the first one did."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, model_validator

from tablewright import GSI, Entity, Keys, Session, Table, binary, key
from tablewright.errors import (
    AlreadyExistsError,
    FieldTypeError,
    ItemTooLargeError,
    KeyTooLongError,
    KeyValueError,
    NotFoundError,
    TablewrightError,
    UnknownEntityTypeError,
    UnknownFieldError,
)
from tablewright.testing import LostReply

depot = Table("Depot", indexes=[GSI("GSI1")])
NOW = datetime(2026, 5, 1, tzinfo=UTC)


class Part(Entity, table=depot, version=True):
    keys = Keys("PART#{part}", "PART#{part}", GSI1=("SHELF#{shelf}", "{part}"), unique=["code"])
    part: str
    shelf: str = "a"
    code: str | None = None
    name: str = "?"
    price: Decimal = Decimal(1)
    tags: set[str] = Field(default_factory=set)
    count: int = Field(default=0, ge=0)


class Bolt(Entity, table=depot):
    keys = Keys("BOLT#{bolt}", "BOLT#{bolt}")
    bolt: str
    low: int = 0
    high: int = 10

    @model_validator(mode="after")
    def ordered(self) -> Bolt:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Nut(Entity, table=depot, timestamps=False):
    keys = Keys("NUT#{nut}", "NUT#{nut}")
    nut: str
    size: int = 1


@pytest.fixture
def db() -> Iterator[Session]:
    for entity in (Part, Bolt, Nut):
        depot.plan.of(entity).prepared.clear()
    with depot.open("memory:", clock=lambda: NOW) as opened:
        yield opened


def stored(db: Session, pk: str) -> dict[str, Any]:
    key = {"PK": {"S": pk}, "SK": {"S": pk}}
    item: dict[str, Any] = db.send("GetItem", {"TableName": "Depot", "Key": key})["Item"]
    return item


VALUES = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["x", "ü", ""]),
        "price": st.sampled_from([Decimal("1.50"), Decimal(-2)]),
        "count": st.integers(0, 3) | st.just(-1),
        "shelf": st.sampled_from(["a", "b"]),
        "code": st.none() | st.sampled_from(["c1", "c2"]),
        "tags": st.just(set()) | st.just({"t"}),
    },
)


@given(st.lists(VALUES.filter(bool), min_size=1, max_size=8))
def test_prepared_updates_do_what_planned_ones_do(changes: list[dict[str, Any]]) -> None:
    plan, ends = depot.plan.of(Part), []
    for keeps in (True, False):
        plan.prepared.clear()
        with depot.open("memory:", clock=lambda: NOW) as db:
            db.create(Part(part="p"))
            answers: list[Any] = []
            for change in changes:
                if not keeps:
                    plan.prepared.clear()
                try:
                    answers.append(db.update(key(Part, part="p"), set=change).__dict__)
                except TablewrightError as error:
                    answers.append((type(error), error.message))
            ends.append((answers, db.send("Scan", {"TableName": "Depot"})["Items"]))
    assert ends[0] == ends[1]


def test_the_second_update_of_a_shape_is_prepared(db: Session) -> None:
    db.create(Part(part="p"))
    prepared = depot.plan.of(Part).prepared
    assert db.update(key(Part, part="p"), set={"name": "one"}).name == "one"
    assert ("name",) in prepared
    with db.measure() as meter:
        again = db.update(key(Part, part="p"), set={"name": "two"})
    assert again.name == "two"
    assert len(meter.requests) == 1
    assert stored(db, "PART#p")["Version"] == {"N": "3"}
    assert stored(db, "PART#p")["UpdatedAt"] == {"S": "2026-05-01T00:00:00.000000Z"}
    db.update(key(Part, part="p"), set={"shelf": "b"})
    db.update(key(Part, part="p"), set={"code": "c"})
    assert prepared.keys() - {()} == {("name",)}, "what an index or a unique value depends on is planned each time"
    db.update(key(Part, part="p"), set={"shelf": "c"})
    assert stored(db, "PART#p")["GSI1PK"] == {"S": "SHELF#c"}


def test_what_is_wrong_is_told_as_before(db: Session) -> None:
    db.create(Part(part="p"))
    for _ in range(3):
        db.update(key(Part, part="p"), set={"name": "x", "count": 1})
        with pytest.raises(FieldTypeError, match="count"):
            db.update(key(Part, part="p"), set={"name": "y", "count": -1})
        with pytest.raises(NotFoundError, match="no such Part"):
            db.update(key(Part, part="none"), set={"name": "y", "count": 2})
        with pytest.raises(ItemTooLargeError):
            db.update(key(Part, part="p"), set={"name": "y" * 500_000, "count": 2})
        with pytest.raises(UnknownFieldError):
            db.update(key(Part, part="p"), set={"nme": "y"})
    assert stored(db, "PART#p")["name"] == {"S": "x"}
    db.send("UpdateItem", {
        "TableName": "Depot", "Key": {"PK": {"S": "PART#p"}, "SK": {"S": "PART#p"}},
        "UpdateExpression": "SET #t = :t", "ExpressionAttributeNames": {"#t": "Type"},
        "ExpressionAttributeValues": {":t": {"S": "Stranger"}},
    })  # fmt: skip
    with pytest.raises(UnknownEntityTypeError, match="Stranger"):
        db.update(key(Part, part="p"), set={"name": "z", "count": 2})
    assert stored(db, "PART#p")["name"] == {"S": "x"}


def test_rules_over_several_fields_are_kept(db: Session) -> None:
    db.create(Bolt(bolt="b"))
    for _ in range(2):
        db.update(key(Bolt, bolt="b"), set={"low": 5})
        with pytest.raises(FieldTypeError, match="low is above high"):
            db.update(key(Bolt, bolt="b"), set={"low": 11})


crew = Table(
    "Crew",
    pk="sailor",
    sk=None,
    indexes=[
        GSI("ByMail", pk="mail", sk=None),
        GSI("ByRank", pk="ship", sk="mail"),
        GSI("ByPrint", pk=binary("print"), sk=None),
    ],
)


class Sailor(Entity, table=crew):
    keys = Keys("{sailor}", indexes={"ByMail": ("{mail}",), "ByRank": ("{ship}", "{mail}"), "ByPrint": ("{print}",)})
    sailor: str
    mail: str
    ship: str = "Argo"
    print: bytes = b"p"
    name: str = ""


@pytest.mark.parametrize("prepared", [False, True])
def test_fields_that_are_key_attributes_keep_the_rules_of_keys(prepared: bool) -> None:
    plan = crew.plan.of(Sailor)
    plan.prepared.clear()
    jason = key(Sailor, sailor="jason")
    with crew.open("memory:") as db:
        db.create(Sailor(sailor="jason", mail="j@argo"))
        if prepared:
            for good in ({"mail": "k@argo"}, {"name": "J", "mail": "j@argo"}, {"ship": "Argo"}, {"print": b"q"}):
                db.update(jason, set=good)
                assert tuple(good) in plan.prepared
        before = db.get(jason)
        with db.measure() as meter:
            for empty in ({"mail": ""}, {"name": "K", "mail": ""}, {"ship": ""}, {"print": b""}):
                with pytest.raises(KeyValueError, match="is empty, and key attributes cannot be"):
                    db.update(jason, set=empty)
            with pytest.raises(
                KeyTooLongError, match="takes 1025 bytes in the key attribute 'mail'"
            ):  # a sort key, too
                db.update(jason, set={"mail": "m" * 1025})
            with pytest.raises(KeyTooLongError, match="takes 2049 bytes in the key attribute 'print'"):
                db.update(jason, set={"print": b"m" * 2049})
        assert not meter.requests
        assert db.get(jason) == before


def test_an_update_without_stamps(db: Session) -> None:
    db.create(Nut(nut="n"))
    for size in (2, 3):
        assert db.update(key(Nut, nut="n"), set={"size": size}).size == size
    assert "UpdatedAt" not in stored(db, "NUT#n")


def test_a_create_meets_what_is_there(db: Session) -> None:
    first = db.create(Nut(nut="n", size=4))
    with pytest.raises(AlreadyExistsError) as refused:
        db.create(Nut(nut="n", size=5))
    assert refused.value.item == first
    assert stored(db, "NUT#n")["size"] == {"N": "4"}
    db.create(Part(part="p", code="c"))
    with pytest.raises(TablewrightError, match="code"):
        db.create(Part(part="q", code="c"))


def test_lost_replies_are_not_taken_for_refusals(db: Session) -> None:
    from tablewright.engine import open_engine
    from tablewright.errors import OutcomeUnknownError

    with open_engine("memory:") as engine, depot.open(engine) as session:
        session.create(Nut(nut="n"))
        session.update(key(Nut, nut="n"), set={"size": 2})
        with engine.faults.inject(LostReply(operations="writes", first=1)), pytest.raises(OutcomeUnknownError):
            session.update(key(Nut, nut="n"), set={"size": 3})
        with engine.faults.inject(LostReply(operations="writes", first=1)), pytest.raises(OutcomeUnknownError):
            session.create(Nut(nut="m"))
        assert session.get(key(Nut, nut="m")) == Nut(nut="m")
