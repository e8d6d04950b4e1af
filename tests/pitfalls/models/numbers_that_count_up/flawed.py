"""Numbers that count up."""

from tablewright import Entity, Keys, Table

app = Table("Streams")


class Event(Entity, table=app):
    keys = Keys("STREAM#{stream_id}", "EVENT#{seq:12}")
    stream_id: str
    seq: int


app.expect(Event, writes=900, size=500)
app.expect(Event.stream_id, distinct=100, hottest=0.5)
