"""TW304: a partition key has only a few values."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.derived import ShardPlan
from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.heat import bearable, own_paths, partitions
from tablewright.lint.keyfacts import fields, is_time, pieces
from tablewright.lint.rule import Rule

_FEW = 50


class FewPartitions(Rule):
    """A partition key has only a few values.

    Items are spread over as many partitions as the key has values, and a status, a flag or a kind has a handful. One of
    them usually takes most of the traffic, and a partition bears 1,000 write units and 3,000 read units in a second.
    Add a `Shard`, or another field; or say with expect() how much is written and read: if a partition bears it easily,
    nothing is reported.

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
    ```
    """

    code = "TW304"
    name = "few-partitions"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in own_paths(design):
            count = partitions(design, path)
            spread = any(isinstance(piece.derived, ShardPlan) for piece in pieces(path.pk))
            named = fields(path.pk)
            if not named or spread or count is None or count > _FEW or all(is_time(path.plan, name) for name in named):
                continue
            if not bearable(design, path):
                yield Found(
                    design.about_entity(path.plan),
                    f"{path.plan.name} on {key_of(path)} is spread over {count} partitions at most, by {', '.join(named)}.",
                    'Add a shard, derive={"shard": Shard(..., of=8)}, or a field with more values; or say with expect() how little is '
                    "written and read there.",
                    also=(
                        *([path.index_name] if path.index_name else []),
                        *(r.pattern for r in design.reads_of(path.plan, path.index_name)),
                    ),
                )
