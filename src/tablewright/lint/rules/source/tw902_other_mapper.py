"""TW902: another mapper writes to DynamoDB."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found, Place, Subject
from tablewright.lint.rule import Rule
from tablewright.lint.sourcecode import MAPPERS, files, imported


class OtherMapper(Rule):
    """Another mapper writes to DynamoDB.

    PynamoDB and its like write items in a form of their own, without the index keys, markers and types that the model
    keeps right. One table has one owner. Where an application moves over step by step, waive this until it is done.

    Bad:

    ```python
    from pynamodb.models import Model


    class Order(Model):
        pass
    ```

    Good:

    ```python
    from store import Order


    def total(order: Order) -> int:
        return order.total
    ```
    """

    code = "TW902"
    name = "other-mapper"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for file in files(design):
            for line, name in imported(file.tree):
                if name.partition(".")[0] in MAPPERS:
                    yield Found(
                        Subject(file.name, None),
                        f"{name} is imported, which writes items in a form of its own.",
                        "Let the model be the only one that writes to its table.",
                        place=Place(file.name, line),
                    )
