"""TW601: two entities are related, and no strategy is recorded."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.lint.design import Design
from tablewright.lint.findings import Found
from tablewright.lint.keyfacts import kinds, roots
from tablewright.lint.rule import Rule
from tablewright.lint.tenants import is_tenant_name

_COMMON = {"id", "name", "kind", "type", "date", "day", "key", "code", "value", "title"}


class UnrecordedRelationship(Rule):
    """Two entities are related, and no strategy is recorded.

    How a relationship is stored decides what can be read in one request and what becomes stale. `relate(...)` records
    the decision, has it checked, and puts it into the documents. Reported is an entity in the partition of another one;
    one that merely holds the id of another is noted, and so is everything while no relationship is recorded at all.

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
        related = _related(design)
        for name, root in roots(design).items():
            for plan in design.entities:
                if (
                    plan is root
                    or name not in plan.fields
                    or is_tenant_name(name)
                    or root.entity in related[plan.entity]
                ):
                    continue
                # Through a parent that has the same field: the owner of an order's line is the owner of the order.
                if any(
                    root.entity in related[e] and name in p.fields
                    for e in related[plan.entity]
                    if (p := design.plan.entities.get(e))
                ):
                    continue
                inside = str(plan.pk) == str(root.pk)
                same = kinds(plan, name) == kinds(root, name) and name not in _COMMON
                if inside or same:
                    told = f"lies in the partition of {root.name}" if inside else f"holds the {name!r} of {root.name}"
                    yield Found(
                        design.about_entity(plan),
                        f"{plan.name} {told}, and no relationship says so.",
                        f'Record it: relate(Relationship({root.name}, {plan.name}, "1:N", ...)).',
                        None if inside and design.table.relationships else "info",
                        also=(root.entity,),
                    )


def _related(design: Design) -> dict[type, set[type]]:
    """For each entity those that a relationship or an aggregate connects it with."""
    found: dict[type, set[type]] = {plan.entity: {plan.entity} for plan in design.entities}
    groups: list[tuple[object, ...]] = [(r.source, r.target, r.via, r.mirror) for r in design.table.relationships]
    for tree in design.plan.aggregates.values():
        groups += [(branch.parent.entity, branch.plan.entity) for branch in tree.every()]
    for group in groups:
        ends = [end for end in group if isinstance(end, type) and end in found]
        for end in ends:
            found[end].update(ends)
    return found
