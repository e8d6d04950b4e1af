"""A list without an end inside an item."""

from pydantic import Field

from tablewright import Entity, Keys, Table

app = Table("Blog")


class Post(Entity, table=app):
    keys = Keys("POST#{post_id}", "POST#{post_id}")
    post_id: str
    comments: list[str] = Field(default_factory=list)
