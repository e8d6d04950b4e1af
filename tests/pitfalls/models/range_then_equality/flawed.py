"""Something is asked for behind a range."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Desk", indexes=[GSI("ByTime", pk="team", sk=["opened_at", "priority"])])


class Ticket(Entity, table=app):
    keys = Keys("TICKET#{ticket_id}", "TICKET#{ticket_id}", ByTime=("{team}", ("{opened_at}", "{priority}")))
    ticket_id: str
    team: str
    opened_at: datetime
    priority: str


@app.pattern
def urgent_since(team: str, since: datetime) -> Query[Ticket]:
    "A team's urgent tickets since a moment."
    return query(Ticket, Ticket.team == team, Ticket.opened_at >= since, Ticket.priority == "high")
