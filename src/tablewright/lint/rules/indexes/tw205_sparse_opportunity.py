"""TW205: an index holds items that nobody asks it for."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import choices, fields, whole
from tablewright.lint.rule import Rule
from tablewright.model.keys import attr_is


class SparseOpportunity(Rule):
    """An index holds items that nobody asks it for.

    All patterns that read an entity through an index ask for the same few values of a field, and the other values are
    in the index too. They cost a write each time and are never read. With `sparse(...)` only those that are asked for
    are in it.

    Bad:

    ```python
    from typing import Literal

    from tablewright import GSI, Entity, Keys, Query, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "ORDER#{order_id}", GSI1=("WAREHOUSE#{warehouse}#{status}", "{order_id}"))
        order_id: str
        warehouse: str
        status: Literal["PENDING", "SHIPPED", "DELIVERED"] = "PENDING"


    @shop.pattern
    def pending_orders(warehouse: str) -> Query[Order]:
        return query(Order, Order.warehouse == warehouse, Order.status == "PENDING")
    ```

    Good:

    ```python
    from typing import Literal

    from tablewright import GSI, Entity, Keys, Query, Table, attr, query, sparse

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys(
            "ORDER#{order_id}",
            "ORDER#{order_id}",
            GSI1=sparse("WAREHOUSE#{warehouse}", "{order_id}", when=attr("status") == "PENDING"),
        )
        order_id: str
        warehouse: str
        status: Literal["PENDING", "SHIPPED", "DELIVERED"] = "PENDING"


    @shop.pattern
    def pending_orders(warehouse: str) -> Query[Order]:
        return query(Order, Order.warehouse == warehouse, Order.status == "PENDING")
    ```
    """

    code = "TW205"
    name = "sparse-opportunity"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in design.every_path():
            if path.binding is None or path.binding.condition is not None:
                continue
            reads = design.reads_of(path.plan, path.index_name)
            for name in dict.fromkeys(fields(whole(path))) if reads else ():
                total = choices(path.plan, name)
                asked: set[object] = set()
                for read in reads:
                    source = read.one.served.known.get(name)
                    if source is None or source.possible is None:
                        break
                    asked.update(source.possible)
                else:
                    if total is not None and len(asked) < total:
                        written = {_shown(value): value for value in asked}
                        shown = sorted(written)
                        tests = [attr_is(name, written[text], text) for text in shown]
                        when = tests[0] if len(tests) == 1 else f"any_of({', '.join(tests)})"
                        yield Found(
                            design.about_entity(path.plan),
                            f"Patterns read {path.plan.name} through {path.index_name} only where {name} is {', '.join(shown)}, and items "
                            "with other values are in it for nothing.",
                            f"Leave them out: {path.index_name}=sparse(..., when={when}).",
                            also=(path.index_name, *(read.pattern for read in reads)),
                        )


def _shown(value: object) -> str:
    """A value as it is written in a model."""
    return repr(value) if not isinstance(value, Enum) else f"{type(value).__name__}.{value.name}"
