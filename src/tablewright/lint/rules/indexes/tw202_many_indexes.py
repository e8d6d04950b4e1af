"""TW202: the table comes near the limit of 20 global indexes."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule
from tablewright.model.indexes import MAX_GSIS

_MANY = 15


class ManyIndexes(Rule):
    """The table comes near the limit of 20 global indexes.

    DynamoDB allows 20 global indexes for a table, and every one is paid for with each write of what it holds. Long
    before that, several entities can share an index: their keys have prefixes that keep them apart.

    Bad:

    ```python
    from tablewright import GSI, Table

    shop = Table("Shop", indexes=[GSI(f"GSI{n}") for n in range(1, 17)])
    ```

    Good:

    ```python
    from tablewright import GSI, Table

    shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])
    ```
    """

    code = "TW202"
    name = "many-indexes"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        count = sum(not index.local for index in design.table.indexes.values())
        if count > _MANY:
            yield Found(
                design.about_table(),
                f"The table has {count} global indexes of the {MAX_GSIS} that DynamoDB allows.",
                "Let entities share indexes: put the keys of several into one, with a prefix for each.",
            )
