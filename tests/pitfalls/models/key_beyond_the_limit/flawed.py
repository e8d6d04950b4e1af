"""A key that can be too long."""

from typing import Annotated

from pydantic import Field

from tablewright import Entity, Keys, Table

app = Table("Notes")


class Note(Entity, table=app):
    keys = Keys("USER#{user}", "NOTE#{title}")
    user: Annotated[str, Field(max_length=40)]
    title: Annotated[str, Field(max_length=1_000)]
