"""A document without an end."""

from tablewright import Entity, Keys, Table

app = Table("Wiki")


class Page(Entity, table=app):
    keys = Keys("PAGE#{page_id}", "PAGE")
    page_id: str
    body: str
