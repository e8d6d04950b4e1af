"""The unit of work: writes that are collected and then carried out as one transaction."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from types import TracebackType
from typing import Any, ParamSpec, TypeAlias, TypeVar

from tablewright.client import counting, linking, operations
from tablewright.client.aggregates.saving import Saving, plan_tree
from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.client.performing import commit
from tablewright.client.targets import Resolved, Target, resolve, resolve_at_once, resolve_directly
from tablewright.client.transacting import told
from tablewright.client.unsaid import UNSET, Expectation
from tablewright.client.upserting import plan_upsert
from tablewright.client.writes.base import Write
from tablewright.client.writes.create import Create
from tablewright.client.writes.items import remember
from tablewright.client.writes.put import Put
from tablewright.errors import NotFoundError, TablewrightError, TransactionError
from tablewright.model.aggregates import Aggregate
from tablewright.model.change import Change
from tablewright.model.counters import Counted
from tablewright.model.entity import Entity

P = ParamSpec("P")
E = TypeVar("E", bound=Entity)
C = TypeVar("C", int, Decimal)

Planner: TypeAlias = Callable[[Resolved], Write]
Conditions: TypeAlias = bool | list[bool] | tuple[bool, ...] | None
"""A condition on the stored item, as type checkers see it, or several, all of which must hold."""


class UnitOfWork:
    """Collects writes of any entities. Nothing is sent before the end of the `with` block; then all happen or none.

    At most 100 actions, counting a marker for each unique value that moves, and each item once. Every write is checked
    when it is added.
    """

    def __init__(self, context: Context, token: str | None) -> None:
        if token is not None and (not isinstance(token, str) or not 1 <= len(token) <= 36):
            raise TransactionError("An idempotency token has 1 to 36 characters.", constraint="1 to 36 characters")
        self._context = context
        self._token = token
        self._planned: list[Write | tuple[Any, Planner]] = []
        self._entities: dict[int, tuple[Entity, Create | Put]] = {}
        self._ends: list[Write] = []
        """The checks of what is linked, for what is not written itself."""
        self._trees: list[tuple[int, Saving]] = []
        self._begun = False
        self._over = False

    def create(self, entity: Entity) -> None:
        """A new item, which must not exist yet."""
        self._add_whole(entity, operations.plan_create(self._context, entity))

    def put(self, entity: Entity, *, when: Conditions = None, expected_version: Expectation = UNSET) -> None:
        """The whole entity; one that was read before is locked by its version, if it has one."""
        self._add_whole(entity, operations.plan_put(self._context, entity, when, expected_version))

    def upsert(
        self,
        entity: Entity,
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the caller's word
        add: Mapping[str, Any] | None = None,
        remove: Iterable[str] = (),
        append: Mapping[str, Iterable[Any]] | None = None,
        include: Mapping[str, Iterable[Any]] | None = None,
        discard: Mapping[str, Iterable[Any]] | None = None,
    ) -> None:
        """A new item, or changes of the one that is there, as in Session.upsert()."""
        actions = operations.Changes(set, add, remove, append, include, discard).given()
        write = plan_upsert(self._context, entity, actions, look=True)
        write.creating.values = copy.deepcopy(write.creating.values)
        self._add(write)

    def update(
        self,
        target: Target[E],
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the caller's word
        add: Mapping[str, Any] | None = None,
        remove: Iterable[str] = (),
        append: Mapping[str, Iterable[Any]] | None = None,
        include: Mapping[str, Iterable[Any]] | None = None,
        discard: Mapping[str, Iterable[Any]] | None = None,
        when: Conditions = None,
        expected_version: Expectation = UNSET,
    ) -> None:
        """Changes of some fields, as in Session.update()."""
        actions = operations.Changes(set, add, remove, append, include, discard).actions()
        order = operations.order_update(self._context, target, actions, when, expected_version)
        self._add_order(target, lambda found: operations.plan_update(order, found))

    def apply(self, change: Change[E, P], target: Target[E], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """A declared change."""
        order = operations.order_change(self._context, change, target, args, kwargs)
        self._add_order(target, lambda found: operations.plan_update(order, found))

    def count_up(self, counted: Counted[C], by: C | int = 1, *, spread: str | None = None) -> None:
        """Adds to a sharded counter, as Session.count_up() does. A counter whose shards are counted up here and down there
        by the same text `spread` keeps each shard as right as their sum."""
        self._add(counting.plan_count(self._context, counted, by, spread, look=True))

    def delete(self, target: Target[E], *, when: Conditions = None, expected_version: Expectation = UNSET) -> None:
        """Deletes an item."""
        order = operations.order_delete(self._context, target, when, expected_version)
        self._add_order(target, lambda found: operations.plan_delete(order, found))

    def undelete(self, target: Target[E]) -> None:
        """Brings back an item that was deleted and left a tombstone."""
        plan = operations.soft_plan(self._context, target, "undelete")
        self._add(operations.plan_undelete(plan, resolve_at_once(self._context, target)))

    def check(self, target: Target[E], *conditions: bool, expected_version: Expectation = UNSET) -> None:
        """The item must exist, and meet these conditions, or nothing is written."""
        order = operations.order_delete(self._context, target, list(conditions) or None, expected_version)
        self._add_order(target, lambda found: operations.plan_check(order, found))

    def link(self, entity: Entity) -> None:
        """A new link of a recorded relationship, whose two ends must exist."""
        write, checks = linking.plan_link(self._context, entity)
        self._add_whole(entity, write)
        self._ends.extend(checks)

    def save_tree(self, tree: Aggregate[Any]) -> None:
        """What was changed in a tree since it was loaded, as Session.save_tree() writes it."""
        saving = plan_tree(self._context, tree)
        start = len(self._planned)
        for write in saving.writes:
            self._add(write)
        self._trees.append((start, saving))

    # ---------------------------------------------------------------------------------------------- collecting

    def _add_whole(self, entity: Entity, write: Create | Put) -> None:
        write.values = copy.deepcopy(write.values)  # it was checked as it is now, whatever the caller does to it later
        self._entities[len(self._planned)] = (entity, write)
        self._add(write)

    def _add_order(self, target: Target[Any], planner: Planner) -> None:
        found = resolve_directly(self._context, target)
        self._add(planner(found) if found is not None else (target, planner))

    def _add(self, planned: Write | tuple[Any, Planner]) -> None:
        if self._over:
            raise TransactionError(
                "The transaction is over; this write would never be sent.", hint="Start another transaction."
            )
        if not self._begun:
            raise TransactionError(
                "The transaction has not begun; this write would never be sent.",
                hint="Write it as with db.transaction() as tx: or, for asyncio, async with.",
            )
        self._planned.append(planned)

    def _begin(self) -> None:
        if self._over:
            raise TransactionError("The transaction is over.", hint="Start another one: db.transaction().")
        if self._begun:
            raise TransactionError(
                "The transaction has begun already; it would be written at the end of each of its blocks.",
                hint="Start another one: db.transaction().",
            )
        self._begun = True

    def _commit(self) -> Steps[None]:
        writes: list[Write] = []
        for position, planned in enumerate(self._planned):
            if isinstance(planned, Write):
                writes.append(planned)
            else:
                target, planner = planned
                try:
                    found = yield from resolve(self._context, target)
                    writes.append(planner(found))
                except NotFoundError as error:
                    raise told({position: error}) from error.__cause__
        for _, saving in self._trees:
            yield from saving.look(self._context)
        for _, saving in self._trees:
            saving.begin()
        try:
            outcomes = yield from commit(self._context, [*writes, *linking.unchecked(self._ends, writes)], self._token)
        except TablewrightError as error:
            for _, saving in self._trees:
                saving.failed(error)
            raise
        for start, saving in self._trees:
            saving.done(outcomes[start : start + len(saving.steps)])
        for position, (entity, write) in self._entities.items():
            # A fresh entity put over an item that was not read cannot tell which version it became.
            if isinstance(write, Create) or not write.blind:
                remember(entity, write.becomes(outcomes[position].now), write.key)


class Transaction(UnitOfWork):
    """`with db.transaction() as tx:`"""

    def __init__(self, context: Context, driver: SyncDriver, token: str | None) -> None:
        super().__init__(context, token)
        self._driver = driver

    def __enter__(self) -> Transaction:
        self._begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        if kind is None:
            self._driver.run(self._commit())


class AsyncTransaction(UnitOfWork):
    """`async with db.transaction() as tx:`"""

    def __init__(self, context: Context, driver: AsyncDriver, token: str | None) -> None:
        super().__init__(context, token)
        self._driver = driver

    async def __aenter__(self) -> AsyncTransaction:
        self._begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        if kind is None:
            await self._driver.run(self._commit())
