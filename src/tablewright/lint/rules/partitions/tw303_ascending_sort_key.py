"""TW303: a busy partition is written at its end only."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.heat import BUSY_END, load, own_paths
from tablewright.lint.keyfacts import written_at_its_end
from tablewright.lint.rule import Rule


class AscendingSortKey(Rule):
    """A busy partition is written at its end only.

    DynamoDB splits a busy partition by its sort keys. If these begin with a time or a number that counts up, everything
    new goes to the last piece, and splitting does not help. It is reported where a partition takes 300 write units and
    more by what expect() says.

    Bad:

    ```python
    from datetime import datetime
    from typing import Literal

    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "ORDER#{order_id}", GSI1=("STATUS#{status}", "{placed_at}#{order_id}"))
        order_id: str
        placed_at: datetime
        status: Literal["PENDING", "SHIPPED", "DELIVERED"] = "PENDING"


    shop.expect(Order, writes=900)
    shop.expect(Order.status, hottest=0.9)
    ```

    Good:

    ```python
    from datetime import datetime
    from typing import Literal

    from tablewright import GSI, Entity, Keys, Shard, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys(
            "ORDER#{order_id}",
            "ORDER#{order_id}",
            GSI1=("STATUS#{status}#{shard}", "{placed_at}#{order_id}"),
            derive={"shard": Shard("order_id", of=8)},
        )
        order_id: str
        placed_at: datetime
        status: Literal["PENDING", "SHIPPED", "DELIVERED"] = "PENDING"


    shop.expect(Order, writes=900)
    shop.expect(Order.status, hottest=0.9)
    ```
    """

    code = "TW303"
    name = "ascending-sort-key"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in own_paths(design):
            first, written = written_at_its_end(path), load(design, path).writes
            if first is not None and written is not None and written >= BUSY_END:
                yield Found(
                    design.about_entity(path.plan),
                    f"{path.plan.name} on {key_of(path)} writes {written:,.0f} units in a second to one partition, all at its end, since its "
                    f"sort key begins with {first!r}.",
                    "Spread the partition with a Shard, so that each of them is written less.",
                    also=(path.index_name,) if path.index_name else (),
                )
