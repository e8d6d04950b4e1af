"""One time in two forms: mended."""

from datetime import datetime

from tablewright import Entity, Keys, Table

app = Table("Log")


class Event(Entity, table=app):
    keys = Keys("EVENT#{event_id}", "EVENT#{event_id}")
    event_id: str
    reported_at: datetime


class Report(Entity, table=app):
    keys = Keys("REPORT#{report_id}", "REPORT#{report_id}")
    report_id: str
    reported_at: datetime
