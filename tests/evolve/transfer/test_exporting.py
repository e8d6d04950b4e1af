"""Exports: entities and patterns, one file that is whole or none, and files that programs of others can read."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from tablewright import Session
from tablewright.errors import ArgumentError
from tablewright.evolve.transfer.exporting import export_rows, format_of
from tablewright.evolve.transfer.selecting import of_entity, of_pattern, selected
from tests.evolve.transfer.models import Customer, Order, shop

NOON = datetime(2025, 6, 30, 12, tzinfo=UTC)


@pytest.fixture
def db() -> Iterator[Session]:
    with shop.open("memory:") as opened:
        opened.create(Customer(username="ann", email="a@x"))
        for number, status in enumerate(["PENDING", "SHIPPED", "PENDING"]):
            placed = NOON.replace(month=number + 1, day=1)
            opened.create(
                Order(username="ann", order_id=f"o{number}", placed_at=placed, total=Decimal(number), status=status)
            )
        yield opened


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_files_are_plain_to_others(db: Session, tmp_path: Path) -> None:
    for name in ("orders.csv", "orders.jsonl", "orders.parquet"):
        path = tmp_path / name
        assert export_rows(db, of_entity(shop, "Order"), path, format_of(path, None)).rows == 3
    with (tmp_path / "orders.csv").open(newline="") as opened:
        first = next(row for row in csv.DictReader(opened) if row["order_id"] == "o1")
    assert first == {
        "username": "ann",
        "order_id": "o1",
        "placed_at": "2025-02-01T12:00:00.000000Z",
        "status": "SHIPPED",
        "total": "1",
    }
    assert first in lines(tmp_path / "orders.jsonl")
    columns = pyarrow.parquet.read_schema(tmp_path / "orders.parquet")
    assert str(columns.field("placed_at").type) == "timestamp[us, tz=UTC]"


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (["status=PENDING"], ["o0", "o2"]),
        (["status!=PENDING"], ["o1"]),
        (["placed_at>=2025-02-01T12:00Z", "total < 2"], ["o1"]),
        (["order_id>o0", "order_id<=o1"], ["o1"]),
    ],
)
def test_conditions(db: Session, where: list[str], found: list[str]) -> None:
    assert sorted(order.order_id for order in of_entity(shop, "Order", where).read(db)) == found  # type: ignore[attr-defined]


def test_a_condition_on_what_may_be_missing(db: Session) -> None:
    assert len(list(of_entity(shop, "Customer", ["name="]).read(db))) == 1
    assert list(of_entity(shop, "Customer", ["name=x"]).read(db)) == []
    assert list(of_entity(shop, "Customer", ["name<x"]).read(db)) == []
    db.create(Customer(username="bob", email="b@x", name=""))
    for where, username in (("name=", "ann"), (r"name=\N", "ann"), (r"name=\E", "bob"), (r"name!=\E", "ann")):
        assert [one.username for one in of_entity(shop, "Customer", [where]).read(db)] == [username]  # type: ignore[attr-defined]


def test_patterns_of_every_kind(db: Session, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"

    def written(name: str, *arguments: str) -> list[dict[str, Any]]:
        export_rows(db, of_pattern(shop, name, arguments), path, "jsonl", force=True)
        return lines(path)

    assert len(written("orders_of", "username=ann")) == 3
    assert written("orders_of", "username=bob") == []
    assert [row["order_id"] for row in written("order", "username=ann", "order_id=o2")] == ["o2"]
    references = written("references", "status=PENDING", "since=2025-03-01T00:00Z")
    assert references == [{"order_id": "o2", "placed_at": "2025-03-01T12:00:00.000000Z"}]
    everything = written("page_of", "username=ann")
    assert [row["$entity"] for row in everything] == ["Customer", "Order", "Order", "Order"]
    view = of_pattern(shop, "references", ["status=PENDING", "since=2025-01-01T00:00Z"])
    export_rows(db, view, tmp_path / "refs.csv", "csv")
    assert (tmp_path / "refs.csv").read_text().splitlines()[0] == "order_id,placed_at"


@pytest.mark.parametrize(
    ("choice", "complaint"),
    [
        ({}, "What should be read"),
        ({"entity": "Order", "pattern": "order"}, "What should be read"),
        ({"entity": "Ordr"}, "Did you mean 'Order'"),
        ({"entity": "Order", "where": ["totl=1"]}, "Did you mean 'total'"),
        ({"entity": "Order", "where": ["total"]}, "a field, a comparison and a value"),
        ({"entity": "Order", "where": ["total=many"]}, "The condition on total"),
        (
            {"entity": "Order", "where": ["placed_at<2025-01-01"]},
            "without a time zone cannot be stored. Write its offset",
        ),
        ({"entity": "Customer", "where": ["name<"]}, "before or after"),
        ({"entity": "Order", "arguments": ["a=b"]}, "Only patterns take arguments"),
        ({"pattern": "orders_of", "where": ["a=b"]}, "selects by its arguments"),
        ({"pattern": "orders_of", "arguments": ["user=ann"]}, "no parameter 'user'"),
        ({"pattern": "nothing"}, "has no pattern"),
    ],
)
def test_wrong_choices_are_refused(choice: dict[str, Any], complaint: str) -> None:
    wanted = {"entity": None, "where": (), "pattern": None, "arguments": (), **choice}
    with pytest.raises(ArgumentError, match=complaint):
        selected(shop, **wanted)


def test_several_entities_have_no_common_columns(db: Session, tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"page_of\(\) gives rows of several entities: Customer, Order"):
        export_rows(db, of_pattern(shop, "page_of", ["username=ann"]), tmp_path / "x.csv", "csv")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_fails_leaves_what_was_there(db: Session, tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text("precious")
    whole = of_entity(shop, "Order")
    with pytest.raises(ArgumentError, match="is there already"):
        export_rows(db, whole, path, "csv")

    def dying(db: Session) -> Iterator[Any]:
        yield from list(whole.read(db))[:2]
        raise KeyboardInterrupt

    from msgspec.structs import replace

    with pytest.raises(KeyboardInterrupt):
        export_rows(db, replace(whole, read=dying), path, "csv", force=True)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("orders.csv", "precious")]
    export_rows(db, whole, path, "csv", force=True)
    assert len(path.read_text().splitlines()) == 4


def test_a_file_that_does_not_tell_its_format() -> None:
    assert format_of(Path("a.csv.gz"), None) == "csv"
    with pytest.raises(ArgumentError, match="does not tell its format"):
        format_of(Path("a.txt"), None)


def test_rows_are_not_gathered_in_memory(db: Session, tmp_path: Path) -> None:
    """A row is written before the next but a few are read."""
    ahead = 0

    def counted(db: Session) -> Iterator[Any]:
        nonlocal ahead
        for number in range(6_000):
            ahead = max(ahead, number * 100 - _size(tmp_path))
            yield Order(username="ann", order_id=f"{number:090}", placed_at=NOON, total=Decimal(1))

    from msgspec.structs import replace

    done = export_rows(db, replace(of_entity(shop, "Order"), read=counted), tmp_path / "o.jsonl", "jsonl")
    assert done.rows == 6_000
    assert ahead < 200_000


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())
