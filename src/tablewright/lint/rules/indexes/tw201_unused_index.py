"""TW201: no pattern reads an index."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields
from tablewright.lint.rule import Rule


class UnusedIndex(Rule):
    """No pattern reads an index.

    Every write of an item that is in an index is paid once more. An index that no access pattern reads is paid for
    nothing, unless something outside the model reads it: then waive this, and say who. Indexes that show deletions, or
    that the two directions of a relationship need, are in use. A local index cannot be removed from a table that
    exists.

    Bad:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Product(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))
        product_id: str
        category: str
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Query, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Product(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))
        product_id: str
        category: str


    @shop.pattern
    def products_in(category: str) -> Query[Product]:
        return query(Product, Product.category == category)
    ```
    """

    code = "TW201"
    name = "unused-index"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        used = {read.path.index_name for read in design.reads} | _of_relationships(design)
        used |= {plan.options.soft_delete.feed for plan in design.entities if plan.options.soft_delete is not None}
        for name, index in design.table.indexes.items():
            if name in used:
                continue
            holders = [plan.name for plan in design.entities if any(b.index.name == name for b in plan.bindings)]
            told = f"only writes of {', '.join(holders)} go there" if holders else "no entity has keys on it"
            yield Found(
                design.about_index(name),
                f"No pattern reads {name}; {told}.",
                "Declare the pattern that reads it, or take it out."
                + (" A local index lives as long as its table." if index.local else ""),
            )


def _of_relationships(design: Design) -> set[str]:
    """Indexes that read one of the two directions of a relationship."""
    ends = [
        (plan, set(end))
        for relationship in design.table.relationships
        for link in (relationship.via, relationship.mirror)
        for end in (relationship.source_fields, relationship.target_fields)
        if link is not None and (plan := design.plan.entities.get(link)) is not None and end
    ]
    return {
        path.index_name
        for plan, end in ends
        for path in design.paths(plan)
        if path.index_name is not None and set(fields(path.pk)) == end
    }
