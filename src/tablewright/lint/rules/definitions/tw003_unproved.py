"""TW003: something about an adopted table could not be proved."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class Unproved(Rule):
    """Something about an adopted table could not be proved.

    Raw values of keys that other code made may hold the separator. Then two different items may have one key, and a
    read may return items of another entity. The compiler takes for granted that this does not happen, and says where it
    would matter.

    Bad:

    ```python
    from tablewright import Entity, KeyStyle, Keys, Table

    table = Table("Legacy", key_style=KeyStyle.adopted("#"))


    class Folder(Entity, table=table):
        keys = Keys("F#{owner}", "{name}")
        owner: str
        name: str


    class Note(Entity, table=table):
        keys = Keys("F#{owner}", "{folder}#{name}")
        owner: str
        folder: str
        name: str
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Table

    table = Table("Legacy")


    class Folder(Entity, table=table):
        keys = Keys("F#{owner}", "FOLDER#{name}")
        owner: str
        name: str


    class Note(Entity, table=table):
        keys = Keys("F#{owner}", "NOTE#{folder}#{name}")
        owner: str
        folder: str
        name: str
    ```
    """

    code = "TW003"
    name = "unproved"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        """What is not proved; what concerns a single key has rules of its own."""
        of_keys = {warning for plan in design.entities for warning in plan.warnings}
        for warning in design.plan.warnings:
            if warning not in of_keys:
                yield Found(
                    design.about_table(),
                    warning,
                    "See to it that values of keys never hold the separator, or move to keys of the library's own style.",
                )
