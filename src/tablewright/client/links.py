"""What both sessions do with relationships: links whose ends exist."""

from __future__ import annotations

from typing import TypeVar

from tablewright.client import linking
from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.model.entity import Entity

E = TypeVar("E", bound=Entity)
T = TypeVar("T")


class Links:
    """What a Session does with relationships."""

    _context: Context

    def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    def link(self, entity: E) -> E:
        """Creates a link of a recorded relationship, if both of its ends exist: NotFoundError tells which does not.

        create() does not look at the ends. Either writes the link's mirror, if it has one; update() and delete() do too."""
        return self._run(linking.link(self._context, entity))


class AsyncLinks:
    """What an AsyncSession does with relationships."""

    _context: Context

    async def _run(self, steps: Steps[T]) -> T:
        raise NotImplementedError

    async def link(self, entity: E) -> E:
        """Creates a link of a recorded relationship, if both of its ends exist."""
        return await self._run(linking.link(self._context, entity))
