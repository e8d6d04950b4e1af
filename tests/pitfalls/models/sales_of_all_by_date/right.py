"""All sales of a period: mended."""

from datetime import date
from decimal import Decimal

from tablewright import Bucket, Entity, Keys, Query, Table, between, query

app = Table("Shop")


class DailySales(Entity, table=app):
    keys = Keys("SALES#{month}", "{day}", derive={"month": Bucket("day", "month")})
    day: date
    total: Decimal = Decimal(0)


@app.pattern
def sales(start: date, end: date) -> Query[DailySales]:
    "What was sold in a period, by day."
    return query(DailySales, between(DailySales.day, start, end))


app.expect(DailySales, items=3_650, size=100, writes=5)
app.expect(sales, rate=0.1, results=31)
