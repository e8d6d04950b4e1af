"""TW101: a key attribute is named after what one entity keeps in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found, Subject
from tablewright.lint.rule import Rule

_GENERIC = re.compile(
    r"((gsi|lsi|index|idx|global|local)?[_-]?\d*[_-]?)?(pk|sk|hash|range|partition|sort|h|r|p|s)[_-]?(key)?\d*",
    re.IGNORECASE,
).fullmatch


class NamedKeyAttribute(Rule):
    """A key attribute is named after what one entity keeps in it.

    Every entity of the table has these attributes, and each puts something else into them. A name like CustomerId is
    wrong for all but one of them; PK, SK, GSI1PK say what they are. Of a table that was adopted this is only noted: its
    key attributes cannot be renamed.

    Bad:

    ```python
    from tablewright import Table

    shop = Table("Shop", pk="CustomerId", sk="OrderDate")
    ```

    Good:

    ```python
    from tablewright import Table

    shop = Table("Shop")
    ```
    """

    code = "TW101"
    name = "named-key-attribute"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        table = design.table
        adopted = not table.key_style.strict
        seen = set()
        for key in (table.pk, table.sk):
            if key is not None:
                seen.add(key.name)
                if not _GENERIC(key.name):
                    yield _found(design.about_table(), key.name, "the table", adopted=adopted)
        for index in table.indexes.values():
            for key in index.attributes:
                # Several attributes on a side hold fields as they are, and are called like them.
                if key.name not in seen and not index.multi and key.tag == "S" and not _GENERIC(key.name):
                    yield _found(design.about_index(index.name), key.name, index.name, adopted=adopted)
                seen.add(key.name)


def _found(subject: Subject, name: str, owner: str, *, adopted: bool) -> Found:
    return Found(
        subject,
        f"The key attribute {name!r} of {owner} is named after what one entity keeps in it.",
        "Use the generic names PK, SK, GSI1PK, GSI1SK, or names=AttributeNames(...) for another spelling.",
        "info" if adopted else None,
    )
