"""TW111: something that changes is part of a primary key."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import choices
from tablewright.lint.rule import Rule

_CHANGING = re.compile(
    r"(.*_)?(status|state|stage|phase|priority|rank|score|balance|updated_at|modified_at|last_seen_at|last_modified)"
).fullmatch


class MutableKeyPart(Rule):
    """Something that changes is part of a primary key.

    The key of an item never changes: an item whose status moves on would have to be deleted and written anew, with
    everything that refers to it. Reported are fields of the primary key that are called like a state or a last change,
    and choices that begin with a default. Put them into an index key, which follows.

    Bad:

    ```python
    from typing import Literal

    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{status}#{order_id}")
        username: str
        order_id: str
        status: Literal["PENDING", "SHIPPED"] = "PENDING"
    ```

    Good:

    ```python
    from typing import Literal

    from tablewright import GSI, Entity, Keys, Table

    shop = Table("Shop", indexes=[GSI("GSI1")])


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}", GSI1=("CUSTOMER#{username}#{status}", "ORDER#{order_id}"))
        username: str
        order_id: str
        status: Literal["PENDING", "SHIPPED"] = "PENDING"
    ```
    """

    code = "TW111"
    name = "mutable-key-part"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for plan in design.entities:
            for name in sorted(plan.key_fields & plan.fields.keys()):
                frozen = plan.entity.model_config.get("frozen") or plan.entity.model_fields[name].frozen
                chosen = choices(plan, name) is not None and plan.fields[name].default is not None
                if not frozen and (chosen or _CHANGING(name)):
                    yield Found(
                        design.about_field(plan, name),
                        f"{plan.name}.{name} is part of the primary key, and looks like something that changes.",
                        "Take it out of the primary key and sort by it in an index; if it never changes, declare Field(frozen=True).",
                    )
