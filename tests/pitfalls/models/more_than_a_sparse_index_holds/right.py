"""More is asked of a sparse index than it holds: mended."""

from typing import Literal

from tablewright import GSI, Entity, Keys, Query, Table, attr, query, sparse

app = Table("Desk", indexes=[GSI("GSI1")])


class Ticket(Entity, table=app):
    keys = Keys(
        "TICKET#{ticket_id}",
        "TICKET#{ticket_id}",
        GSI1=sparse("TEAM#{team}", "TICKET#{ticket_id}", when=attr("status") == "open"),
    )
    ticket_id: str
    team: str
    status: Literal["open", "closed"] = "open"


@app.pattern
def open_tickets_of(team: str) -> Query[Ticket]:
    "The open tickets of a team."
    return query(Ticket, Ticket.team == team, Ticket.status == "open")
