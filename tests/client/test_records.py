"""Items straight from JSON: the same entities as through dicts, odd values included, on every way that has JSON."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, PrivateAttr

from tablewright import GSI, Entity, Keys, Query, Session, Table, key, query
from tablewright.compiler.records import Form
from tablewright.errors import DecodeError, UnknownEntityTypeError
from tablewright.values import dumps

office = Table("Office", indexes=[GSI("GSI1")])


class Paper(Entity, table=office, version=True, schema_version=2):
    keys = Keys("DESK#{desk}", "PAPER#{number:6}", GSI1=("STATE#{state}", "{number:6}"))
    desk: str
    number: int
    state: Literal["new", "done"] = "new"
    title: str
    price: Decimal
    share: float = 0.5
    urgent: bool = False
    day: date | None = None
    at: datetime
    mark: UUID | None = None
    seal: bytes = b""
    lines: list[str] = Field(default=[])
    sums: list[list[int]] = Field(default=[])
    facts: dict[str, int | str] = Field(default={})
    words: frozenset[str] = frozenset({"a"})
    note: str | None = None


class Sheet(Entity, table=office):
    keys = Keys("DESK#{desk}", "SHEET#{number:6}")
    desk: str
    number: int


class Watched(Entity, table=office):
    keys = Keys("WATCHED#{name}", "WATCHED#{name}")
    name: str
    _seen: int = PrivateAttr(default=0)


@office.pattern
def papers(desk: str) -> Query[Paper]:
    return query(Paper, Paper.desk == desk)


PLAN = office.plan.of(Paper)
NAMES = st.text(min_size=1, max_size=5).filter(lambda t: t.isascii() or not any(0xD800 <= ord(c) < 0xE000 for c in t))
PAPERS = st.builds(
    Paper,
    desk=st.sampled_from(["d1", "d2"]),
    number=st.integers(0, 999_999),
    title=NAMES,
    price=st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9),
    share=st.sampled_from([0.0, -1.5, 1e20, 0.1]),
    urgent=st.booleans(),
    day=st.none() | st.dates(),
    at=st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(UTC)),
    mark=st.none() | st.uuids(),
    seal=st.binary(max_size=5),
    lines=st.lists(NAMES, max_size=3),
    sums=st.lists(st.lists(st.integers(-9, 9), max_size=2), max_size=2),
    facts=st.dictionaries(NAMES, st.integers(0, 9) | NAMES, max_size=2),
    words=st.frozensets(NAMES, min_size=1, max_size=2),
    note=st.none() | NAMES,
)


def form() -> Form:
    found = PLAN.forms.get()
    assert found is not None
    return found


def stored_form(paper: Paper) -> dict[str, Any]:
    """The item that a session writes."""
    sent: list[dict[str, Any]] = []

    class Listening:
        def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
            sent.append(request)
            return {}

        def close(self) -> None:
            pass

    with office.open(Listening(), create=False) as db:
        db.create(paper)
    request = sent[-1]
    item: dict[str, Any] = request["Item"] if "Item" in request else request["TransactItems"][0]["Put"]["Item"]
    return item


@given(PAPERS)
def test_a_record_becomes_the_entity_that_a_dict_becomes(paper: Paper) -> None:
    item = stored_form(paper)
    answer = form().reader("Query")(dumps({"Items": [item], "Count": 1, "ScannedCount": 1}))
    (record,) = answer["Items"]
    assert record.__class__ is form().record
    made, expected = form().entity(record), PLAN.decode(item)
    assert made == expected == paper
    assert made.__dict__ == expected.__dict__
    assert made.model_fields_set == expected.model_fields_set
    assert (
        form().name(record)
        == form().key_name({"SK": item["SK"], "PK": item["PK"]})
        == (item["PK"]["S"], item["SK"]["S"])
    )


def test_what_one_entity_says_of_its_fields_is_its_own() -> None:
    first, second = (PLAN.decode(stored_form(PAPER)) for _ in range(2))
    first.model_fields_set.clear()
    first.title = "other"
    copy = first.model_copy(update={"title": "third"})
    copy.__pydantic_fields_set__.clear()
    assert first.model_fields_set == second.model_fields_set == set(Paper.model_fields)
    assert Paper.model_construct(title="t").model_fields_set == {"title"}


ODD: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a number in another form": (
        {"number": {"N": "1E+1"}, "price": {"N": "1E+3"}},
        {"number": 10, "price": Decimal(1000)},
    ),
    "NULL where nothing is": ({"day": {"NULL": True}, "note": {"NULL": True}}, {"day": None, "note": None}),
    "attributes of others": ({"extra": {"M": {"deep": {"L": []}}}}, {}),
    "two keys": ({"TablewrightCopiedTo": {"M": {"key": {"M": {"PK": {"S": "TO#d"}, "SK": {"S": "PAPER#7"}}}}}}, {}),
    "a mark that is none": ({"TablewrightCopiedTo": {"S": "elsewhere"}}, {}),
    "no type": ({"Type": None}, {}),
    "no stamps": ({"CreatedAt": None, "UpdatedAt": None, "Version": None, "SchemaVersion": None}, {}),
    "defaults": ({"state": None, "share": None, "lines": None, "facts": None, "words": None}, {"share": 0.5}),
}
PAPER = Paper(desk="d", number=7, title="t", price=Decimal(1), at=datetime(2026, 1, 2, tzinfo=UTC), mark=UUID(int=1))


@pytest.fixture(params=["memory", "http"])
def db(request: pytest.FixtureRequest) -> Iterator[Session]:
    if request.param == "memory":
        with office.open("memory:") as opened:
            yield opened
    else:
        from tablewright.server import serve_in_thread

        with serve_in_thread("memory:", port=0) as server, office.open(server.url, create=True) as opened:
            yield opened


def change(db: Session, changes: dict[str, Any]) -> None:
    item = {**stored_form(PAPER), **changes}
    db.send("PutItem", {"TableName": "Office", "Item": {n: v for n, v in item.items() if v is not None}})


@pytest.mark.parametrize("name", ODD)
def test_what_other_code_stored_is_read_as_through_dicts(db: Session, name: str) -> None:
    changes, expected = ODD[name]
    change(db, changes)
    target = key(Paper, desk="d", number=7)
    item = db.send("GetItem", {"TableName": "Office", "Key": {"PK": {"S": "DESK#d"}, "SK": {"S": "PAPER#000007"}}})[
        "Item"
    ]
    whole = PLAN.decode(item)
    found = [db.get(target), *db.run(papers, "d"), *db.run(papers, "d").all(), *db.run(papers, "d").page(5).items]
    found += [db.run(papers, "d").first(), *db.get_many([target, target]), *db.get_many([target])]
    assert len(found) == 8
    for one in found:
        assert one is not None
        assert one.__dict__ == whole.__dict__
        for field, value in expected.items():
            assert getattr(one, field) == value


def test_what_is_none_of_its_kind_is_told(db: Session) -> None:
    change(db, {"Type": {"S": "Stranger"}})
    for read in (lambda: db.get(key(Paper, desk="d", number=7)), lambda: db.run(papers, "d").all()):
        with pytest.raises(UnknownEntityTypeError, match="'Stranger'"):
            read()
    change(db, {"title": None})
    with pytest.raises(DecodeError, match="lacks 'title'"):
        db.get(key(Paper, desk="d", number=7))
    change(db, {"price": {"S": "much"}})
    with pytest.raises(DecodeError, match="'price'"):
        db.run(papers, "d").all()


def test_entities_with_code_of_their_own_have_no_form() -> None:
    assert office.plan.of(Watched).forms.get() is None


def test_several_entities_in_one_batch(db: Session) -> None:
    db.create(PAPER)
    db.create(Sheet(desk="d", number=1))
    found = db.get_many(
        [key(Paper, desk="d", number=7), key(Sheet, desk="d", number=1), key(Sheet, desk="d", number=2)]
    )
    assert [type(one) for one in found] == [Paper, Sheet, type(None)]


def test_a_form_reads_no_more_than_json() -> None:
    for odd in (b"[]", b"{", b'{"Item": {"PK": 1}}'):
        with pytest.raises(msgspec.DecodeError):
            form().reader("GetItem")(odd)
