"""TW304: a partition key has only a few values."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from tablewright.compiler.derived import ShardPlan
from tablewright.compiler.paths import KeyPath
from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found, Severity
from tablewright.lint.heat import bearable, cooled_by_shards, own_paths, partitions, told_with
from tablewright.lint.keyfacts import distinct, fields, is_choice, is_time, pieces
from tablewright.lint.rule import Rule
from tablewright.wording import counted

_FEW = 50
_CATALOGUE = re.compile(r"(.*_)?(category|genre)").fullmatch
"""How fields are called that have few values in one application and thousands in another."""


class FewPartitions(Rule):
    """A partition key has only a few values.

    Items are spread over as many partitions as the key has values, and a status, a flag or a kind has a handful. One of
    them usually takes most of the traffic, and a partition bears 1,000 write units and 3,000 read units in a second.
    Add a `Shard`, or another field; or say with expect() how much is written and read: if a partition bears it easily,
    nothing is reported. A text is taken to have a handful of values if it is called like a state or a kind, begins with
    the same value in all items, or is only asked for by constants; `expect(..., distinct=...)` says how many there are.

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
            spread = any(isinstance(piece.derived, ShardPlan) for piece in pieces(path.pk))
            named = [name for name in fields(path.pk) if not is_time(path.plan, name)]
            count = partitions(design, path)
            guessed = _guessed(design, path, named) if count is None else None
            if not named or spread or bearable(design, path):
                continue
            if count is not None and count <= _FEW:
                told = f"{counted(count, 'partition')} at most"
            elif guessed is not None:
                told = "what seems to be a handful of partitions"
            else:
                continue
            yield Found(
                design.about_entity(path.plan),
                f"{path.plan.name} on {key_of(path)} is spread over {told}, by {', '.join(fields(path.pk))}.",
                (
                    'Add a shard, derive={"shard": Shard(..., of=8)}, or a field with more values'
                    if cooled_by_shards(design, path)
                    else "Add a field with more values that its reads know, since shards would not make these cooler"
                )
                + f"; or say with expect() how many there are; {told_with(design, path)}.",
                guessed,
                also=(
                    *([path.index_name] if path.index_name else []),
                    *(r.pattern for r in design.reads_of(path.plan, path.index_name)),
                ),
            )


def _guessed(design: Design, path: KeyPath, named: list[str]) -> Severity | None:
    """How grave it is that fields whose values nobody counted seem to have few; None where they need not."""
    unknown = [name for name in named if distinct(design, path.plan, name) is None]
    known = math.prod(distinct(design, path.plan, name) or 1 for name in named)
    sure = [is_choice(design, path.plan, name) for name in unknown]
    if known > _FEW or not all(one or _CATALOGUE(name) for one, name in zip(sure, unknown, strict=True)):
        return None
    return "warning" if all(sure) else "info"
