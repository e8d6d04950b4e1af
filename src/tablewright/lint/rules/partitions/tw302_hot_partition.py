"""TW302: more is expected of one partition than it bears."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from tablewright.compiler.reads import GetPlan
from tablewright.lint.design import Design, Read, key_of
from tablewright.lint.findings import Found
from tablewright.lint.heat import own_paths, shared_load, together
from tablewright.lint.rule import Rule
from tablewright.values.sizes import PARTITION_READS, PARTITION_WRITES


class HotPartition(Rule):
    """More is expected of one partition than it bears.

    By what expect() says of rates, sizes and shares, the most wanted partition of a key would have to take more than
    1,000 write units or 3,000 read units in a second. DynamoDB throttles it, whatever the table's capacity is; a
    throttled index holds up the writes of the table. Shards spread writes, and reads that know the shard. A read that
    asks all shards takes a page from each of them, so that more shards do not make any of them cooler.

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


    shop.expect(Order, writes=2_000)
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


    shop.expect(Order, writes=2_000)
    shop.expect(Order.status, hottest=0.9)
    ```
    """

    code = "TW302"
    name = "hot-partition"
    severity = "error"

    def check(self, design: Design) -> Iterator[Found]:
        for paths in together(own_paths(design)):
            known, first = shared_load(design, paths), paths[0]
            names = ", ".join(path.plan.name for path in paths)
            for what, units, most in (
                ("write", known.writes, PARTITION_WRITES),
                ("read", known.reads, PARTITION_READS),
            ):
                if units is not None and units > most:
                    reads = [read for path in paths for read in design.reads_of(path.plan, path.index_name)]
                    yield Found(
                        design.about_entity(first.plan),
                        f"The most wanted partition of {names} on {key_of(first)} takes {units:,.0f} {what} units in a second; "
                        f"DynamoDB allows {most:,}.",
                        _for_reads(reads)
                        if what == "read"
                        else f"Spread it over at least {math.ceil(units / most * 2)} partitions with a Shard, or choose a finer "
                        "partition key.",
                        also=(
                            *([first.index_name] if first.index_name else []),
                            *(path.plan.entity for path in paths),
                            *(read.pattern for read in reads),
                        ),
                    )


def _for_reads(reads: Sequence[Read]) -> str:
    """What helps reads: not shards, which each of them would ask, or asks already."""
    asked = ", ".join(dict.fromkeys(f"{r.pattern.name}()" for r in reads))
    half = " leave .consistent() out, which halves it;" if any(r.one.strong for r in reads) else ""
    if all(isinstance(r.one, GetPlan) for r in reads):
        return (
            f"{asked} asks for one item that often, which shards do not change:{half} let sessions keep it with "
            "cache=ReadCache(...), or store it several times and read one of the copies."
        )
    return (
        f"{asked} takes a page from each partition, which more shards do not change:{half} return fewer items, index fewer "
        "attributes, choose a finer partition key, or keep a copy of the first page in an item of its own, which sessions "
        "can hold with cache=ReadCache(...)."
    )
