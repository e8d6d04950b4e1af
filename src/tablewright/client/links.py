"""What both sessions do with relationships: links whose ends exist, and copies that follow their originals."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tablewright.later import later

if TYPE_CHECKING:
    from tablewright.client import copying, linking
    from tablewright.client.calls import Steps
    from tablewright.client.context import Context
    from tablewright.client.copying import Refreshed
    from tablewright.client.targets import Target
    from tablewright.model.entity import Entity

    E = TypeVar("E", bound=Entity)
    T = TypeVar("T")
else:
    later(globals(), "tablewright.client", "copying", "linking")


class Links:
    """What a Session does with relationships."""

    _context: Context

    def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    def link(self, entity: E) -> E:
        """Creates a link of a recorded relationship, if both of its ends exist: NotFoundError tells which does not.

        create() does not look at the ends. Either writes the link's mirror, if it has one; update() and delete() do too."""
        return self._run(linking.link(self._context, entity))

    def stale_copies(self, target: Target[E]) -> list[Entity]:
        """The items whose copied fields differ from this one's, as relationships with `copies` and `found_by` say."""
        return self._run(copying.stale(self._context, target))

    def refresh_copies(self, target: Target[E]) -> Refreshed:
        """Brings the copies of an item's fields up to date, one by one, each only while the item still says what is copied.

        It can be repeated, and run by several at once: what is right already is left alone. An error tells in its context
        how far it got. Copies that an index does not show yet are found the next time."""
        return self._run(copying.refresh(self._context, target))


class AsyncLinks:
    """What an AsyncSession does with relationships."""

    _context: Context

    async def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    async def link(self, entity: E) -> E:
        """Creates a link of a recorded relationship, if both of its ends exist."""
        return await self._run(linking.link(self._context, entity))

    async def stale_copies(self, target: Target[E]) -> list[Entity]:
        """The items whose copied fields differ from this one's."""
        return await self._run(copying.stale(self._context, target))

    async def refresh_copies(self, target: Target[E]) -> Refreshed:
        """Brings the copies of an item's fields up to date, as Session.refresh_copies() does."""
        return await self._run(copying.refresh(self._context, target))
