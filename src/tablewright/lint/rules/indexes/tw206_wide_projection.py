"""TW206: an index copies whole items, and patterns read a few fields of them."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, whole
from tablewright.lint.rule import Rule


class WideProjection(Rule):
    """An index copies whole items, and patterns read a few fields of them.

    Every pattern that reads an index takes only some fields with `.only(...)`, and the index projects all. A narrower
    projection makes the index smaller, its reads cheaper, and spares writes that change nothing in it.

    Bad:

    ```python
    from pydantic import BaseModel

    from tablewright import GSI, Entity, Keys, Query, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Product(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))
        product_id: str
        category: str
        name: str
        description: str


    class Title(BaseModel):
        product_id: str
        name: str


    @shop.pattern
    def titles_in(category: str) -> Query[Title]:
        return query(Product, Product.category == category).only(Title)
    ```

    Good:

    ```python
    from pydantic import BaseModel

    from tablewright import GSI, Entity, Keys, Query, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1", projection=["name"])])


    class Product(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))
        product_id: str
        category: str
        name: str
        description: str


    class Title(BaseModel):
        product_id: str
        name: str


    @shop.pattern
    def titles_in(category: str) -> Query[Title]:
        return query(Product, Product.category == category).only(Title)
    ```
    """

    code = "TW206"
    name = "wide-projection"
    severity = "info"

    def check(self, design: Design) -> Iterator[Found]:
        for name, index in design.table.indexes.items():
            reads = design.readers(name)
            views = [view for read in reads if (view := getattr(read.operation, "view", None)) is not None]
            if index.projection != "ALL" or not reads or len(views) < len(reads):
                continue
            needed = sorted({field for view in views for field in view.model_fields})
            stored = {
                plan.fields[f].path[0] for plan in (read.plan for read in reads) for f in needed if f in plan.fields
            }
            holders = [path for path in design.every_path() if path.index_name == name]
            spared = {
                f for path in holders for f in path.plan.fields if f not in needed and f not in fields(whole(path))
            }
            if spared:
                yield Found(
                    design.about_index(name),
                    f"{name} projects whole items, and all its patterns read {', '.join(needed)} only.",
                    f"Project what they need: projection={sorted(stored)!r}, or those of them that are not part of its keys.",
                )
