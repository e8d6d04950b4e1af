"""TW808: a field says when items expire, and the model does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import FieldPlan
from tablewright.lint.design import Design
from tablewright.lint.findings import Found, Severity
from tablewright.lint.keyfacts import clock, kinds, snake
from tablewright.lint.rule import Rule
from tablewright.model.entity import with_article

_MEANT = re.compile(r"ttl(_at|_epoch|_seconds)?|time_to_live|purge_(at|on|after)|delete_after").fullmatch
_PERHAPS = re.compile(r"expires?(_(at|on))?|expiry(_(at|on|date|time))?|expiration(_(at|on|date|time))?").fullmatch
_LONG_AGO = 1_000_000_000
"""Seconds since 1970 have been more than this since 2001; what begins with less is a duration."""


class UndeclaredExpiry(Rule):
    """A field says when items expire, and the model does not.

    DynamoDB removes items by one attribute of the table, and the class keyword `ttl` says which. Without it the items of
    this entity stay for ever, whatever their field says. A field called `ttl` is meant so; one called `expires_at` may
    be about a contract that must be kept, which is noted if no entity of the table expires. It is an error where
    another entity expires by an attribute of the same name: then DynamoDB removes these items too, and no reader of the
    model knows.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    app = Table("App")


    class Login(Entity, table=app):
        keys = Keys("USER#{user_id}", "LOGIN#{login_id}")
        user_id: str
        login_id: str
        ttl: int
    ```

    Good:

    ```python
    from datetime import datetime
    from typing import Annotated

    from tablewright import Entity, Epoch, Keys, Table

    app = Table("App")


    class Login(Entity, table=app, ttl="ttl"):
        keys = Keys("USER#{user_id}", "LOGIN#{login_id}")
        user_id: str
        login_id: str
        ttl: Annotated[datetime, Epoch("s")]
    ```
    """

    code = "TW808"
    name = "undeclared-expiry"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        attribute = design.table.ttl_attribute
        for plan in design.entities:
            if plan.options.ttl is not None:
                continue
            for name, field in plan.fields.items():
                if field.path == (attribute,) and _in_seconds(plan, name):
                    message = f"DynamoDB removes {with_article(plan.name)} when its {name!r} has passed, since others expire by it."
                    hint = f'Declare ttl="{name}", or store it under another name.'
                    yield Found(design.about_field(plan, name), message, hint, "error")
                    break
            else:
                yield from _undeclared(design, plan)


def _undeclared(design: Design, plan: EntityPlan) -> Iterator[Found]:
    # A table has one attribute to expire by: where that is another one, this is about something else.
    perhaps = _PERHAPS if design.table.ttl_attribute is None else _MEANT
    grades: dict[str, Severity] = {
        name: "warning" if _MEANT(snake(name)) else "info"
        for name, field in plan.fields.items()
        if (_MEANT(snake(name)) or perhaps(snake(name))) and _may_be_moment(plan, name, field)
    }
    for name in sorted(grades, key=lambda name: grades[name] == "info")[:1]:
        yield Found(
            design.about_field(plan, name),
            f"{plan.name}.{name} says when items expire, and they do not: {plan.name} declares no time to live.",
            f'If they may go, declare ttl="{name}" and {name}: Annotated[datetime, Epoch("s")].',
            grades[name],
        )


def _may_be_moment(plan: EntityPlan, name: str, field: FieldPlan) -> bool:
    if not kinds(plan, name) <= {int, Decimal, float, datetime}:
        return False
    return not (isinstance(field.known, int | float | Decimal) and 0 < field.known < _LONG_AGO)


def _in_seconds(plan: EntityPlan, name: str) -> bool:
    """Whether a field is stored as a number, as DynamoDB wants an expiry."""
    return clock(plan, name) == "Epoch('s')" or kinds(plan, name) <= {int, Decimal, float}
