"""An id that holds the separator: mended."""

from tablewright import Entity, Keys, Table

app = Table("Notes")


class Folder(Entity, table=app):
    keys = Keys("OWNER#{owner}", "FOLDER#{folder}")
    owner: str
    folder: str


class Note(Entity, table=app):
    keys = Keys("OWNER#{owner}", "NOTE#{folder}#{note}")
    owner: str
    folder: str
    note: str
