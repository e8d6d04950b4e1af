"""What a descending read is called: by what it is sorted by."""

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright import Entity, Keys, Query, Table, query


@pytest.mark.parametrize(
    ("kind", "words"),
    [(datetime, "newest first"), (int, "largest first"), (Decimal, "largest first"), (str, "in descending order")],
    ids=["time", "whole number", "number", "text"],
)
def test_descending_in_words(kind: Any, words: str) -> None:
    table = Table("Lists")
    template = "{place:6}" if kind is int else "{place:6.2}" if kind is Decimal else "{place}"

    class Entry(Entity, table=table):
        keys = Keys("LIST#{list_id}", f"{template}#{{entry_id}}")
        list_id: str
        place: kind  # type: ignore[valid-type]
        entry_id: str

    @table.pattern
    def entries(list_id: str) -> Query[Entry]:
        return query(Entry, Entry.list_id == list_id).newest_first()

    (shown,) = table.explain(entries)
    assert shown.note == words
