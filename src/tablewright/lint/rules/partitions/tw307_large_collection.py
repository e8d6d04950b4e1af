"""TW307: an item collection outgrows what a local index allows."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields
from tablewright.lint.rule import Rule

_MOST = 10 * 2**30


class LargeCollection(Rule):
    """An item collection outgrows what a local index allows.

    On a table with local indexes, all items of one partition and their copies in these indexes may take 10 GB together.
    Then writes that make it larger are refused. Reported where expect() says how many items of an entity share a
    partition, and how large they are.

    Bad:

    ```python
    from tablewright import LSI, Entity, Keys, Table

    log = Table("Log", indexes=[LSI("LSI1")])


    class Event(Entity, table=log):
        keys = Keys("DEVICE#{device_id}", "{event_id}", LSI1="{kind}#{event_id}")
        device_id: str
        event_id: str
        kind: str


    log.expect(Event, size=2_000, per={"device_id": 9_000_000})
    ```

    Good:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    log = Table("Log", indexes=[GSI("GSI1")])


    class Event(Entity, table=log):
        keys = Keys("DEVICE#{device_id}", "{event_id}", GSI1=("DEVICE#{device_id}", "{kind}#{event_id}"))
        device_id: str
        event_id: str
        kind: str


    log.expect(Event, size=2_000, per={"device_id": 9_000_000})
    ```
    """

    code = "TW307"
    name = "large-collection"
    severity = "error"

    def check(self, design: Design) -> Iterator[Found]:
        if not any(index.local for index in design.table.indexes.values()):
            return
        for plan in design.entities:
            expected = design.expectations.of(plan.entity)
            count = expected.at_most(frozenset(fields(plan.pk)))
            copies = 1 + sum(binding.index.local for binding in plan.bindings)
            if count is not None and expected.size is not None and count * expected.size * copies > _MOST:
                yield Found(
                    design.about_entity(plan),
                    f"{count:,} items of {plan.name} in one partition take {count * expected.size * copies / 2**30:,.1f} GB with their copies "
                    "in local indexes; DynamoDB allows 10 GB.",
                    "Use a global index instead, or a finer partition key.",
                )
