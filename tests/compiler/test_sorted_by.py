"""A query can say the order that it relies on; then only a key that sorts so serves it."""

from __future__ import annotations

from datetime import datetime

import pytest

from tablewright import GSI, Entity, Keys, Query, Table, is_in, query
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


def leagues() -> tuple[Table, type[Entity]]:
    table = Table("Leagues")

    class Team(Entity, table=table):
        keys = Keys("LEAGUE#{league}", "TEAM#{league}#{name}")
        league: str
        name: str
        founded: str

    return table, Team


def test_a_field_of_several_values_sorts_before_what_follows_it() -> None:
    """Partitions are merged by their whole sort keys, so the names of one league come before those of the next."""
    table, team = leagues()

    @table.pattern
    def by_league(several: list[str]) -> Query[team]:  # type: ignore[valid-type]
        return query(team, is_in(team.league, several)).sorted_by(team.league, team.name)

    with pytest.raises(PatternError, match="does not sort by name alone, since it sorts by 'league' too"):

        @table.pattern
        def by_name(several: list[str]) -> Query[team]:  # type: ignore[valid-type]
            return query(team, is_in(team.league, several)).sorted_by(team.name)

    with table.open("memory:") as db:
        db.ensure_table()
        for league, name in (("north", "a"), ("north", "c"), ("south", "b")):
            db.create(team(league=league, name=name, founded=""))
        found = list(db.run(by_league, ["south", "north"]))
    assert [(t.league, t.name) for t in found] == [("north", "a"), ("north", "c"), ("south", "b")]  # type: ignore[attr-defined]


def test_one_item_of_each_partition_is_several_items() -> None:
    table = Table("Capitals")

    class Capital(Entity, table=table):
        keys = Keys("COUNTRY#{country}", "CAPITAL")
        country: str
        name: str

    with pytest.raises(PatternError, match="does not sort by name"):

        @table.pattern
        def of(several: list[str]) -> Query[Capital]:
            return query(Capital, is_in(Capital.country, several)).sorted_by(Capital.name)
