"""Fields that a pattern fetches and nobody looks at."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.reads import CollectionPlan, parts_of
from tablewright.cost.sizes import Sizes
from tablewright.observe.judging import percent, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import FieldUse
from tablewright.observe.telling import reads_of
from tablewright.wording import counted

_FETCHED = 100
_WORTH = 0.2
"""The share of an item's bytes from which on it is worth a view."""


class UnusedFields(Rule):
    """A pattern fetches fields that nobody looks at.

    They travel, and are decoded and checked, for nothing. A view leaves them where they are. That saves transfer and time
    in the program, and no read units: DynamoDB counts whole items, whatever part of them is asked for.

    It fires when 100 entities or more of a pattern were watched, and fields that nobody read make up a fifth of their bytes or
    more, by their types. Watching costs something, and is off unless it is asked for; without a model there is nothing to
    compare with.

    Read a view: `.only(View)` in the pattern, where View is a Pydantic model with the fields that are used. Where read units
    matter, split the item, or let an index hold only these attributes.

    > posts_of() fetches 2 fields of Post that nobody reads.
    """

    name = "unused-fields"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        for pattern, use in sorted(seen.snapshot.fields.items()):
            plans = reads_of(seen.plan, pattern)
            if use.fetched < _FETCHED or not plans or any(isinstance(plan, CollectionPlan) for plan in plans):
                continue  # a collection has entities whose fields share names
            parts = [part for plan in plans for part in parts_of(plan)]
            if any(part.projection for part in parts):
                continue
            yield from _judged(seen, pattern, use, parts[0].plan)


def _judged(seen: Observed, pattern: str, use: FieldUse, entity: EntityPlan) -> Iterator[Recommendation]:
    sizes = Sizes(entity).attributes
    whole = sum(sizes.values())
    unused = [name for name in entity.fields if not use.used.get(name)]
    used = [name for name in entity.fields if use.used.get(name)]
    saved = share_of(sum(sizes.get(entity.fields[name].path[0], 0) for name in unused), whole)
    if saved < _WORTH or not used:
        return
    yield Recommendation(
        rule=UnusedFields.name,
        severity="info",
        category="performance",
        subject=f"{pattern}()",
        message=f"{pattern}() fetches {counted(len(unused), 'field')} of {entity.name} that nobody reads.",
        details=(
            f"Of {counted(use.fetched, entity.name)} that were watched, nobody looked at {', '.join(unused)}: some {percent(saved)} of "
            "the bytes, by their types. A view saves their transfer, and no read units."
        ),
        action=f"Read a view with {', '.join(used)} only.",
        code=_code(entity, used),
        affected=(f"{pattern}()",),
        saves=0.0,
        evidence={"fetched": use.fetched, "unused": len(unused), "share_of_bytes": saved},
        impact=share_of(sum(t.requests for t in seen.snapshot.traffic if t.pattern == pattern), seen.snapshot.requests),
        effort=1,
    )


def _code(entity: EntityPlan, used: list[str]) -> str:
    view = f"{entity.name}View"
    fields = "\n".join(f"    {name}: {_written(entity.fields[name].annotation)}" for name in used)
    return f"class {view}(BaseModel):\n{fields}\n\n\nquery({entity.name}, ...).only({view})"


def _written(annotation: object) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).replace("typing.", "")
