"""TW108: items of two entities lie mixed in a partition of an index."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.keys import TemplateKey
from tablewright.compiler.paths import KeyPath, may_meet
from tablewright.compiler.reads import CollectionPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, literals, pieces
from tablewright.lint.rule import Rule


class MixedPartition(Rule):
    """Items of two entities lie mixed in a partition of an index.

    Two entities put items into the same partitions of an index, and nothing at the beginning of their sort keys tells
    them apart. Every read of one would meet the other; the compiler refuses such reads, and a list of `status#active`
    holds users and orders at once. Reads that want both, with collect() or `|`, are not disturbed.

    Bad:

    ```python
    from datetime import datetime

    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class User(Entity, table=shop):
        keys = Keys("USER#{user_id}", "USER#{user_id}", GSI1=("STATUS#{status}", "{since}#{user_id}"))
        user_id: str
        status: str
        since: datetime


    class Order(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "ORDER#{order_id}", GSI1=("STATUS#{status}", "{placed_at}#{order_id}"))
        order_id: str
        status: str
        placed_at: datetime
    ```

    Good:

    ```python
    from datetime import datetime

    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class User(Entity, table=shop):
        keys = Keys("USER#{user_id}", "USER#{user_id}", GSI1=("USERSTATUS#{status}", "{since}#{user_id}"))
        user_id: str
        status: str
        since: datetime


    class Order(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "ORDER#{order_id}", GSI1=("ORDERSTATUS#{status}", "{placed_at}#{order_id}"))
        order_id: str
        status: str
        placed_at: datetime
    ```
    """

    code = "TW108"
    name = "mixed-partition"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        together = {
            frozenset(part.query.plan.entity for part in read.whole.parts)
            for read in design.reads
            if isinstance(read.whole, CollectionPlan)
        }
        every = [path for path in design.every_path() if path.index is not None and not path.index.local and path.sk]
        for position, path in enumerate(every):
            for other in every[:position]:
                pair = {path.plan.entity, other.plan.entity}
                if other.index_name != path.index_name or len(pair) == 1 or any(pair <= known for known in together):
                    continue
                if design.table.mirrors.get(path.plan.entity) is other.plan.entity:
                    continue
                if not _told_apart(path, other) and not _feeds(path, other) and _meet(path, other):
                    yield Found(
                        design.about_entity(path.plan),
                        f"{path.plan.name} and {other.plan.name} can lie in one partition of {path.index_name}, and their sort keys "
                        "do not begin with different literals.",
                        "Give each a prefix of its own, in the partition key or at the start of the sort key.",
                        also=(other.plan.entity, path.index_name),
                    )


def _told_apart(one: KeyPath, other: KeyPath) -> bool:
    first = [pieces(side.sk)[0].text for side in (one, other)]
    return None not in first and literals(one.sk) != literals(other.sk)


def _feeds(one: KeyPath, other: KeyPath) -> bool:
    """Whether the index is a feed of changes, which shows whatever was written."""
    feeds = [side.plan.options.soft_delete for side in (one, other)]
    kept = all(feed is not None and feed.feed == one.index_name for feed in feeds)
    return kept or all(fields(side.sk)[:1] == ["updated_at"] for side in (one, other))


def _meet(one: KeyPath, other: KeyPath) -> bool:
    pairs = list(zip(one.pk, other.pk, strict=True))
    known = [(a, b) for a, b in pairs if isinstance(a, TemplateKey) and isinstance(b, TemplateKey)]
    return len(known) == len(pairs) and all(bool(may_meet(a.bound, b.bound)) for a, b in known)
