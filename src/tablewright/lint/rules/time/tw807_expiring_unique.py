"""TW807: items that expire hold unique values."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule


class ExpiringUnique(Rule):
    """Items that expire hold unique values.

    The marker of a unique value is an item of its own, and it does not expire. DynamoDB removes the item and leaves the
    marker, so that the value is taken for ever by something that is gone. Delete such items yourself, or let the value
    be unique by being the key.

    Bad:

    ```python
    from datetime import datetime
    from typing import Annotated

    from tablewright import Entity, Epoch, Keys, Table

    app = Table("App")


    class Login(Entity, table=app, ttl="expires_at"):
        keys = Keys("USER#{user_id}", "LOGIN#{login_id}", unique=["login_id"])
        user_id: str
        login_id: str
        expires_at: Annotated[datetime, Epoch("s")]
    ```

    Good:

    ```python
    from datetime import datetime
    from typing import Annotated

    from tablewright import Entity, Epoch, Keys, Table

    app = Table("App")


    class Login(Entity, table=app, ttl="expires_at"):
        keys = Keys("USER#{user_id}", "LOGIN#{login_id}")
        user_id: str
        login_id: str
        expires_at: Annotated[datetime, Epoch("s")]
    ```
    """

    code = "TW807"
    name = "expiring-unique"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            if plan.options.ttl is not None and plan.uniques:
                yield Found(
                    design.about_entity(plan),
                    f"{plan.name} expires by {plan.options.ttl!r} and holds the unique {plan.uniques[0].name}, whose marker stays.",
                    "Make the value its key, or delete these items yourself instead of letting them expire.",
                )
