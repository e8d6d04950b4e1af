"""Stored items against the model: types, fields, keys, index keys, unique markers. What is found names no value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct

from tablewright.client.decoding import Tombstone, UniqueMarker
from tablewright.client.session import Session
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.entity_planner import LEDGER_TYPE
from tablewright.compiler.noted import RECAST, SPLIT
from tablewright.errors import TablewrightError, UnknownEntityTypeError
from tablewright.evolve.jobs.in_table import is_ours
from tablewright.evolve.migrations.works.guarding import MARKS
from tablewright.evolve.migrations.works.parting import PART
from tablewright.model.entity import Entity
from tablewright.survey.exploring import printable
from tablewright.survey.items import stored_items
from tablewright.table import Table
from tablewright.values.types import Item

Kind = Literal["type", "field", "key", "index", "attribute", "schema", "unique"]


class Deviation(Struct, frozen=True, order=True):
    """One way in which items differ from the model."""

    entity: str
    """The entity, or the type that the item names."""
    kind: Kind
    """What differs."""
    message: str
    """In words, without values."""


class Validation(Struct, frozen=True):
    """What a look at all items brought."""

    items: int
    """How many there are, without what migrations and jobs keep for themselves."""
    deviations: dict[Deviation, int]
    """How many items differ in each way."""
    keys: dict[Deviation, list[Item]]
    """The primary keys of the first few of them."""

    @property
    def well(self) -> bool:
        """Whether everything is as the model says."""
        return not self.deviations


_EXAMPLES = 10


def validate_items(db: Session, table: Table) -> Validation:
    """Looks at every item of a table."""
    check = _Check(db, table)
    counts: dict[Deviation, int] = {}
    keys: dict[Deviation, list[Item]] = {}
    total = 0
    for item in stored_items(db):
        if check.is_librarys(item):
            continue
        total += 1
        for found in dict.fromkeys(check.item(item)):
            counts[found] = counts.get(found, 0) + 1
            if counts[found] <= _EXAMPLES:
                keys.setdefault(found, []).append(_key(table, item))
    for found, key in check.markers():
        counts[found] = counts.get(found, 0) + 1
        if counts[found] <= _EXAMPLES:
            keys.setdefault(found, []).append(key)
    return Validation(total, dict(sorted(counts.items())), keys)


def _key(table: Table, item: Item) -> Item:
    return {a.name: item[a.name] for a in (table.pk, table.sk) if a is not None and a.name in item}


class _Check:
    """Holds what several items say together: who needs which marker, and which markers there are."""

    def __init__(self, db: Session, table: Table) -> None:
        self._db = db
        self._table = table
        self._keys = tuple(a.name for a in (table.pk, table.sk) if a is not None)
        self._wanted: dict[tuple[str, ...], tuple[str, str, Item]] = {}
        self._there: dict[tuple[str, ...], Item] = {}

    def is_librarys(self, item: Item) -> bool:
        """Whether a migration or a job keeps it for itself."""
        return is_ours(item, self._keys, whole=True) or item.get(self._table.names.type) == {"S": LEDGER_TYPE}

    def item(self, item: Item) -> Iterator[Deviation]:
        """How one item differs."""
        tag = item.get(self._table.names.type, {}).get("S")
        if tag is None:
            yield Deviation("?", "type", f"the attribute {self._table.names.type}, which names the entity, is missing")
            return
        try:
            decoded = self._db.decode(item)
        except UnknownEntityTypeError:
            yield Deviation(printable(tag[:60]), "type", "no entity of the model has this type")
            return
        except TablewrightError as error:
            yield Deviation(tag, "field", _sentence(error))
            return
        match decoded:
            case UniqueMarker():
                self._there[_flat(_key(self._table, item))] = _key(self._table, item)
            case Tombstone():
                return
            case _:
                yield from self._entity(self._table.plan.by_type[tag], item, decoded)

    def _entity(self, plan: EntityPlan, item: Item, entity: Entity) -> Iterator[Deviation]:
        try:
            values = plan.validated(entity)
        except TablewrightError as error:
            yield Deviation(plan.name, "field", _sentence(error))
            return
        stamps = [name for name in plan.sources if name not in plan.fields]
        values = {**values, **plan.values_in(item, stamps)}
        try:
            yield from _key_deviations(plan, item, values)
            yield from _index_deviations(plan, item, values)
        except TablewrightError as error:
            yield Deviation(plan.name, "key", _sentence(error))
        yield from _attribute_deviations(plan, item)
        yield from _schema_deviations(plan, item)
        for rule, marker in plan.markers(values).items():
            if marker is not None:
                self._wanted[_flat(marker)] = (plan.name, rule, _key(self._table, item))

    def markers(self) -> Iterable[tuple[Deviation, Item]]:
        """What is wrong with unique values, once all items were seen."""
        for marker, (entity, rule, key) in self._wanted.items():
            if marker not in self._there:
                yield Deviation(entity, "unique", f"the marker that keeps {rule} unique is missing"), key
        for marker, key in self._there.items():
            if marker not in self._wanted:
                yield Deviation("Unique", "unique", "a marker keeps a value for an item that does not have it"), key


def _flat(key: Item) -> tuple[str, ...]:
    return tuple(f"{tag}:{content}" for name in sorted(key) for tag, content in key[name].items())


def _sentence(error: TablewrightError) -> str:
    return error.message.rstrip(".")


def _key_deviations(plan: EntityPlan, item: Item, values: dict[str, Any]) -> Iterator[Deviation]:
    for name, value in plan.key(values).items():
        if item.get(name) != value:
            yield Deviation(plan.name, "key", f"{name} is not what the fields make")


def _index_deviations(plan: EntityPlan, item: Item, values: dict[str, Any]) -> Iterator[Deviation]:
    for binding in plan.kept:
        made, index = binding.compute(values), binding.index.name
        for name in binding.written:
            if made is None or name not in made:
                if name in item:
                    yield Deviation(
                        plan.name, "index", f"{name} is there, though the item does not belong into {index}"
                    )
            elif name not in item:
                yield Deviation(plan.name, "index", f"{name} is missing, so that {index} does not have the item")
            elif item[name] != made[name]:
                yield Deviation(plan.name, "index", f"{name} is not what the fields make")


def _attribute_deviations(plan: EntityPlan, item: Item) -> Iterator[Deviation]:
    table = plan.table
    known = {a.name for a in (table.pk, table.sk) if a is not None}
    known |= {a.name for index in table.indexes.values() for a in index.attributes}
    known |= {field.path[0] for field in plan.sources.values()} | set(table.names.own())
    if table.ttl_attribute is not None:
        known.add(table.ttl_attribute)
    known |= {*MARKS, PART, SPLIT}
    for name in item:
        if name not in known and not name.startswith(RECAST):
            yield Deviation(plan.name, "attribute", f"the attribute {name} is no field of the model")


def _schema_deviations(plan: EntityPlan, item: Item) -> Iterator[Deviation]:
    wanted = plan.options.schema_version
    stored = item.get(plan.names.schema, {}).get("N")
    if wanted is not None and stored != str(wanted):
        said = "no schema version" if stored is None else f"schema version {stored}"
        yield Deviation(plan.name, "schema", f"it has {said}; the model writes {wanted}")
