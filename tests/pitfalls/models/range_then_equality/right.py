"""Something is asked for behind a range: mended."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Desk", indexes=[GSI("ByPriority", pk="team", sk=["priority", "opened_at"])])


class Ticket(Entity, table=app):
    keys = Keys("TICKET#{ticket_id}", "TICKET#{ticket_id}", ByPriority=("{team}", ("{priority}", "{opened_at}")))
    ticket_id: str
    team: str
    opened_at: datetime
    priority: str


@app.pattern
def urgent_since(team: str, since: datetime) -> Query[Ticket]:
    "A team's urgent tickets since a moment."
    return query(Ticket, Ticket.team == team, Ticket.priority == "high", Ticket.opened_at >= since)
