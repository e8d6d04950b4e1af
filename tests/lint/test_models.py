"""Whole models: the examples, and one with everything that is rare."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tablewright import Table
from tablewright.lint import Finding, lint

EXAMPLES = sorted(path.parent for path in (Path(__file__).parents[2] / "examples").glob("*/model.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_nothing_grave_is_found_in_an_example_and_its_waivers_are_needed(example: Path) -> None:
    model = importlib.import_module(f"examples.{example.name}.model")
    tables = list(dict.fromkeys(value for value in vars(model).values() if isinstance(value, Table)))
    assert tables
    told = [one for table in tables for one in lint(table, beside=tables)]
    assert [one for one in told if one.severity == "error" and one.waived is None] == []
    assert [one.message for one in told if one.code in ("TW004", "TW005", "TW006")] == []
    assert all(one.place is not None for one in told)


RARE = """
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal
from pydantic import BaseModel, Field
from tablewright import *

rare = Table(
    "Rare",
    indexes=[
        GSI("ByPlace", pk=["tenant", "customer"], sk=["country", number("rank")]),
        GSI("Inverted", pk="SK", sk="PK"),
        GSI("Flat", pk="GSI3PK", sk=None, projection=["note"]),
        LSI("LSI1"),
    ],
)


class Place(Entity, table=rare, version=True, nested="place", flat=["tenant"], soft_delete=SoftDelete()):
    keys = Keys(
        "PLACE#{place_id}",
        "PLACE#{place_id}",
        ByPlace=(("{tenant}", "{customer}"), ("{country}", "{rank}")),
        Flat=("FLAT#{note}",),
        LSI1="{rank:8}",
    )
    place_id: str
    tenant: str
    customer: str
    country: str
    rank: int
    note: str | None = None
    parts: dict[str, list[tuple[int, str]]] = Field(default_factory=dict, max_length=3)


class Visit(Entity, table=rare, timestamps=False):
    keys = Keys(
        "PLACE#{place_id}",
        "VISIT#{hour}#{at}#{shard}",
        derive={"hour": Bucket("at", by="hour"), "shard": Shard("who", of=4)},
    )
    place_id: str
    who: str
    at: datetime


class Settings(Entity, table=rare):
    keys = Keys("CONFIG", "SETTINGS")
    theme: Literal["dark", "light"] = "dark"


class Tree(Aggregate[Place]):
    visits: list[Visit] = children()


@rare.pattern
def places(tenant: str, customer: str, country: str | None = None) -> Query[Place]:
    found = query(Place, Place.tenant == tenant, Place.customer == customer)
    return found.when(country, lambda c: Place.country == c)


@rare.pattern
def around(place_id: str) -> Mixed[Place | Visit]:
    return query(Place, Place.place_id == place_id) | query(Visit, Visit.place_id == place_id)


@rare.pattern
def settings() -> Get[Settings]:
    return get(Settings)


rare.expect(Place, items=10, size=5_000, writes=3, per={"tenant": 4})
rare.expect(places, rate=3, results=4)
"""


def test_rare_forms_of_keys_are_read(found: Callable[[str], list[Finding]]) -> None:
    told = found(RARE)
    codes = {one.code for one in told}
    assert {"TW106", "TW201", "TW604"} <= codes
    assert not codes & {"TW001", "TW002", "TW101", "TW104", "TW301", "TW403"}
    assert [one.subject for one in told if one.code == "TW201"] == ["index Inverted", "index Flat", "index LSI1"]


def test_a_pattern_that_is_not_served_is_told_what_would_serve_it(found: Callable[[str], list[Finding]]) -> None:
    (told,) = [one for one in found(UNSERVED) if one.code == "TW002"]
    assert "its partition key needs 'product_id'" in told.message
    assert told.hint == 'This would serve it: give Product GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}").'


UNSERVED = """
from tablewright import *

shop = Table("Shop", indexes=[GSI("GSI1")])


class Product(Entity, table=shop):
    keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}")
    product_id: str
    category: str


@shop.pattern
def products_in(category: str) -> Query[Product]:
    return query(Product, Product.category == category)
"""
