"""TW403: a pattern has no parameters."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.reads import GetPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class NoParameters(Rule):
    """A pattern has no parameters.

    What an application reads, it reads for somebody or about something. A pattern without parameters always reads the
    same, usually all there is. Not meant are single items with a fixed key, such as settings, and lists of what is to
    be done, which a sparse index or shards keep.

    Bad:

    ```python
    from tablewright import GSI, Entity, Keys, Query, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Product(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("PRODUCTS", "{product_id}"))
        product_id: str


    @shop.pattern
    def products() -> Query[Product]:
        return query(Product)
    ```

    Good:

    ```python
    from tablewright import Entity, Get, Keys, Table, get

    shop = Table("Shop")


    class Settings(Entity, table=shop):
        keys = Keys("CONFIG", "SETTINGS")
        open: bool = True


    @shop.pattern
    def settings() -> Get[Settings]:
        return get(Settings)
    ```
    """

    code = "TW403"
    name = "no-parameters"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for read in design.reads:
            if read.pattern.parameters.names or not read.plan.key_fields:
                continue
            served = read.one.served
            kept = served.fan_out or (served.path.binding is not None and served.path.binding.condition is not None)
            if kept or isinstance(read.one, GetPlan):
                continue
            yield Found(
                design.about_pattern(read.pattern),
                f"The pattern {read.pattern.name}() has no parameters.",
                "Let it ask for something; or waive this, and say why all is wanted.",
                also=(read.plan.entity,),
            )
