"""A number that does not sort, in a table that exists."""

from tablewright import Entity, Keys, KeyStyle, Table

app = Table("Documents", key_style=KeyStyle.adopted("#"))


class Version(Entity, table=app):
    keys = Keys("DOC#{document_id}", "V#{number}")
    document_id: str
    number: int
