"""A period without an end over buckets: mended."""

from datetime import datetime

from tablewright import Bucket, Entity, Keys, Query, Table, between, query

app = Table("Plant")


class Reading(Entity, table=app):
    keys = Keys("SENSOR#{sensor}#{month}", "{at}", derive={"month": Bucket("at", "month")})
    sensor: str
    at: datetime


@app.pattern
def readings(sensor: str, start: datetime, end: datetime) -> Query[Reading]:
    "What a sensor said in a period."
    return query(Reading, Reading.sensor == sensor, between(Reading.at, start, end))
