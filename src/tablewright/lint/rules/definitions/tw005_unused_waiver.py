"""TW005: a waiver waives nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class UnusedWaiver(Rule):
    """A waiver waives nothing.

    What it accepted was mended or renamed. Left in place, it would hide the next finding of its kind.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    table = Table("Notes")


    class Note(Entity, table=table):
        keys = Keys("NOTE#{note_id}", "NOTE#{note_id}")
        note_id: str


    table.waive("TW301", Note, reason="notes are few")
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

    code = "TW005"
    name = "unused-waiver"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        """Nothing by itself: waivers are judged when all other rules have run."""
        yield from ()
