"""An id that holds the separator."""

from tablewright import Entity, Keys, KeyStyle, Table

app = Table("Legacy", key_style=KeyStyle.adopted("#"))


class Folder(Entity, table=app):
    keys = Keys("OWNER#{owner}", "{folder}")
    owner: str
    folder: str


class Note(Entity, table=app):
    keys = Keys("OWNER#{owner}", "{folder}#{note}")
    owner: str
    folder: str
    note: str
