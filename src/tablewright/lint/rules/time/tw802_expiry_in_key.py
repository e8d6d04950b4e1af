"""TW802: a time to live is part of a key."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design, key_of
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import whole
from tablewright.lint.rule import Rule


class ExpiryInKey(Rule):
    """A time to live is part of a key.

    Who extends the life of an item would change its key. In the primary key that cannot be done; in an index it moves
    the item each time. Items that are past their time also stay readable until DynamoDB removes them, sometimes for
    days, so that a range over the expiry does not tell what lives.

    Bad:

    ```python
    from datetime import datetime
    from typing import Annotated

    from tablewright import GSI, Entity, Epoch, Keys, Table

    app = Table("App", indexes=[GSI("GSI1")])


    class Login(Entity, table=app, ttl="expires_at"):
        keys = Keys("USER#{user_id}", "LOGIN#{expires_at}#{login_id}")
        user_id: str
        login_id: str
        expires_at: Annotated[datetime, Epoch("s")]
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

    code = "TW802"
    name = "expiry-in-key"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for path in design.every_path():
            name = path.plan.options.ttl
            if name is not None and any(name in key.sources for key in whole(path)):
                yield Found(
                    design.about_field(path.plan, name),
                    f"{path.plan.name} expires by {name!r}, which is part of its key on {key_of(path)}.",
                    "Sort by another time, such as that of its creation.",
                    None if path.index is None else "info",
                    also=(path.index_name,) if path.index_name else (),
                )
