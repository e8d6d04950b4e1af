"""Dry runs count what a step would do after those before it, and say where that is not known."""

from __future__ import annotations

from tablewright import key
from tablewright.evolve.migrations import (
    AddIndex,
    FillKeys,
    MergeAttributes,
    MoveEntity,
    RemoveAttributes,
    RenameAttribute,
)
from tablewright.evolve.migrations.migrator import Told
from tests.evolve.migrations.tables import file, shop, skipped

KEYS = 'GSI1=("BUYER#{buyer}", "ORDER#{number}"))'
BY_STATUS = [
    ('indexes=[GSI("GSI1")]', 'indexes=[GSI("GSI1"), GSI("GSI2")]'),
    (
        KEYS,
        'GSI1=("BUYER#{buyer}", "ORDER#{number}"), GSI2=("STATUS#{status}", "{number}"))',
    ),
    ('    state: str = "open"\n', "    status: str\n"),
]
MOVED = [('Keys("ORDER#{number}", "ORDER", GSI1', 'Keys("SALE#{number}", "SALE", GSI1')]
INDEX = AddIndex("GSI2", pk=("GSI2PK (S)",), sk=("GSI2SK (S)",))


def counts(told: tuple[Told, ...]) -> dict[str, int]:
    return {one.part: one.outcome.written for one in told}


def test_keys_are_filled_from_an_attribute_that_a_step_before_renames() -> None:
    migration = file(INDEX, RenameAttribute("Order", "state", to="status"), FillKeys("Order", "GSI2"))
    with shop(*BY_STATUS) as ground:
        ground.fill(5)
        before = ground.items()
        foreseen = ground.migrator(migration, segments=2).plan()
        assert counts(foreseen) == {
            "make the index GSI2": 1,
            "make status of state in Order": 5,
            "fill GSI2 of Order": 5,
        }
        assert skipped(foreseen) == {}
        assert not any(one.outcome.provisional for one in foreseen)
        assert ground.items() == before
        assert counts(ground.migrator(migration).run(write=True)) == counts(foreseen)


def joined(state: str | None, day: str | None) -> str:
    return f"{state} {day}"


def parted(text: str | None) -> tuple[str, ...]:
    return tuple((text or " ").split(" "))


def test_a_step_of_a_later_migration_acts_on_what_an_earlier_one_writes() -> None:
    first = file(RenameAttribute("Order", "state", to="status"))
    second = file(MergeAttributes("Order", ("status", "day"), into="both", by=joined, back=parted), name="0002_both")
    with shop() as ground:
        ground.fill(4)
        foreseen = ground.migrator(first, second).plan()
        assert counts(foreseen) == {"make status of state in Order": 4, "make both of status, day in Order": 4}
        again = {"make status of state in Order, once more": 0}
        assert counts(ground.migrator(first, second).run(write=True)) == counts(foreseen) | again
        assert {item["both"]["S"] for item in ground.items() if "both" in item} == {
            f"s{n % 3} 2026-01-01" for n in range(4)
        }


def test_items_that_are_moved_at_once_go_on_under_their_new_keys() -> None:
    from tablewright.evolve.migrations import ChangeKey

    migration = file(
        ChangeKey("Order", was=("ORDER#{number}", "ORDER"), copies=False),
        RenameAttribute("Order", "state", to="status"),
    )
    with shop(*MOVED) as ground:
        ground.fill(3)
        foreseen = ground.migrator(migration).plan()
        assert list(counts(foreseen).values()) == [3, 3]
        assert counts(ground.migrator(migration).run(write=True)) == counts(foreseen)


def test_what_is_not_known_before_pairs_are_ended_is_said() -> None:
    migration = file(MoveEntity("Order", was=("ORDER#{number}", "ORDER")), RemoveAttributes("Order", ("day",)))
    with shop(*MOVED) as ground:
        ground.fill(3)
        ground.migrator(migration).run(write=True)
        ground.migrator(migration).cutover()
        foreseen = ground.migrator(migration).retire(write=False)
        assert [one.outcome.provisional for one in foreseen] == [False, True, True, True]
        assert not any(one.outcome.provisional for one in ground.migrator(migration).retire(write=True))


def test_a_value_that_is_given_up_before_is_free() -> None:
    unique = 'GSI1=("BUYER#{buyer}", "ORDER#{number}"), unique=["%s"])'
    was, now = ((KEYS, unique % name) for name in ("state", "status"))
    with shop(now, BY_STATUS[-1], before=[was]) as ground:
        migration = file(RenameAttribute("Order", "state", to="status"))
        ground.fill(2)
        ground.migrator(migration).run(write=True)
        ground.old.update(key(ground.old_module.Order, number="0"), set={"state": "s9"})
        ground.old.update(key(ground.old_module.Order, number="1"), set={"state": "s0"})
        foreseen = ground.migrator(migration).plan()
        assert skipped(foreseen) == {}
        assert counts(ground.migrator(migration).run(write=True)) == counts(foreseen)
