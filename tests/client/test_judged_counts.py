"""Counters of children that a function of the user's decides about: what it looked at must still be so."""

from __future__ import annotations

import pytest

from tablewright import Aggregate, Entity, Keys, Table, children, key
from tablewright.errors import ConcurrentModificationError

ledger = Table("Ledger")


class Book(Entity, table=ledger):
    keys = Keys("BOOK#{book}", "BOOK")
    book: str
    good: int = 0


class Line(Entity, table=ledger):
    keys = Keys("BOOK#{book}", "BOOK#LINE#{line}")
    book: str = ""
    line: str
    ready: bool = False
    valid: bool = False


class Ledger(Aggregate[Book]):
    lines: list[Line] = children(count_if={"good": lambda line: line.ready and line.valid})


def test_a_count_is_not_decided_on_fields_that_somebody_else_has_changed() -> None:
    with ledger.open("memory:") as db:
        there = key(Book, book="b")
        db.save_tree(Ledger(entity=Book(book="b"), lines=[Line(line="1", valid=True)]))
        mine, theirs = db.load_tree(Ledger, there), db.load_tree(Ledger, there)
        theirs.lines[0].valid = False  # which changes no count
        db.save_tree(theirs)
        mine.lines[0].ready = True
        with pytest.raises(ConcurrentModificationError):
            db.save_tree(mine)
        assert db.load_tree(Ledger, there).entity.good == 0
