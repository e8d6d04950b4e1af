"""Items by their keys: one at a time, many in batches, or all at one moment."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.context import Place
from tablewright.client.unsaid import MAX_BATCH_GET
from tablewright.client.writes.action import same_key
from tablewright.errors import ArgumentError, UnprocessedError
from tablewright.expressions import ExpressionBuilder, ast
from tablewright.transport.answers import unfit
from tablewright.values.types import Item

if TYPE_CHECKING:
    from tablewright.compiler.records import Form

MAX_TOGETHER = 100
ATTEMPTS = 8
"""How often a batch of which nothing at all was processed is sent again."""


class Need(Struct, frozen=True):
    """The write that something is read for: of which entity, and what its caller calls it."""

    entity: str | None = None
    write: str | None = None


NO_NEED = Need()


def fetch_item(
    context: Place,
    key: Item,
    *,
    strong: bool,
    projection: Sequence[ast.Path] = (),
    pattern: str | None = None,
    form: Form | None = None,
    need: Need = NO_NEED,
) -> Steps[Item | None]:
    """One GetItem. With a form the item may be a record of it. `need` is the write that it is for."""
    request: dict[str, Any] = {"TableName": context.table, "Key": key}
    if projection:
        request.update(ExpressionBuilder().project(*projection).build())
    if strong:
        request["ConsistentRead"] = True
    response = yield Call("GetItem", request, True, pattern, form, need.entity if form is None else form.of, need.write)
    return response.get("Item")


def namer(form: Form | None) -> Callable[[Item], Hashable]:
    """What names keys, so that equal ones have equal names."""
    return same_key if form is None else form.key_name


def fetch_items(
    context: Place,
    keys: Sequence[Item],
    *,
    strong: bool,
    projection: Sequence[ast.Path] = (),
    chunk_size: int = MAX_BATCH_GET,
    form: Form | None = None,
    names: Sequence[Hashable] | None = None,
    need: Need = NO_NEED,
) -> Steps[dict[Hashable, Item]]:
    """The items that there are, by the names of their keys; each is asked for once. A projection names the key attributes
    too. With a form the items may be records of it. `names` are those of the keys, where the caller has them already.
    `need` is the write that they are read for."""
    if not isinstance(chunk_size, int) or isinstance(chunk_size, bool) or not 1 <= chunk_size <= MAX_BATCH_GET:
        raise ArgumentError(f"chunk_size is a number from 1 to {MAX_BATCH_GET}.", constraint="chunk_size")
    name, entity = namer(form), need.entity if form is None else form.of
    if names is None:
        names = [name(k) for k in keys]
    if len(keys) == 1:
        item = yield from fetch_item(context, keys[0], strong=strong, projection=projection, form=form, need=need)
        return {} if item is None else {names[0]: item}
    found: dict[Hashable, Any] = {}
    pending = list(dict(zip(names, keys, strict=True)).values())
    attributes = list(keys[0]) if keys else []
    projected = ExpressionBuilder().project(*projection).build()
    attempt = 0
    while pending:
        asked, rest = pending[:chunk_size], pending[chunk_size:]
        table: dict[str, Any] = {"Keys": asked, **projected}
        if strong:
            table["ConsistentRead"] = True
        request = {"RequestItems": {context.table: table}}
        response = yield Call("BatchGetItem", request, True, None, form, entity, need.write)
        items: list[Any] = response["Responses"].get(context.table, [])
        for one in items:
            if form is not None and one.__class__ is form.record:
                found[form.name(one)] = one
            else:
                found[name({a: one[a] for a in attributes})] = one
        unprocessed = response.get("UnprocessedKeys")
        left = _left(unprocessed, context.table, asked) if unprocessed else []
        pending = left + rest
        if left:
            # 16 MB fill a response too: as long as there is progress, nothing is wrong.
            attempt = attempt + 1 if len(left) == len(asked) else 0
            if attempt > ATTEMPTS:
                raise UnprocessedError(
                    f"{len(pending)} keys of a batch stayed unread.", keys=pending, hint="Try again later."
                )
            yield Pause(attempt, what="A read of keys that were left over")
        else:
            attempt = 0
    return found


def _left(unprocessed: dict[str, Any], table: str, asked: Sequence[Item]) -> list[Item]:
    """The keys that were asked for and not read; a reply that names others is none."""
    left: list[Item] = unprocessed.get(table, {}).get("Keys", [])
    if unprocessed.keys() != {table} or not {same_key(k) for k in left} <= {same_key(k) for k in asked}:
        raise unfit("BatchGetItem")
    return left


def fetch_together(
    context: Place, keys: Sequence[Item], *, projection: Sequence[ast.Path] = ()
) -> Steps[dict[Hashable, Item]]:
    """The same as of one moment, for at most a hundred keys."""
    wanted: dict[Hashable, Item] = {same_key(k): k for k in keys}
    if len(wanted) > MAX_TOGETHER:
        raise ArgumentError(
            f"{len(wanted)} items cannot be read at one moment; DynamoDB allows {MAX_TOGETHER}.",
            constraint=f"{MAX_TOGETHER} items",
            hint="Read fewer, or without together=True.",
        )
    if not wanted:
        return {}
    projected = ExpressionBuilder().project(*projection).build()
    gets = [{"Get": {"TableName": context.table, "Key": k, **projected}} for k in wanted.values()]
    response = yield Call("TransactGetItems", {"TransactItems": gets}, repeatable=True)
    answers = zip(wanted, response["Responses"], strict=True)
    return {text: answer["Item"] for text, answer in answers if answer.get("Item")}
