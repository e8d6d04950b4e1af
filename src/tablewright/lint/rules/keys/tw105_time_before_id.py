"""TW105: an item can be changed only by who knows its time."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, is_time, own_ids, whole
from tablewright.lint.rule import Rule
from tablewright.model.operations import Get


class TimeBeforeId(Rule):
    """An item can be changed only by who knows its time.

    A time in the sort key sorts well, but whoever wants to read or write one item by its id must know the time too.
    Where items are changed or read one by one, an index by the id leads to them. Entities that are only appended and
    read in order need none, so this is reported where a change is declared, a read by id is not served, or other
    entities hold the id.

    Bad:

    ```python
    from datetime import datetime

    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{placed_at}#{order_id}")
        username: str
        placed_at: datetime
        order_id: str
        paid: bool = False


    @shop.change
    def pay(o: Order) -> None:
        o.paid = True
    ```

    Good:

    ```python
    from datetime import datetime

    from tablewright import GSI, Entity, Get, Keys, Table, get

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{placed_at}#{order_id}", GSI1=("ORDER#{order_id}", "ORDER#{order_id}"))
        username: str
        placed_at: datetime
        order_id: str
        paid: bool = False


    @shop.pattern
    def order(order_id: str) -> Get[Order]:
        return get(Order, Order.order_id == order_id)


    @shop.change
    def pay(o: Order) -> None:
        o.paid = True
    ```
    """

    code = "TW105"
    name = "time-before-id"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            if plan.sk is None:
                continue
            times = [name for name in fields(plan.sk) if is_time(plan, name)]
            ids = [name for name in fields(plan.sk) if name in own_ids(design, plan)]
            if not times or not ids:
                continue
            others = [path for path in design.paths(plan) if path.index is not None]
            if any(not any(is_time(plan, name) for name in fields(whole(path))) for path in others):
                continue
            reason = _wanted(design, plan, ids)
            if reason is not None:
                yield Found(
                    design.about_entity(plan),
                    f"{plan.name} can be found only by who knows its {times[0]!r}, but {reason}.",
                    f'Give it an index key without the time: ("{plan.name.upper()}#{{{ids[-1]}}}", "{plan.name.upper()}#{{{ids[-1]}}}").',
                )


def _wanted(design: Design, plan: EntityPlan, ids: list[str]) -> str | None:
    """Who would need to find a single item."""
    for change in design.table.changes.values():
        if change.entity is plan.entity:
            return f"the change {change.name}() is about one item"
    for name, pattern in design.table.unserved.items():
        for operation in pattern.variants.values():
            if isinstance(operation, Get) and operation.entity is plan.entity:
                return f"the pattern {name}() gets one"
    for other in design.entities:
        if other.entity is not plan.entity:
            held = [name for name in ids if name in other.fields and not {*fields(plan.sk or ())} <= set(other.fields)]
            if held:
                return f"{other.name} knows it by {held[0]!r} alone"
    return None
