"""Steps about keys: what code of the old model writes between them, and the way back."""

from __future__ import annotations

from tablewright.evolve.migrations import AddIndex, DropIndex, FillKeys, RenameAttribute, ToMultiAttributeKeys
from tests.evolve.migrations.tables import Shop, file, shop, skipped

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


def test_retire_fills_with_the_attributes_that_it_has_taken_over() -> None:
    migration = file(GSI2, RenameAttribute("Order", "state", to="status"), FillKeys("Order", "GSI2"))
    renamed = ('state: str = "open"', 'status: str = "open"')
    with shop(TWO, (KEYS, f'{KEYS[:-1]}, GSI2=("STATE#{{status}}", "{{number}}"))'), renamed) as ground:
        ground.fill(2)
        ground.migrator(migration).run(write=True)
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
