"""A prefix of a number: mended."""

from tablewright import GSI, Entity, Keys, Query, Table, between, number, query

app = Table("Desk", indexes=[GSI("ByYear", pk="team", sk=[number("year"), "ticket_id"])])


class Ticket(Entity, table=app):
    keys = Keys("TICKET#{ticket_id}", "TICKET#{ticket_id}", ByYear=("{team}", ("{year}", "{ticket_id}")))
    ticket_id: str
    team: str
    year: int


@app.pattern
def of_the_nineties(team: str) -> Query[Ticket]:
    "Tickets of the nineties."
    return query(Ticket, Ticket.team == team, between(Ticket.year, 1990, 1999))
