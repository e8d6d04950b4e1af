"""Writing groups of entities: those that are absent under that condition, those that differ only where told."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from msgspec import Struct

from tablewright.client.batches import unbatched_put
from tablewright.client.operations import bring_back
from tablewright.client.session import Session
from tablewright.errors import AlreadyExistsError, ConditionalCheckError, OutcomeUnknownError, UniqueViolationError
from tablewright.evolve.transfer.building import Built
from tablewright.evolve.transfer.forms import same
from tablewright.evolve.transfer.rows import Problem
from tablewright.evolve.transfer.unique_values import CORRECT, Claims, claims_of
from tablewright.model.entity import STORED, STORED_KEY, Entity

GROUP = 25
_ATTEMPTS = 3
"""How often an item is created that is there and not there by turns."""
Outcome = Literal["new", "same", "different", "replaced"]


class Placed(Struct, frozen=True):
    """What became of one entity."""

    outcome: Outcome = "same"
    problem: Problem | None = None
    claims: Claims | None = None
    """In a dry run: unique values that it would take, which others may have by then."""


class Placing:
    """Looks entities up, and writes them if it may. Used by several threads at once."""

    def __init__(self, db: Session, *, write: bool, replace: bool) -> None:
        self._db = db
        self._write = write
        self._replace = replace

    def place(self, group: list[Built]) -> list[Placed]:
        """Sees to a group; the answers stand in its order."""
        if not group:
            return []
        if self._write and not self._replace:
            return [self._created(one) for one in group]
        stored = self._db.get_many([one.entity for one in group], consistent=True)
        found: list[Outcome] = [self._compared(one, there) for one, there in zip(group, stored, strict=True)]
        group = [
            one if outcome != "replaced" or there is None else one.over(there)
            for one, there, outcome in zip(group, stored, found, strict=True)
        ]
        if not self._write:
            return self._judged(group, stored, found)
        batched = [
            one.entity
            for one, outcome in zip(group, found, strict=True)
            if outcome in ("new", "replaced") and not _goes_alone(one, outcome)
        ]
        if batched:
            with self._db.batch() as batch:
                for entity in batched:
                    batch.put(entity)
        return [
            self._put(one, outcome) if outcome in ("new", "replaced") and _goes_alone(one, outcome) else Placed(outcome)
            for one, outcome in zip(group, found, strict=True)
        ]

    def _judged(self, group: list[Built], stored: Sequence[Entity | None], found: Sequence[Outcome]) -> list[Placed]:
        """What a dry run tells, with the unique values that would be taken."""
        rows = list(zip(group, stored, strict=True))
        wanted = [n for n, outcome in enumerate(found) if outcome in ("new", "replaced")]
        claims = dict(zip(wanted, claims_of(self._db, [rows[n] for n in wanted]), strict=True))
        return [Placed(outcome, claims=claims.get(n)) for n, outcome in enumerate(found)]

    def _compared(self, built: Built, stored: Entity | None) -> Outcome:
        if stored is None:
            return "new"
        if same(built.said, built.entity, stored):
            return "same"
        return "replaced" if self._replace else "different"

    def _created(self, built: Built) -> Placed:
        for attempt in range(_ATTEMPTS):
            try:
                return self._create(built)
            except AlreadyExistsError as error:
                there = error.item if isinstance(error.item, Entity) else self._db.get(built.entity, consistent=True)
                if there is not None:
                    return Placed(self._compared(built, there))
                if attempt == _ATTEMPTS - 1:  # each time, somebody deleted it just then
                    return Placed(problem=_refused(built, error))
        raise AssertionError("the last attempt returns")

    def _create(self, built: Built) -> Placed:
        try:
            if built.was is None:
                self._db.create(built.entity)
            else:
                self._db._run(bring_back(self._db._context, built.entity, built.was))
        except AlreadyExistsError:
            raise
        except OutcomeUnknownError:
            # The reply was lost: if what is there is what was sent, it was written.
            there = self._db.get(built.entity, consistent=True)
            if there is None or not same(built.forms, built.entity, there):
                raise
        except ConditionalCheckError as error:
            return Placed(problem=_refused(built, error))
        return Placed("new")

    def _put(self, built: Built, outcome: Outcome) -> Placed:
        if outcome == "new" and built.was is not None:
            with suppress(AlreadyExistsError):  # somebody was faster
                return self._create(built)
        try:
            self._db.put(_unread(built.entity), returns="none")
        except ConditionalCheckError as error:
            return Placed(problem=_refused(built, error))
        return Placed(outcome)


def _goes_alone(built: Built, outcome: Outcome) -> bool:
    """Whether it is no member of a batch: it needs a condition, or comes back as it was."""
    return unbatched_put(built.plan) is not None or (outcome == "new" and built.was is not None)


def _unread(entity: Entity) -> Entity:
    """The same without what its item said of itself: it is no lock on the item that it replaces."""
    copy = entity.model_copy()
    for name in (STORED, STORED_KEY):
        vars(copy).pop(name, None)
    return copy


def _refused(built: Built, error: ConditionalCheckError) -> Problem:
    rule = error.context.get("unique")
    column = rule if isinstance(rule, str) and rule in built.plan.fields else None
    hint = CORRECT
    return Problem(
        built.place, error.message, hint if isinstance(error, UniqueViolationError) else error.hint or hint, column
    )
