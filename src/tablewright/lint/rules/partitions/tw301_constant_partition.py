"""TW301: all items of an entity lie in one partition."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.heat import bearable, cooled_by_shards, own_paths, told_with
from tablewright.lint.keyfacts import pieces
from tablewright.lint.rule import Rule


class ConstantPartition(Rule):
    """All items of an entity lie in one partition.

    A partition bears 1,000 write units and 3,000 read units in a second, however large the table is. A partition key
    without any field puts all items of an entity there. Spread it with a `Shard`, or a `Bucket` of a time and a shard;
    or say with expect() how much is written and read: `writes` of the entity, and `rate` of every pattern that reads the
    partition. If it bears that easily, half of what is allowed, nothing is reported. Entities of a single item, such as
    settings, are not meant.

    Bad:

    ```python
    from datetime import datetime
    from typing import Literal

    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "ORDER#{order_id}", GSI1=("ORDERS", "{placed_at}#{order_id}"))
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
            GSI1=("ORDERS#{shard}", "{placed_at}#{order_id}"),
            derive={"shard": Shard("order_id", of=8)},
        )
        order_id: str
        placed_at: datetime
        status: Literal["PENDING", "SHIPPED", "DELIVERED"] = "PENDING"
    ```
    """

    code = "TW301"
    name = "constant-partition"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in own_paths(design):
            if not [piece for piece in pieces(path.pk) if piece.field is not None] and not bearable(design, path):
                yield Found(
                    design.about_entity(path.plan),
                    f"All items of {path.plan.name} on {key_of(path)} lie in one partition, {' '.join(map(str, path.pk))!r}.",
                    (
                        'Spread it: derive={"shard": Shard(..., of=8)} and {shard} in the key; '
                        if cooled_by_shards(design, path)
                        else "Put a field into it that its reads know, since shards would not make these cooler; "
                    )
                    + told_with(design, path)
                    + ".",
                    also=(
                        *([path.index_name] if path.index_name else []),
                        *(r.pattern for r in design.reads_of(path.plan, path.index_name)),
                    ),
                )
