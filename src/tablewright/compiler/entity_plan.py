"""One entity, compiled: its fields, keys, index bindings and unique rules, and the way to the wire and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pydantic

from tablewright.compiler.codegen import DecodeItem, EncodeFields, decoder, encoder
from tablewright.compiler.derived import plan_derived
from tablewright.compiler.fields import FieldPlan, PathPlans, plan_fields, plan_stamps, refused
from tablewright.compiler.keys import KeyPlan, KeyPlanner, TemplateKey, Values
from tablewright.compiler.predicates import Predicate, check_predicate, compile_predicate
from tablewright.compiler.wirecodec import codec_for
from tablewright.errors import KeyTemplateError, ModelError, ReservedNameError
from tablewright.model.annotations import without_none
from tablewright.model.conditions import Condition
from tablewright.model.entity import Entity, EntityOptions, did_you_mean
from tablewright.model.indexes import AttributeNames, Index
from tablewright.model.keys import IndexKeys, Unique
from tablewright.model.table import TableModel
from tablewright.values.sizes import MAX_PARTITION_KEY, MAX_SORT_KEY
from tablewright.values.types import AttributeValue, Item

MARKER_TYPE = "Unique"


@dataclass(frozen=True, slots=True, eq=False)
class IndexBinding:
    """An entity's keys on one index."""

    index: Index
    pk: tuple[KeyPlan, ...]
    sk: tuple[KeyPlan, ...]
    condition: Condition | None
    predicate: Predicate | None
    sources: frozenset[str]
    required: frozenset[str]
    """Fields that must have a value for the item to be in the index."""
    written: tuple[str, ...]
    """The attributes that are written for this index alone; others are the entity's own fields."""

    @property
    def keys(self) -> tuple[KeyPlan, ...]:
        """The plans of all attributes that this entity makes for the index."""
        return self.pk + self.sk

    def compute(self, values: Values) -> dict[str, AttributeValue] | None:
        """The index attributes for these field values; None when the item is not in the index."""
        for name in self.required:
            if values[name] is None:
                return None
        if self.predicate is not None and not self.predicate(values):
            return None
        return {key.attribute.name: key.encode(values) for key in self.keys if key.attribute.name in self.written}


@dataclass(frozen=True, slots=True, eq=False)
class UniquePlan:
    """A rule that only one item may hold a value, and the key of the marker that keeps it."""

    name: str
    type_name: str
    fields: frozenset[str]
    keys: tuple[TemplateKey, ...]

    def marker(self, values: Values) -> Item | None:
        """The marker's key for these values; None when one of them is missing."""
        if any(values.get(f) is None for f in self.fields):
            return None
        return {key.attribute.name: key.encode(values) for key in self.keys}


@dataclass(frozen=True, slots=True, eq=False)
class EntityPlan:
    """Everything that reading and writing one entity needs."""

    entity: type[Entity]
    table: TableModel
    fields: Mapping[str, FieldPlan]
    sources: Mapping[str, FieldPlan]
    """What keys can be made of: the fields, and the library's own timestamps."""
    paths: PathPlans
    pk: KeyPlan
    sk: KeyPlan | None
    bindings: tuple[IndexBinding, ...]
    uniques: tuple[UniquePlan, ...]
    key_fields: frozenset[str]
    warnings: tuple[str, ...]
    encode_fields: EncodeFields
    decode: DecodeItem

    @property
    def name(self) -> str:
        """The class's name."""
        return self.entity.__name__

    @property
    def options(self) -> EntityOptions:
        """The class keywords."""
        return self.entity.__options__

    @property
    def names(self) -> AttributeNames:
        """How the library's own attributes are called."""
        return self.table.names

    def key(self, values: Values) -> Item:
        """The primary key for these field values."""
        if self.sk is None:
            return {self.pk.attribute.name: self.pk.encode(values)}
        return {self.pk.attribute.name: self.pk.encode(values), self.sk.attribute.name: self.sk.encode(values)}

    def key_of_item(self, item: Item) -> Item:
        """The primary key in a stored item."""
        names = [self.pk.attribute.name] + ([self.sk.attribute.name] if self.sk is not None else [])
        return {name: item[name] for name in names}

    def validated(self, entity: Entity) -> dict[str, Any]:
        """The entity's field values, validated once more: they may have been changed in place since it was built."""
        try:
            # A copy without our own bookkeeping, which is no field.
            checked = type(entity).__pydantic_validator__.validate_python({n: getattr(entity, n) for n in self.fields})
        except pydantic.ValidationError as error:
            raise refused(self.name, "", error) from None
        values: dict[str, Any] = checked.__dict__
        return values

    def values_in(self, item: Item, names: Iterable[str]) -> dict[str, Any]:
        """Some fields of a stored item, decoded; missing ones get their default or None."""
        values: dict[str, Any] = {}
        for name in names:
            field = self.sources[name]
            container: Any = item
            for step in field.path[:-1]:
                container = container.get(step, {}).get("M", {})
            stored = container.get(field.path[-1])
            if stored is None:
                values[name] = field.default() if field.default is not None else None
            else:
                values[name] = None if "NULL" in stored and field.nullable else field.codec.decode(stored)
        return values

    def index_attributes(self, values: Values) -> tuple[Item, tuple[str, ...]]:
        """For full field values: the index attributes to store, and those that must not be there."""
        store: Item = {}
        drop: list[str] = []
        for binding in self.bindings:
            attributes = binding.compute(values)
            if attributes is None:
                drop.extend(binding.written)
            else:
                store.update(attributes)
        return store, tuple(drop)

    def markers(self, values: Values) -> dict[str, Item | None]:
        """Each unique rule's marker key for these values."""
        return {unique.name: unique.marker(values) for unique in self.uniques}

    @property
    def unique_fields(self) -> frozenset[str]:
        """Fields that a unique rule names."""
        return frozenset(f for unique in self.uniques for f in unique.fields)


def plan_entity(entity: type[Entity], table: TableModel) -> EntityPlan:
    """Compiles an entity; raises ModelError that names entity, field and remedy."""
    keys, options = entity.keys, entity.__options__
    derived_names = dict(keys.derive)
    fields = plan_fields(entity)
    for name in derived_names.keys() & fields.keys():
        raise ModelError(
            f"{entity.__name__}: {name!r} is both a field and a derived placeholder.", hint="Rename one of them."
        )
    derived = {n: plan_derived(entity.__name__, n, spec, fields) for n, spec in derived_names.items()}
    stamps = plan_stamps(entity, table.names)
    planner = KeyPlanner(entity, {**fields, **stamps}, derived, table.key_style)

    pk = planner.plan(table.pk, keys.pk, where="the partition key", sorts=False, native=False, limit=MAX_PARTITION_KEY)
    sk = _sort_key(entity, table, planner)
    key_fields = pk.sources | (sk.sources if sk is not None else frozenset())
    if options.nested is not None:
        fields = _flatten(fields, key_fields | _native_index_fields(entity, table))
        planner = KeyPlanner(entity, {**fields, **stamps}, derived, table.key_style)
    for name in sorted(key_fields & stamps.keys()):
        raise ModelError(
            f"{entity.__name__}: the primary key is made of {name!r}, which the library sets on every write.",
            hint="Give the entity a time field of its own.",
        )
    for name in sorted(key_fields):
        if fields[name].nullable:
            raise ModelError(
                f"{entity.__name__}: the primary key needs {name!r}, which may be None.",
                hint="Make the field required.",
            )
    bindings = tuple(_bind(entity, table, planner, fields, name, spec) for name, spec in keys.indexes.items())
    _check_attribute_names(entity, table, fields, bindings)
    _check_ttl(entity, table, fields)
    return EntityPlan(
        entity=entity,
        table=table,
        fields=fields,
        sources={**fields, **stamps},
        paths=PathPlans(entity, fields),
        pk=pk,
        sk=sk,
        bindings=bindings,
        uniques=tuple(_unique(entity, table, planner, fields, rule) for rule in keys.unique),
        key_fields=key_fields,
        warnings=tuple(
            f"{entity.__name__}: {warning}"
            for key in (pk, sk, *(k for b in bindings for k in b.keys))
            if isinstance(key, TemplateKey)
            for warning in key.bound.warnings
        ),
        encode_fields=encoder(fields, options.nested),
        decode=decoder(entity, fields, table.names),
    )


def _sort_key(entity: type[Entity], table: TableModel, planner: KeyPlanner) -> KeyPlan | None:
    template = entity.keys.sk
    if (template is None) != (table.sk is None):
        raise ModelError(
            f"{entity.__name__} has {'no' if template is None else 'a'} sort key, but {table.name} has "
            f"{'one' if template is None else 'none'}.",
            hint='Give Keys("...", "...") both templates.' if template is None else "Give Keys() one template.",
        )
    if template is None or table.sk is None:
        return None
    return planner.plan(table.sk, template, where="the sort key", sorts=True, native=False, limit=MAX_SORT_KEY)


def _native_index_fields(entity: type[Entity], table: TableModel) -> frozenset[str]:
    """Fields that are an index's key attribute themselves, so they must lie flat."""
    own = {a.name for index in table.indexes.values() for a in index.attributes}
    stored = entity.__options__.stored
    return frozenset(name for name in entity.model_fields if stored.get(name, name) in own)


def _flatten(fields: Mapping[str, FieldPlan], flat: frozenset[str]) -> dict[str, FieldPlan]:
    return {n: replace(f, path=f.path[-1:]) if n in flat else f for n, f in fields.items()}


def _bind(
    entity: type[Entity],
    table: TableModel,
    planner: KeyPlanner,
    fields: Mapping[str, FieldPlan],
    name: str,
    spec: IndexKeys,
) -> IndexBinding:
    owner = entity.__name__
    if name not in table.indexes:
        raise ModelError(
            f"{owner} has keys for index {name!r}, which {table.name} does not have.{did_you_mean(name, table.indexes)}"
        )
    index = table.indexes[name]
    wanted_pk = () if index.local else index.pk
    for which, templates, attributes in (("partition", spec.pk, wanted_pk), ("sort", spec.sk, index.sk)):
        if len(templates) != len(attributes):
            raise ModelError(
                f"{owner}: the {which} side of index {name!r} has {len(attributes)} attribute(s), but Keys() gives {len(templates)}.",
                hint="Give one template per attribute." if attributes else "Leave that side out.",
            )

    def side(templates: tuple[str, ...], attributes: tuple[Any, ...], *, sorts: bool) -> tuple[KeyPlan, ...]:
        return tuple(
            planner.plan(
                attribute,
                template,
                where=f"the {'sort' if sorts else 'partition'} key on {name}",
                sorts=sorts,
                native=index.multi,
                limit=MAX_SORT_KEY if sorts else MAX_PARTITION_KEY,
            )
            for template, attribute in zip(templates, attributes, strict=True)
        )

    pk, sk = side(spec.pk, wanted_pk, sorts=False), side(spec.sk, index.sk, sorts=True)
    sources = frozenset(f for key in pk + sk for f in key.sources)
    condition = predicate = None
    required = sources
    if spec.when is not None:
        condition = check_predicate(owner, spec.when, fields)
        predicate = compile_predicate(condition)
        sources |= {leaf.field for leaf in condition.leaves()}
    written = tuple(
        key.attribute.name for key in pk + sk if isinstance(key, TemplateKey) or key.field.path != (key.attribute.name,)
    )
    if condition is not None and len(written) < len(pk + sk):
        raise ModelError(
            f"{owner}: index {name!r} is sparse by a condition, but one of its key attributes is a field of {owner}.",
            hint='Give the index attributes of its own (pk=["place_tenant", ...]): a field is never removed to leave an index.',
        )
    return IndexBinding(index, pk, sk, condition, predicate, sources, required, written)


def _unique(
    entity: type[Entity], table: TableModel, planner: KeyPlanner, fields: Mapping[str, FieldPlan], rule: Unique
) -> UniquePlan:
    owner = entity.__name__
    for name in rule.fields:
        if name not in fields:
            raise ModelError(
                f"{owner}: unique names field {name!r}, which {owner} does not have.{did_you_mean(name, fields)}"
            )
    separator = table.key_style.separator
    # Numbers in a marker are only looked up, never sorted, so they need no width.
    default = separator.join(
        ["UNIQUE", entity.__options__.type, "+".join(rule.fields), *(f"{{{f}}}" for f in rule.fields)]
    )
    template = rule.key or default
    try:
        attributes = [(table.pk, MAX_PARTITION_KEY)] + ([(table.sk, MAX_SORT_KEY)] if table.sk is not None else [])
        keys = [
            planner.plan(
                a,
                template,
                where=f"the marker of unique {'+'.join(rule.fields)}",
                sorts=False,
                native=False,
                limit=limit,
            )
            for a, limit in attributes
        ]
    except KeyTemplateError as error:
        raise ModelError(f"{owner}: unique {', '.join(rule.fields)}: {error.message}", hint=error.hint) from None
    if not all(isinstance(key, TemplateKey) and key.sources == frozenset(rule.fields) for key in keys):
        raise ModelError(
            f"{owner}: the key of Unique({', '.join(rule.fields)}) must be a text made of exactly these fields.",
            hint=f'Unique("email", key="CUSTOMEREMAIL{separator}{{email}}").',
        )
    return UniquePlan(
        "+".join(rule.fields), MARKER_TYPE, frozenset(rule.fields), tuple(k for k in keys if isinstance(k, TemplateKey))
    )


def _check_attribute_names(
    entity: type[Entity], table: TableModel, fields: Mapping[str, FieldPlan], bindings: tuple[IndexBinding, ...]
) -> None:
    owner = entity.__name__
    key_names = {table.pk.name} | ({table.sk.name} if table.sk is not None else set())
    own = set(table.names.own()) | ({entity.__options__.nested} if entity.__options__.nested else set())
    shared = {(k.attribute.name, k.field.name) for b in bindings for k in b.keys if not isinstance(k, TemplateKey)}
    index_names = {a.name: i for i in table.indexes.values() for a in (i.sk if i.local else i.attributes)}
    taken: dict[tuple[str, ...], str] = {}
    for field in fields.values():
        attribute = field.path[0] if len(field.path) == 1 else None
        if attribute in key_names or attribute in own:
            raise ReservedNameError(
                f"{owner}.{field.name} would be stored as {attribute!r}, which the library writes itself.",
                field=field.name,
                hint=f'Store it under another name: stored={{"{field.name}": "..."}}.',
            )
        if attribute in index_names and (attribute, field.name) not in shared:
            index = index_names[attribute]
            if {a.name for a in index.attributes} <= {f.path[0] for f in fields.values() if len(f.path) == 1}:
                raise ModelError(
                    f"{owner}.{field.name} is stored as {attribute!r}, a key attribute of index {index.name!r}, so {owner} "
                    f"would be in that index without having keys for it.",
                    hint=f'Bind it in Keys({index.name}=...), or store it under another name: stored={{"{field.name}": "..."}}.',
                )
            tag = next(a.tag for a in index.attributes if a.name == attribute)
            if field.codec.tag != tag:
                raise ModelError(
                    f"{owner}.{field.name} is stored as {attribute!r} of type {field.codec.tag}, but index {index.name!r} has it "
                    f"as {tag}: DynamoDB would refuse the item.",
                    hint=f'Store it under another name: stored={{"{field.name}": "..."}}.',
                )
        if field.path in taken:
            raise ModelError(
                f"{owner}: {taken[field.path]!r} and {field.name!r} are both stored as {field.path[-1]!r}."
            )
        taken[field.path] = field.name


def _check_ttl(entity: type[Entity], table: TableModel, fields: Mapping[str, FieldPlan]) -> None:
    name = entity.__options__.ttl
    if name is None:
        return
    field = fields[name]
    if codec_for(without_none(field.annotation)).tag != "N":
        raise ModelError(
            f"{entity.__name__}: the TTL field {name!r} is not stored as a number of seconds.",
            hint="Write Annotated[datetime, Epoch()] or int.",
        )
    if len(field.path) != 1:
        raise ModelError(f"{entity.__name__}: the TTL field {name!r} must not lie in a map.", hint=f"flat=[{name!r}].")
    for other in table.entities.values():
        theirs = other.__options__.ttl
        if theirs is not None and other is not entity and other.__options__.stored.get(theirs, theirs) != field.path[0]:
            raise ModelError(
                f"{entity.__name__} expires by {field.path[0]!r}, {other.__name__} by another attribute; a table has one.",
                hint="Store both under one name with stored={...}.",
            )
