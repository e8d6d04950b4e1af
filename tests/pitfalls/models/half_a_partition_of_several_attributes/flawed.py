"""Half of a partition key of several attributes."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Places", indexes=[GSI("ByCustomer", pk=["tenant", "customer"], sk="placed_at")])


class Order(Entity, table=app):
    keys = Keys("ORDER#{order_id}", "ORDER#{order_id}", ByCustomer=(("{tenant}", "{customer}"), "{placed_at}"))
    order_id: str
    tenant: str
    customer: str
    placed_at: datetime


@app.pattern
def orders_of_tenant(tenant: str) -> Query[Order]:
    "All orders of a tenant."
    return query(Order, Order.tenant == tenant)
