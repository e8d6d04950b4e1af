"""Saving and removing a tree: what differs, as one transaction, or in parts when the caller says so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from msgspec import Struct

from tablewright.client.aggregates.building import Step, alone, steps_for, tasks_of, weight
from tablewright.client.aggregates.following import follow, sent_by
from tablewright.client.aggregates.loading import aggregate_plan
from tablewright.client.aggregates.settling import settle
from tablewright.client.aggregates.state import State, mark, state_of
from tablewright.client.aggregates.strangers import leaving, refuse_strangers
from tablewright.client.aggregates.units import Placed, Unit, difference, place_all, refuse_hidden, removals
from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.performing import Outcome, commit
from tablewright.client.transacting import MAX_ACTIONS, MAX_BYTES
from tablewright.client.writes.base import Write, by_key
from tablewright.errors import (
    ArgumentError,
    ConcurrentModificationError,
    ConditionalCheckError,
    InternalError,
    NetworkError,
    NotFoundError,
    OutcomeUnknownError,
    TablewrightError,
    TransactionError,
    TransactionInProgress,
)
from tablewright.model.aggregates import Aggregate
from tablewright.model.entity import Entity, with_article

_MAYBE_DONE = (OutcomeUnknownError, NetworkError, InternalError, TransactionInProgress)
_TOUCH_BYTES = 4096
"""What the stamp and counters of a parent take at most, its key included."""


class Difference(Struct, frozen=True):
    """What save_tree() writes, or would write: the items by what happens to them, and what the transaction takes."""

    created: tuple[Entity, ...] = ()
    """New items."""
    changed: tuple[Entity, ...] = ()
    """Items with other fields."""
    removed: tuple[Entity, ...] = ()
    """Items that go."""
    touched: tuple[Entity, ...] = ()
    """Parents that are written only because their children come, go or count otherwise."""
    actions: int = 0
    """Actions of the transaction, markers of unique values included; DynamoDB allows 100."""
    size: int = 0
    """Bytes that count towards DynamoDB's limit of 4 MB."""

    @property
    def fits(self) -> bool:
        """Whether it can be one transaction."""
        return self.actions <= MAX_ACTIONS and self.size <= MAX_BYTES


def preview(context: Context, tree: Aggregate[Any]) -> Difference:
    """What save_tree() would write, without a request; what hooks would do to it is not known before they run."""
    state = _state(context, tree)
    placed = place_all(state, tree, rehearsed=True)
    return _measured(context, state, list(difference(state, placed, rehearsed=True)))


def save(context: Context, tree: Aggregate[Any], *, atomic: bool, resume: bool) -> Steps[Difference]:
    """Writes what was changed in a tree since it was loaded."""
    if resume and atomic:
        raise ArgumentError(
            "Only a save in parts can be resumed.", hint="db.save_tree(tree, atomic=False, resume=True)"
        )
    state = _state(context, tree)
    # First of all, so that hooks see only what is still to be created, and see it once.
    yield from settle(context, state, state.unsure)
    placed = place_all(state, tree)
    if resume:  # every new item may have been written by a process that is gone
        yield from settle(context, state, [one.as_sent() for text, one in placed.items() if text not in state.held])
        placed = place_all(state, tree, hooked=True)
    units = list(difference(state, placed))
    made = yield from _write(context, state, units, placed, atomic=atomic)
    mark(tree, state)
    return made


def remove(context: Context, tree: Aggregate[Any], *, atomic: bool) -> Steps[Difference]:
    """Deletes every item of a tree, leaves first."""
    state = _state(context, tree)
    if not state.held:
        raise ArgumentError("This tree was never stored.", hint="Load it, and remove what was loaded.")
    yield from settle(context, state, state.unsure)
    return (yield from _write(context, state, list(removals(state, keep={})), {}, atomic=atomic))


def _state(context: Context, tree: Any) -> State:
    return state_of(aggregate_plan(context, type(tree)), tree)


def _write(
    context: Context, state: State, units: list[Unit], placed: dict[bytes, Placed], *, atomic: bool
) -> Steps[Difference]:
    refuse_hidden(state, units)
    state.leaving = leaving(state, units)
    made = _measured(context, state, units)
    if not units:
        return made
    if atomic:
        if not made.fits:
            raise TransactionError(
                f"This save takes {made.actions} actions and {made.size:,} bytes ({len(made.created)} items to create, "
                f"{len(made.changed)} to change, {len(made.removed)} to remove, {len(made.touched)} parents, markers of unique "
                f"values); a transaction holds {MAX_ACTIONS} and {MAX_BYTES:,}.",
                constraint=f"{MAX_ACTIONS} actions, {MAX_BYTES} bytes",
                hint="Nothing was sent. atomic=False writes it in parts that never leave a child without its parent.",
            )
        yield from refuse_strangers(context, state)
        yield from _transact(context, state, steps_for(state, units), placed)
        return made
    yield from refuse_strangers(context, state)
    done = 0
    while done < len(units):
        part = list(_part(context, state, units[done:]))
        try:
            yield from _transact(context, state, steps_for(state, part), placed)
        except TablewrightError as error:
            error.context["saved"], error.context["unsaved"] = done, len(units) - done
            raise
        done += len(part)
    return made


def _part(context: Context, state: State, units: Sequence[Unit]) -> Iterator[Unit]:
    """As many of the units as fit into one transaction, with the parents that they change."""
    actions = size = 0
    mine: set[bytes] = set()
    parents: set[bytes] = set()
    for unit in units:
        own_actions, own_size = weight(tasks_of([alone(state, unit)], context.now()), context.table)
        mine.add(unit.text)
        parents |= {side.parent for side in (unit.held, unit.placed) if side is not None and side.parent is not None}
        actions, size, others = actions + own_actions, size + own_size, len(parents - mine)
        if len(mine) > 1 and (actions + others > MAX_ACTIONS or size + others * _TOUCH_BYTES > MAX_BYTES):
            return
        yield unit


def _transact(context: Context, state: State, steps: list[Step], placed: dict[bytes, Placed]) -> Steps[None]:
    saving = Saving(state, steps, placed)
    saving.begin()
    try:
        outcomes = yield from commit(context, saving.writes)
    except TablewrightError as error:
        saving.failed(error)
        if type(error) in (ConditionalCheckError, NotFoundError):
            raise _overtaken(steps[error.context.get("action", 0)], error) from error
        raise
    saving.done(outcomes)


class Saving(Struct, eq=False):
    """Writes of a tree on their way in a transaction, and what the tree makes of its end."""

    state: State
    steps: list[Step]
    placed: dict[bytes, Placed]

    @property
    def writes(self) -> list[Write]:
        """The writes, in order."""
        return [step.write for step in self.steps]

    def begin(self) -> None:
        """From now on they may have happened."""
        self.state.unsure = [sent_by(step, self.placed) for step in self.steps]

    def look(self, context: Context) -> Steps[None]:
        """What must be seen in the table before."""
        yield from refuse_strangers(context, self.state)

    def failed(self, error: TablewrightError) -> None:
        """They did not happen, unless nobody can tell; then the next save finds out."""
        if not isinstance(error, _MAYBE_DONE):
            self.state.unsure = []

    def done(self, outcomes: Sequence[Outcome]) -> None:
        """They happened."""
        self.state.unsure = []
        for step, outcome in zip(self.steps, outcomes, strict=True):
            follow(self.state, step, outcome.now, self.placed)


def plan_tree(context: Context, tree: Aggregate[Any]) -> Saving:
    """What was changed in a tree, for a transaction with other writes."""
    state = _state(context, tree)
    if state.unsure:
        raise ArgumentError(
            "The last save of this tree may or may not have happened.", hint="db.save_tree() it by itself first."
        )
    placed = place_all(state, tree)
    units = list(difference(state, placed))
    refuse_hidden(state, units)
    state.leaving = leaving(state, units)
    for one in (unit.placed for unit in units if unit.placed is not None):
        one.values.update(deepcopy(one.values))  # as it is now, whatever the caller does to the tree before the end
    mark(tree, state)
    return Saving(state, steps_for(state, units), placed)


def _overtaken(step: Step, error: TablewrightError) -> ConcurrentModificationError:
    name, key = step.write.plan.name, step.write.plan.told_by_key(step.write.key)
    return ConcurrentModificationError(
        f"Somebody else changed or removed {with_article(name)} of this tree{by_key(key)} since it was loaded.",
        item=getattr(error, "item", None),
        key=key,
        hint="Nothing was written by this transaction; load the tree again and repeat the change.",
        context={"entity": name},
    )


def _measured(context: Context, state: State, units: list[Unit]) -> Difference:
    steps = steps_for(state, units)
    actions, size = weight(tasks_of(steps, context.now()), context.table)
    created: list[Entity] = []
    changed: list[Entity] = []
    removed: list[Entity] = []
    touched: list[Entity] = []
    for step in steps:
        unit = step.unit
        if unit is not None and unit.placed is not None:
            (created if unit.kind == "create" else changed).append(unit.placed.entity)
        elif step.held is not None:
            (touched if unit is None else removed).append(step.held.plan.decode(step.held.item))
    return Difference(tuple(created), tuple(changed), tuple(removed), tuple(touched), actions, size)
