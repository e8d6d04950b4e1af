"""Indexes of several attributes: sites by country, state and city, and work orders by status and a numeric priority.

Nothing is glued together: the attributes keep their types, so that priorities sort as numbers.
`python -m examples.small.locations` shows it.
"""

from typing import Annotated, Literal

from pydantic import Field

from tablewright import GSI, Entity, Keys, Query, Table, number, query

service = Table(
    "FieldService",
    indexes=[
        GSI("LocationIndex", pk=["tenant_id", "customer_id"], sk=["country", "state", "city"], projection="ALL"),
        GSI(
            "OrderStatusIndex",
            pk=["tenant_id", "department_id"],
            sk=["status", number("priority")],
            projection="ALL",
        ),
    ],
)

Id = Annotated[str, Field(min_length=1, max_length=40)]
OrderStatus = Literal["open", "done"]


class Site(Entity, table=service):
    """A place that a customer has."""

    keys = Keys(
        "TENANT#{tenant_id}",
        "SITE#{site_id}",
        LocationIndex=(("{tenant_id}", "{customer_id}"), ("{country}", "{state}", "{city}")),
    )
    tenant_id: Id
    site_id: Id
    customer_id: Id
    country: Id
    state: Id
    city: Id


class WorkOrder(Entity, table=service):
    """Something that a department has to do. 0 is a priority too, the lowest."""

    keys = Keys(
        "TENANT#{tenant_id}",
        "WORKORDER#{order_id}",
        OrderStatusIndex=(("{tenant_id}", "{department_id}"), ("{status}", "{priority}")),
    )
    tenant_id: Id
    order_id: Id
    department_id: Id
    status: OrderStatus = "open"
    priority: int = Field(ge=0, le=1_000)


@service.pattern
def sites_of(
    tenant_id: str, customer_id: str, country: str | None = None, state: str | None = None, city: str | None = None
) -> Query[Site]:
    "A customer's sites, or those in a country, in a state of it, in a city of that."
    found = query(Site, Site.tenant_id == tenant_id, Site.customer_id == customer_id)
    found = found.when(country, lambda c: Site.country == c).when(state, lambda s: Site.state == s, after=country)
    return found.when(city, lambda c: Site.city == c, after=state).per_page(50)


@service.pattern
def work_orders(
    tenant_id: str, department_id: str, status: OrderStatus, at_least: int | None = None
) -> Query[WorkOrder]:
    "A department's work orders of one status, the highest priority first; all, or from a priority on."
    found = query(
        WorkOrder,
        WorkOrder.tenant_id == tenant_id,
        WorkOrder.department_id == department_id,
        WorkOrder.status == status,
    )
    return found.when(at_least, lambda p: WorkOrder.priority >= p).newest_first().per_page(50)


service.waive("TW106", "OrderStatusIndex", reason="each index is confined to a tenant, by the attribute itself")
service.waive("TW505", reason="whoever uses the library writes no expressions, and needs no placeholders")


def main() -> None:
    """Sites of one customer from country to city, and the work of a department."""
    with service.open("memory:") as db:
        for site_id, place in (
            ("s1", ("DE", "BE", "Berlin")),
            ("s2", ("DE", "BY", "Hof")),
            ("s3", ("AT", "W", "Wien")),
        ):
            country, state, city = place
            db.create(Site(tenant_id="t", site_id=site_id, customer_id="c", country=country, state=state, city=city))
        print([site.city for site in db.run(sites_of, "t", "c", "DE")], [s.city for s in db.run(sites_of, "t", "c")])
        for order_id, priority in (("w1", 9), ("w2", 10), ("w3", 0)):
            db.create(WorkOrder(tenant_id="t", order_id=order_id, department_id="d", priority=priority))
        print([order.order_id for order in db.run(work_orders, "t", "d", "open")])
        print([order.order_id for order in db.run(work_orders, "t", "d", "open", at_least=10)])


if __name__ == "__main__":
    main()
