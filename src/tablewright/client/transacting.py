"""Many actions as one transaction: one action per item, at most a hundred, at most 4 MB."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from tablewright.client.writes import markers
from tablewright.client.writes.action import Action, same_key
from tablewright.errors import TablewrightError, TransactionError, UniqueViolationError
from tablewright.values.sizes import attribute_size, item_size
from tablewright.values.types import Item

MAX_ACTIONS = 100
MAX_BYTES = 4 * 1024 * 1024


class Task(Struct, frozen=True):
    """An action, and which of the caller's writes it belongs to."""

    action: Action
    position: int


def settle(tasks: Sequence[Task]) -> list[Task]:
    """A unique value that one owner gives up and another takes is one action, not two on the same marker. So is one that
    two items give up, of which only one can be its owner."""
    marked = [t for t in tasks if t.action.marker is not None]
    given: dict[bytes, Task] = {}
    for task in marked:
        if task.action.kind == "Delete":
            first = given.get(same_key(task.action.key))
            joined = task if first is None else Task(markers.given_up_by_one(first.action, task.action), first.position)
            given[same_key(task.action.key)] = joined
    taken: dict[bytes, Task] = {}
    for task in marked:
        if task.action.kind == "Put" and taken.setdefault(same_key(task.action.key), task) is not task:
            twice = UniqueViolationError(
                f"Two items of the transaction claim the same value of {task.action.marker}.",
                hint="Nothing was sent; choose another value for one of them.",
                context={"unique": task.action.marker},
            )
            raise told({task.position: twice})
    settled: list[Task] = []
    for task in tasks:
        text = same_key(task.action.key) if task.action.marker is not None else b""
        if task.action.kind == "Put" and text in given:
            settled.append(Task(markers.hand_over(task.action, given[text].action), task.position))
        elif task.action.kind != "Delete" or task.action.marker is None:
            settled.append(task)
        elif text not in taken and text in given:
            settled.append(given.pop(text))
    return settled


def transaction_request(table: str, tasks: Sequence[Task], token: str) -> dict[str, Any]:
    """The request; raises TransactionError for what cannot be one transaction."""
    if len(tasks) > MAX_ACTIONS:
        raise TransactionError(
            f"The transaction has {len(tasks)} actions, markers of unique values included; DynamoDB allows {MAX_ACTIONS}.",
            constraint=f"{MAX_ACTIONS} actions",
            hint="Nothing was sent; make it smaller, or write in batches without atomicity.",
        )
    refuse_same_item(t.action.key for t in tasks)
    bodies = [t.action.body(table) for t in tasks]
    size = sum(map(payload, bodies))
    if size > MAX_BYTES:
        raise TransactionError(
            f"The transaction holds {size:,} bytes; DynamoDB allows {MAX_BYTES:,}.",
            constraint=f"{MAX_BYTES} bytes",
            hint="Nothing was sent; make it smaller.",
        )
    items = [{t.action.kind: body} for t, body in zip(tasks, bodies, strict=True)]
    return {"TransactItems": items, "ClientRequestToken": token}


def told(errors: Mapping[int, TablewrightError]) -> TablewrightError:
    """The error of the first write that failed; it says which of the caller's writes that is, and why each one failed."""
    first = min(errors)
    errors[first].context["action"] = first
    errors[first].context["reasons"] = {n: error.message for n, error in sorted(errors.items())}
    return errors[first]


def refuse_same_item(keys: Iterable[Item]) -> None:
    """DynamoDB takes one action per item in a transaction."""
    seen: dict[bytes, int] = {}
    for number, key in enumerate(keys):
        first = seen.setdefault(same_key(key), number)
        if first != number:
            raise TransactionError(
                f"The writes {first} and {number} of the transaction, counted from 0, are on the same item.",
                constraint="one action per item",
                hint="Nothing was sent; make one of the two. What is to hold for an item that is written goes into its write: "
                "when= or expected_version=, a require() of its change, or the entity as it was read, which locks it.",
            )


def payload(body: dict[str, Any]) -> int:
    """The bytes of one action that count towards the limit."""
    values = body.get("ExpressionAttributeValues", {}).values()
    return item_size(body.get("Item") or body["Key"]) + sum(map(attribute_size, values))
