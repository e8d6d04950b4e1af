"""TW207: large items are copied whole into an index."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule
from tablewright.values.sizes import WRITE_UNIT, write_units


class UnchosenProjection(Rule):
    """Large items are copied whole into an index.

    An index that projects everything stores a second copy of each item, and every change of any field is written there
    too. For items beyond one kilobyte that costs as many write units again. Choose the projection: ALL where patterns
    need whole items, else a list.

    Bad:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Product(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))
        product_id: str
        category: str
        description: str


    shop.expect(Product, size=9_000)
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1", projection="KEYS_ONLY")])


    class Product(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))
        product_id: str
        category: str
        description: str


    shop.expect(Product, size=9_000)
    ```
    """

    code = "TW207"
    name = "unchosen-projection"
    severity = "info"

    def check(self, design: Design) -> Iterator[Found]:
        for path in design.every_path():
            size = design.expectations.of(path.plan.entity).size
            if path.index is None or path.index.projection != "ALL" or size is None or size <= WRITE_UNIT:
                continue
            yield Found(
                design.about_index(path.index.name),
                f"Every write of {path.plan.name} costs {write_units(size):.0f} write units more, because {path.index.name} holds "
                "whole items.",
                "Project what its patterns read; or accept it, if they need whole items.",
                also=(path.plan.entity,),
            )
