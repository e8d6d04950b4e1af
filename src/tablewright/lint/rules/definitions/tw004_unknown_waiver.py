"""TW004: a waiver names a rule that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class UnknownWaiver(Rule):
    """A waiver names a rule that does not exist.

    A slip in the code would leave the finding unwaived, and the waiver would look as if it meant something.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    table = Table("Notes")


    class Note(Entity, table=table):
        keys = Keys("NOTE#{note_id}", "NOTE#{note_id}")
        note_id: str


    table.waive("TW9999", Note, reason="notes are few")
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Table

    table = Table("Notes")


    class Note(Entity, table=table):
        keys = Keys("NOTE#{note_id}", "NOTE#{note_id}")
        note_id: str


    table.waive("TW301", reason="read once a day")
    ```
    """

    code = "TW004"
    name = "unknown-waiver"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        """Nothing by itself: waivers are judged when all other rules have run."""
        yield from ()
