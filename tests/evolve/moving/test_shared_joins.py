"""A joined item that many leading items find, such as the category of products: nobody notes them when it is written."""

from __future__ import annotations

from typing import Any

from tablewright import Entity, Keys, Table
from tablewright.engine import open_engine
from tablewright.evolve.moving import Join, Move, Moving, open_moving
from tests.evolve.moving.conftest import AT_ONCE
from tests.evolve.moving.merchants import Clock
from tests.evolve.moving.people import old_table

goods = Table("Goods")


class Product(Entity, table=goods):
    keys = Keys("PRODUCT#{product_id}", "PRODUCT")
    product_id: str
    category: str = ""


def category_of(row: dict[str, Any]) -> str | None:
    return None if row["category"] is None else row["category"]["name"]


def test_verification_finds_them_and_mending_writes_them() -> None:
    join = Join(
        "Categories",
        key=("id",),
        find=lambda row: {"id": row["categoryId"]},
        owner=lambda row: None,
        uses=("name",),
        alone=True,
    )
    move = Move(
        table="Old",
        key=("id",),
        entity=Product,
        fields={"product_id": "id", "category": category_of},
        uses=("categoryId",),
        joins={"category": join},
    )
    clock = Clock()
    with (
        open_engine("memory:") as engine,
        open_moving(Moving("goods", table=goods, moves=[move]), engine, clock=clock, retry=AT_ONCE) as session,
    ):
        for name in ("Old", "Categories"):
            engine.execute("CreateTable", old_table(name))
        session.prepare()
        session.advance("dual")
        clock.pass_(seconds=11)
        session.put("Categories", {"id": "c", "name": "books"})
        for number in "12":
            session.put("Old", {"id": number, "categoryId": "c"})
        assert session.plan().well
        assert session.verify().well
        session.update("Categories", {"id": "c"}, set={"name": "prints"})
        assert session.verify().differences == {("Product", "field category"): 2}
        assert session.mend().settled == 2
        assert session.verify().well
