"""A number that does not sort, in a table that exists: mended."""

from tablewright import Entity, Keys, KeyStyle, Table

app = Table("Documents", key_style=KeyStyle.adopted("#"))


class Version(Entity, table=app):
    keys = Keys("DOC#{document_id}", "V#{number:8}")
    document_id: str
    number: int
