"""What both plain tables do, as steps without I/O: single writes, reads by key, batches and transactions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tablewright.client.batches import Pending, checked_chunk_size, send_batch
from tablewright.client.calls import Call, Steps
from tablewright.client.context import Place
from tablewright.client.fetching import fetch_item, fetch_items, fetch_together
from tablewright.client.plain.conditions import Conditions, filter_condition, key_terms, plain_condition
from tablewright.client.plain.reading import PlainItem, PlainRead, positive, projected
from tablewright.client.plain.shape import TableShape
from tablewright.client.plain.writing import (
    check_action,
    checked_return,
    delete_action,
    put_action,
    update_action,
)
from tablewright.client.transacting import Task, transaction_request
from tablewright.client.watching import condition_in_words, library_log
from tablewright.client.writes.action import OPERATIONS, Action, same_key
from tablewright.errors import (
    ArgumentError,
    ConcurrentModificationError,
    ConditionalCheckError,
    ConditionalCheckFailed,
    TransactionCanceled,
    TransactionError,
)
from tablewright.expressions import ast
from tablewright.model.comparing import missing
from tablewright.model.keys import attr
from tablewright.values.sizes import item_size
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item


class Plain:
    """A table without a model: its name, its keys, and what can be asked of it."""

    __slots__ = ("place", "shape")

    def __init__(self, place: Place, shape: TableShape) -> None:
        self.place = place
        self.shape = shape

    # ----------------------------------------------------------------------------------------------- by key

    def get(
        self, key: Mapping[str, Any], *, consistent: bool, projection: Iterable[str] | None
    ) -> Steps[PlainItem | None]:
        """One item, or None."""
        item = yield from fetch_item(
            self.place, self.shape.key(key), strong=consistent, projection=projected(projection)
        )
        return None if item is None else from_wire_item(item)

    def get_many(
        self,
        keys: Iterable[Mapping[str, Any]],
        *,
        consistent: bool,
        together: bool,
        projection: Iterable[str] | None,
        chunk_size: int,
    ) -> Steps[list[PlainItem | None]]:
        """An item or None for each key, in their order."""
        if isinstance(keys, Mapping | str | bytes) or not isinstance(keys, Iterable):
            raise ArgumentError("get_many() takes a list of keys.", hint="Put it into a list, or use get().")
        wanted, paths = [self.shape.key(k) for k in keys], projected(projection)
        names = [a.name for a in self.shape.table.attributes]
        asked = tuple(dict.fromkeys((*paths, *((n,) for n in names)))) if paths else ()
        if together:
            found = yield from fetch_together(self.place, wanted, projection=asked)
        else:
            found = yield from fetch_items(
                self.place, wanted, strong=consistent, projection=asked, chunk_size=chunk_size
            )
        extra = {n for n in names if paths and (n,) not in paths}
        items = [found.get(same_key(k)) for k in wanted]
        return [None if i is None else from_wire_item({n: v for n, v in i.items() if n not in extra}) for i in items]

    # -------------------------------------------------------------------------------------------- ranges

    def query(
        self,
        partition: object,
        sort: object,
        *,
        index: str | None,
        condition: Conditions,
        projection: Iterable[str] | None,
        newest_first: bool,
        consistent: bool,
        limit: int | None,
        page_size: int | None,
    ) -> PlainRead:
        """A query, checked against the key that serves it."""
        key = self.shape.of(index)
        flags = self._flags(key.is_global, consistent=consistent)
        if newest_first:
            flags["ScanIndexForward"] = False
        return PlainRead(
            "Query",
            self.place.table,
            index,
            key_terms(key, partition, sort),
            filter_condition(condition, key),
            projected(projection),
            flags,
            positive(limit, "limit"),
            positive(page_size, "page_size"),
        )

    def scan(
        self,
        *,
        index: str | None,
        condition: Conditions,
        projection: Iterable[str] | None,
        consistent: bool,
        limit: int | None,
        page_size: int | None,
        segment: int,
        segments: int,
    ) -> PlainRead:
        """A scan, with a warning each time."""
        flags = self._flags(self.shape.of(index).is_global, consistent=consistent)
        whole = all(isinstance(n, int) and not isinstance(n, bool) for n in (segment, segments))
        if not whole or not 0 <= segment < segments <= 1_000_000:
            raise ArgumentError("scan() takes a segment from 0 to segments - 1.", constraint="0 <= segment < segments")
        if segments > 1:
            flags |= {"Segment": segment, "TotalSegments": segments}
        library_log().warning(
            "%s is read from end to end, and every item is charged for: a query on the table's key or an index reads only "
            "what it needs.",
            self.place.table,
        )
        return PlainRead(
            "Scan",
            self.place.table,
            index,
            (),
            plain_condition(condition, "filter"),
            projected(projection),
            flags,
            positive(limit, "limit"),
            positive(page_size, "page_size"),
        )

    def _flags(self, is_global: bool, *, consistent: bool) -> dict[str, Any]:
        if consistent and is_global:
            raise ArgumentError(
                "Global indexes have no consistent reads.", hint="Leave consistent out, or read by the table's key."
            )
        return {"ConsistentRead": True} if consistent else {}

    # -------------------------------------------------------------------------------------------- writes

    def put(self, item: PlainItem, when: Conditions, wanted: str) -> Steps[PlainItem | None]:
        """A whole item."""
        return (yield from self._write(put_action(self.shape, item, when), checked_return("Put", wanted)))

    def save(self, item: PlainItem, version: str) -> Steps[PlainItem]:
        """A whole item with a version, over what it was read as."""
        if not isinstance(item, Mapping):
            raise ArgumentError(
                f"save() takes a dict, not {type(item).__name__}.", hint='save({"PK": ..., "name": ...})'
            )
        if not isinstance(version, str):
            raise ArgumentError(
                f"save(version=...) is the name of an attribute, not {type(version).__name__}.", field="version"
            )
        known = item.get(version)
        if version in item and (type(known) is not int or known < 1):
            raise ArgumentError(f"{version!r} is a whole number from 1 on.", field=version)
        saved = {**item, version: (known or 0) + 1}
        absent = missing(attr(self.shape.table.pk[0].name))
        action = put_action(self.shape, saved, absent if known is None else attr(version) == known)
        try:
            yield from self._write(action, "NONE")
        except ConditionalCheckError as error:
            raise ConcurrentModificationError(
                "The item is there already, or was changed since it was read.",
                condition=error.condition,
                item=error.item,
                key={a.name: item[a.name] for a in (*self.shape.table.pk, *self.shape.table.sk)},
                hint="Nothing was written; read it again" + (", .item is what is stored." if error.item else "."),
            ) from error
        return saved

    def update(
        self, key: Mapping[str, Any], changes: Mapping[str, Any], when: Conditions, wanted: str
    ) -> Steps[PlainItem | None]:
        """Some attributes."""
        checked_return("Update", wanted)
        return (yield from self._write(update_action(self.shape, key, changes, when), wanted))

    def delete(self, key: Mapping[str, Any], when: Conditions, wanted: str) -> Steps[PlainItem | None]:
        """An item's end."""
        return (yield from self._write(delete_action(self.shape, key, when), checked_return("Delete", wanted)))

    def _write(self, action: Action, wanted: str) -> Steps[PlainItem | None]:
        body = action.body(self.place.table)
        if wanted != "NONE":
            body["ReturnValues"] = wanted
        try:
            response = yield Call(OPERATIONS[action.kind], body, action.repeatable)
        except ConditionalCheckFailed as failed:
            raise refused(action.condition, failed.item) from failed
        attributes: Item | None = response.get("Attributes")
        return None if attributes is None else from_wire_item(attributes)


def refused(condition: ast.Condition | None, item: Item | None, where: str = "") -> ConditionalCheckError:
    """The caller's condition did not hold; the stored item comes along, if the service told it."""
    words = condition_in_words(condition) if condition is not None else None
    return ConditionalCheckError(
        f"The condition{where} did not hold.",
        condition=words,
        item=None if item is None else from_wire_item(item),
        hint="Nothing was written; "
        + (
            ".item is what is stored."
            if item is not None
            else "no item was told: there is none, or the service keeps it."
        ),
    )


class PlainBatch:
    """Puts and deletes without conditions, 25 a request, not atomic. Of two on the same item the last one counts."""

    def __init__(self, plain: Plain, chunk_size: int) -> None:
        self._plain = plain
        self._chunk_size = checked_chunk_size(chunk_size)
        self._pending: dict[bytes, Pending] = {}
        self._over = False

    def put(self, item: PlainItem) -> None:
        """Writes a whole item, over whatever was there."""
        action = put_action(self._plain.shape, item, None)
        wire = action.item or {}
        self._add(Pending(action.key, {"PutRequest": {"Item": wire}}, item_size(wire)))

    def delete(self, key: Mapping[str, Any]) -> None:
        """Deletes the item with this key."""
        wire = self._plain.shape.key(key)
        self._add(Pending(wire, {"DeleteRequest": {"Key": wire}}, item_size(wire)))

    def _add(self, pending: Pending) -> None:
        if self._over:
            raise ArgumentError("The batch is over; this write would never be sent.", hint="Start another batch.")
        text = same_key(pending.key)
        self._pending.pop(text, None)
        self._pending[text] = pending

    def flush(self) -> Steps[None]:
        """Sends everything that was collected."""
        self._over = True
        names = [a.name for a in self._plain.shape.table.attributes]
        yield from send_batch(self._plain.place.table, names, list(self._pending.values()), self._chunk_size)


class PlainTransaction:
    """Writes that are collected, and happen all or none: at most 100, each item once, at most 4 MB."""

    def __init__(self, plain: Plain, token: str | None) -> None:
        if token is not None and (not isinstance(token, str) or not 1 <= len(token) <= 36):
            raise TransactionError("An idempotency token has 1 to 36 characters.", constraint="1 to 36 characters")
        self._plain = plain
        self._token = token
        self._actions: list[Action] = []
        self._over = False

    def put(self, item: PlainItem, *, when: Conditions = None) -> None:
        """A whole item."""
        self._add(put_action(self._plain.shape, item, when))

    def update(
        self,
        key: Mapping[str, Any],
        *,
        set: Mapping[str, Any] | None = None,  # noqa: A002 - the caller's word
        add: Mapping[str, Any] | None = None,
        remove: Iterable[str] = (),
        append: Mapping[str, Iterable[Any]] | None = None,
        include: Mapping[str, Iterable[Any]] | None = None,
        discard: Mapping[str, Iterable[Any]] | None = None,
        when: Conditions = None,
    ) -> None:
        """Some attributes, as in update()."""
        changes = {"set": set, "add": add, "remove": remove, "append": append, "include": include, "discard": discard}
        self._add(update_action(self._plain.shape, key, changes, when))

    def delete(self, key: Mapping[str, Any], *, when: Conditions = None) -> None:
        """An item's end."""
        self._add(delete_action(self._plain.shape, key, when))

    def check(self, key: Mapping[str, Any], when: Conditions = None) -> None:
        """The item must be there, or meet the condition, or nothing is written."""
        self._add(check_action(self._plain.shape, key, when))

    def _add(self, action: Action) -> None:
        if self._over:
            raise TransactionError("The transaction is over.", hint="Start another transaction.")
        self._actions.append(action)

    def commit(self) -> Steps[None]:
        """Sends everything that was collected."""
        self._over = True
        if not self._actions:
            return
        tasks: Sequence[Task] = [Task(action, number) for number, action in enumerate(self._actions)]
        request = transaction_request(self._plain.place.table, tasks, self._token or self._plain.place.token())
        try:
            yield Call("TransactWriteItems", request, repeatable=True)
        except TransactionCanceled as canceled:
            for number, reason in enumerate(canceled.reasons):
                if reason.code == "ConditionalCheckFailed":
                    error = refused(
                        self._actions[number].condition, reason.item, f" of write {number}, counted from 0,"
                    )
                    error.context["action"] = number
                    raise error from canceled
            raise
