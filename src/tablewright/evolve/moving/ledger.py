"""The ledger: a small table beside the moving tables, with a note for each legacy item whose new form is still to be written.

A note is the outbox record of a write: it is written with the legacy item in one transaction, and stays, with its number, after
it was settled. So a slower writer with an older state is refused, also when the item was deleted meanwhile.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import Any
from zlib import compress, decompress

from msgspec import Struct

from tablewright.client.calls import Pause, Steps
from tablewright.client.tables import describe
from tablewright.client.writes.action import Action
from tablewright.errors import ConditionalCheckFailed, ResourceInUse
from tablewright.evolve.moving.bad_rows import BadRow, Tell
from tablewright.evolve.moving.deriving import key_text
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.sides import Place, Side, Walk, get, send
from tablewright.expressions import ast
from tablewright.expressions.builder import all_of, any_of
from tablewright.transport.answers import next_start
from tablewright.values.sizes import MAX_PARTITION_KEY
from tablewright.values.types import Item
from tablewright.values.wire import loads

ID = "id"
_POLLS = 60
_PACKED, _COMING = "packed", "coming"


class Note(Struct, frozen=True):
    """A legacy item that was written, or is to be moved, and whose new form may not be there yet."""

    move: str
    key: Item
    """The key of the leading legacy item."""
    number: int
    """Counts the writes; a greater number is a later state."""
    parts: tuple[Item, ...]
    """Keys in the new table that earlier states had."""
    coming: tuple[Item, ...]
    """Keys that somebody was about to write."""
    pending: bool
    failed: str | None
    """Why it could not be settled, without values."""
    digest: str | None = None
    """What was settled last."""


def record_id(place: Place, kind: str) -> Item:
    """The key of the one record of a kind, such as the phase."""
    return {ID: {"S": f"{kind}#{place.moving.name}"}}


def note_id(place: Place, move: Move, key: Item) -> Item:
    """The key of the note of a legacy item; a digest where it would be longer than a key may be. The note itself tells move and key."""
    begun = _notes_of(place)
    text = f"{begun}{move.called}#{key_text(key)}"
    if len(text.encode()) > MAX_PARTITION_KEY:
        text = f"{begun}{sha256(text.encode()).hexdigest()}"
    return {ID: {"S": text}}


def _notes_of(place: Place) -> str:
    return f"note#{place.moving.name}#"


def sides_of(place: Place) -> tuple[Side, ...]:
    """Where ledgers are: one, or one on each side that no transaction spans."""
    return ("legacy",) if place.together else ("legacy", "new")


def create_ledgers(place: Place) -> Walk[None]:
    """Makes the ledger where it is missing."""
    definition = {
        "TableName": place.moving.ledger,
        "AttributeDefinitions": [{"AttributeName": ID, "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": ID, "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    for side in sides_of(place):
        try:
            yield from send(side, "CreateTable", definition)
        except ResourceInUse:
            continue


def until_active(place: Place) -> Steps[None]:
    """Waits until a ledger that was just made can be used."""
    for attempt in range(_POLLS):
        found = yield from describe(place.moving.ledger)
        if found is not None and found["TableStatus"] == "ACTIVE":
            return
        yield Pause(attempt, what="Waiting for the ledger")
    raise ResourceInUse(f"The ledger {place.moving.ledger} was made, but cannot be used yet.", hint="Try again later.")


def noting(place: Place, move: Move, key: Item, parts: Iterable[Item]) -> dict[str, Any]:
    """The action that notes a write, for the transaction that makes it. What was settled before counts no more."""
    return {"Update": _mark(place, move, key, parts, None, ast.RemoveAction(("digest",))).body(place.moving.ledger)}


def noting_new(place: Place, move: Move, key: Item, digest: str) -> dict[str, Any]:
    """The same for a legacy item that may never have been moved: only where another state than this one was settled last."""
    other = ast.Compare("<>", ast.Attribute(("digest",)), ast.Value({"S": digest}))
    never = all_of(
        any_of(ast.AttributeNotExists(("digest",)), other),
        ast.AttributeNotExists(("pending",)),
    )
    return {"Update": _mark(place, move, key, (), never).body(place.moving.ledger)}


def _mark(
    place: Place,
    move: Move,
    key: Item,
    parts: Iterable[Item],
    condition: ast.Condition | None,
    *more: ast.UpdateAction,
) -> Action:
    actions: list[ast.UpdateAction] = [
        *more,
        ast.SetAction(("move",), ast.Value({"S": move.called})),
        ast.SetAction(("key",), ast.Value({"M": key})),
        ast.SetAction(("pending",), ast.Value({"BOOL": True})),
        ast.AddAction(("number",), ast.Value({"N": "1"})),
    ]
    texts = sorted({key_text(part) for part in parts})
    if texts:
        actions.append(ast.AddAction(("parts",), ast.Value({"SS": texts})))
    return Action("Update", note_id(place, move, key), update=ast.Update(tuple(actions)), condition=condition)


def read_note(place: Place, move: Move, key: Item) -> Walk[Note | None]:
    """The note of a legacy item as it is now."""
    item = yield from get("legacy", place.moving.ledger, note_id(place, move, key))
    return None if item is None else _note(item)


def _note(item: Item) -> Note:
    return Note(
        item["move"]["S"],
        item["key"]["M"],
        int(item["number"]["N"]),
        _keys({*item.get("parts", {"SS": []})["SS"], *_unpacked(item, _PACKED)}),
        _keys(_unpacked(item, _COMING)),
        "pending" in item,
        item.get("failed", {}).get("S"),
        item.get("digest", {}).get("S"),
    )


def _keys(texts: Iterable[str]) -> tuple[Item, ...]:
    return tuple(key_from_text(text) for text in sorted(texts))


def announced(place: Place, move: Move, note: Note, parts: Iterable[Item]) -> Walk[bool]:
    """Notes the keys that are about to be written, so that whoever comes after a crash knows of them."""
    coming = {key_text(part) for part in note.coming}
    texts = {key_text(part) for part in parts} | coming
    if texts <= coming | {key_text(part) for part in note.parts}:
        return True
    return (yield from _amend(place, move, note, ast.Update((_packed(_COMING, texts),))))


def settled(place: Place, move: Move, note: Note, digest: str, parts: Iterable[Item]) -> Walk[bool]:
    """Takes a note off the list, unless there was another write since it was read. It keeps the keys that are there now."""
    texts = {key_text(part) for part in parts}
    kept = _packed(_PACKED, texts) if texts else ast.RemoveAction((_PACKED,))
    done = ast.SetAction(("digest",), ast.Value({"S": digest}))
    gone = [ast.RemoveAction((name,)) for name in ("pending", "failed", "parts", _COMING)]
    return (yield from _amend(place, move, note, ast.Update((*gone, done, kept))))


def _packed(name: str, texts: Iterable[str]) -> ast.UpdateAction:
    """Keys in one compressed value: those of one legacy item have most in common, and there may be thousands."""
    data = compress("\n".join(sorted(texts)).encode())
    return ast.SetAction((name,), ast.Value({"B": b64encode(data).decode()}))


def _unpacked(item: Item, name: str) -> list[str]:
    return decompress(b64decode(item[name]["B"])).decode().split("\n") if name in item else []


def failed(place: Place, move: Move, note: Note, reason: str) -> Walk[bool]:
    """Says on a note why it could not be settled."""
    return (yield from _amend(place, move, note, ast.Update((ast.SetAction(("failed",), ast.Value({"S": reason})),))))


def _amend(place: Place, move: Move, note: Note, update: ast.Update) -> Walk[bool]:
    same = ast.Compare("=", ast.Attribute(("number",)), ast.Value({"N": str(note.number)}))
    body = Action("Update", note_id(place, move, note.key), update=update, condition=same).body(place.moving.ledger)
    try:
        yield from send("legacy", "UpdateItem", body)
    except ConditionalCheckFailed:
        return False
    return True


def not_older(place: Place, move: Move, note: Note) -> dict[str, Any]:
    """The guard on the other side: nothing was written there for a later state."""
    number = ast.Value({"N": str(note.number)})
    older = any_of(ast.AttributeNotExists(("number",)), ast.Compare("<=", ast.Attribute(("number",)), number))
    update = ast.Update((ast.SetAction(("number",), number),))
    action = Action("Update", note_id(place, move, note.key), update=update, condition=older)
    return {"Update": action.body(place.moving.ledger)}


def same_number(place: Place, move: Move, note: Note) -> dict[str, Any]:
    """A check that there was no other write since a note was read."""
    same = ast.Compare("=", ast.Attribute(("number",)), ast.Value({"N": str(note.number)}))
    action = Action("ConditionCheck", note_id(place, move, note.key), condition=same)
    return {"ConditionCheck": action.body(place.moving.ledger)}


def pending_notes(place: Place, start: Item | None) -> Walk[tuple[list[Note], Item | None]]:
    """A page of what is still to be written, and where to go on."""
    request: dict[str, Any] = {
        "TableName": place.moving.ledger,
        "ConsistentRead": True,
        "FilterExpression": "attribute_exists(pending) AND begins_with(#id, :notes)",
        "ExpressionAttributeNames": {"#id": ID},
        "ExpressionAttributeValues": {":notes": {"S": _notes_of(place)}},
    }
    if start is not None:
        request["ExclusiveStartKey"] = start
    response = yield from send("legacy", "Scan", request, repeatable=True)
    return [_note(item) for item in response["Items"]], next_start(response)


def row_of(place: Place, note: Note, reason: str) -> BadRow:
    """The legacy item of a note; one of a move that is no more goes by the name of that."""
    move = place.moving.by_name.get(note.move)
    return BadRow("legacy", note.move if move is None else move.table, note.key, note.move, reason)


def pending_by_reason(place: Place, bad_row: Tell | None = None) -> Walk[dict[str, int]]:
    """How many are still to be written, for each reason."""
    found: dict[str, int] = {}
    start: Item | None = None
    while True:
        notes, start = yield from pending_notes(place, start)
        for note in notes:
            reason = note.failed or "not written yet"
            found[reason] = found.get(reason, 0) + 1
            if bad_row is not None:
                bad_row(row_of(place, note, reason))
        if start is None:
            return found


def key_from_text(text: str) -> Item:
    """The key that a text of key_text() stands for."""
    key: Item = loads(text)["M"]
    return key
