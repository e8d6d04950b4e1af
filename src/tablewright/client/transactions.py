"""The unit of work: writes that are collected and then carried out as one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from tablewright.client import operations
from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.client.performing import commit
from tablewright.client.targets import Target, resolve
from tablewright.client.writes.base import UNSET, Expectation, Write
from tablewright.client.writes.create import Create
from tablewright.client.writes.items import remember
from tablewright.client.writes.put import Put
from tablewright.errors import TransactionError
from tablewright.model.change import Change
from tablewright.model.entity import Entity

P = ParamSpec("P")
E = TypeVar("E", bound=Entity)


class UnitOfWork:
    """Collects writes of any entities. Nothing is sent before the end of the `with` block; then all happen or none.

    At most 100 actions, counting a marker for each unique value that moves, and each item once.
    """

    def __init__(self, context: Context, token: str | None) -> None:
        if token is not None and not 1 <= len(token) <= 36:
            raise TransactionError("An idempotency token has 1 to 36 characters.", constraint="1 to 36 characters")
        self._context = context
        self._token = token
        self._planned: list[Callable[[], Steps[Write]]] = []
        self._entities: list[tuple[Entity, Create | Put]] = []

    def create(self, entity: Entity) -> None:
        """A new item, which must not exist yet."""
        write = operations.plan_create(self._context, entity)
        self._entities.append((entity, write))
        self._add(write)

    def put(self, entity: Entity, *, when: object = None) -> None:
        """The whole entity; one that was read before is locked by its version, if it has one."""
        write = operations.plan_put(self._context, entity, when)
        self._entities.append((entity, write))
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
        when: object = None,
        expected_version: Expectation = UNSET,
    ) -> None:
        """Changes of some fields, as in Session.update()."""
        actions = operations.Changes(set, add, remove, append, include, discard).actions()

        def plan() -> Steps[Write]:
            found = yield from resolve(self._context, target)
            return operations.plan_update(self._context, found, actions, when, expected_version)

        self._planned.append(plan)

    def apply(self, change: Change[E, P], target: Target[E], /, *args: P.args, **kwargs: P.kwargs) -> None:
        """A declared change."""

        def plan() -> Steps[Write]:
            found = yield from resolve(self._context, target)
            actions, when = operations.change_actions(change, found, args, kwargs)
            return operations.plan_update(self._context, found, actions, when)

        self._planned.append(plan)

    def delete(self, target: Target[E], *, when: object = None, expected_version: Expectation = UNSET) -> None:
        """Deletes an item."""

        def plan() -> Steps[Write]:
            found = yield from resolve(self._context, target)
            return operations.plan_delete(self._context, found, when, expected_version)

        self._planned.append(plan)

    def check(self, target: Target[E], *conditions: bool) -> None:
        """The item must exist, and meet these conditions, or nothing is written."""

        def plan() -> Steps[Write]:
            found = yield from resolve(self._context, target)
            return operations.plan_check(self._context, found, list(conditions) or None)

        self._planned.append(plan)

    def _add(self, write: Write) -> None:
        def plan() -> Steps[Write]:
            return write
            yield  # a generator that needs no request

        self._planned.append(plan)

    def _commit(self) -> Steps[None]:
        writes = []
        for plan in self._planned:
            writes.append((yield from plan()))
        now = yield from commit(self._context, writes, self._token)
        for entity, write in self._entities:
            if now is not None and (isinstance(write, Create) or write.known is not None):
                remember(entity, write.stored(now))


class Transaction(UnitOfWork):
    """`with db.transaction() as tx:`"""

    def __init__(self, context: Context, driver: SyncDriver, token: str | None) -> None:
        super().__init__(context, token)
        self._driver = driver

    def __enter__(self) -> Transaction:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._driver.run(self._commit())


class AsyncTransaction(UnitOfWork):
    """`async with db.transaction() as tx:`"""

    def __init__(self, context: Context, driver: AsyncDriver, token: str | None) -> None:
        super().__init__(context, token)
        self._driver = driver

    async def __aenter__(self) -> AsyncTransaction:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self._driver.run(self._commit())
