"""TW305: one read asks many partitions."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tablewright.compiler.derived import ShardPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.heat import WIDE
from tablewright.lint.rule import Rule


class WideFanOut(Rule):
    """One read asks many partitions.

    A read over shards sends a request to each of them, and each costs at least half a read unit, even where there is
    nothing. More shards than the writes need make every read slower and dearer. Reported are reads of more than 50
    partitions, buckets of a declared range aside.

    Bad:

    ```python
    from datetime import datetime
    from typing import Literal

    from tablewright import GSI, Entity, Keys, Query, Shard, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys(
            "ORDER#{order_id}",
            "ORDER#{order_id}",
            GSI1=("ORDERS#{shard}", "{placed_at}#{order_id}"),
            derive={"shard": Shard("order_id", of=200)},
        )
        order_id: str
        placed_at: datetime
        status: Literal["PENDING", "SHIPPED", "DELIVERED"] = "PENDING"


    @shop.pattern
    def recent_orders(since: datetime) -> Query[Order]:
        return query(Order, Order.placed_at >= since)
    ```

    Good:

    ```python
    from datetime import datetime
    from typing import Literal

    from tablewright import GSI, Entity, Keys, Query, Shard, Table, query

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys(
            "ORDER#{order_id}",
            "ORDER#{order_id}",
            GSI1=("ORDERS#{shard}", "{placed_at}#{order_id}"),
            derive={"shard": Shard("order_id", of=8)},
        )
        order_id: str
        placed_at: datetime
        status: Literal["PENDING", "SHIPPED", "DELIVERED"] = "PENDING"


    @shop.pattern
    def recent_orders(since: datetime) -> Query[Order]:
        return query(Order, Order.placed_at >= since)
    ```
    """

    code = "TW305"
    name = "wide-fan-out"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for read in design.reads:
            shards = [fan.plan.of for fan in read.one.served.fan_out if isinstance(fan.plan, ShardPlan)]
            if math.prod(shards) > WIDE:
                yield Found(
                    design.about_pattern(read.pattern),
                    f"Every read of {read.pattern.name}() asks {math.prod(shards)} partitions"
                    + (" for each bucket of its range." if len(read.one.served.fan_out) > len(shards) else "."),
                    "Take as many shards as the writes need: each bears 1,000 write units in a second.",
                    also=(read.plan.entity, *([read.path.index_name] if read.path.index_name else [])),
                )
