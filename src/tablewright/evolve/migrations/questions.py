"""What the difference of two models leaves open: questions, with what may stand in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.describing import EntityDescription
from tablewright.evolve.differences.renames import renamed_fields
from tablewright.evolve.migrations.step import Question

_VALUE = (
    "RenameAttribute, SplitAttribute or MergeAttributes, if other attributes hold it; UpgradeEntity, if the model has a schema "
    "version that adds it; or nothing, if no item lacks it"
)
_CONVERT = (
    "UpgradeEntity, if the model has a schema version that converts it; RenameAttribute or SplitAttribute to an attribute of "
    "another name; or nothing, if all items fit"
)
_MARKERS = "nothing, once claim_unique() was run over the items, and nobody holds a value twice"
_ELSEWHERE = "nothing: this is a matter of another table, to which items are copied"

_ASKED = {
    "field-added-required": _VALUE,
    "field-became-required": _VALUE,
    "field-type-changed": _CONVERT,
    "field-narrowed": _CONVERT,
    "field-normalised": _CONVERT,
    "field-sealing-changed": _CONVERT,
    "validators-changed": _CONVERT,
    "type-changed": "nothing, once type=... of the entity says what its items are stored as",
    "entity-removed": "nothing, if its items are to stay, or were deleted",
    "unique-added": _MARKERS,
    "unique-scope-changed": _MARKERS,
    "unique-key-changed": _MARKERS,
    "count-changed": "nothing, once each tree was loaded and saved with the new model",
    "counter-shards-removed": "nothing, once the shards beyond the last were added to others",
    "table-renamed": _ELSEWHERE,
    "table-key-changed": _ELSEWHERE,
    "setting-changed": _ELSEWHERE,
}
"""Kinds of differences that concern items, and that no step follows from."""


def open_questions(changes: Sequence[Change]) -> Iterator[Question]:
    """What has to be decided about the items that are there."""
    for change in changes:
        if change.kind in _ASKED and not change.follows:
            yield Question(f"{change.subject} {change.text}.", _ASKED[change.kind])


def rename_questions(was: EntityDescription, now: EntityDescription) -> Iterator[Question]:
    """A field that is gone and one of the same type that is new may be the same one."""
    renamed = renamed_fields(was, now)
    gone = {n: f for n, f in was.fields.items() if n not in now.fields and n not in renamed}
    came = {n: f for n, f in now.fields.items() if n not in was.fields and n not in renamed.values()}
    for before, field in gone.items():
        for after, other in came.items():
            if str(field.shape) == str(other.shape):
                yield Question(
                    f"{now.name}.{before} is gone and {now.name}.{after} is new: is it the same under another name?",
                    f"RenameAttribute of {now.name} from {field.attribute} to {other.attribute} in front of the other steps, and "
                    "no RemoveAttributes for it; or nothing, if they have nothing to do with each other",
                )


def index_question(index: str) -> Question:
    """An index that is another one under the same name."""
    return Question(
        f"{index} has other keys or another projection, and an index cannot be changed.",
        "AddIndex and FillKeys for an index of another name, which the model reads instead; DropIndex for this one",
    )


def key_question(entity: str, index: str) -> Question:
    """Keys on an index that are replaced in place."""
    return Question(
        f"The keys of {entity} on {index} change in place: from the moment an item is rewritten, code of the old model does not "
        "find it there.",
        "nothing, if no code of the old model reads this index while it is filled; else another index in the model, and "
        "AddIndex for it",
    )


def sort_key_question(entity: str) -> Question:
    """A key that changes within its partition."""
    return Question(
        f"{entity} stays in its partition under another key: while old items and their copies both exist, whoever reads a range "
        "of the partition may meet both.",
        "nothing, and copies=True below, if no pattern of either model reads a range in which both lie; nothing, and "
        "copies=False, if no code of the old model runs any more",
    )
