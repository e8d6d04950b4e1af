"""TW401: a pattern reads everything there is of an entity."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.reads import QueryPlan
from tablewright.compiler.sortkeys import NativeSort, SortPlan, TemplateSort
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields
from tablewright.lint.rule import Rule

_FEW = 1_000


class HiddenScan(Rule):
    """A pattern reads everything there is of an entity.

    A query over one constant partition, or over all its shards, with nothing that bounds it reads every item of the
    entity, like a scan of them. Lists that stay small are fine: say so with expect(items=...) or expect(results=...).
    So are the items that a sparse index keeps, and reads that a range of the sort key bounds.

    Bad:

    ```python
    from tablewright import GSI, Entity, Keys, Query, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}", GSI1=("CUSTOMERS", "{customer_id}"))
        customer_id: str


    @shop.pattern
    def customers() -> Query[Customer]:
        return query(Customer)
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Query, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{customer_id}", "CUSTOMER#{customer_id}", GSI1=("COUNTRY#{country}", "{customer_id}"))
        customer_id: str
        country: str


    @shop.pattern
    def customers_in(country: str) -> Query[Customer]:
        return query(Customer, Customer.country == country)
    ```
    """

    code = "TW401"
    name = "hidden-scan"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for read in design.reads:
            served, expected = read.one.served, design.expectations
            fixed = [name for name in (*fields(served.path.pk), *served.known) if name]
            sparse = served.path.binding is not None and served.path.binding.condition is not None
            if not isinstance(read.one, QueryPlan) or fixed or sparse or served.complete or _ranged(served.sort):
                continue
            few = expected.of(read.plan.entity).items or expected.of_pattern(read.pattern.name).results
            if few is None or few > _FEW:
                yield Found(
                    design.about_pattern(read.pattern),
                    f"The pattern {read.pattern.name}() reads every {read.plan.name} there is.",
                    f"Ask for some of them; or, if there are only a few, say so: expect({read.plan.name}, items=...).",
                    also=(read.plan.entity, *([read.path.index_name] if read.path.index_name else [])),
                )


def _ranged(sort: SortPlan) -> bool:
    return (isinstance(sort, TemplateSort) and sort.ranged is not None) or (
        isinstance(sort, NativeSort) and sort.test is not None
    )
