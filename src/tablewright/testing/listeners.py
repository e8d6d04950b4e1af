"""Who listens to the events of an SDK's client, and so how much of a call must be done as it is done on a network."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any
from weakref import WeakKeyDictionary

_REQUEST_EVENTS = ("before-endpoint-resolution", "before-call")
_WIRE_EVENTS = (
    "request-created",
    "choose-signer",
    "before-sign",
    "before-send",
    "before-parse",
    "response-received",
    "needs-retry",
)
# What these do at such events is for the network's sake; moto would answer in the engine's place.
_AT_HOME = ("botocore.", "boto3.", "moto.", "pynamodb.")
_STUBS = "botocore.stub"  # the SDK's own way to answer in somebody's place


class Interest(IntEnum):
    """What the handlers of a client can see."""

    PARAMETERS = 0
    """Parameters and answers, as every handler can."""
    REQUEST = 1
    """The request as it would be sent: `before-call`."""
    WIRE = 2
    """Sending it: `before-send` and what is around it."""


_known: WeakKeyDictionary[Any, tuple[object, dict[str, Interest]]] = WeakKeyDictionary()


def interest_in(client: Any, operation: str) -> Interest:
    """How much of a call the handlers of a client can see."""
    emitter = client.meta.events._emitter
    # The emitter takes a new cache whenever a handler comes or goes.
    stamp = emitter._lookup_cache
    known = _known.get(emitter)
    if known is None or known[0] is not stamp:
        known = _known[emitter] = (stamp, {})
    interest = known[1].get(operation)
    if interest is None:
        where = f"{client.meta.service_model.service_id.hyphenize()}.{operation}"
        interest = known[1][operation] = _found(emitter._handlers, where)
    return interest


def _found(handlers: Any, where: str) -> Interest:
    for interest, events in ((Interest.WIRE, _WIRE_EVENTS), (Interest.REQUEST, _REQUEST_EVENTS)):
        if any(_are_strange(handlers.prefix_search(f"{event}.{where}")) for event in events):
            return interest
    return Interest.PARAMETERS


def _are_strange(handlers: Iterable[Any]) -> bool:
    modules = [getattr(handler, "__module__", None) or type(handler).__module__ for handler in handlers]
    return any(module == _STUBS or not f"{module}.".startswith(_AT_HOME) for module in modules)
