"""Stores of offloaded values at work, sync or async: the I/O behind a Keeping step. Failures are answers, not exceptions."""

from __future__ import annotations

from typing import Any

from tablewright.client.calls import Keeping
from tablewright.model.sealing import is_async


def keep(step: Keeping) -> dict[str, Any]:
    """Carries a step out, one value after another."""
    return {"results": [_kept(step, position) for position in range(len(step.names))]}


def _kept(step: Keeping, position: int) -> Any:
    store: Any = step.store
    name = step.names[position]
    try:
        if is_async(store):
            raise TypeError("this store is for asyncio, and the session is not")
        return store.get(name) if step.data is None else store.put(name, step.data[position])
    except Exception as error:  # a store may raise anything
        return error


async def keep_async(step: Keeping) -> dict[str, Any]:
    """The same, all values at once; a store without asyncio works in threads."""
    import asyncio

    async def one(position: int) -> Any:
        store: Any = step.store
        if not is_async(store):
            return await asyncio.to_thread(_kept, step, position)
        name = step.names[position]
        try:
            return await (store.get(name) if step.data is None else store.put(name, step.data[position]))
        except Exception as error:
            return error

    return {"results": await asyncio.gather(*map(one, range(len(step.names))))}
