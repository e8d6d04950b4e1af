"""A table by its bare name: dicts in, dicts out, by the keys that the table itself has."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import boto3
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import (
    GSI,
    LSI,
    PlainTable,
    Table,
    all_of,
    any_of,
    attr,
    between,
    binary,
    contains,
    exists,
    is_in,
    missing,
    negate,
    number,
    open_table,
    open_table_async,
    size,
    sort_key,
    starts_with,
)
from tablewright.errors import (
    ArgumentError,
    ConcurrentModificationError,
    ConditionalCheckError,
    ConfigError,
    CursorError,
    EmptySetError,
    ImmutableFieldError,
    ItemTooLargeError,
    KeyValueError,
    MissingKeyPartError,
    NumberError,
    TablewrightError,
    TransactionError,
    UnknownIndexError,
)
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import CURSOR_KEYS, PLACES
from tests.client.doubles import OnTheWay

SHAPE = Table(
    "Plain",
    indexes=[
        GSI("ByTotal", pk="customer", sk=number("total")),
        GSI("ByPlace", pk=["tenant", "client"], sk=["country", "state", number("zip")]),
        GSI("ByDigest", pk="owner", sk=binary("digest")),
        GSI("Loose", pk="crowd", sk=None),
        LSI("ByName", sk="name"),
    ],
)


@pytest.fixture
def wire() -> Iterator[OnTheWay]:
    transport = OnTheWay(EmbeddedTransport.open("memory:"))
    yield transport
    transport.close()


@pytest.fixture
def table(wire: OnTheWay) -> PlainTable:
    opened = open_table("Plain", wire, definition=SHAPE, create=True, cursor_keys=CURSOR_KEYS)
    wire.restart()
    return opened


@pytest.fixture(params=PLACES)
def anywhere(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PlainTable]:
    """The same in memory, in a file and on DynamoDB Local."""
    if request.param == "dynamodb-local":
        url: str = request.getfixturevalue("dynamodb_local_url")
        name = f"plain-{uuid.uuid4().hex}"
        with open_table(name, url, definition=SHAPE, create=True, cursor_keys=CURSOR_KEYS) as opened:
            yield opened
            opened.send("DeleteTable", {"TableName": name})
        return
    place = "memory:" if request.param == "memory" else tmp_path / "plain.db"
    with open_table("Plain", place, definition=SHAPE, cursor_keys=CURSOR_KEYS) as opened:
        yield opened


def key(number: int, pk: str = "p") -> dict[str, Any]:
    return {"PK": pk, "SK": f"i{number:03}"}


def fill(table: PlainTable, count: int = 10, **more: Any) -> None:
    with table.batch() as batch:
        for n in range(count):
            batch.put({**key(n), "n": n, "customer": "c", "total": n, **more})


def numbers(items: Any) -> list[int]:
    return [item["n"] for item in items]


# ------------------------------------------------------------------------------------------------------- opening


def test_the_keys_are_asked_of_the_table_or_taken_from_a_definition(wire: OnTheWay, table: PlainTable) -> None:
    described = open_table("Plain", wire)
    assert wire.operations == ["DescribeTable"]
    told = open_table("Plain", wire, definition=SHAPE)
    assert wire.operations == ["DescribeTable"]
    fill(table, 3)
    for each in (described, told):
        assert each.get(key(1)) == {**key(1), "n": 1, "customer": "c", "total": 1}
        assert numbers(each.query("c", sort_key >= 1, index="ByTotal")) == [1, 2]
        assert each._plain.shape == table._plain.shape
    assert table.table_name == "Plain"


def test_what_cannot_be_opened_is_said(wire: OnTheWay) -> None:
    with pytest.raises(ConfigError, match="There is no table 'Nowhere'"):
        open_table("Nowhere", "memory:")
    with pytest.raises(ConfigError, match="does not know the keys"):
        open_table("Plain", wire, create=True)
    with pytest.raises(ConfigError, match="takes a Table"):
        open_table("Plain", wire, definition="Plain")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="cannot be the name of a table"):
        open_table("no name", wire)
    with pytest.raises(ConfigError, match="no stage"):
        open_table("Plain", wire, stage="dev")
    with pytest.raises(ConfigError, match="by its name"):
        open_table(SHAPE, wire)  # type: ignore[arg-type]


# -------------------------------------------------------------------------------------------------------- values


def test_every_kind_of_value_comes_back(anywhere: PlainTable) -> None:
    item = {
        **key(1),
        "text": "x",
        "whole": 12345678901234567890123456789012345678,
        "exact": Decimal("0.10000000000000000001"),
        "raw": b"\x00\xff",
        "yes": True,
        "nothing": None,
        "list": [1, "two", [b"3"], {"four": None}],
        "map": {"a": {"b": [False]}},
        "texts": {"a", "b"},
        "numbers": {1, Decimal("2.5")},
        "blobs": {b"1", b"2"},
    }
    assert anywhere.put(item) is None
    assert anywhere.get(key(1), consistent=True) == item
    assert anywhere.get(key(2)) is None


@given(st.recursive(
    st.none() | st.booleans() | st.integers(-(10**37), 10**37) | st.text(max_size=8) | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=3), inner, max_size=3),
    max_leaves=8,
))  # fmt: skip
@settings(max_examples=30)
def test_whatever_is_stored_is_read_back(value: Any) -> None:
    with open_table("Plain", "memory:", definition=SHAPE) as table:
        table.put({**key(1), "value": value})
        assert table.get(key(1)) == {**key(1), "value": value}
        (found,) = table.query("p", "i001")
        assert found["value"] == value


@pytest.mark.parametrize(
    ("item", "error"),
    [
        ({"PK": "p"}, MissingKeyPartError),
        ({"PK": "", "SK": "x"}, KeyValueError),
        ({"PK": 1, "SK": "x"}, KeyValueError),
        ({"PK": "p" * 2049, "SK": "x"}, KeyValueError),
        ({"PK": "p", "SK": "x" * 1025}, KeyValueError),
        ({**key(1), "f": 0.5}, NumberError),
        ({**key(1), "s": set()}, EmptySetError),
        ({**key(1), "total": "ten"}, ArgumentError),
        ({**key(1), "customer": ""}, ArgumentError),
        ({**key(1), "big": "x" * 410_000}, ItemTooLargeError),
        ([], ArgumentError),
    ],
    ids=[
        "no sort key",
        "empty",
        "type",
        "long",
        "long sort",
        "float",
        "set",
        "index type",
        "index empty",
        "big",
        "list",
    ],
)
def test_what_cannot_be_stored_is_refused_before_any_request(
    table: PlainTable, wire: OnTheWay, item: Any, error: type[TablewrightError]
) -> None:
    with pytest.raises(error) as caught:
        table.put(item)
    with pytest.raises(error), table.batch() as batch:
        batch.put(item)
    with pytest.raises(error), table.transaction() as tx:
        tx.put(item)
    assert wire.sent == []
    assert "ten" not in caught.value.message


@pytest.mark.parametrize("wrong", [{"PK": "p"}, {"PK": "p", "SK": "s", "more": 1}, {"pk": "p", "sk": "s"}, "p", None])
def test_a_key_is_all_key_attributes_and_nothing_else(table: PlainTable, wire: OnTheWay, wrong: Any) -> None:
    for act in (table.get, table.delete, lambda k: table.update(k, set={"a": 1}), lambda k: table.get_many([k])):
        with pytest.raises((ArgumentError, MissingKeyPartError)):
            act(wrong)
    assert wire.sent == []


# ------------------------------------------------------------------------------------------------------- reading


def test_projections_name_attributes_and_paths_whatever_they_are_called(anywhere: PlainTable) -> None:
    stored = {**key(1), "name": "Ada", "status": "x", "odd-name.with": 1, "address": {"city": "Bonn", "zip": 1}}
    anywhere.put(stored)
    wanted = ["name", "address.city"]
    expected = {"name": "Ada", "address": {"city": "Bonn"}}
    assert anywhere.get(key(1), projection=wanted) == expected
    assert anywhere.query("p", projection=wanted).all() == [expected]
    assert anywhere.scan(projection=wanted).all() == [expected]
    assert anywhere.get_many([key(1), key(2)], projection=wanted) == [expected, None]
    assert anywhere.get_many([key(1), key(2)], projection=[*wanted, "PK"]) == [{**expected, "PK": "p"}, None]
    assert anywhere.get_many([key(1), key(2)], projection=wanted, together=True) == [expected, None]
    for wrong in ("name", [], ["a..b"], 3):
        with pytest.raises(ArgumentError):
            anywhere.get(key(1), projection=wrong)  # type: ignore[arg-type]


def test_many_keys_are_read_once_in_chunks_and_in_order(table: PlainTable, wire: OnTheWay) -> None:
    fill(table, 130)
    wire.restart()
    keys = [key(n) for n in (129, 3, 3, 999, *range(120))]
    found = table.get_many(keys, consistent=True)
    assert [f and f["n"] for f in found] == [129, 3, 3, None, *range(120)]
    assert [len(r["RequestItems"]["Plain"]["Keys"]) for _, r in wire.sent] == [100, 22]
    assert all(r["RequestItems"]["Plain"]["ConsistentRead"] for _, r in wire.sent)
    wire.restart()
    table.get_many([key(n) for n in range(60)], chunk_size=25)
    assert [len(r["RequestItems"]["Plain"]["Keys"]) for _, r in wire.sent] == [25, 25, 10]
    wire.restart()
    assert table.get_many([]) == []
    assert table.get_many([], together=True) == []
    for size_ in (0, 101, True, "x"):
        with pytest.raises(ArgumentError, match="chunk_size"):
            table.get_many([key(1), key(2)], chunk_size=size_)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="list of keys"):
        table.get_many(key(1))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="101 items"):
        table.get_many([key(n) for n in range(101)], together=True)
    assert wire.sent == []


SORTS: dict[str, tuple[Callable[[], Any], list[int]]] = {
    "nothing": (lambda: None, list(range(10))),
    "a value": (lambda: 4, [4]),
    "eq": (lambda: sort_key == 4, [4]),
    "lt": (lambda: sort_key < 2, [0, 1]),
    "lte": (lambda: sort_key <= 2, [0, 1, 2]),
    "gt": (lambda: sort_key > 7, [8, 9]),
    "gte": (lambda: sort_key >= 7, [7, 8, 9]),
    "between": (lambda: between(sort_key, 3, Decimal("5.5")), [3, 4, 5]),
}


@pytest.mark.parametrize("name", SORTS)
def test_every_condition_on_a_sort_key_of_every_type(anywhere: PlainTable, name: str) -> None:
    fill(anywhere)
    make, expected = SORTS[name]
    assert numbers(anywhere.query("c", make(), index="ByTotal")) == expected
    assert numbers(anywhere.query("c", make(), index="ByTotal", newest_first=True)) == expected[::-1]


def test_texts_and_bytes_are_sort_keys_too(table: PlainTable) -> None:
    with table.batch() as batch:
        for n in range(4):
            batch.put({**key(n), "n": n, "owner": "c", "digest": bytes([n, 7]), "name": f"n{n // 2}-{n}"})
    assert numbers(table.query("p", starts_with(sort_key, "i00"))) == [0, 1, 2, 3]
    assert numbers(table.query("p", starts_with(sort_key, "n1"), index="ByName", consistent=True)) == [2, 3]
    assert numbers(table.query("c", bytes([2, 7]), index="ByDigest")) == [2]
    assert numbers(table.query("c", between(sort_key, b"\x01", b"\x03"), index="ByDigest")) == [1, 2]
    assert numbers(table.query("c", starts_with(sort_key, b"\x01"), index="ByDigest")) == [1]


def places(table: PlainTable) -> None:
    rows = [("DE", "NW", 50667), ("DE", "NW", 53111), ("DE", "BY", 80331), ("FR", "IdF", 75001), ("DF", "NW", 1)]
    with table.batch() as batch:
        for n, (country, state, code) in enumerate(rows):
            more = {"country": country, "state": state, "zip": code}
            batch.put({**key(n), "n": n, "tenant": "t", "client": "c", **more})


PREFIXES: dict[str, tuple[Callable[[], Any], list[int]]] = {
    "all": (lambda: None, [2, 0, 1, 4, 3]),
    "one, bare": (lambda: "DE", [2, 0, 1]),
    "one": (lambda: ["DE"], [2, 0, 1]),
    "two": (lambda: ["DE", "NW"], [0, 1]),
    "three": (lambda: ["DE", "NW", 53111], [1]),
    "range on the first": (lambda: sort_key > ["DE"], [4, 3]),
    "range on the last": (lambda: sort_key >= ["DE", "NW", 50668], [1]),
    "between": (lambda: between(sort_key, ["DE", "NW", 1], ["DE", "NW", 51000]), [0]),
    "beginning": (lambda: starts_with(sort_key, ["DE", "B"]), [2]),
    "beginning of the first": (lambda: starts_with(sort_key, "D"), [2, 0, 1, 4]),
}


@pytest.mark.parametrize("name", PREFIXES)
def test_keys_of_several_attributes_are_given_from_the_left(table: PlainTable, name: str) -> None:
    places(table)
    make, expected = PREFIXES[name]
    assert numbers(table.query(["t", "c"], make(), index="ByPlace")) == expected


@pytest.mark.parametrize(
    "ask",
    [
        lambda t: t.query("t", index="ByPlace"),
        lambda t: t.query(["t", "c", "d"], index="ByPlace"),
        lambda t: t.query(["t", "c"], ["DE", "NW", 1, 2], index="ByPlace"),
        lambda t: t.query(["t", "c"], [], index="ByPlace"),
        lambda t: t.query(["t", "c"], ["DE", 5], index="ByPlace"),
        lambda t: t.query(["t", "c"], between(sort_key, ["DE", "A"], ["FR", "B"]), index="ByPlace"),
        lambda t: t.query(["t", "c"], starts_with(sort_key, ["DE", "NW", 5]), index="ByPlace"),
        lambda t: t.query(sort_key > "a"),
        lambda t: t.query(starts_with(sort_key, "a")),
        lambda t: t.query({"PK": "p"}),
        lambda t: t.query("p", all_of(sort_key > "a", sort_key < "b")),
        lambda t: t.query("p", attr("SK") > "a"),
        lambda t: t.query("p", sort_key != "a"),
        lambda t: t.query("p", is_in(sort_key, ["a"])),
        lambda t: t.query("p", contains(sort_key, "a")),
        lambda t: t.query("p", between(sort_key, "b", "a")),
        lambda t: t.query("p", 5),
        lambda t: t.query("p", ""),
        lambda t: t.query("c", 5, index="Loose"),
        lambda t: t.query("c", "x", index="ByTotal"),
        lambda t: t.query("p", index="ByNothing"),
        lambda t: t.query("c", index="ByTotal", consistent=True),
        lambda t: t.scan(index="ByTotal", consistent=True),
        lambda t: t.query("p", filter=attr("SK") > "a"),
        lambda t: t.query("c", index="ByTotal", filter=any_of(attr("n") == 1, attr("total") == 1)),
        lambda t: t.query("p", filter=sort_key > "a"),
        lambda t: t.query("p", filter="n > 1"),
        lambda t: t.query("p", filter=is_in(attr("n"), range(101))),
        lambda t: t.query("p", filter=is_in(attr("n"), [])),
        lambda t: t.query("p", limit=0),
        lambda t: t.query("p", page_size=True),
        lambda t: t.query("p").page(0),
        lambda t: t.scan(segment=2, segments=2),
    ],
    ids=[str(n) for n in range(33)],
)  # fmt: skip
def test_what_no_key_can_answer_is_refused_before_any_request(
    table: PlainTable, wire: OnTheWay, ask: Callable[[PlainTable], Any]
) -> None:
    with pytest.raises((ArgumentError, KeyValueError, UnknownIndexError)):
        ask(table)
    assert wire.sent == []


FILTERS: dict[str, tuple[Callable[[], Any], list[int]]] = {
    "eq": (lambda: attr("n") == 3, [3]),
    "ne": (lambda: attr("n") != 3, [0, 1, 2, 4]),
    "lt": (lambda: attr("n") < 1, [0]),
    "lte": (lambda: attr("n") <= 1, [0, 1]),
    "gt": (lambda: attr("n") > 3, [4]),
    "gte": (lambda: attr("n") >= 3, [3, 4]),
    "between": (lambda: between(attr("n"), 1, 2), [1, 2]),
    "in": (lambda: is_in(attr("n"), [0, 4, 9]), [0, 4]),
    "exists": (lambda: exists(attr("odd")), [1, 3]),
    "missing": (lambda: missing(attr("odd")), [0, 2, 4]),
    "contains": (lambda: contains(attr("name"), "3"), [3]),
    "begins": (lambda: starts_with(attr("name"), "item"), [0, 1, 2, 3, 4]),
    "size": (lambda: size(attr("list")) >= 3, [3, 4]),
    "path": (lambda: attr("map")["inner"] == 2, [2]),
    "and": (lambda: [attr("n") > 0, attr("n") < 3], [1, 2]),
    "or": (lambda: any_of(attr("n") == 0, attr("n") == 4), [0, 4]),
    "not": (lambda: negate(attr("n") >= 2), [0, 1]),
}


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter(anywhere: PlainTable, name: str) -> None:
    with anywhere.batch() as batch:
        for n in range(5):
            odd = {"odd": True} if n % 2 else {"odd": None} if n == 4 else {}
            batch.put({**key(n), "n": n, "name": f"item {n}", "list": list(range(n)), "map": {"inner": n}, **odd})
    make, expected = FILTERS[name]
    assert numbers(anywhere.query("p", filter=make())) == expected
    assert sorted(numbers(anywhere.scan(filter=make()))) == expected
    assert anywhere.query("p", filter=make()).count() == len(expected)


def test_limits_bound_the_whole_and_pages_each_request(table: PlainTable, wire: OnTheWay) -> None:
    fill(table, 25)
    wire.restart()
    assert numbers(table.query("p", limit=12, page_size=5)) == list(range(12))
    assert [r["Limit"] for _, r in wire.sent] == [5, 5, 5]
    assert table.query("p", limit=12).count() == 12
    assert table.query("p").count() == 25
    wire.restart()
    first = table.query("p").first()
    assert first is not None
    assert first["n"] == 0
    assert wire.sent[0][1]["Limit"] == 1
    filtered = table.query("p", filter=attr("n") == 17).first()
    assert filtered is not None
    assert filtered["n"] == 17
    assert table.query("nobody").first() is None


def test_pages_say_what_they_cost_and_go_on_where_they_ended(anywhere: PlainTable) -> None:
    fill(anywhere, 25)
    results = anywhere.query("p", filter=attr("n") >= 12, projection=["n"])
    pages = [results.page(10)]
    while pages[-1].has_more:
        pages.append(results.page(10, pages[-1].cursor))
    assert [numbers(p) for p in pages] == [[], [*range(12, 20)], [*range(20, 25)]]
    assert [p.scanned for p in pages] == [10, 10, 5]
    assert all(p.capacity is not None and p.capacity.read >= 0.5 for p in pages)
    scanned = anywhere.scan(page_size=7).page()
    assert len(scanned) == scanned.scanned == 7


def test_a_bounded_read_stays_bounded_over_pages(table: PlainTable) -> None:
    fill(table, 25)
    results = table.query("p", limit=12)
    first = results.page(8, "")  # as ?cursor= brings it
    second = results.page(8, first.cursor)
    assert numbers(first) + numbers(second) == list(range(12))
    assert second.cursor is None


def test_a_cursor_belongs_to_its_read(table: PlainTable, wire: OnTheWay) -> None:
    fill(table, 9)
    with table.batch() as batch:
        batch.put({**key(1, "q"), "n": 1})
    cursor = table.query("p").page(2).cursor
    assert cursor is not None
    strangers = [
        table.query("q"),
        table.query("p", limit=5),
        table.query("p", newest_first=True),
        table.query("p", sort_key > "i"),
        table.query("p", filter=attr("n") > 1),
        table.scan(),
        open_table("Plain", wire, tenant="other", cursor_keys=CURSOR_KEYS).query("p"),
        open_table("Plain", wire, cursor_keys=[b"another secret of the tests"]).query("p"),
    ]
    wire.restart()
    for stranger in strangers:
        with pytest.raises(CursorError):
            stranger.page(2, cursor)
    with pytest.raises(CursorError):
        table.query("p").page(2, cursor[:-2] + "AA")
    assert wire.sent == []
    assert numbers(table.query("p").page(3, cursor)) == [2, 3, 4]


def test_iterating_asks_for_a_page_when_it_is_needed_and_holds_one(table: PlainTable, wire: OnTheWay) -> None:
    fill(table, 30)
    wire.restart()
    iterator = iter(table.query("p", page_size=10))
    assert wire.sent == []
    for n in range(11):
        assert next(iterator)["n"] == n
    assert len(wire.sent) == 2


def test_a_scan_warns_each_time(table: PlainTable, caplog: pytest.LogCaptureFixture) -> None:
    fill(table, 12)
    with caplog.at_level(logging.WARNING, logger="tablewright"):
        assert table.scan().count() == 12
        assert len(table.scan(segment=0, segments=2).all()) + len(table.scan(segment=1, segments=2).all()) == 12
        assert sorted(numbers(table.scan(index="ByTotal", limit=3))) == [0, 1, 2]
    assert len([r for r in caplog.records if "a query on the table's key or an index" in r.message]) == 4


# ------------------------------------------------------------------------------------------------------- writing


def test_an_item_with_a_version_is_saved_only_over_what_was_read(anywhere: PlainTable) -> None:
    first = anywhere.save({**key(1), "n": 1})
    assert first == {**key(1), "n": 1, "version": 1} == anywhere.get(key(1))
    second = anywhere.save({**first, "n": 2})
    assert second["version"] == 2
    for stale in ({**key(1), "n": 9}, {**first, "n": 9}, {**second, "version": 7}):
        with pytest.raises(ConcurrentModificationError) as caught:
            anywhere.save(stale)
        assert caught.value.item == second
    assert anywhere.get(key(1)) == second
    assert anywhere.save({**key(2)}, version="rev") == {**key(2), "rev": 1}
    for wrong in (0, "1", True, None):
        with pytest.raises(ArgumentError, match="whole number"):
            anywhere.save({**key(1), "version": wrong})


def test_writes_return_what_was_asked_for(anywhere: PlainTable) -> None:
    assert anywhere.put({**key(1), "a": 1, "b": 1}, return_values="ALL_OLD") is None
    assert anywhere.put({**key(1), "a": 2, "b": 1}, return_values="ALL_OLD") == {**key(1), "a": 1, "b": 1}
    assert anywhere.update(key(1), set={"a": 3}) == {**key(1), "a": 3, "b": 1}
    assert anywhere.update(key(1), set={"a": 4}, return_values="ALL_OLD") == {**key(1), "a": 3, "b": 1}
    assert anywhere.update(key(1), set={"a": 5}, return_values="UPDATED_OLD") == {"a": 4}
    assert anywhere.update(key(1), add={"a": 5}, return_values="UPDATED_NEW") == {"a": 10}
    assert anywhere.update(key(1), set={"a": 0}, return_values="NONE") is None
    assert anywhere.delete(key(1), return_values="ALL_OLD") == {**key(1), "a": 0, "b": 1}
    assert anywhere.delete(key(1), return_values="ALL_OLD") is None
    assert anywhere.delete(key(1)) is None


@pytest.mark.parametrize("wanted", ["UPDATED_OLD", "ALL_NEW", "UPDATED_NEW", "EVERYTHING", None])
def test_return_values_that_dynamodb_does_not_know_are_refused(table: PlainTable, wire: OnTheWay, wanted: Any) -> None:
    with pytest.raises(ArgumentError, match="cannot return"):
        table.put(key(1), return_values=wanted)
    with pytest.raises(ArgumentError, match="cannot return"):
        table.delete(key(1), return_values=wanted)
    if not (isinstance(wanted, str) and wanted.endswith(("OLD", "NEW"))):
        with pytest.raises(ArgumentError, match="cannot return"):
            table.update(key(1), set={"a": 1}, return_values=cast(Any, wanted))
    assert wire.sent == []


JUNK: Any = {"s3cr3t": ["s3cr3t"]}
ABSURD: dict[str, tuple[Callable[[PlainTable], object], str]] = {
    "save([])": (lambda t: t.save(cast(Any, [])), r"save\(\) takes a dict, not list"),
    "save(text)": (lambda t: t.save(cast(Any, "s3cr3t")), r"save\(\) takes a dict, not str"),
    "save(version)": (
        lambda t: t.save(key(1), version=JUNK),
        r"save\(version=...\) is the name of an attribute, not dict",
    ),
    "query(index)": (lambda t: t.query("a", index=JUNK), "An index is named by a text, not by dict"),
    "scan(index)": (lambda t: t.scan(index=cast(Any, 5)), "An index is named by a text, not by int"),
    "put(return_values)": (lambda t: t.put(key(1), return_values=JUNK), r"put\(\) cannot return"),
    "update(return_values)": (lambda t: t.update(key(1), return_values=JUNK), r"update\(\) cannot return"),
    "delete(return_values)": (lambda t: t.delete(key(1), return_values=JUNK), r"delete\(\) cannot return"),
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_arguments_are_refused_in_words_without_values(table: PlainTable, wire: OnTheWay, name: str) -> None:
    call, words = ABSURD[name]
    with pytest.raises(ArgumentError, match=words) as refused:
        call(table)
    assert "s3cr3t" not in str(refused.value)
    assert wire.sent == []


def test_updates_change_values_lists_sets_and_paths(anywhere: PlainTable) -> None:
    made = anywhere.update(
        key(1), set={"name": "x", "map": {"a": 1}}, add={"count": 2}, append={"log": [1, "b"]}, include={"tags": ["t"]}
    )
    assert made == {**key(1), "name": "x", "map": {"a": 1}, "count": 2, "log": [1, "b"], "tags": {"t"}}
    changed = anywhere.update(
        key(1),
        set={"map.b": None, "log[0]": 0},
        add={"count": Decimal("-0.5")},
        remove=["name"],
        include={"tags": {"u", "v"}},
        discard={"other": ["q"]},
    )
    expected = {**key(1), "map": {"a": 1, "b": None}, "count": Decimal("1.5"), "log": [0, "b"], "tags": {"t", "u", "v"}}
    assert changed == expected
    changed = anywhere.update(key(1), append={"log": []}, discard={"tags": ["u"]})
    assert changed is not None
    assert changed["tags"] == {"t", "v"}


def test_changes_that_cannot_be_made_are_refused_before_any_request(table: PlainTable, wire: OnTheWay) -> None:
    with pytest.raises(ArgumentError, match="nothing to change"):
        table.update(key(1))
    with pytest.raises(ImmutableFieldError):
        table.update(key(1), set={"SK": "x"})
    with pytest.raises(ArgumentError, match="no number"):
        table.update(key(1), add={"count": "one"})
    with pytest.raises(EmptySetError):
        table.update(key(1), include={"tags": []})
    with pytest.raises(ArgumentError):
        table.update(key(1), set={"a..b": 1})
    assert wire.sent == []


def test_conditions_that_fail_bring_the_item_along(anywhere: PlainTable) -> None:
    anywhere.put({**key(1), "n": 1}, when=missing(attr("PK")))
    acts: list[Callable[[], Any]] = [
        lambda: anywhere.put({**key(1), "n": 2}, when=missing(attr("PK"))),
        lambda: anywhere.update(key(1), set={"n": 2}, when=[exists(attr("PK")), attr("n") > 5]),
        lambda: anywhere.delete(key(1), when=attr("n") == 7),
    ]
    for act in acts:
        with pytest.raises(ConditionalCheckError) as caught:
            act()
        assert caught.value.item == {**key(1), "n": 1}
        assert caught.value.condition
        assert "7" not in caught.value.condition
    assert anywhere.update(key(1), set={"n": 2}, when=attr("n") == 1) == {**key(1), "n": 2}
    with pytest.raises(ConditionalCheckError):
        anywhere.update(key(2), set={"n": 1}, when=exists(attr("PK")))
    assert anywhere.get(key(2)) is None


def test_a_batch_keeps_the_last_word_on_each_item(anywhere: PlainTable) -> None:
    with anywhere.batch() as batch:
        for n in range(60):
            batch.put({**key(n), "n": n})
        batch.delete(key(3))
        batch.put({**key(4), "n": 44})
    assert numbers(anywhere.query("p")) == [0, 1, 2, 44, *range(5, 60)]
    with pytest.raises(ArgumentError, match="over"):
        batch.put(key(1))


@pytest.mark.parametrize(("size", "chunks"), [(None, [25, 15]), (7, [7, 7, 7, 7, 7, 5]), (25, [25, 15])])
def test_a_batch_goes_out_in_chunks_of_a_size(
    table: PlainTable, wire: OnTheWay, size: int | None, chunks: list[int]
) -> None:
    with table.batch() if size is None else table.batch(chunk_size=size) as batch:
        for n in range(40):
            batch.put({**key(n), "n": n})
    assert [len(r["RequestItems"]["Plain"]) for o, r in wire.sent if o == "BatchWriteItem"] == chunks
    for wrong in (0, 26, True, "5"):
        with pytest.raises(ArgumentError, match="1 to 25"), table.batch(chunk_size=cast(int, wrong)):
            pass


def test_a_transaction_is_all_or_nothing(anywhere: PlainTable) -> None:
    anywhere.put({**key(1), "n": 1})
    anywhere.put({**key(2), "n": 2})
    with anywhere.transaction() as tx:
        tx.put({**key(3), "n": 3}, when=missing(attr("PK")))
        tx.update(key(1), add={"n": 10}, when=attr("n") == 1)
        tx.delete(key(2))
    assert numbers(anywhere.query("p")) == [11, 3]
    with pytest.raises(ConditionalCheckError, match="of write 1") as caught, anywhere.transaction() as tx:
        tx.put({**key(4), "n": 4})
        tx.check(key(1), attr("n") == 1)
    assert caught.value.item == {**key(1), "n": 11}
    assert caught.value.context["action"] == 1
    with pytest.raises(ConditionalCheckError), anywhere.transaction() as tx:
        tx.put({**key(4), "n": 4})
        tx.check(key(9))
    assert anywhere.get(key(4)) is None
    with pytest.raises(RuntimeError), anywhere.transaction() as tx:
        tx.put({**key(4), "n": 4})
        raise RuntimeError
    assert anywhere.get(key(4)) is None


def test_a_transaction_is_bounded_and_used_once(table: PlainTable, wire: OnTheWay) -> None:
    with pytest.raises(TransactionError, match="101 actions"), table.transaction() as tx:
        for n in range(101):
            tx.put(key(n))
    with pytest.raises(TransactionError, match="same item"), table.transaction() as tx:
        tx.put(key(1))
        tx.delete(key(1))
    with table.transaction() as tx:
        pass
    with pytest.raises(TransactionError, match="over"):
        tx.put(key(1))
    with pytest.raises(TransactionError, match="token"), table.transaction("") as tx:
        tx.put(key(1))
    assert wire.sent == []


@pytest.mark.usefixtures("tablewright_boto3")
def test_the_client_behind_it_can_be_reached() -> None:
    client = boto3.client("dynamodb")
    with open_table("Plain", client, definition=SHAPE) as table:
        assert table.boto3_client is client

    async def go() -> None:
        async with open_table_async("Plain", client, definition=SHAPE) as table:
            assert table.boto3_client is client

    asyncio.run(go())
    with open_table("Plain", "memory:", definition=SHAPE) as table:
        assert table.boto3_client is None


# --------------------------------------------------------------------------------------------------------- async


def test_the_same_with_asyncio() -> None:
    async def go() -> None:
        async with open_table_async("Plain", "memory:", definition=SHAPE, cursor_keys=CURSOR_KEYS) as table:
            assert table.table_name == "Plain"
            assert table.boto3_client is None
            async with table.batch() as batch:
                for n in range(12):
                    batch.put({**key(n), "n": n})
            async with table.transaction() as tx:
                tx.update(key(1), add={"n": 100})
                tx.check(key(2))
            assert await table.get(key(1), projection=["n"]) == {"n": 101}
            assert await table.get_many([key(3), key(99)]) == [{**key(3), "n": 3}, None]
            assert (await table.save({**key(77)}))["version"] == 1
            await table.delete(key(77))
            assert await table.put({**key(1), "n": 1}, return_values="ALL_OLD") == {**key(1), "n": 101}
            assert await table.update(key(1), set={"n": 7}) == {**key(1), "n": 7}
            assert await table.delete(key(1), return_values="ALL_OLD") == {**key(1), "n": 7}
            results = table.query("p", sort_key >= "i005", page_size=3)
            assert [i["n"] async for i in results] == list(range(5, 12))
            page = await results.page()
            again = await results.page(2, page.cursor)
            assert numbers(page) + numbers(again) == [5, 6, 7, 8, 9]
            first = await results.first()
            assert first is not None
            assert first["n"] == 5
            assert await results.count() == 7
            assert len(await table.scan(filter=attr("n") > 5).all()) == 6
            with table.measure() as meter:
                await table.send("GetItem", {"TableName": "Plain", "Key": {"PK": {"S": "p"}, "SK": {"S": "i001"}}})
            assert [r.operation for r in meter.requests] == ["GetItem"]

    asyncio.run(go())


def test_a_missing_table_is_said_when_it_is_entered() -> None:
    async def go() -> None:
        async with open_table_async("Nowhere", "memory:"):
            raise AssertionError

    with pytest.raises(ConfigError, match="There is no table"):
        asyncio.run(go())
