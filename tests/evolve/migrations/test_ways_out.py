"""No state without a way out: what cannot be carried out is refused before it is noted, and what was mended is taken on."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import (
    DropIndex,
    Question,
    RemoveAttributes,
    RemoveKeys,
    RenameAttribute,
    SplitAttribute,
)
from tablewright.evolve.migrations.files import MigrationFile
from tests.evolve.migrations.tables import Shop, file, shop, skipped, written

NO_BUYER = [
    ('indexes=[GSI("GSI1")]', "indexes=[]"),
    (', GSI1=("BUYER#{buyer}", "ORDER#{number}")', ""),
    ("    buyer: str\n", ""),
    (
        "@shop.pattern\ndef orders_of(buyer: str) -> Query[Order]:\n    return query(Order, Order.buyer == buyer)\n",
        "",
    ),
]
UNINDEXED = file(
    DropIndex("GSI1", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",)),
    RemoveKeys("Order", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",), was=("BUYER#{buyer}", "ORDER#{number}")),
    RemoveAttributes("Order", ("buyer",)),
)
HOPELESS = file(
    RemoveKeys("Order", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",), was=("BUYER#{nobody}", "ORDER#{number}")),
)
STATE = file(RenameAttribute("Order", "state", to="status"))
STAGE = file(RenameAttribute("Order", "status", to="stage"), name="0002_stage", digest="two")


def states(ground: Shop, *files: MigrationFile) -> list[Any]:
    return [one.state for one in ground.migrator(*files).status()]


def update(ground: Shop, update: str, names: dict[str, str], **values: str) -> None:
    request: dict[str, Any] = {
        "TableName": "Shop",
        "Key": {"PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER"}},
        "UpdateExpression": update,
        "ExpressionAttributeNames": names,
    }
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": {"S": value} for name, value in values.items()}
    ground.old.send("UpdateItem", request)


# ------------------------------------------------------------------------------------------- what cannot be carried out


@pytest.mark.parametrize("write", [True, False])
def test_what_could_not_be_undone_is_not_run(write: bool) -> None:
    with shop(*NO_BUYER) as ground:
        ground.fill(2)
        with pytest.raises(ArgumentError, match="'nobody', which Order does not have"):
            ground.migrator(HOPELESS).run(write=write)
        assert states(ground, HOPELESS) == [None]


@pytest.mark.parametrize("stage", ["retire", "rollback"])
def test_a_stage_that_the_model_cannot_carry_out_is_not_begun(stage: str) -> None:
    """The migration ran with a model that had the field; or the entity is gone since."""
    with shop() as kept:
        kept.fill(2)
        kept.migrator(UNINDEXED).run(write=True)
        kept.migrator(UNINDEXED).cutover()
        other = file(*UNINDEXED.migration.steps[::-1], RenameAttribute("Gone", "a", to="b"))
        with pytest.raises(ArgumentError, match="no entity 'Gone'"):
            getattr(kept.migrator(other), stage)(write=True)
        assert states(kept, UNINDEXED) == ["cut over"]
        assert skipped(getattr(kept.migrator(UNINDEXED), stage)(write=True)) == {}


# ------------------------------------------------------------------------------------------- what was mended


def by(day: str) -> tuple[str, str]:
    return day.split("-", maxsplit=1)[0], day.split("-")[1]


def by_halves(day: str) -> tuple[str, str]:
    return day.partition("-")[0], day.partition("-")[2]


def back(year: str, month: str) -> str:
    return year + "-" + month


def back_in_full(year: str | None, month: str | None) -> str:
    return f"{year or ''}-{month or ''}"


HALF = file(SplitAttribute("Order", "day", into=("y", "m"), by=by, back=back))
MENDED = file(
    SplitAttribute("Order", "day", into=("y", "m"), by=by_halves, back=back_in_full, wins="new"), digest="two"
)
MORE = file(*MENDED.migration.steps, RenameAttribute("Order", "state", to="status"), digest="three")
ASKING = file(*MENDED.migration.steps, Question("What?", answers="nothing"), digest="four")


@pytest.mark.parametrize(("end", "between"), [("retire", "retiring"), ("rollback", "rolling back")])
def test_a_function_is_mended_while_it_ends(end: str, between: str) -> None:
    with shop() as ground:
        ground.fill(2)
        ground.migrator(HALF).run(write=True)
        ground.migrator(HALF).cutover()
        if end == "retire":
            update(ground, "SET #d = :d", {"#d": "day"}, d="nodash")
        else:
            update(ground, "REMOVE #m", {"#m": "m"})
        assert skipped(getattr(ground.migrator(HALF), end)(write=True))
        assert states(ground, HALF) == [between]
        for other, why in ((MORE, f"is {between}, and has other steps now"), (ASKING, "asks what only you can")):
            for write in (False, True):
                with pytest.raises(ArgumentError, match=why):
                    getattr(ground.migrator(other), end)(write=write)
        assert skipped(getattr(ground.migrator(MENDED), end)(write=False)) == {}
        migrator = ground.migrator(MENDED)
        assert skipped(getattr(migrator, end)(write=True)) == {}
        assert migrator.remarks == ["0001_change was changed since: all its steps are gone through from the first."]
        assert states(ground, MENDED) == ["retired" if end == "retire" else None]
        assert not any(one.changed for one in ground.migrator(MENDED).status())


def test_what_is_retired_is_undone_by_a_mended_file() -> None:
    with shop() as ground:
        ground.fill(2)
        before = ground.items()
        ground.migrator(HALF).run(write=True)
        with pytest.raises(ArgumentError, match="was changed after it ran"):
            ground.migrator(MENDED).rollback(write=True)
        ground.migrator(HALF).cutover()
        ground.migrator(HALF).retire(write=True)
        with pytest.raises(ArgumentError, match="has other steps now"):
            ground.migrator(MORE).rollback(write=True)
        assert skipped(ground.migrator(MENDED).rollback(write=True)) == {}
        assert [item["PK"] for item in ground.items()] == [item["PK"] for item in before]
        assert states(ground, HALF) == [None]


# ------------------------------------------------------------------------------------------- one after another


RENAMED = ('    state: str = "open"\n', '    stage: str = "open"\n')


@pytest.mark.parametrize("write", [True, False])
def test_what_came_first_is_retired_first(write: bool) -> None:
    with shop(RENAMED) as ground:
        ground.fill(2)
        ground.migrator(STATE, STAGE).run(write=True)
        ground.migrator(STATE, STAGE).cutover("0002_stage")
        for name in ("0002_stage", None):
            with pytest.raises(
                ArgumentError, match="0001_change comes before 0002_stage, and is not retired yet"
            ) as early:
                ground.migrator(STATE, STAGE).retire(name, write=write)
            assert early.value.hint == "Retire 0001_change first."
        with pytest.raises(ArgumentError, match="run and not cut over yet, and its file is gone") as gone:
            ground.migrator(STAGE).retire(write=write)
        assert "Bring its file back" in str(gone.value.hint)
        ground.migrator(STATE, STAGE).cutover()
        ground.migrator(STATE, STAGE).retire(write=True)
        ground.migrator(STATE, STAGE).retire(write=True)
        assert states(ground, STATE, STAGE) == ["retired", "retired"]


@pytest.mark.parametrize("write", [True, False])
def test_a_migration_below_one_whose_file_is_gone_is_not_undone(write: bool) -> None:
    with shop(RENAMED) as ground:
        ground.fill(2)
        ground.migrator(STATE, STAGE).run(write=True)
        for files in ((STATE,), ()):
            with pytest.raises(
                ArgumentError, match="0002_stage is the last migration that was run, and its file is gone"
            ):
                ground.migrator(*files).rollback(write=write)
        assert states(ground, STATE, STAGE) == ["ran", "ran"]
        ground.migrator(STATE, STAGE).rollback(write=True)
        ground.migrator(STATE).rollback(write=True)
        assert states(ground, STATE, STAGE) == [None, None]


# ------------------------------------------------------------------------------------------- what is not over


@pytest.mark.parametrize(("end", "between"), [("retire", "retiring"), ("rollback", "rolling back")])
def test_verify_tells_what_an_end_has_left(end: str, between: str) -> None:
    with shop() as ground:
        ground.fill(2)
        ground.migrator(STATE).run(write=True)
        ground.migrator(STATE).cutover()
        assert ground.migrator(STATE).unfinished() == ()
        update(ground, "SET #a = :a, #b = :b", {"#a": "state", "#b": "status"}, a="one", b="other")
        left = skipped(getattr(ground.migrator(STATE), end)(write=True))
        assert sum(left.values()) == 1
        assert skipped(ground.migrator(STATE).verify()) == left
        ((standing, verb),) = ground.migrator(STATE).unfinished()
        assert (standing.state, verb) == (between, end)
        assert written(ground.migrator(STATE).verify()) == 0
