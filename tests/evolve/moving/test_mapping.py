"""A mapping that cannot work is refused when it is written down, with what to do."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright import GSI, Entity, Keys, Table
from tablewright.errors import ConfigError
from tablewright.evolve.moving import Constant, Frozen, Join, Move, Moving, Parent, open_moving
from tablewright.evolve.moving.deriving import State, Unfit, derive, digest_of
from tests.evolve.moving.conftest import Ground
from tests.evolve.moving.families import Account
from tests.evolve.moving.merchants import Merchant, Review, a_merchant, market

GOOD: dict[str, Any] = {"table": "Old", "key": ("id",), "entity": Merchant, "fields": {"merchant_id": "id"}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fields": {"merchant": "id"}}, "fills 'merchant', which Merchant does not have"),
        ({"table": "Market"}, "reads the table that is written"),
        ({"table": "M"}, "'M' cannot be the name of a table"),
        ({"joins": {"prefs": Join("My prefs", ("id",), dict, dict, ())}}, "'My prefs' cannot be the name of a table"),
        ({"key": ()}, "names 0 key attributes"),
        ({"entity": None}, "needs entity= and fields=, or split= and makes="),
        ({"entity": Account, "fields": {}}, "no entity of Market"),
        ({"dropped": ("id",)}, "both reads and drops id"),
        ({"entity": None, "split": list, "makes": (Merchant,), "back": dict}, "makes many"),
    ],
)
def test_wrong_moves(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Moving("m", table=market, moves=[Move(**{**GOOD, **change})])


PREFS = Join("Prefs", key=("id",), find=lambda item: item, owner=lambda item: item, uses=())


@pytest.mark.parametrize(
    ("change", "hint"),
    [
        ({"joins": {"prefs": PREFS}, "uses": ("prefs",)}, "Take it out of uses=, where joins need not stand"),
        ({"joins": {"prefs": PREFS}, "fields": {"name": "prefs"}}, "Give it another name."),
        ({"joins": {"prefs": PREFS}, "frozen": (Frozen("prefs", lambda item: None, lambda group: {}),)}, "Give it"),
    ],
)
def test_a_join_that_is_called_like_something_else_is_named(change: dict[str, Any], hint: str) -> None:
    with pytest.raises(ConfigError, match="like another one, or like an attribute: 'prefs'") as caught:
        Moving("m", table=market, moves=[Move(**{**GOOD, **change})])
    assert caught.value.hint is not None
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("parent", "message"),
    [
        (Parent(Review, Merchant, {"merchant_id": "merchant"}), "names 'merchant', which Review does not have"),
        (
            Parent(Review, Merchant, {"merchant": "merchant_id"}),
            "names merchant of the parent, whose key .* merchant_id",
        ),
        (Parent(Review, Merchant, {}), "names no fields of the parent"),
        (Parent(Review, Account, {}), "Account, which is no entity of Market"),
        (Parent(Account, Merchant, {}), "Account, which is no entity of Market"),
    ],
)
def test_wrong_parents(parent: Parent, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Moving("m", table=market, moves=[Move(**GOOD)], parents=[parent])


def test_wrong_movings() -> None:
    with pytest.raises(ConfigError, match="no moves"):
        Moving("m", table=market, moves=[])
    with pytest.raises(ConfigError, match="Two moves are called 'Old'"):
        Moving("m", table=market, moves=[Move(**GOOD), Move(**GOOD)])
    with pytest.raises(ConfigError, match="'name' already"):
        Moving("m", table=market, moves=[Move(**GOOD)], origin="name")


def test_keys_with_the_librarys_times_need_their_source() -> None:
    table = Table("Timed", indexes=[GSI("GSI1")])

    class Note(Entity, table=table):
        keys = Keys("NOTE#{note_id}", "NOTE", GSI1=("NOTES", "{updated_at}#{note_id}"))
        note_id: str
        kind: str

    move: dict[str, Any] = {"table": "Old", "key": ("id",), "entity": Note}
    fields = {"note_id": "id", "kind": Constant("old")}
    with pytest.raises(ConfigError, match="whose keys hold updated_at"):
        Moving("m", table=table, moves=[Move(**move, fields=fields)])
    told = Move(**move, fields=fields, updated="changed", created=lambda item: datetime(2020, 1, 1, tzinfo=UTC))
    moving = Moving("m", table=table, moves=[told])
    (part,) = derive(moving, told, State({"id": {"S": "1"}, "changed": {"S": "2026-01-02T03:04:05+02:00"}}), "unused")
    assert part.item["GSI1SK"] == {"S": "2026-01-02T01:04:05.000000Z#1"}
    assert part.item["CreatedAt"] == {"S": "2020-01-01T00:00:00.000000Z"}
    assert part.item["kind"] == {"S": "old"}
    with pytest.raises(Unfit, match="no time"):
        derive(moving, told, State({"id": {"S": "1"}, "changed": {"S": "yesterday"}}), "unused")


def test_a_digest_stands_for_what_decides() -> None:
    move = Move(**GOOD, uses=("tags", "count"), dropped=("noise",))
    item = {"id": {"S": "1"}, "tags": {"SS": ["a", "b"]}, "count": {"N": "1.0"}}
    same = {"id": {"S": "1"}, "tags": {"SS": ["b", "a"]}, "count": {"N": "1"}, "noise": {"S": "x"}}
    other = {**item, "count": {"N": "2"}}
    assert digest_of(move, State(item)) == digest_of(move, State(same))
    assert digest_of(move, State(item)) != digest_of(move, State(other))


def test_more_attributes_than_a_condition_compares_are_refused_before_anybody_writes() -> None:
    def wide(number: int) -> Moving:
        uses = tuple(f"attribute{n}" for n in range(number))
        move = Move(table="Wide", key=("id",), entity=Merchant, fields={"merchant_id": "id"}, uses=uses)
        return Moving("wide", table=market, moves=[move])

    wide(129)
    with pytest.raises(ConfigError, match="131 attributes of Wide are read"):
        wide(130)


def test_functions_that_never_say_the_same_twice_are_found_by_plan(ground: Ground) -> None:
    numbers = itertools.count()
    move = Move(
        table="MerchantsTable",
        key=("merchantId",),
        entity=Merchant,
        fields={"merchant_id": lambda item: f"m{next(numbers)}", "name": "name", "category_id": "category"},
        dropped=("Type",),
    )
    ground.put_legacy("MerchantsTable", a_merchant(1))
    with open_moving(Moving("market", table=market, moves=[move]), ground.new) as session:
        assert session.plan().problems == {
            ("MerchantsTable", "a function makes something else of the same item each time"): 1
        }
