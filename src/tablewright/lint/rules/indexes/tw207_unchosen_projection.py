"""TW207: large items are copied whole into an index."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule
from tablewright.lint.shapes import endless, largest_item
from tablewright.values.sizes import READ_UNIT, WRITE_UNIT, write_units


class UnchosenProjection(Rule):
    """Large items are copied whole into an index, and nobody said that they should be.

    An index that projects everything stores a second copy of each item, and every change of any field is written there
    too. For items beyond one kilobyte that costs as many write units again. Choose the projection: a list of what
    patterns read, or ALL in so many words where they need whole items. How large items are is what expect() says, or
    what the declared lengths of their fields allow.

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
            if path.index is None or path.index.chosen or path.index.projection != "ALL":
                continue
            told = _told(design, path.plan)
            if told is not None:
                yield Found(
                    design.about_index(path.index.name),
                    f"Every write of {path.plan.name} {told}, because {path.index.name} holds whole items.",
                    'Project what its patterns read; or say projection="ALL", if they need whole items.',
                    also=(path.plan.entity,),
                )


def _told(design: Design, plan: EntityPlan) -> str | None:
    """What a copy of the whole item costs, by what is expected or may be; None where items are small."""
    usual = design.expectations.of(plan.entity).size
    if usual is not None:
        return f"costs {write_units(usual):.0f} write units more" if usual > WRITE_UNIT else None
    most = design.expectations.of(plan.entity).max_size or largest_item(plan)
    if most > READ_UNIT:
        return f"may cost {write_units(most):,.0f} write units more"
    without = endless(plan)
    return f"copies {', '.join(without)} of any length" if without else None
