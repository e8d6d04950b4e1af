"""What is proved of a read that a key serves: its request, its order, and what it takes at worst."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from tablewright.compiler.derived import BucketPlan, ShardPlan
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan
from tablewright.compiler.paths import key_paths
from tablewright.compiler.projections import fetches
from tablewright.compiler.proofs.bounds import Share, share_beside, share_of, total_items, total_units
from tablewright.compiler.proofs.outlines import outline
from tablewright.compiler.proofs.results import RequestProof
from tablewright.compiler.reads import CollectionPlan, GetPlan, MixedPlan, QueryPlan, ReadPlan, parts_of
from tablewright.compiler.served import FanOut, Served
from tablewright.model.table import TableModel


def prove_request(
    plan: ReadPlan, when: str, table: TableModel, entities: Mapping[type, EntityPlan], pattern: str
) -> RequestProof:
    """One variant of a pattern, proved."""
    request, terms = outline(plan, table.name)
    parts = _parts(plan)
    served = parts[0][1]
    collected = isinstance(plan, CollectionPlan)
    partitions = math.prod(_partitions(fan) for fan in served.fan_out) or None
    # How many partitions a usual read asks was said where arguments decide it.
    asked = partitions or table.expectations.of_pattern(pattern).partitions
    shares = [share_of(table, of, by, unique=one_at_most(of, by) and not by.rest, partitions=asked) for of, by in parts]
    if isinstance(plan, GetPlan) and plan.most is not None and asked is not None:
        shares = [share.no_more_than(plan.most * asked) for share in shares]
    over_reads: tuple[str, ...] = plan.over_reads if isinstance(plan, CollectionPlan) else ()
    shares += _beside(table, entities, served, over_reads)
    index = served.path.index
    unique = not collected and one_at_most(*parts[0])
    filters = () if isinstance(plan, CollectionPlan | GetPlan) else plan.filters
    return RequestProof(
        when=when,
        operation="GetItem" if isinstance(plan, GetPlan) and index is None else "Query",
        index=served.path.index_name,
        key_condition=" AND ".join(map(str, terms)),
        request=request,
        entities=tuple(dict.fromkeys(of.name for of, _ in parts)),
        single=not served.fan_out,
        partitions=partitions,
        counted=asked,
        fan_out=tuple(_in_words(fan) for fan in served.fan_out),
        order=() if collected else _order(served),
        descending=not isinstance(plan, GetPlan) and _descending(plan),
        unique=unique,
        may_repeat=tuple(sorted(served.known)) if isinstance(plan, GetPlan) and not unique else (),
        consistent=plan.strong,
        items_at_worst=total_items(shares),
        read_units_at_worst=total_units(
            shares,
            consistent=plan.strong,
            partitions=asked,
            per_page=plan.page_limit if isinstance(plan, QueryPlan | MixedPlan) else None,
            fetched=fetches(served.path, () if isinstance(plan, CollectionPlan) else plan.projection),
        ),
        over_reads=over_reads,
        filtered_by=tuple(dict.fromkeys(leaf.field for f in filters for leaf in f.leaves())),
        unproved=tuple(dict.fromkeys(w for _, by in parts for w in by.warnings)),
    )


def _parts(plan: ReadPlan) -> list[tuple[EntityPlan, Served]]:
    return [(part.plan, part.served) for part in parts_of(plan)]


def _descending(plan: ReadPlan) -> bool:
    if isinstance(plan, CollectionPlan):
        return plan.parts[0].query.descending
    return not isinstance(plan, GetPlan) and plan.descending


def one_at_most(plan: EntityPlan, served: Served) -> bool:
    """Whether at most one item has these values: they hold its whole key, or a combination that is unique."""
    known = served.known.keys()
    return plan.key_fields <= known or any(unique.fields <= known for unique in plan.uniques)


def _order(served: Served) -> tuple[str, ...]:
    """The fields of the sort key that are not fixed, in order."""
    names: dict[str, None] = {}
    for key in served.path.sk:
        names |= dict.fromkeys(_sources(key))
    return tuple(name for name in names if name not in served.known)


def _sources(key: KeyPlan) -> Iterator[str]:
    bound = getattr(key, "bound", None)
    yield from key.fields if bound is None else bound.codecs


def _partitions(fan: FanOut) -> int:
    """How many values a placeholder takes; 0 where the arguments decide."""
    if fan.listed is not None and fan.listed.possible is not None:
        return len(set(fan.listed.possible))
    return fan.plan.of if isinstance(fan.plan, ShardPlan) else 0


def _in_words(fan: FanOut) -> str:
    if isinstance(fan.plan, ShardPlan):
        return f"each of {fan.plan.of} values of {{{fan.name}}}"
    if isinstance(fan.plan, BucketPlan):
        return f"each {fan.plan.by} of {fan.plan.field}"
    return f"each value of {fan.name}"


def _beside(
    table: TableModel, entities: Mapping[type, EntityPlan], served: Served, names: tuple[str, ...]
) -> list[Share]:
    """What others in a collection's range add; nothing is known of the markers of unique values."""
    found = []
    by_name = {plan.name: plan for plan in entities.values()}
    for name in names:
        plan = by_name.get(name)
        path = (
            None if plan is None else next((p for p in key_paths(plan) if p.index_name == served.path.index_name), None)
        )
        found.append(Share(None, None) if plan is None or path is None else share_beside(table, plan, path.pk))
    return found
