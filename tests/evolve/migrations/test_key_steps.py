"""Steps about keys: what code of the old model writes between them, and the way back."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tablewright.errors import ArgumentError
from tablewright.evolve.differences.describing import describe_model
from tablewright.evolve.migrations import (
    AddIndex,
    ChangeKey,
    DropIndex,
    FillKeys,
    RemoveAttributes,
    RemoveKeys,
    RenameAttribute,
    ToMultiAttributeKeys,
)
from tablewright.evolve.migrations.generating import steps_between
from tablewright.evolve.migrations.step import Question, Step
from tablewright.evolve.migrations.ways_out import way_out
from tablewright.evolve.migrations.works.filling import NO_SOURCE
from tests.evolve.differences.models import changed
from tests.evolve.migrations.tables import OLD, Shop, file, shop, skipped, table_of, written

KEYS = 'GSI1=("BUYER#{buyer}", "ORDER#{number}"))'
TWO = ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]')
BY_STATE = (KEYS, f'{KEYS[:-1]}, GSI2=("STATE#{{state}}", "{{number}}"))')
GSI2 = AddIndex("GSI2", pk=("GSI2PK (S)",), sk=("GSI2SK (S)",))


def put(ground: Shop, number: str, **attributes: str) -> None:
    """Sets attributes of an order as the old model has it, and nothing else."""
    names = {f"#{n}": name for n, name in enumerate(attributes)}
    values = {f":{n}": {"S": value} for n, value in enumerate(attributes.values())}
    update = "SET " + ", ".join(f"#{n} = :{n}" for n in range(len(attributes)))
    ground.old.send(
        "UpdateItem",
        {
            "TableName": "Shop",
            "Key": {"PK": {"S": f"ORDER#{number}"}, "SK": {"S": "ORDER"}},
            "UpdateExpression": update,
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
        },
    )


def column(ground: Shop, attribute: str) -> dict[str, str | None]:
    """An attribute of each order, by its number."""
    orders = [item for item in ground.items() if item["Type"] == {"S": "Order"}]
    return {item["number"]["S"]: item.get(attribute, {}).get("S") for item in orders}


# --------------------------------------------------------------------------------------------- filled again at the end


def test_retire_fills_what_the_old_model_wrote_after_the_last_run() -> None:
    migration = file(GSI2, FillKeys("Order", "GSI2"))
    with shop(TWO, BY_STATE) as ground:
        ground.fill(2)
        ground.migrator(migration).run(write=True)
        ground.migrator(migration).cutover()
        ground.old.create(ground.old_module.Order(number="late", buyer="b", state="s9"))
        put(ground, "1", state="changed")
        assert skipped(ground.migrator(migration).retire(write=True)) == {}
        assert column(ground, "GSI2PK") == {"0": "STATE#s0", "1": "STATE#changed", "late": "STATE#s9"}


@pytest.mark.parametrize(
    "steps",
    [
        (RenameAttribute("Order", "state", to="status"), FillKeys("Order", "GSI2")),
        (FillKeys("Order", "GSI2"), RenameAttribute("Order", "state", to="status")),
    ],
    ids=["filled last", "filled first"],
)
def test_retire_fills_with_the_attributes_that_it_has_taken_over(steps: tuple[Step, ...]) -> None:
    migration = file(GSI2, *steps)
    renamed = ('state: str = "open"', 'status: str = "open"')
    with shop(TWO, (KEYS, f'{KEYS[:-1]}, GSI2=("STATE#{{status}}", "{{number}}"))'), renamed) as ground:
        ground.fill(2)
        ground.migrator(migration).run(write=True)
        assert column(ground, "GSI2PK") == {"0": "STATE#s0", "1": "STATE#s1"}
        ground.migrator(migration).cutover()
        put(ground, "1", state="changed")
        ground.migrator(migration).retire(write=True)
        assert column(ground, "GSI2PK") == {"0": "STATE#s0", "1": "STATE#changed"}


def test_retire_fills_an_index_of_several_attributes_before_the_old_one_goes() -> None:
    gone = DropIndex("GSI1", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",))
    made = AddIndex("ByState", pk=("s (S)",), sk=("d (S)", "n (S)"))
    step = ToMultiAttributeKeys(("Order",), made, instead_of=gone, was=(("BUYER#{buyer}", "ORDER#{number}"),))
    indexes = ('indexes=[GSI("GSI1")]', 'indexes=[GSI("ByState", pk="s", sk=["d", "n"])]')
    keys = (KEYS, 'ByState=("{buyer}", ("{day}", "{number}")))')
    with shop(indexes, keys) as ground:
        ground.fill(2)
        ground.migrator(file(step)).run(write=True)
        ground.migrator(file(step)).cutover()
        ground.old.create(ground.old_module.Order(number="late", buyer="b9"))
        put(ground, "1", buyer="b8")
        assert skipped(ground.migrator(file(step)).retire(write=True)) == {}
        assert column(ground, "s") == {"0": "b0", "1": "b8", "late": "b9"}
        assert column(ground, "GSI1PK") == {"0": None, "1": None, "late": None}


# --------------------------------------------------------------------------------------------- the way back


def test_keys_on_a_local_index_come_back() -> None:
    local = [("import GSI,", "import GSI, LSI,"), ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), LSI("LSI1")]')]
    by_day, by_state = ((KEYS, f'{KEYS[:-1]}, LSI1="{text}")') for text in ("DAY#{day}", "STATE#{state}"))
    migration = file(FillKeys("Order", "LSI1", was=("DAY#{day}",)))
    with shop(*local, by_state, before=[*local, by_day]) as ground:
        ground.fill(2)
        before = ground.items()
        assert written(ground.migrator(migration).run(write=True)) == 2
        assert skipped(ground.migrator(migration).rollback(write=True)) == {}
        assert ground.items() == before


@pytest.mark.parametrize(
    "step",
    [
        FillKeys("Order", "GSI1", was=("COLOUR#{colour}", "{number}")),
        RemoveKeys("Order", pk=("OldPK (S)",), sk=(), was=("COLOUR#{colour}",)),
        ChangeKey("Order", was=("COLOUR#{colour}", "ORDER"), copies=True),
        ChangeKey("Order", was=("COLOUR#{colour}", "ORDER"), copies=False),
    ],
)
def test_keys_that_could_never_be_made_again_are_refused_before_anything_is_written(step: Step) -> None:
    changed = ('Keys("ORDER#{number}", "ORDER", GSI1=("BUYER', 'Keys("SALE#{number}", "SALE", GSI1=("CLIENT')
    with shop(TWO, changed) as ground:
        ground.fill(2)
        before = ground.items()
        for write in (False, True):
            with pytest.raises(ArgumentError, match="'colour'") as raised:
                ground.migrator(file(GSI2, step)).run(write=write) if write else ground.migrator(file(step)).plan()
            assert "was=" in (raised.value.hint or "")
        assert (ground.items(), ground.indexes()) == (before, ["GSI1"])


def test_a_rollback_takes_no_key_away_because_the_old_one_cannot_be_made() -> None:
    optional = ("    buyer: str\n    state", "    buyer: str\n    colour: str | None = None\n    state")
    upgraded = file(
        FillKeys("Order", "GSI1", was=("COLOUR#{colour}", "ORDER#{number}")), RemoveAttributes("Order", ("colour",))
    )
    with shop(optional) as ground:
        ground.fill(2)
        before = ground.items()
        ground.migrator(upgraded).run(write=True)
        told = ground.migrator(upgraded).rollback(write=True)
        assert skipped(told) == {NO_SOURCE: 2}
        assert ground.items() == before
        (fill,) = (one for one in told if one.outcome.skipped)
        assert "write when= into FillKeys(" in str(way_out(fill, NO_SOURCE))
        step, *others = upgraded.migration.steps
        mended = file(replace(step, when=lambda item: "colour" in item), *others, digest="two")
        assert skipped(ground.migrator(mended).rollback(write=True)) == {}
        assert column(ground, "GSI1PK") == {"0": None, "1": None}


def test_a_rollback_ends_where_an_item_had_no_key_before_and_has_none_now() -> None:
    optional = ("    buyer: str\n    state", "    buyer: str\n    colour: str | None = None\n    state")
    by_colour = [
        optional,
        (KEYS, 'GSI1=("COLOUR#{colour}", "{number}"))'),
        ("Order.buyer == buyer", "Order.colour == buyer"),
    ]
    migration = file(FillKeys("Order", "GSI1", was=("BUYER#{buyer}", "ORDER#{number}")))
    with shop(*by_colour) as ground:
        ground.fill(2)
        one = next(item for item in ground.items() if item["Type"] == {"S": "Order"})
        broken = {name: value for name, value in one.items() if name not in ("buyer", "GSI1PK", "GSI1SK")}
        ground.old.send("PutItem", {"TableName": "Shop", "Item": broken})
        before = ground.items()
        ground.migrator(migration).run(write=True)
        assert skipped(ground.migrator(migration).rollback(write=True)) == {}
        assert ground.items() == before


# --------------------------------------------------------------------------------------------- local indexes

LOCAL = [
    ("import GSI,", "import GSI, LSI,"),
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), LSI("LSI1")]'),
    (KEYS, f'{KEYS[:-1]}, LSI1="DAY#{{day}}")'),
]


def test_a_new_local_index_is_asked_about() -> None:
    old, new = (describe_model(table_of(changed(OLD, how))) for how in ([], LOCAL))
    steps, _ = steps_between(old, new)
    (question,) = [step for step in steps if isinstance(step, Question)]
    assert "LSI1 is a local index" in question.asks
    assert "new table" in question.answers
    assert not any(isinstance(step, AddIndex) for step in steps)


def test_a_local_index_with_other_attributes_is_not_answered_by_a_new_one() -> None:
    other = [*LOCAL[:1], (LOCAL[1][0], LOCAL[1][1].replace('LSI("LSI1")', 'LSI("LSI1", sk="Other")')), LOCAL[2]]
    old, new = (describe_model(table_of(changed(OLD, how))) for how in (LOCAL, other))
    asked = [step.asks for step in steps_between(old, new)[0] if isinstance(step, Question)]
    assert [text for text in asked if text.startswith("LSI1 is a local index")] == asked[:1]


def test_keys_for_a_local_index_that_the_table_does_not_have_are_refused() -> None:
    migration = file(FillKeys("Order", "LSI1"))
    with shop(*LOCAL) as ground:
        ground.fill(1)
        before = ground.items()
        with pytest.raises(ArgumentError, match="does not have the local index LSI1"):
            ground.migrator(migration).run(write=False)
        with pytest.raises(ArgumentError, match="does not have the local index LSI1"):
            ground.migrator(migration).run(write=True)
        assert ground.items() == before
    with shop(*LOCAL, before=LOCAL[:2]) as ground:
        ground.fill(1)
        assert written(ground.migrator(migration).run(write=True)) == 1


@pytest.mark.parametrize("retired", [False, True])
@pytest.mark.parametrize("was", [(), ("DAY#{day}", "{number}")], ids=["new", "changed"])
def test_keys_on_an_index_that_a_later_migration_drops_come_back_step_by_step(
    was: tuple[str, ...], retired: bool
) -> None:
    first = file(*(() if was else (GSI2,)), FillKeys("Order", "GSI2", was=was))
    pk, sk = GSI2.pk, GSI2.sk
    remove = RemoveKeys("Order", pk=pk, sk=sk, was=("STATE#{state}", "{number}"))
    second = file(DropIndex("GSI2", pk=pk, sk=sk), remove, name="0002_drop", digest="two")
    by_day = (KEYS, f'{KEYS[:-1]}, GSI2=("DAY#{{day}}", "{{number}}"))')
    with shop(before=[TWO, by_day] if was else []) as ground:
        ground.fill(2)
        before = ground.items(), ground.indexes()
        ground.migrator(first, second).run(write=True)
        for name in ("0001", "0002") if retired else ():
            ground.migrator(first, second).cutover(name)
            ground.migrator(first, second).retire(name, write=True)
        for _ in range(2):
            assert skipped(ground.migrator(first, second).rollback(write=True)) == {}
        assert (ground.items(), ground.indexes()) == before
