"""Compiling one entity: its templates against its fields and the table, with an error that names what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tablewright.compiler.bindings import Binder, key_limit
from tablewright.compiler.codegen import decoder, encoder
from tablewright.compiler.defaults import refuse_frozen_default
from tablewright.compiler.derived import plan_derived
from tablewright.compiler.entity_plan import EntityPlan, Forms, IndexBinding, UniquePlan
from tablewright.compiler.field_paths import PathPlans
from tablewright.compiler.fields import FieldPlan, plan_fields, plan_stamps
from tablewright.compiler.keyfields import key_fields_of
from tablewright.compiler.keys import KeyPlan, KeyPlanner, TemplateKey
from tablewright.compiler.locating import key_maker, locator
from tablewright.compiler.names import check_attribute_names, check_ttl, kept_names
from tablewright.compiler.sealing import refuse_sealed
from tablewright.compiler.tombstones import check_expiry, feed_of, tombstone_indexes
from tablewright.compiler.versions import Versions
from tablewright.errors import KeyTemplateError, ModelError
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.hooks import hooks_of
from tablewright.model.keys import Keys, Unique
from tablewright.model.table import TableModel
from tablewright.values.keycodec.style import KeyStyle

if TYPE_CHECKING:
    from tablewright.compiler.records import Form

MARKER_TYPE = "Unique"
LEDGER_TYPE = "tablewright.migrations"
"""The item that says which migrations a table has been through."""


def plan_entity(entity: type[Entity], table: TableModel, keys: Keys | None = None) -> EntityPlan:
    """Compiles an entity; raises ModelError that names entity, field and remedy. With `keys`, as if it had these."""
    name, options = entity.__name__, entity.__options__
    if not entity.__pydantic_complete__:
        raise ModelError(
            f"{name} refers to a class that is not defined yet.", hint="Define nested models before the entity."
        )
    keys = entity.keys if keys is None else keys
    if options.type == MARKER_TYPE:
        raise ModelError(
            f"{name} would be stored with the type {MARKER_TYPE!r}, which the markers of unique fields have.",
            hint='Give it another stored name: type="...".',
        )
    if options.type == LEDGER_TYPE:
        raise ModelError(
            f"{name} would be stored with the type {LEDGER_TYPE!r}, which the history of migrations has.",
            hint='Give it another stored name: type="...".',
        )
    _check_sort_key(name, table, keys.sk)
    fields, stamps = plan_fields(entity), plan_stamps(entity, table.names)
    for twice in keys.derive.keys() & fields.keys():
        raise ModelError(f"{name}: {twice!r} is both a field and a derived placeholder.", hint="Rename one of them.")
    derived = {n: plan_derived(name, n, spec, fields) for n, spec in keys.derive.items()}

    planner = KeyPlanner(name, {**fields, **stamps}, derived, table.key_style)
    key_fields = planner.fields_in(keys.pk, "the partition key")
    if keys.sk is not None:
        key_fields |= planner.fields_in(keys.sk, "the sort key")
    if options.nested is not None:
        flat = key_fields | _index_fields(entity, table)
        fields = {n: replace(f, path=f.path[-1:]) if n in flat else f for n, f in fields.items()}
        planner = KeyPlanner(name, {**fields, **stamps}, derived, table.key_style)
    pk = planner.plan(table.pk, keys.pk, where="the partition key", sorts=False, limit=key_limit(table, table.pk))
    sk = None
    if keys.sk is not None and table.sk is not None:
        sk = planner.plan(table.sk, keys.sk, where="the sort key", sorts=True, limit=key_limit(table, table.sk))
    _check_key_fields(name, key_fields, fields, stamps)
    for field_name in sorted(key_fields):
        refuse_frozen_default(name, field_name, entity.model_fields[field_name])
    own_keys = (pk,) if sk is None else (pk, sk)
    bindings = Binder(name, table, planner, fields, own_keys).bind(keys.indexes)
    uniques = tuple(_unique(entity, table, planner, fields, rule) for rule in _distinct(entity, keys.unique))
    for unused in sorted(derived.keys() - planner.used):
        raise ModelError(f"{name}: no key template uses {{{unused}}}.", hint="Use it, or remove it from derive.")
    check_attribute_names(entity, table, fields, own_keys, bindings)
    check_ttl(entity, table, fields)
    refuse_sealed(
        name,
        fields,
        [
            ("the primary key", key_fields),
            *((f"the index {b.index.name}", b.sources) for b in bindings),
            *((f"unique({u.name})", u.fields) for u in uniques),
        ],
    )
    check_expiry(entity, table, fields)
    in_key = {k.attribute.name for k in own_keys}
    told = key_fields_of(name, fields, own_keys, frozenset(key_fields))
    versions = None
    if options.schema_version is not None:
        kept = kept_names(entity, table, fields)
        versions = Versions(name, options.schema_version, table.names.schema, kept)
    decode = decoder(entity, fields, table.names, told, versions)

    def form() -> Form | None:
        from tablewright.compiler.records import form_of

        return form_of(entity, fields, told, decode, versions)

    feed = feed_of(entity, own_keys, bindings)
    make = key_maker(own_keys)
    return EntityPlan(
        entity=entity,
        table=table,
        fields=fields,
        sources={**fields, **stamps},
        paths=PathPlans(entity, fields),
        pk=pk,
        sk=sk,
        key=make,
        locate=locator(name, fields, frozenset(key_fields), own_keys, make),
        bindings=bindings,
        kept=tuple(b for b in bindings if b.made or b.shared),
        uniques=uniques,
        key_fields=frozenset(key_fields),
        in_key=told,
        record_fields=tuple(n for n, f in fields.items() if f.records),
        warnings=_warnings(name, sk, bindings),
        # A field that is a key attribute itself is written with the key.
        hooks=hooks_of(entity),
        seals=tuple(f for f in fields.values() if f.sealing is not None and f.sealing.late),
        encode_fields=encoder({n: f for n, f in fields.items() if f.path[0] not in in_key}, options.nested),
        decode=decode,
        forms=Forms(form),
        versions=versions,
        type_attribute=table.names.type,
        type_name=options.type,
        hides=table.names.deleted if options.soft_delete is not None else None,
        feed=feed,
        haunted=tombstone_indexes(entity, own_keys, bindings, feed),
    )


def _check_sort_key(entity: str, table: TableModel, template: str | None) -> None:
    if (template is None) != (table.sk is None):
        raise ModelError(
            f"{entity} has {'no' if template is None else 'a'} sort key, but {table.name} has "
            f"{'one' if template is None else 'none'}.",
            hint='Give Keys("...", "...") both templates.' if template is None else "Give Keys() one template.",
        )


def _check_key_fields(
    entity: str, key_fields: set[str], fields: Mapping[str, FieldPlan], stamps: Mapping[str, FieldPlan]
) -> None:
    for name in sorted(key_fields):
        if name in stamps:
            raise ModelError(
                f"{entity}: the primary key is made of {name!r}, which the library sets on every write.",
                hint="Give the entity a time field of its own.",
            )
        if fields[name].nullable:
            raise ModelError(
                f"{entity}: the primary key needs {name!r}, which may be None.", hint="Make the field required."
            )
        if fields[name].looks_around:
            raise ModelError(
                f"{entity}: the primary key needs {name!r}, whose validator takes `info` and so may look at other fields; "
                "an item that is asked for by its key has none yet.",
                hint="Leave out the parameter `info`, or write the rule as a model validator.",
            )


def _index_fields(entity: type[Entity], table: TableModel) -> set[str]:
    """Fields that are an index's key attribute themselves, so they must lie flat."""
    own = {a.name for index in table.indexes.values() for a in index.attributes}
    stored = entity.__options__.stored
    return {name for name in entity.model_fields if stored.get(name, name) in own}


def _warnings(entity: str, sk: KeyPlan | None, bindings: tuple[IndexBinding, ...]) -> tuple[str, ...]:
    """What cannot be proved of the order and the ranges of sort keys; partition keys are only ever compared."""
    sort_keys = [("the sort key", sk)] + [(f"the sort key on {b.index.name}", k) for b in bindings for k in b.sk]
    return tuple(
        f"{entity}, {where}: {warning}"
        for where, key in sort_keys
        if isinstance(key, TemplateKey)
        for warning in key.bound.warnings
    )


def _distinct(entity: type[Entity], rules: Sequence[Unique]) -> Sequence[Unique]:
    """The rules, no two of them about the same fields."""
    seen: set[tuple[str, ...]] = set()
    for rule in rules:
        if rule.fields in seen:
            raise ModelError(
                f"{entity.__name__}: two rules make {' and '.join(rule.fields)} unique.",
                hint="One marker keeps the rule: leave the other rule out.",
            )
        seen.add(rule.fields)
    return rules


def usual_marker(entity: type[Entity], style: KeyStyle, fields: Sequence[str]) -> str:
    """The template of a unique rule's markers that says nothing of its own."""
    return style.separator.join(["UNIQUE", entity.__options__.type, "+".join(fields), *(f"{{{f}}}" for f in fields)])


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
    default = usual_marker(entity, table.key_style, rule.fields)
    where = f"the marker of unique {'+'.join(rule.fields)}"
    keys = []
    for attribute in (table.pk, table.sk):
        if attribute is not None:
            limit = key_limit(table, attribute)
            try:
                # Numbers in a marker are only looked up, never sorted, so they need no width.
                key = planner.plan(attribute, rule.key or default, where=where, sorts=False, limit=limit)
            except KeyTemplateError as error:
                raise ModelError(error.message, hint=error.hint) from None
            if not isinstance(key, TemplateKey) or key.sources != frozenset(rule.fields):
                raise ModelError(
                    f"{owner}: the key of Unique({', '.join(rule.fields)}) must be a text made of exactly these fields.",
                    hint=f'Unique("email", key="CUSTOMEREMAIL{separator}{{email}}").',
                )
            keys.append(key)
    return UniquePlan("+".join(rule.fields), MARKER_TYPE, frozenset(rule.fields), tuple(keys))
