"""TW803: a time in a key is a text or a bare number."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import clock, fields, is_disguised_time, whole
from tablewright.lint.rule import Rule


class TimeAsText(Rule):
    """A time in a key is a text or a bare number.

    Texts compare character by character: `12:00:00Z` sorts after `12:00:00.5Z`, `+00:00` and `Z` are two moments, and a
    number of ten digits sorts after one of thirteen. A datetime is written in one form, in UTC, with microseconds, and
    sorts as time does.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    log = Table("Log")


    class Event(Entity, table=log):
        keys = Keys("DEVICE#{device_id}", "EVENT#{happened_at}#{event_id}")
        device_id: str
        event_id: str
        happened_at: str
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
    ```
    """

    code = "TW803"
    name = "time-as-text"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in design.every_path():
            for name in fields(whole(path)):
                if is_disguised_time(path.plan, name):
                    yield Found(
                        design.about_field(path.plan, name),
                        f"{path.plan.name}.{name} looks like a time, and stands in {key_of(path)} as {clock(path.plan, name)}.",
                        f"Declare it as {name}: datetime.",
                        also=(path.index_name,) if path.index_name else (),
                    )
