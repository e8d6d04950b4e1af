"""TW006: a waiver is about something that is not in the table."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class StrangeWaiver(Rule):
    """A waiver is about something that is not in the table.

    It names an entity, a pattern or an index of another table, or an index that was renamed.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    table = Table("Notes")


    class Note(Entity, table=table):
        keys = Keys("NOTE#{note_id}", "NOTE#{note_id}")
        note_id: str


    table.waive("TW201", "GSI7", reason="used by an old service")
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Table

    table = Table("Notes")


    class Note(Entity, table=table):
        keys = Keys("NOTE#{note_id}", "NOTE#{note_id}")
        note_id: str
    ```
    """

    code = "TW006"
    name = "strange-waiver"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        """Nothing by itself: waivers are judged when all other rules have run."""
        yield from ()
