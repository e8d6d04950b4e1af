"""TW112: two items of one moment have the same primary key."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, is_time, named_ids, own_ids
from tablewright.lint.rule import Rule


class OverwritingTie(Rule):
    """Two items of one moment have the same primary key.

    The primary key ends with a time, and the entity's own id is not in it. The second of two items of the same moment
    replaces the first, and nobody is told. Put the id behind the time.

    Bad:

    ```python
    from datetime import datetime

    from tablewright import Entity, Keys, Table

    log = Table("Log")


    class Event(Entity, table=log):
        keys = Keys("DEVICE#{device_id}", "EVENT#{happened_at}")
        device_id: str
        event_id: str
        happened_at: datetime


    class Device(Entity, table=log):
        keys = Keys("DEVICE#{device_id}", "DEVICE#{device_id}")
        device_id: str
    ```

    Good:

    ```python
    from datetime import datetime

    from tablewright import Entity, Keys, Table

    log = Table("Log")


    class Event(Entity, table=log):
        keys = Keys("DEVICE#{device_id}", "EVENT#{happened_at}#{event_id}")
        device_id: str
        event_id: str
        happened_at: datetime


    class Device(Entity, table=log):
        keys = Keys("DEVICE#{device_id}", "DEVICE#{device_id}")
        device_id: str
    ```
    """

    code = "TW112"
    name = "overwriting-tie"
    severity = "error"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            named = fields(plan.sk) if plan.sk is not None else []
            if not named or not is_time(plan, named[-1]):
                continue
            mine = named_ids(design, plan) or own_ids(design, plan) or _of_whose_time(design, plan, named[-1])
            if mine and plan.key_fields.isdisjoint(mine):
                yield Found(
                    design.about_entity(plan),
                    f"The primary key of {plan.name} ends with {named[-1]!r}: two of one moment are one item, and {mine[0]!r} does not "
                    "tell them apart.",
                    f"Put the id behind the time: ...#{{{named[-1]}}}#{{{mine[0]}}}.",
                )


def _of_whose_time(design: Design, plan: EntityPlan, time: str) -> list[str]:
    """Ids of what a time is copied from: an entry in a feed has the time of its post, and two posts may have the same."""
    others = [other for other in design.entities if other is not plan and time in other.fields]
    theirs = {name for other in others for name in own_ids(design, other)}
    return [name for name in plan.fields if name in theirs]
