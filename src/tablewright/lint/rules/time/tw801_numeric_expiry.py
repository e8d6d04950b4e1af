"""TW801: a time to live is a bare number."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import kinds
from tablewright.lint.rule import Rule


class NumericExpiry(Rule):
    """A time to live is a bare number.

    DynamoDB expires items by whole seconds since 1970. A number can just as well hold milliseconds, which lie fifty
    thousand years ahead, or a duration: such items never expire, and nobody is told. A datetime with `Epoch("s")`
    cannot be mistaken.

    Bad:

    ```python
    from tablewright import GSI, Entity, Keys, Table

    app = Table("App", indexes=[GSI("GSI1")])


    class Login(Entity, table=app, ttl="expires_at"):
        keys = Keys("USER#{user_id}", "LOGIN#{login_id}")
        user_id: str
        login_id: str
        expires_at: int
    ```

    Good:

    ```python
    from datetime import datetime
    from typing import Annotated

    from tablewright import GSI, Entity, Epoch, Keys, Table

    app = Table("App", indexes=[GSI("GSI1")])


    class Login(Entity, table=app, ttl="expires_at"):
        keys = Keys("USER#{user_id}", "LOGIN#{login_id}")
        user_id: str
        login_id: str
        expires_at: Annotated[datetime, Epoch("s")]
    ```
    """

    code = "TW801"
    name = "numeric-expiry"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            name = plan.options.ttl
            if name is not None and datetime not in kinds(plan, name):
                yield Found(
                    design.about_field(plan, name),
                    f"{plan.name} expires by {name!r}, a number that may be of another unit than seconds.",
                    f'Declare it as {name}: Annotated[datetime, Epoch("s")].',
                )
