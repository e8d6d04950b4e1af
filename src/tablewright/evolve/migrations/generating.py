"""From the difference of two models to the steps of a migration; what cannot be decided becomes a question."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.evolve.differences.changes import Change
from tablewright.evolve.differences.comparing import compare_models
from tablewright.evolve.differences.describing import (
    EntityDescription,
    IndexDescription,
    KeysDescription,
    ModelDescription,
    derived_of,
    is_upcast,
)
from tablewright.evolve.differences.keytexts import renamed_keys
from tablewright.evolve.differences.renames import pair_entities, renamed_fields
from tablewright.evolve.differences.texts import in_words
from tablewright.evolve.migrations.questions import (
    at_once_question,
    index_question,
    key_question,
    local_index_question,
    open_questions,
    rename_questions,
    sort_key_question,
    sparse_question,
    split_question,
)
from tablewright.evolve.migrations.step import Step
from tablewright.evolve.migrations.steps.add_index import AddIndex
from tablewright.evolve.migrations.steps.change_key import ChangeKey
from tablewright.evolve.migrations.steps.drop_index import DropIndex
from tablewright.evolve.migrations.steps.fill_keys import FillKeys
from tablewright.evolve.migrations.steps.move_entity import MoveEntity
from tablewright.evolve.migrations.steps.remove_attributes import RemoveAttributes
from tablewright.evolve.migrations.steps.remove_keys import RemoveKeys
from tablewright.evolve.migrations.steps.rename_attribute import RenameAttribute
from tablewright.evolve.migrations.steps.to_multi_attribute_keys import ToMultiAttributeKeys
from tablewright.evolve.migrations.steps.upgrade_entity import UpgradeEntity
from tablewright.model.keys import Derived

_Pairs = list[tuple[EntityDescription, EntityDescription]]


def steps_between(old: ModelDescription, new: ModelDescription) -> tuple[tuple[Step, ...], tuple[Change, ...]]:
    """The steps, in an order in which readers of both models are served, and the differences that they come from."""
    changes = compare_models(old, new).changes
    pairs = pair_entities(old, new)[1]
    exchanged = dict(_exchanged(old, new, pairs))
    split = _may_be_split(old, new, pairs)
    steps = [
        *open_questions(changes, pairs),
        *(step for was, now in pairs for step in rename_questions(was, now)),
        # Attributes first: keys are made of them, in run() and again in retire().
        *(step for was, now in pairs for step in _renamed_attributes(was, now)),
        *(_exchange(old, new, pairs, before, after) for after, before in exchanged.items()),
        *_added_indexes(old, new, set(exchanged)),
        *(step for was, now in pairs for step in _filled(was, now, old, new, set(exchanged))),
        *(step for was, now in pairs for step in _moved(was, now, old, new)),
        *(step for was, now in pairs for step in _upgraded(was, now)),  # when each lies where its keys say
        *_dropped_indexes(old, new, set(exchanged.values())),
        *(
            step
            for was, now in pairs
            for step in (
                *_left_behind(was, now, old, new, set(exchanged.values())),
                *_given_up(was, now, new, split.get(now.name, [])),
            )
        ),
    ]
    return tuple(steps), changes


def _index_form(index: IndexDescription) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """The attributes of both sides with their types, and the projection."""
    pk, sk = (
        tuple(key.removeprefix(f"{side} ") for key in index.keys if key.startswith(f"{side} ")) for side in ("pk", "sk")
    )
    return pk, sk, index.projection


def _added_indexes(old: ModelDescription, new: ModelDescription, done: set[str]) -> Iterator[Step]:
    for name, index in new.indexes.items():
        before = old.indexes.get(name)
        if index.local and before != index:
            yield local_index_question(name)
        elif before is not None and before != index:
            yield index_question(name)
        elif before is None and name not in done:
            yield AddIndex(name, *_index_form(index))


def _dropped_indexes(old: ModelDescription, new: ModelDescription, done: set[str]) -> Iterator[Step]:
    for name, index in old.indexes.items():
        if name not in new.indexes and name not in done and not index.local:
            yield DropIndex(name, *_index_form(index))


# ------------------------------------------------------------------------------------- concatenated keys taken apart


def _exchanged(old: ModelDescription, new: ModelDescription, pairs: _Pairs) -> Iterator[tuple[str, str]]:
    """Indexes of several attributes that take the place of one of texts: for the same entities, by the same fields."""
    gone = [n for n, i in old.indexes.items() if n not in new.indexes and not i.local and len(i.keys) <= 2]
    for name, index in new.indexes.items():
        if name in old.indexes or index.local or len(index.keys) <= 2:
            continue
        for before in gone:
            inside = [(w.indexes.get(before), n.indexes.get(name), renamed_fields(w, n)) for w, n in pairs]
            both = [(w, n, renamed) for w, n, renamed in inside if w is not None or n is not None]
            if both and all(w is not None and n is not None and _same_fields(w, n, r) for w, n, r in both):
                gone.remove(before)
                yield name, before
                break


def _same_fields(was: KeysDescription, now: KeysDescription, renamed: dict[str, str]) -> bool:
    before = renamed_keys(was, renamed)
    # What such keys derive is no field that an attribute could hold.
    return was.when is None and not before.derived and set(before.forms) == set(now.forms)


def _exchange(old: ModelDescription, new: ModelDescription, pairs: _Pairs, before: str, after: str) -> Step:
    concerned = [(w, n) for w, n in pairs if before in w.indexes]
    return ToMultiAttributeKeys(
        tuple(n.name for _, n in concerned),
        AddIndex(after, *_index_form(new.indexes[after])),
        DropIndex(before, *_index_form(old.indexes[before])),
        tuple(_templates(renamed_keys(w.indexes[before], renamed_fields(w, n))) for w, n in concerned),
    )


def _templates(keys: KeysDescription) -> tuple[str, ...]:
    return keys.pk + keys.sk


def _derived(before: KeysDescription, now: EntityDescription) -> dict[str, Derived] | None:
    """Placeholders of older templates that the model derives otherwise, or not at all."""
    known = {name: text for keys in (now.keys, *now.indexes.values()) for name, text in keys.derived.items()}
    return {n: derived_of(text) for n, text in before.derived.items() if known.get(n) != text} or None


# ------------------------------------------------------------------------------------- items of one entity


def _upgraded(was: EntityDescription, now: EntityDescription) -> Iterator[Step]:
    if _newer(was, now):
        yield UpgradeEntity(now.name, was.schema_version or 1)


def _newer(was: EntityDescription, now: EntityDescription) -> bool:
    return (now.schema_version or 1) > (was.schema_version or 1)


def _renamed_attributes(was: EntityDescription, now: EntityDescription) -> Iterator[Step]:
    """Fields that kept their names in code, and are stored under others. What upcasts do is not done twice."""
    if is_upcast(was, now):
        return
    for name, field in was.fields.items():
        later = now.fields.get(name)
        if later is not None and later.attribute != field.attribute and "." not in later.attribute + field.attribute:
            ruled = any(name in rule.split("+") for rule in now.uniques)
            called = (
                name if ruled and later.attribute == name else None
            )  # it would seem to have been called as it was stored
            yield RenameAttribute(now.name, field.attribute, later.attribute, field=called)


def _filled(
    was: EntityDescription, now: EntityDescription, old: ModelDescription, new: ModelDescription, done: set[str]
) -> Iterator[Step]:
    renamed = renamed_fields(was, now)
    for index, keys in now.indexes.items():
        if index in done:
            continue
        before = was.indexes.get(index) if old.indexes.get(index) == new.indexes[index] else None
        if before is None:
            yield FillKeys(now.name, index)
        elif (before := renamed_keys(before, renamed)) != keys:
            yield key_question(now.name, index)
            if before.when is not None:
                yield sparse_question(now.name, index, in_words(before.when))
            yield FillKeys(now.name, index, _templates(before), _derived(before, now))


def _moved(
    was: EntityDescription, now: EntityDescription, old: ModelDescription, new: ModelDescription
) -> Iterator[Step]:
    before = renamed_keys(was.keys, renamed_fields(was, now))
    if before == now.keys:
        return
    derive = _derived(before, now)
    if indexes := _by_own_fields(now, old, new):
        yield at_once_question(now.name, indexes)
        step = MoveEntity if _apart(before.pk[0], now.keys.pk[0]) else ChangeKey
        yield step(now.name, _templates(before), copies=False, derive=derive)
    elif _apart(before.pk[0], now.keys.pk[0]):
        yield MoveEntity(now.name, _templates(before), derive=derive)
    else:
        yield sort_key_question(now.name)
        yield ChangeKey(now.name, _templates(before), copies=False, derive=derive)


def _by_own_fields(now: EntityDescription, old: ModelDescription, new: ModelDescription) -> list[str]:
    """Indexes in which items stand by their fields, so that copies of them would too."""
    fields = {field.attribute for field in now.fields.values()}
    keys = {key.partition(" ")[0] for key in new.key}
    return [n for n, i in {**old.indexes, **new.indexes}.items() if set(i.attributes) - keys <= fields]


def _apart(one: str, other: str) -> bool:
    """Whether no two partitions of these templates can be the same, as their first words show."""
    first, second = (template.partition("{")[0] for template in (one, other))
    shorter = min(len(first), len(second))
    return first[:shorter] != second[:shorter]


def _new_entities(old: ModelDescription, new: ModelDescription) -> list[EntityDescription]:
    paired = {now.type for _, now in pair_entities(old, new)[1]}
    return [entity for kind, entity in new.entities.items() if kind not in paired]


def _may_be_split(old: ModelDescription, new: ModelDescription, pairs: _Pairs) -> dict[str, list[str]]:
    """For entities that keep attributes no more, the new ones whose items may be made of what those held: they have the fields of
    its key. Where a new entity has those of none, it may be any, but one whose upcasts say what becomes of its attributes."""
    losing = [(was, now) for was, now in pairs if _gone(was, now, new)]
    found: dict[str, list[str]] = {now.name: [] for _, now in losing}
    for entity in _new_entities(old, new):
        near = [now for _, now in losing if _key_fields(now) <= entity.fields.keys()]
        for now in near or [now for was, now in losing if not _newer(was, now)]:
            found[now.name].append(entity.name)
    return found


def _key_fields(entity: EntityDescription) -> set[str]:
    return {name for text in _templates(entity.keys) for name in re.findall(r"\{(\w+)", text)}


def _gone(was: EntityDescription, now: EntityDescription, new: ModelDescription) -> list[str]:
    """Attributes that held fields which the entity has no more."""
    renamed = renamed_fields(was, now)
    kept = {field.attribute for field in now.fields.values()} | {a for i in new.indexes.values() for a in i.attributes}
    gone = {
        field.attribute
        for name, field in was.fields.items()
        if renamed.get(name, name) not in now.fields and "." not in field.attribute
    }
    return sorted(gone - kept)


def _given_up(was: EntityDescription, now: EntityDescription, new: ModelDescription, came: list[str]) -> Iterator[Step]:
    gone, newer = _gone(was, now, new), _newer(was, now)
    if gone and came:
        yield split_question(now.name, gone, came, upcast=newer)
    if gone and not newer:  # what upcasts leave of older items is not this step's to say
        yield RemoveAttributes(now.name, tuple(gone))


def _left_behind(
    was: EntityDescription, now: EntityDescription, old: ModelDescription, new: ModelDescription, done: set[str]
) -> Iterator[Step]:
    renamed = renamed_fields(was, now)
    for index, keys in was.indexes.items():
        if index in now.indexes or index in done or old.indexes[index].local:
            continue
        pk, sk, _ = _index_form(old.indexes[index])
        table = {key.partition(" ")[0] for key in new.key}
        before, after = ({field.attribute for field in one.fields.values()} | table for one in (was, now))
        attributes = {part.partition(" ")[0] for part in (*pk, *sk)}
        own = attributes & (before | after)
        if keys.when is None and attributes != own and own <= before & after:
            former = renamed_keys(keys, renamed)
            yield RemoveKeys(now.name, pk, sk, _templates(former), _derived(former, now))
