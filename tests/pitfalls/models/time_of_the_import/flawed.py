"""The time of the import in every change."""

from datetime import UTC, datetime

from tablewright import Entity, Keys, Table

app = Table("Desk")


class Ticket(Entity, table=app):
    keys = Keys("TICKET#{ticket_id}", "TICKET#{ticket_id}")
    ticket_id: str
    closed_at: datetime | None = None


@app.change
def close(t: Ticket) -> None:
    "A ticket is closed."
    t.closed_at = datetime.now(UTC)
