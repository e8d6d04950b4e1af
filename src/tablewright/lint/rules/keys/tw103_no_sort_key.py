"""TW103: the table has no sort key."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class NoSortKey(Rule):
    """The table has no sort key.

    Without one every item is alone in its partition. There are no item collections, so related items cannot be read
    together.

    Bad:

    ```python
    from tablewright import Table

    shop = Table("Shop", sk=None)
    ```

    Good:

    ```python
    from tablewright import Table

    shop = Table("Shop")
    ```
    """

    code = "TW103"
    name = "no-sort-key"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        if design.table.sk is None:
            yield Found(
                design.about_table(),
                "The table has no sort key, so nothing can lie beside anything.",
                "Give it one; an entity that needs none repeats its partition key.",
                None if design.table.key_style.strict else "info",
            )
