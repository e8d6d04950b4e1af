"""TW601: two entities are related, and no strategy is recorded."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import is_id, kinds, roots
from tablewright.lint.rule import Rule

_COMMON = {"id", "name", "kind", "type", "date", "day", "key", "code", "value", "title"}


class UnrecordedRelationship(Rule):
    """Two entities are related, and no strategy is recorded.

    How a relationship is stored decides what can be read in one request and what becomes stale. `relate(...)` records
    the decision, has it checked, and puts it into the documents. Reported is an entity in the partition of another one;
    one that merely holds the id of another is noted.

    Bad:

    ```python
    from tablewright import Entity, Keys, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
        username: str


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str
    ```

    Good:

    ```python
    from tablewright import Entity, Keys, Relationship, Table

    shop = Table("Shop")


    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
        username: str


    class Order(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
        username: str
        order_id: str


    shop.relate(Relationship(Customer, Order, "1:N", "item collection", reason="read together"))
    ```
    """

    code = "TW601"
    name = "unrecorded-relationship"
    severity = "warning"

    def check(self, design: Design) -> Iterator[Found]:
        """What is found."""
        known: set[frozenset[object]] = set()
        for relationship in design.table.relationships:
            ends: list[object] = [relationship.source, relationship.target, relationship.via, relationship.mirror]
            known |= {frozenset((one, other)) for one in ends for other in ends}
        for name, root in roots(design).items():
            for plan in design.entities:
                if plan is root or name not in plan.fields or frozenset((plan.entity, root.entity)) in known:
                    continue
                inside = str(plan.pk) == str(root.pk)
                # A field called `id` of another entity is its own.
                if (
                    inside
                    or (is_id(plan, name) and name != "id")
                    or (kinds(plan, name) == kinds(root, name) and name not in _COMMON)
                ):
                    told = f"lies in the partition of {root.name}" if inside else f"holds the {name!r} of {root.name}"
                    yield Found(
                        design.about_entity(plan),
                        f"{plan.name} {told}, and no relationship says so.",
                        f'Record it: relate(Relationship({root.name}, {plan.name}, "1:N", ...)).',
                        None if inside else "info",
                        also=(root.entity,),
                    )
