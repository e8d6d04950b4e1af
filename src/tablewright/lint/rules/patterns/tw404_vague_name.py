"""TW404: the name of a pattern does not say what it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import snake
from tablewright.lint.rule import Rule

_VERB = re.compile(
    r"(?:(get|query|fetch|find|list|load|read|search|scan|select|lookup|retrieve)(?:_|$))?(.*)"
).fullmatch
_VAGUE = re.compile(
    r"((all|the|my|some)_)?(data|items?|records?|things?|stuff|objects?|entit(y|ies)|results?|rows?|info|all|everything|it|one|many"
    r"|get|query|fetch|find|list|load|read|search|scan|select|lookup|retrieve|pattern_?\d*|test_?\d*)"
).fullmatch


class VagueName(Rule):
    """The name of a pattern does not say what it reads.

    Patterns are the list of what the application asks, read by people who did not write it. `get_data`, `query_items`
    or `find` say nothing; and `get_user` without a sentence below it does not say by what. Say what is read and by
    what: `orders_of`, `customer_by_email`.

    Bad:

    ```python
    from tablewright import Entity, Keys, Query, Table, query

    shop = Table("Shop")


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str
        paid: bool = False


    @shop.pattern
    def get_data(username: str) -> Query[Order]:
        return query(Order, Order.username == username)
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Query, Table, query

    shop = Table("Shop")


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str
        paid: bool = False


    @shop.pattern
    def orders_of(username: str) -> Query[Order]:
        return query(Order, Order.username == username)
    ```
    """

    code = "TW404"
    name = "vague-name"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        entities = {snake(plan.name) for plan in design.entities}
        for name, pattern in {**design.table.patterns, **design.table.unserved}.items():
            verb, rest = _taken_apart(name)
            bare = verb and (rest.removesuffix("s") in entities or rest in entities) and not pattern.doc
            if _VAGUE(rest or verb or "") or bare:
                yield Found(
                    design.about_pattern(pattern),
                    f"The name {name}() does not say what is read, and by what.",
                    "Name it after what it gives and what it is asked by, such as orders_of or customer_by_email; a sentence below it tells "
                    "the rest.",
                )


def _taken_apart(name: str) -> tuple[str, str]:
    """The verb that a name begins with, if it does, and the rest."""
    found = _VERB(name)
    return (found[1] or "", found[2]) if found is not None else ("", name)
