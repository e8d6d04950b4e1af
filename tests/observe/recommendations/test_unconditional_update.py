"""Items that are overwritten blindly: how often, and what would lock them."""

from tablewright import Entity, Keys, Table
from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.recommendations.unconditional_update import UnconditionalUpdate
from tablewright.observe.sketches.heavy import Heavy
from tablewright.observe.snapshot import Snapshot, Traffic

wiki = Table("Wiki")


class Note(Entity, table=wiki):
    keys = Keys("NOTE#{name}", "NOTE")
    name: str


class Page(Entity, table=wiki, version=True):
    keys = Keys("PAGE#{name}", "PAGE")
    name: str


def found(overwritten: dict[str, float], *, entity: str = "Note", lost: float = 0.0) -> list[Recommendation]:
    items = Heavy(32)
    items.add_all(overwritten)
    items.lost = lost
    traffic = Traffic(operation="UpdateItem", entity=entity, requests=500, conditional=100, overwritten=items)
    seen = Snapshot(table="Wiki", spans=[(0.0, 100.0)], traffic=[traffic])
    return list(UnconditionalUpdate().find(Observed(seen, wiki.plan)))


def test_one_item_again_and_again() -> None:
    (one,) = found({"NOTE#home NOTE": 40, "NOTE#news NOTE": 12, "NOTE#old NOTE": 2})
    assert (one.severity, one.category, one.subject) == ("warning", "best-practice", "UpdateItem of Note")
    assert one.message == "UpdateItem of Note overwrites the same item without a condition, one of them 40 times."
    assert one.details == (
        "54 of 500 writes had no condition on what was there. Most often: 'NOTE#home NOTE' 40 times, 'NOTE#news NOTE' 12 times. "
        "Of two that write at once, one is lost unseen."
    )
    assert one.code == "class Note(Entity, table=..., version=True): ..."
    assert one.evidence == {"most_on_one_item": 40, "items": 2, "unconditional": 54}


def test_a_version_that_is_gone_around() -> None:
    (one,) = found({"PAGE#home": 40}, entity="Page")
    assert one.action.startswith("Page is locked by what was read, and these writes go around that")
    assert one.effort == 1


def test_every_item_now_and_then() -> None:
    assert not found({f"NOTE#{n}": 9 for n in range(50)})


def test_what_may_be_a_mistake_of_the_sketch_counts_for_nothing() -> None:
    # Nine are certain; the rest may belong to keys that were let go.
    assert not found({"NOTE#home": 9}, lost=100)


def test_nothing() -> None:
    assert not found({})
