"""A query can say the order that it relies on; then only a key that sorts so serves it."""

from __future__ import annotations

from datetime import datetime

import pytest

from tablewright import GSI, Entity, Keys, Query, Table, query
from tablewright.errors import PatternError


def forum() -> tuple[Table, type[Entity]]:
    table = Table("Forum", indexes=[GSI("GSI1"), GSI("GSI2")])

    class Thread(Entity, table=table):
        keys = Keys(
            "BOARD#{board}",
            "THREAD#{opened_at}#{number}",
            GSI1=("BOARD#{board}", "THREAD#{title}"),
            GSI2=("TITLE#{title}", "BOARD#{board}"),
        )
        board: str
        number: str
        opened_at: datetime
        title: str

    return table, Thread


def test_the_key_that_sorts_as_wanted_serves() -> None:
    table, thread = forum()

    @table.pattern
    def by_title(board: str) -> Query[thread]:  # type: ignore[valid-type]
        return query(thread, thread.board == board).sorted_by(thread.title)

    @table.pattern
    def by_time(board: str) -> Query[thread]:  # type: ignore[valid-type]
        return query(thread, thread.board == board).sorted_by(thread.opened_at, thread.number).newest_first()

    assert [shown.index for shown in table.explain(by_title)] == ["GSI1"]
    assert [shown.index for shown in table.explain(by_time)] == [None]


def test_an_order_that_no_key_has_is_refused() -> None:
    table, thread = forum()
    with pytest.raises(PatternError, match="does not sort by number"):

        @table.pattern
        def by_number(board: str) -> Query[thread]:  # type: ignore[valid-type]
            return query(thread, thread.board == board).sorted_by(thread.number)


def test_items_that_share_a_whole_index_key_are_in_no_order() -> None:
    table, thread = forum()
    with pytest.raises(PatternError, match="does not sort by opened_at"):

        @table.pattern
        def same_title(board: str, title: str) -> Query[thread]:  # type: ignore[valid-type]
            return query(thread, thread.board == board, thread.title == title).sorted_by(thread.opened_at)


def test_what_is_fixed_needs_no_order() -> None:
    table, thread = forum()

    @table.pattern
    def then(board: str, at: datetime) -> Query[thread]:  # type: ignore[valid-type]
        return query(thread, thread.board == board, thread.opened_at == at).sorted_by(thread.opened_at, thread.number)

    assert [shown.index for shown in table.explain(then)] == [None]


@pytest.mark.parametrize("wrong", ["title", 3, None], ids=["a text", "a number", "nothing"])
def test_an_order_is_said_with_fields(wrong: object) -> None:
    _, thread = forum()
    with pytest.raises(PatternError, match="takes fields of Thread"):
        query(thread).sorted_by(wrong)
