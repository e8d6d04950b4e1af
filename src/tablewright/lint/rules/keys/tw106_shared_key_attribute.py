"""TW106: an index is keyed by an attribute of another key."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class SharedKeyAttribute(Rule):
    """An index is keyed by an attribute of another key.

    An item has one value of each attribute, so an index that shares one can only be what the other key already is,
    turned round. That is what an inverted index wants. Where it is not meant, a dedicated attribute leaves every entity
    free to put there what it needs.

    Bad:

    ```python
    from tablewright import GSI, Table

    social = Table("Social", indexes=[GSI("Inverted", pk="SK", sk="PK")])
    ```

    Good:

    ```python
    from tablewright import GSI, Table

    social = Table("Social", indexes=[GSI("GSI1")])
    ```
    """

    code = "TW106"
    name = "shared-key-attribute"
    severity = "info"

    def check(self, design: Design) -> Iterator[Found]:
        owners = {key.name: "the table" for key in (design.table.pk, design.table.sk) if key is not None}
        for index in design.table.indexes.values():
            for key in index.sk if index.local else index.attributes:
                if key.name in owners:
                    yield Found(
                        design.about_index(index.name),
                        f"{index.name} shares the attribute {key.name!r} with {owners[key.name]}.",
                        f'Meant so for an inverted index; otherwise give it attributes of its own: GSI("{index.name}").',
                    )
                owners.setdefault(key.name, index.name)
