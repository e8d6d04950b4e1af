"""TW604: a tree may be too large for one transaction."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found, Subject
from tablewright.lint.rule import Rule

_MOST = 100


class LargeAggregate(Rule):
    """A tree may be too large for one transaction.

    `save_tree` writes what differs as one transaction, and a transaction holds 100 items. A tree whose children are
    unbounded comes there: then it is saved in parts, which others can see half done. Say with expect(per=...) how many
    children a parent has at most, if they are fewer.

    Bad:

    ```python
    from tablewright import Aggregate, Entity, Keys, Table, children

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
        username: str


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str


    class OrderLine(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}#{line:3}")
        username: str
        order_id: str
        line: int


    class OrderTree(Aggregate[Order]):
        lines: list[OrderLine] = children()
    ```

    Good:

    ```python
    from tablewright import Aggregate, Entity, Keys, Table, children

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
        username: str


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str


    class OrderLine(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}#{line:3}")
        username: str
        order_id: str
        line: int


    class OrderTree(Aggregate[Order]):
        lines: list[OrderLine] = children()


    shop.expect(OrderLine, per={("username", "order_id"): 40})
    ```
    """

    code = "TW604"
    name = "large-aggregate"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        for tree, plan in design.plan.aggregates.items():
            total: int | None = 1
            open_ended: list[str] = []
            for branch in plan.every():
                most = design.expectations.of(branch.plan.entity).at_most(frozenset(branch.known))
                if not branch.level.hanging.many and branch.parent is plan.plan:
                    most = 1
                if most is None:
                    open_ended.append(branch.plan.name)
                elif total is not None:
                    total += most
            if open_ended or (total is not None and total > _MOST):
                told = f"any number of {', '.join(open_ended)}" if open_ended else f"{total} items"
                yield Found(
                    Subject(tree.__name__, tree),
                    f"{tree.__name__} may hold {told}, and a transaction holds {_MOST}.",
                    "Say how many there are at most: expect(..., per={...}); or save it in parts, knowing that others see them.",
                    also=(tree.__name__, *(branch.plan.entity for branch in plan.every())),
                )
