"""Whole documents in an index."""

from pydantic import BaseModel, Field

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Wiki", indexes=[GSI("GSI1")])


class Page(Entity, table=app):
    keys = Keys("PAGE#{page_id}", "PAGE", GSI1=("AUTHOR#{author_id}", "PAGE#{page_id}"))
    page_id: str
    author_id: str
    title: str = Field(max_length=100)
    text: str = Field(max_length=60_000)


class Title(BaseModel):
    page_id: str
    title: str


@app.pattern
def pages_of(author_id: str) -> Query[Title]:
    "The titles of an author's pages."
    return query(Page, Page.author_id == author_id).only(Title)
