"""TW408: newest first, but not sorted by time."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import TemplateKey
from tablewright.compiler.reads import GetPlan
from tablewright.lint.design import Design, Read, key_of
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, is_time, named_ids, pieces
from tablewright.lint.rule import Rule
from tablewright.model.ids import ulid, uuid7
from tablewright.model.operations import Query, reads_in


class NewestById(Rule):
    """A pattern asks for the newest first, and what it sorts by is no time.

    `newest_first()` turns the order of the sort key round. Where that goes on with an id, the items come in the order of
    their ids, newest or not, and a page of twenty holds any twenty. A time behind the id of the item itself sorts nothing
    at all. Put the time before the id. Ids that are made in the
    order of time (`ulid`, `uuid7`) are fine; if yours are and nothing tells, waive it. A pattern that says what it sorts by
    (`sorted_by(Invoice.number).newest_first()`) means the last of that, and is fine too.

    Bad:

    ```python
    from datetime import datetime

    from tablewright import Entity, Keys, Query, Table, query

    shop = Table("Shop")


    class Review(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "REVIEW#{review_id}#{written_at}")
        product_id: str
        review_id: str
        written_at: datetime


    @shop.pattern
    def reviews_of(product_id: str) -> Query[Review]:
        return query(Review, Review.product_id == product_id).newest_first()
    ```

    Good:

    ```python
    from datetime import datetime

    from tablewright import Entity, Keys, Query, Table, query

    shop = Table("Shop")


    class Review(Entity, table=shop):
        keys = Keys("PRODUCT#{product_id}", "REVIEW#{written_at}#{review_id}")
        product_id: str
        review_id: str
        written_at: datetime


    @shop.pattern
    def reviews_of(product_id: str) -> Query[Review]:
        return query(Review, Review.product_id == product_id).newest_first()
    ```
    """

    code = "TW408"
    name = "newest-by-id"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for read in design.reads:
            if isinstance(read.one, GetPlan) or not read.one.descending or _order_named(read):
                continue
            served, plan = read.one.served, read.plan
            sorting = [p for key in served.path.sk if isinstance(key, TemplateKey) for p in pieces(key)]
            free = [p.field for p in sorting if p.field is not None and p.field not in served.known]
            times = [n for n, f in plan.fields.items() if is_time(plan, n) and not f.nullable]
            if free and times and free[0] in plan.fields and not _by_time(plan, free[0]):
                yield Found(
                    design.about_pattern(read.pattern),
                    f"The pattern {read.pattern.name}() asks for the newest first, but {plan.name} is sorted by {free[0]!r} there.",
                    f"Let the sort key go on with {{{times[0]}}} before {{{free[0]}}}.",
                    also=(plan.entity, *((served.path.index_name,) if served.path.index_name else ())),
                )
        for path in design.every_path():
            own = named_ids(design, path.plan)
            names = fields(path.sk)
            ids = [position for position, name in enumerate(names) if name in own]
            behind = [n for n in names[ids[0] :] if is_time(path.plan, n)] if ids else []
            if behind:
                yield Found(
                    design.about_entity(path.plan),
                    f"{path.plan.name} is sorted by {names[ids[0]]!r} on {key_of(path)}, and {behind[0]!r} behind it sorts nothing.",
                    f"Let the sort key go on with {{{behind[0]}}} before {{{names[ids[0]]}}}, or leave the time out.",
                    also=(path.index_name,) if path.index_name else (),
                )


def _order_named(read: Read) -> bool:
    """Whether the pattern says what it sorts by: then it means the last of that, and not the newest."""
    return any(
        isinstance(one, Query) and one.order and one.entity is read.plan.entity for one in reads_in(read.operation)
    )


def _by_time(plan: EntityPlan, name: str) -> bool:
    """Whether a field is a time, or an id that is made in its order."""
    own = plan.entity.model_fields.get(name)
    return is_time(plan, name) or (own is not None and own.default_factory in (ulid, uuid7)) or "ulid" in name.lower()
