"""What the difference of two models leaves open: questions, with what may stand in their place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.describing import EntityDescription, FieldDescription, is_upcast
from tablewright.evolve.differences.renames import renamed_fields
from tablewright.evolve.migrations.step import Question

_Pair = tuple[EntityDescription, EntityDescription]
_Fields = dict[str, FieldDescription]

_VALUE = (
    "RenameAttribute, SplitAttribute or MergeAttributes, if other attributes hold it; UpgradeEntity, if the model has a schema "
    "version that adds it; or nothing, if no item lacks it"
)
_CONVERT = (
    "UpgradeEntity, if the model has a schema version that converts it; RenameAttribute or SplitAttribute to an attribute of "
    "another name; or nothing, if all items fit"
)
_MARKERS = "nothing, once claim_unique() was run over the items, and nobody holds a value twice"
_RENAMED_RULE = "nothing, if it was renamed, which RenameAttribute below makes the markers for too; else "
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


_UPCAST = frozenset(kind for kind, answers in _ASKED.items() if answers in (_VALUE, _CONVERT)) - {
    "field-sealing-changed"
}
"""What functions from older schema versions to the new one answer: they make what it has of what there is. Sealed values are
closed to them."""


def open_questions(changes: Sequence[Change], pairs: Sequence[_Pair]) -> Iterator[Question]:
    """What has to be decided about the items that are there. What is asked as a rename is not asked again as a new field."""
    upcast = {now.name for was, now in pairs if is_upcast(was, now)}
    renamed = {f"{now.name}.{name}" for was, now in pairs for _, came in _alike(was, now) for name in came}
    for change in changes:
        if change.kind not in _ASKED or change.follows:
            continue
        if change.kind in _UPCAST and upcast.issuperset(change.entities) and change.entities:
            continue
        if change.kind == "field-added-required" and change.subject in renamed:
            continue
        entity, _, rule = change.subject.partition(": unique ")
        kept = change.kind == "unique-added" and not renamed.isdisjoint(f"{entity}.{name}" for name in rule.split("+"))
        yield Question(f"{change.subject} {change.text}.", f"{_RENAMED_RULE if kept else ''}{_ASKED[change.kind]}")


def rename_questions(was: EntityDescription, now: EntityDescription) -> Iterator[Question]:
    """A field that is gone and one of the same type that is new may be the same one. Those of one type are one question, since
    each can be the same as one other only."""
    for gone, came in _alike(was, now):
        before, after = (_listed([f"{now.name}.{name}" for name in names]) for names in (gone, came))
        single = len(gone) == len(came) == 1
        asks = "is it the same under another name?" if single else "which of them are the same under another name?"
        old, new = (_listed([f.attribute for f in fields.values()], "or") for fields in (gone, came))
        each = "" if single else " for each that is, none of them in two steps,"
        apart = "if they have nothing to do with each other"
        otherwise = f"or nothing, {apart}"
        if any(field.required for field in came.values()):
            where = apart if single else "for a new one that none of them became"
            otherwise = f"or, {where}, {_VALUE.replace('RenameAttribute, ', '')}"
        ruled = {part for rule in was.uniques for part in rule.split("+")}
        stored = any(name != field.attribute for fields in (gone, came) for name, field in fields.items())
        called = " (field= says what it was called in code)" if stored and not ruled.isdisjoint(gone) else ""
        yield Question(
            f"{before} {_are(gone)} gone and {after} {_are(came)} new: {asks}",
            f"RenameAttribute of {now.name} from {old} to {new}{called}{each} in front of the other steps, and no RemoveAttributes "
            "for it; "
            f"{otherwise}",
        )


def _alike(was: EntityDescription, now: EntityDescription) -> Iterator[tuple[_Fields, _Fields]]:
    """Fields that are gone and new ones of the same type, where nothing says what became of them."""
    if is_upcast(was, now):
        return
    renamed = renamed_fields(was, now)
    gone = {n: f for n, f in was.fields.items() if n not in now.fields and n not in renamed}
    came = {n: f for n, f in now.fields.items() if n not in was.fields and n not in renamed.values()}
    for shape in dict.fromkeys(str(field.shape) for field in gone.values()):
        old, new = ({n: f for n, f in fields.items() if str(f.shape) == shape} for fields in (gone, came))
        if new:
            yield old, new


def _listed(names: Sequence[str], word: str = "and") -> str:
    *most, last = names
    return f"{', '.join(most)} {word} {last}" if most else last


def _are(fields: _Fields) -> str:
    return "is" if len(fields) == 1 else "are"


def index_question(index: str) -> Question:
    """An index that is another one under the same name."""
    return Question(
        f"{index} has other keys or another projection, and an index cannot be changed.",
        "AddIndex and FillKeys for an index of another name, which the model reads instead; DropIndex for this one",
    )


def local_index_question(index: str) -> Question:
    """A local index that the table was not made with."""
    return Question(
        f"{index} is a local index, and a table has those that it was made with: none can be added or changed.",
        "nothing, if the table has it already, or once the items were moved to a new table that was made with it (then without "
        "FillKeys for it here); or AddIndex, after the model has a GSI instead",
    )


def key_question(entity: str, index: str) -> Question:
    """Keys on an index that are replaced in place."""
    return Question(
        f"The keys of {entity} on {index} change in place: from the moment an item is rewritten, code of the old model does not "
        "find it there.",
        "nothing, if no code of the old model reads this index while it is filled; else another index in the model, and "
        "AddIndex for it",
    )


def sparse_question(entity: str, index: str, when: str) -> Question:
    """An index that held some items only, where a rollback must know which."""
    return Question(
        f"{index} held those items of {entity} only that fit this: {when}. A rollback has to know which these are.",
        "when= of FillKeys below: a function above the migration that takes the stored item as a dict, and says whether it was in "
        "the index; without it, a rollback puts all items there that have what the keys are made of",
    )


def sort_key_question(entity: str) -> Question:
    """A key that changes within its partition."""
    return Question(
        f"{entity} stays in its partition under another key: while old items and their copies both exist, whoever reads a range "
        "of the partition may meet both.",
        "nothing, and copies=True below, if no pattern of either model reads a range in which both lie; nothing, and "
        "copies=False, if no code of the old model runs any more",
    )


def at_once_question(entity: str, indexes: Sequence[str]) -> Question:
    """Another key for items that cannot have two."""
    return Question(
        f"{entity} gets another key, and stands in {_listed(indexes)} by its own fields, so that no copies can lie beside the old items: "
        "from the moment an item is moved, code of the old model does not find it by its key.",
        "nothing, if no code of the old model runs any more when this is run",
    )


def split_question(entity: str, attributes: Sequence[str], came: Sequence[str], *, upcast: bool) -> Question:
    """What would be deleted, or taken away by an upcast, may be what items of a new entity are made of."""
    these = _listed(attributes)
    removed, otherwise = ", and no RemoveAttributes for it", f"or nothing, if what {these} held may be deleted"
    if upcast:
        removed = ", which no upcast takes away then"
        otherwise = "RemoveAttributes for what is only to go; or nothing, for what the upcasts make something else of, or delete"
    return Question(
        f"{entity} keeps {these} no more, and {_listed(came)} {'is' if len(came) == 1 else 'are'} new: are items of "
        f"{'it' if len(came) == 1 else 'them'} made of what {these} held?",
        f"SplitItem of {entity} with removes= for what they are made of{removed}; {otherwise}",
    )
