"""TW113: items that tie in an index have no order."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, is_id, is_time, kinds
from tablewright.lint.rule import Rule


class UnstableOrder(Rule):
    """Items that tie in an index have no order.

    The sort key of an index ends with a time or a number, and several items may have the same. DynamoDB does not say in
    which order they come, so pages may show one twice and "everything since" may lose those that tie with the last one
    seen. The id as the last part of the key makes the order a total one.

    Bad:

    ```python
    from datetime import datetime

    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "ORDER#{order_id}", GSI1=("CUSTOMER#{username}", "{placed_at}"))
        order_id: str
        username: str
        placed_at: datetime
    ```

    Good:

    ```python
    from datetime import datetime

    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "ORDER#{order_id}", GSI1=("CUSTOMER#{username}", "{placed_at}#{order_id}"))
        order_id: str
        username: str
        placed_at: datetime
    ```
    """

    code = "TW113"
    name = "unstable-order"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in design.every_path():
            named = fields(path.sk)
            if path.index is None or not named or path.index.multi:
                continue
            plan, last = path.plan, named[-1]
            sorts = is_time(plan, last) or kinds(plan, last) & {int, Decimal}
            held = {*fields(path.pk), *named}
            # What tells items of one partition apart; the partition itself is the parent's.
            telling = (fields(plan.sk) if plan.sk is not None else []) or fields(plan.pk)
            missing = sorted(set(telling) - held, key=lambda name: (not is_id(plan, name), name))
            if sorts and missing and not any(unique.fields <= held for unique in plan.uniques):
                yield Found(
                    design.about_entity(plan),
                    f"The sort key of {plan.name} on {path.index_name} ends with {last!r}, so that items which tie have no order.",
                    f"Add what tells them apart: ...#{{{last}}}#{{{missing[0]}}}.",
                    also=(path.index_name,),
                )
