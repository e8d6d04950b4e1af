"""Trees whose items have hooks, or are changed between a save and its transaction: counters tell what was written."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pydantic import Field

from tablewright import (
    Aggregate,
    Changing,
    Deleting,
    Entity,
    Keys,
    Session,
    Table,
    before_create,
    before_delete,
    before_update,
    children,
    key,
)

ran: list[str] = []
plans = Table("Plans")


class Plan(Entity, table=plans):
    keys = Keys("PLAN#{plan}", "PLAN#{plan}")
    plan: str
    steps: int = 0
    done: int = 0


class Step(Entity, table=plans):
    keys = Keys("PLAN#{plan}", "PLAN#{plan}#STEP#{step}")
    plan: str = ""
    step: str
    title: str = ""
    percent: int = 0
    done: bool = False
    tags: list[str] = Field(default_factory=list)

    @before_create
    def _named(self) -> None:
        ran.append("create")
        self.title = self.title.strip()

    @staticmethod
    @before_update
    def _finished(changing: Changing) -> None:
        ran.append("update")
        if "percent" in changing.assigned:
            changing.set(done=changing.assigned["percent"] == 100)

    @staticmethod
    @before_delete
    def _gone(deleting: Deleting) -> None:
        ran.append(f"delete {deleting.key['step']}")


class PlanTree(Aggregate[Plan]):
    items: list[Step] = children(count="steps", count_if={"done": lambda step: step.done})


@pytest.fixture
def db() -> Iterator[Session]:
    ran.clear()
    with plans.open("memory:") as db:
        yield db


def new_tree() -> PlanTree:
    return PlanTree(entity=Plan(plan="p"), items=[Step(step="1"), Step(step="2")])


def shown(tree: PlanTree) -> list[str]:
    return [repr(tree.entity), *map(repr, tree.items)]


def done_in(db: Session) -> tuple[int, int]:
    """What the counter says, and what it should say."""
    plan = db.get(key(Plan, plan="p"))
    assert plan is not None
    return plan.done, sum(s.done for s in db.scan_for_maintenance(Step))


def test_what_a_hook_sets_is_counted(db: Session) -> None:
    tree = new_tree()
    db.save_tree(tree)
    tree.items[0].percent = 100
    db.save_tree(tree)
    assert done_in(db) == (1, 1)
    tree.items[0].percent = 50
    db.save_tree(tree)
    assert done_in(db) == (0, 0)


def test_a_change_after_a_tree_was_added_to_a_transaction_belongs_to_the_next_save(db: Session) -> None:
    tree = new_tree()
    db.save_tree(tree)
    tree.items[0].title = "first"
    tree.items[0].tags.append("a")
    with db.transaction() as tx:
        tx.save_tree(tree)
        tree.items[0].done = True
        tree.items[0].tags.append("b")
    assert done_in(db) == (0, 0)
    assert tree.entity.done == 0
    db.save_tree(tree)
    assert done_in(db) == (1, 1)
    assert db.get(key(Step, plan="p", step="1")) == tree.items[0]


def test_a_new_tree_that_is_changed_before_its_transaction_ends(db: Session) -> None:
    tree = new_tree()
    with db.transaction() as tx:
        tx.save_tree(tree)
        tree.items[1].done = True
        tree.items[1].tags.append("late")
    assert [s.tags for s in db.scan_for_maintenance(Step)] == [[], []]
    db.save_tree(tree)
    assert done_in(db) == (1, 1)


def test_a_preview_runs_no_hooks_and_changes_nothing(db: Session) -> None:
    tree = PlanTree(entity=Plan(plan="p", steps=9), items=[Step(step="1", title=" a ")])
    before = shown(tree)
    assert len(db.preview_tree(tree).created) == 2
    assert (shown(tree), ran) == (before, [])
    db.save_tree(tree)
    assert ran == ["create"]
    tree.items[0].percent = 100
    before = shown(tree)
    assert len(db.preview_tree(tree).changed) == 1
    tree.items.append(Step(step="2"))
    del tree.items[0]
    assert len(db.preview_tree(tree).removed) == 1
    assert ran == ["create"]
