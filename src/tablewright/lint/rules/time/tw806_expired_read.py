"""TW806: a pattern may return items that have expired."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design, Read
from tablewright.lint.findings import Found
from tablewright.lint.rule import Rule
from tablewright.model.entity import with_article


class ExpiredRead(Rule):
    """A pattern may return items that have expired.

    DynamoDB removes expired items within days, not at once, and reads return them until then. Filter by the expiry, or
    open the table with `hide_expired=True`, which leaves them out of all reads. If that is done everywhere, waive this
    for the table.

    Bad:

    ```python
    from datetime import datetime
    from typing import Annotated

    from tablewright import Entity, Epoch, Keys, Query, Table, query

    app = Table("App")


    class Login(Entity, table=app, ttl="expires_at"):
        keys = Keys("USER#{user_id}", "LOGIN#{login_id}")
        user_id: str
        login_id: str
        expires_at: Annotated[datetime, Epoch("s")]


    @app.pattern
    def logins_of(user_id: str) -> Query[Login]:
        return query(Login, Login.user_id == user_id)
    ```

    Good:

    ```python
    from datetime import datetime
    from typing import Annotated

    from tablewright import Entity, Epoch, Keys, Query, Table, query

    app = Table("App")


    class Login(Entity, table=app, ttl="expires_at"):
        keys = Keys("USER#{user_id}", "LOGIN#{login_id}")
        user_id: str
        login_id: str
        expires_at: Annotated[datetime, Epoch("s")]


    @app.pattern
    def logins_of(user_id: str, now: datetime) -> Query[Login]:
        return query(Login, Login.user_id == user_id).filter(Login.expires_at > now)
    ```
    """

    code = "TW806"
    name = "expired-read"
    severity = "info"

    def check(self, design: Design) -> Iterator[Found]:
        for read in design.reads:
            name = read.plan.options.ttl
            filters = getattr(read.one, "filters", ())
            asked = {leaf.field for condition in filters for leaf in condition.leaves()}
            if name is not None and name not in asked and name not in _selected(read):
                yield Found(
                    design.about_pattern(read.pattern),
                    f"The pattern {read.pattern.name}() returns {with_article(read.plan.name)} that has expired, until DynamoDB removes it.",
                    f"Filter by {name}, or open the table with hide_expired=True.",
                    also=(read.plan.entity,),
                )


def _selected(read: Read) -> set[str]:
    conditions = getattr(read.operation, "conditions", ())
    return {leaf.field for condition in conditions for leaf in condition.leaves()}
