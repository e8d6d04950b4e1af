"""What both sessions read beside patterns: change feeds, statements and whole tables in parallel."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, TypeVar

from tablewright.client import feeds
from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.client.feeds import OVERLAP, ChangePage
from tablewright.model.entity import Entity

E = TypeVar("E", bound=Entity)
T = TypeVar("T")


class Reads:
    """What a Session reads beside patterns."""

    _context: Context
    _driver: SyncDriver

    def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    def changes(
        self,
        entity: type[E],
        /,
        *conditions: bool,
        since: str | None = None,
        limit: int = 100,
        overlap: timedelta = OVERLAP,
    ) -> ChangePage[E]:
        """What was written since a cursor, each change once, in the order of time; without a cursor, all that there is.

        It needs an index whose sort key begins with {updated_at}, and conditions that fix its partition. `overlap` is how
        late a change may appear: clocks that differ, slow writers, an index that lags. Deletions show where the entity has
        soft_delete with this index as its feed. The cursor stays good as long as the session's cursor_keys do."""
        return self._run(feeds.read_changes(self._context, entity, conditions, since, limit, overlap))

    @property
    def boto3_client(self) -> Any:
        """The boto3 client that requests go through; None where they go another way."""
        return getattr(self._driver.transport, "client", None)


class AsyncReads:
    """What an AsyncSession reads beside patterns."""

    _context: Context
    _driver: AsyncDriver

    async def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    async def changes(
        self,
        entity: type[E],
        /,
        *conditions: bool,
        since: str | None = None,
        limit: int = 100,
        overlap: timedelta = OVERLAP,
    ) -> ChangePage[E]:
        """What was written since a cursor, each change once, in the order of time."""
        return await self._run(feeds.read_changes(self._context, entity, conditions, since, limit, overlap))

    @property
    def boto3_client(self) -> Any:
        """The boto3 client that requests go through; None where they go another way."""
        return getattr(self._driver.transport, "client", None)
