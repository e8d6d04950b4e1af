"""A list without an end inside an item: mended."""

from datetime import datetime

from tablewright import Entity, Keys, Table

app = Table("Blog")


class Post(Entity, table=app):
    keys = Keys("POST#{post_id}", "POST#{post_id}")
    post_id: str


class Comment(Entity, table=app):
    keys = Keys("POST#{post_id}", "COMMENT#{written_at}#{comment_id}")
    post_id: str
    written_at: datetime
    comment_id: str
    words: str
