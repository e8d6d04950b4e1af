"""aiobotocore and aioboto3 without HTTP, where they are installed: the method that would send a request asks an engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from tablewright.engine import Engine
from tablewright.values import loads

Answer = tuple[Any, dict[str, Any]]


@contextmanager
def async_clients_in_process(
    engine: Engine, services: frozenset[str], answer: Callable[[Any, Any, dict[str, Any]], Answer]
) -> Iterator[None]:
    """Meanwhile async clients of these services have their requests answered by `answer`, and those of others as ever.

    Everything around the request is the SDK's: parameters are checked, and handlers of its events called, up to
    those of sending.
    """
    every = _every_client()
    if every is None:
        yield
        return
    original = every._make_request

    async def make_request(client: Any, model: Any, request: dict[str, Any], context: dict[str, Any]) -> Answer:
        if client.meta.service_model.service_name not in services:
            sent: Answer = await original(client, model, request, context)
            return sent
        try:
            if engine.in_memory and not engine.is_at_fault:
                return answer(client, model, loads(request["body"]))
            return await asyncio.to_thread(answer, client, model, loads(request["body"]))
        except Exception as error:
            where = f"{client.meta.service_model.service_id.hyphenize()}.{model.name}"
            await client.meta.events.emit(f"after-call-error.{where}", exception=error, context=context)
            raise

    every._make_request = make_request
    try:
        yield
    finally:
        every._make_request = original


def _every_client() -> Any:
    """The class of all async clients; None where nobody can have one: it is not there, or not made for the botocore that is."""
    try:
        return import_module("aiobotocore.client").AioBaseClient
    except ImportError:
        return None
