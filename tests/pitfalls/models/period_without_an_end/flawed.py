"""A period without an end over buckets."""

from datetime import datetime

from tablewright import Bucket, Entity, Keys, Query, Table, query

app = Table("Plant")


class Reading(Entity, table=app):
    keys = Keys("SENSOR#{sensor}#{month}", "{at}", derive={"month": Bucket("at", "month")})
    sensor: str
    at: datetime


@app.pattern
def readings(sensor: str, since: datetime) -> Query[Reading]:
    "What a sensor said since a moment."
    return query(Reading, Reading.sensor == sensor, Reading.at >= since)
