"""TW102: the table's own key is a number or binary."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class KeyOfAnotherType(Rule):
    """The table's own key is a number or binary.

    Keys of a single table are texts, since a type prefix tells the entities apart. A numeric key has room for one
    entity only. Indexes with several attributes on a side keep their types, and are not meant.

    Bad:

    ```python
    from tablewright import Table, number

    shop = Table("Shop", pk=number("pk"))
    ```

    Good:

    ```python
    from tablewright import Table

    shop = Table("Shop")
    ```
    """

    code = "TW102"
    name = "key-not-text"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for key in (design.table.pk, design.table.sk):
            if key is not None and key.tag != "S":
                yield Found(
                    design.about_table(),
                    f"The key attribute {key.name!r} of the table is of type {key.tag}.",
                    "Let it be a text, with a type prefix: ORDER#{order_id}.",
                    None if design.table.key_style.strict else "info",
                )
