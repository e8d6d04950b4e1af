"""Other items that work wants to know of, read for a whole page at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from tablewright.client.retry import RetryPolicy
from tablewright.client.writes.action import same_key
from tablewright.evolve.jobs.sending import Sender
from tablewright.evolve.jobs.work import WorkBeside
from tablewright.values.types import Item

_AT_ONCE = 100
"""Keys that one BatchGetItem may ask for."""


class Neighbours:
    """Reads what stands beside items."""

    def __init__(
        self, work: WorkBeside, sender: Sender, policy: RetryPolicy, sleep: Callable[[float], Awaitable[object]]
    ) -> None:
        self.work = work
        self._sender = sender
        self._policy = policy
        self._sleep = sleep

    async def of(self, items: Sequence[Item]) -> list[list[Item | None]]:
        """For each item what the work asked for, as it is now; None where nothing is."""
        asked = [[(table, same_key(key), key) for table, key in self.work.beside(item)] for item in items]
        keys = {(table, mark): key for one in asked for table, mark, key in one}
        there: dict[tuple[str, bytes], Item] = {}
        names = list(keys)
        for first in range(0, len(names), _AT_ONCE):
            there |= await self._read({name: keys[name] for name in names[first : first + _AT_ONCE]})
        return [[there.get((table, mark)) for table, mark, _ in one] for one in asked]

    async def _read(self, keys: dict[tuple[str, bytes], Item]) -> dict[tuple[str, bytes], Item]:
        wanted: dict[str, Any] = {}
        for (table, _), key in keys.items():
            wanted.setdefault(table, {"Keys": [], "ConsistentRead": True})["Keys"].append(key)
        names = {table: tuple(asked["Keys"][0]) for table, asked in wanted.items()}
        found: dict[tuple[str, bytes], Item] = {}
        attempt = 0
        while wanted:
            response = await self._sender.read("BatchGetItem", {"RequestItems": wanted})
            for table, items in response["Responses"].items():
                found |= {(table, same_key({n: item[n] for n in names[table]})): item for item in items}
            wanted = response.get("UnprocessedKeys") or {}
            if wanted:
                await self._sleep(self._policy.delay(attempt))
                attempt += 1
        return found
