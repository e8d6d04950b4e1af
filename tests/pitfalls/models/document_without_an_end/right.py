"""A document without an end: mended."""

from pydantic import Field

from tablewright import Entity, Keys, Table

app = Table("Wiki")


class Page(Entity, table=app):
    keys = Keys("PAGE#{page_id}", "PAGE")
    page_id: str
    body: str = Field(max_length=60_000)
