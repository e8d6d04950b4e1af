"""TW104: a moment stands in a partition key."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import fields, is_moment
from tablewright.lint.rule import Rule


class TimeInPartitionKey(Rule):
    """A moment stands in a partition key.

    A read must know the whole partition key, and nobody knows a moment to the microsecond. Put the time into the sort
    key, where ranges are possible. A day, or a `Bucket` of a time, can be known; they are not meant here.

    Bad:

    ```python
    from datetime import datetime

    from tablewright import Entity, Keys, Table

    log = Table("Log")


    class Event(Entity, table=log):
        keys = Keys("EVENT#{happened_at}", "EVENT#{event_id}")
        event_id: str
        happened_at: datetime
    ```

    Good:

    ```python
    from datetime import datetime

    from tablewright import Entity, Keys, Table

    log = Table("Log")


    class Event(Entity, table=log):
        keys = Keys("DEVICE#{device_id}", "EVENT#{happened_at}#{event_id}")
        event_id: str
        device_id: str
        happened_at: datetime
    ```
    """

    code = "TW104"
    name = "time-in-partition-key"
    severity = "error"

    def check(self, design: Design) -> Iterator[Found]:
        for path in design.every_path():
            if path.index is not None and path.index.local:
                continue
            for name in fields(path.pk):
                if is_moment(path.plan, name):
                    yield Found(
                        design.about_field(path.plan, name),
                        f"The partition key of {path.plan.name} on {key_of(path)} holds the moment {name!r}, which no reader knows.",
                        f"Put {name} into the sort key, or use a Bucket of it.",
                        None if path.index is None else "warning",
                        also=(*([path.index_name] if path.index_name else []),),
                    )
