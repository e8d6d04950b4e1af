"""Archives: what is obsolete is written to a file, the file is verified, and then exactly what it holds is deleted.

The file has an item a line, whole and as it was stored, in the form of DynamoDB's exports, so that it can be imported again.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.fetching import fetch_items
from tablewright.client.operations import Order, plan_delete
from tablewright.client.performing import perform
from tablewright.client.session import Session
from tablewright.client.targets import Resolved, resolve_at_once
from tablewright.client.unsaid import UNSET
from tablewright.client.writes.action import same_key
from tablewright.client.writes.items import lies_under
from tablewright.compiler.conditions import conjunction
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import (
    ArgumentError,
    ConditionalCheckError,
    ImmutableFieldError,
    NotFoundError,
    OutcomeUnknownError,
)
from tablewright.evolve.transfer.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
from tablewright.evolve.transfer.files import InputFile, appearing, written_text
from tablewright.evolve.transfer.forms import same
from tablewright.evolve.transfer.json_lines import parsed
from tablewright.evolve.transfer.progress import Progress
from tablewright.evolve.transfer.selecting import Selection
from tablewright.model.entity import Entity, with_article
from tablewright.values.types import Item
from tablewright.values.wire import dumps

_OTHER = re.compile(r"\.(csv|jsonl|ndjson|parquet|tsv|sqlite|db)(\.gz)?$", re.IGNORECASE)
_FETCHED = 100
_SAVED_EVERY = 50
_COMPARED = 128
"""Attributes that a condition may name: an expression has 4 KB at most."""


class Digest(Struct, frozen=True):
    """What a whole archive holds: the number of its items, and a SHA-256 of its lines."""

    items: int
    sha256: str
    selection: str
    """What was selected."""


class Archived(Struct, frozen=True):
    """What was archived and deleted. Without `written` nothing was."""

    items: int
    written: bool
    deleted: int = 0
    gone: int = 0
    """Items that were deleted before, by this archive or by somebody else."""
    changed: int = 0
    """Items that were written since they were archived, and therefore stayed."""
    before: bool = False
    """Whether all of it was done by an earlier run, and nothing by this one."""


def digest_path(path: Path) -> Path:
    """The file beside an archive that says what it holds."""
    return path.with_name(f"{path.name}.digest.json")


def archive(
    db: Session,
    selection: Selection,
    path: Path,
    *,
    write: bool = False,
    progress: Callable[[str], object] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Archived:
    """Archives what was selected and deletes it. Unless `write`, it is only counted.

    If the archive is there already, because a run before this one was killed, it is verified, and what it holds and is still
    unchanged is deleted: nothing is archived a second time. Each item goes as delete() would do it, under the condition that
    it still is what was archived.
    """
    if selection.view is not None:
        raise ArgumentError(f"{selection.what} reads some fields only.", hint="Name an entity, or another pattern.")
    if _OTHER.search(path.name):
        raise ArgumentError(
            f"{path} is named as if it held something else: an archive has items as DynamoDB's exports have them.",
            hint="Name it old.json or old.json.gz, so that an import knows what it is.",
        )
    if not write:
        return Archived(sum(1 for _ in _lying(db, selection)), written=False)
    if not digest_path(path).exists():
        _write(db, selection, path, Progress(progress, clock, "item"))
    digest = verify_archive(path)
    if digest.selection != selection.identity:
        raise ArgumentError(
            f"{path} is the archive of something else.", hint="Name another file for what is selected now."
        )
    return _delete(db, path, digest, Progress(progress, clock, "item"))


def verify_archive(path: Path) -> Digest:
    """Reads a whole archive again; one that is not what its digest says is refused."""
    try:
        told = msgspec.json.decode(digest_path(path).read_bytes(), type=Digest)
    except (OSError, msgspec.DecodeError):
        raise ArgumentError(f"{digest_path(path)} is no digest of an archive.", hint="Name another file.") from None
    found, count = hashlib.sha256(), 0
    with InputFile(path).opened() as opened:
        for line in opened:
            found.update(line)
            count += 1
    if (count, found.hexdigest()) != (told.items, told.sha256):
        raise ArgumentError(
            f"{path} is not what was archived: nothing was deleted.", hint="Remove it with its digest, and begin anew."
        )
    return told


def _write(db: Session, selection: Selection, path: Path, progress: Progress) -> None:
    """The archive first, and its digest when it is whole: an archive without one was never finished, or is another's."""
    if path.exists():
        raise ArgumentError(
            f"{path} is there already, and no digest beside it says that it is whole.",
            hint="Nothing was deleted yet. Name another file, or remove this one if it was left by an archive.",
        )
    found, count = hashlib.sha256(), 0
    with appearing(digest_path(path)) as beside_digest, appearing(path) as beside:
        with written_text(beside, path, owners_alone=True) as text:
            for item in _stored(db, selection):
                line = dumps({"Item": item}).decode() + "\n"
                text.write(line)
                found.update(line.encode())
                count += 1
                progress.step(count, None)
        beside_digest.write_bytes(msgspec.json.encode(Digest(count, found.hexdigest(), selection.identity)))


def _stored(db: Session, selection: Selection) -> Iterator[Item]:
    """The items of what was selected, as they are stored now. One that is no longer what was read is left out: whoever
    wrote it may not think it obsolete."""
    context, forms = db._context, selection.forms()
    rows = _lying(db, selection)
    while group := list(islice(rows, _FETCHED)):
        found = db._driver.drive(fetch_items(context, [key for _, key in group], strong=True))
        for one, key in group:
            item = found.get(same_key(key))
            now = None if item is None else db.decode(item)
            if item is not None and isinstance(now, type(one)) and same(forms[type(one)], one, now):
                yield item


def _lying(db: Session, selection: Selection) -> Iterator[tuple[Entity, Item]]:
    """What was selected, and its key; under another one it is not this model that may delete it."""
    for row in selection.read(db):
        if not isinstance(row, Entity):
            continue
        try:
            key = resolve_at_once(db._context, row).key
        except ImmutableFieldError:
            key = None
        if key is None or not lies_under(row, key):
            raise ArgumentError(
                f"This model gives {with_article(type(row).__name__)} another key than it lies under, as while a migration "
                "changes keys.",
                hint="Nothing was deleted. `tablewright migrate status` tells which one is open: retire it or roll it back "
                "first, or archive by the model that its items still lie under.",
            )
        yield row, key


def _items(path: Path) -> Iterator[Item]:
    with InputFile(path).opened() as opened:
        for line in opened:
            read: Any = parsed(line)
            yield read["Item"]


def _delete(db: Session, path: Path, digest: Digest, progress: Progress) -> Archived:
    marks = path.with_name(f"{path.name}.checkpoint")
    checkpoint = load_checkpoint(marks, f"{digest.sha256} {db.table_name}")
    counts = Counter(checkpoint.counts)
    before = marks.exists() and checkpoint.done == digest.items
    for number, item in enumerate(_items(path), 1):
        if number <= checkpoint.done:
            continue
        counts[_deleted(db, item)] += 1
        progress.step(number, number / digest.items)
        if number % _SAVED_EVERY == 0:
            save_checkpoint(marks, Checkpoint(checkpoint.identity, number, dict(counts)))
    save_checkpoint(marks, Checkpoint(checkpoint.identity, digest.items, dict(counts)))
    return Archived(digest.items, True, counts["deleted"], counts["gone"], counts["changed"], before)


def _deleted(db: Session, item: Item) -> str:
    context = db._context
    plan = next((one for one in context.plan.entities.values() if one.owns(item)), None)
    if plan is None:
        raise ArgumentError("The archive holds an item of an entity that the model does not have.")
    try:
        # Not as a session does it: what is encrypted is compared as it is stored.
        db._driver.drive(_delete_unchanged(context, plan, item))
    except NotFoundError:
        return "gone"
    except OutcomeUnknownError:
        found = db._driver.drive(fetch_items(context, [plan.key_of_item(item)], strong=True))
        if found:
            raise
    except ConditionalCheckError:
        return "changed"
    return "deleted"


def _delete_unchanged(context: Context, plan: EntityPlan, item: Item) -> Steps[None]:
    """One delete under the condition that every attribute is what it was."""
    values = plan.values_in(item, plan.key_fields)
    write = plan_delete(Order(plan, None, UNSET), Resolved(plan, plan.key_of_item(item), values))
    known = {*item, *(field.path[0] for field in plan.fields.values())} - write.key.keys()
    compared = write.as_before(item, *sorted(known)) if len(known) <= _COMPARED else write.exactly(item)
    write.condition = conjunction(compared)
    yield from perform(context, write)
