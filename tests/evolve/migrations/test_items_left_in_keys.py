"""Items that a step about attributes leaves keep their keys on indexes: code of either model finds them by those."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations import FillKeys, SplitAttribute
from tablewright.evolve.migrations.works.filling import LACKING
from tests.evolve.migrations.tables import Shop, file, shop, skipped, written

BY_DAY = [('GSI1=("BUYER#{buyer}", "ORDER#{number}")', 'GSI1=("BUYER#{buyer}", "{day}#{number}")')]
DAY = '    day: str = "2026-01-01"\n'


def model(fields: str) -> list[tuple[str, str]]:
    return [
        ('GSI1=("BUYER#{buyer}", "ORDER#{number}")', 'GSI1=("BUYER#{buyer}", "{rest}#{year}#{number}")'),
        (f'    state: str = "open"\n{DAY}', f'{fields}    state: str = "open"\n'),
    ]


REQUIRED = model("    year: str\n    rest: str\n")
OPTIONAL = [
    *model("    year: str | None = None\n    rest: str | None = None\n"),
    ("query(Order, Order.buyer == buyer)", 'query(Order, Order.buyer == buyer).via("GSI1")'),
]
WAS = ("BUYER#{buyer}", "{day}#{number}")


def parts(day: str) -> Any:
    return {"fails": lambda: 1 / 0, "few": lambda: ("2026",), "none": lambda: ("2026", None)}.get(
        day, lambda: day.split("-", 1)
    )()


def joined(year: str, rest: str) -> str:
    return f"{year}-{rest}"


SPLIT = SplitAttribute("Order", "day", into=("year", "rest"), by=parts, back=joined)
FILL = FillKeys("Order", "GSI1", was=WAS)


def create(ground: Shop, *days: str) -> None:
    for number, day in enumerate(days):
        ground.old.create(ground.old_module.Order(number=f"{number}", buyer="b", day=day))


def keys(ground: Shop) -> list[str | None]:
    return [item.get("GSI1SK", {}).get("S") for item in ground.items()]


@pytest.mark.parametrize(
    ("model", "day", "reason"),
    [
        (REQUIRED, "fails", "parts() failed with ZeroDivisionError"),
        (OPTIONAL, "fails", "parts() failed with ZeroDivisionError"),
        (REQUIRED, "few", "parts() did not return 2 values"),
        (REQUIRED, "none", "parts() returned None for rest, which the model requires"),
    ],
    ids=["fails", "fails for optional ones", "too few", "None"],
)
def test_an_item_that_is_left_keeps_its_keys_and_both_are_told(model: Any, day: str, reason: str) -> None:
    with shop(*model, before=BY_DAY) as ground:
        create(ground, "2026-01-01", day)
        migrator = ground.migrator(file(SPLIT, FILL))
        for write in (False, True, True):
            assert skipped(migrator.run(write=write)) == {reason: 2}
        assert keys(ground) == ["01-01#2026#0", f"{day}#1"]
        with pytest.raises(ArgumentError, match="not finished"):
            migrator.cutover()
        assert skipped(migrator.rollback(write=True)) == {}
        assert keys(ground) == ["2026-01-01#0", f"{day}#1"]


def test_one_that_an_earlier_migration_has_left_keeps_its_keys_too() -> None:
    with shop(*REQUIRED, before=BY_DAY) as ground:
        create(ground, "2026-01-01", "fails")
        migrator = ground.migrator(file(SPLIT), file(FillKeys("Order", "GSI1"), name="0002_keys", digest="two"))
        assert skipped(migrator.run(write=True)) == {"parts() failed with ZeroDivisionError": 1, LACKING: 1}
        assert keys(ground) == ["01-01#2026#0", "fails#1"]


def test_what_an_optional_field_leaves_out_loses_its_key() -> None:
    with shop(*OPTIONAL, before=BY_DAY) as ground:
        create(ground, "2026-01-01", "none")
        migrator = ground.migrator(file(SPLIT, FILL))
        assert skipped(migrator.run(write=True)) == {}
        assert keys(ground) == ["01-01#2026#0", None]
        assert written(migrator.verify()) == 0
