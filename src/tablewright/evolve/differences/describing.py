"""A model as data, with everything that items, indexes and callers depend on, and nothing else.

Two of them can be compared although they were never in one process: a description is what is left of a model when its
module is gone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.compiler.sealing import Sealing
from tablewright.evolve.differences.callables import (
    ChangeDescription,
    PatternDescription,
    describe_change,
    describe_pattern,
)
from tablewright.evolve.differences.shapes import (
    Shape,
    in_rule_words,
    makes_other_text,
    rules_of,
    shape_of,
    validators_of,
)
from tablewright.evolve.differences.structure import (
    RelationshipDescription,
    TreeDescription,
    describe_relationship,
    describe_tree,
)
from tablewright.evolve.differences.texts import code_text, condition_text, constant_text, default_text
from tablewright.model.deployment import Deployment, KmsKey, Provisioned
from tablewright.model.hooks import Hooks
from tablewright.model.indexes import Index
from tablewright.model.keys import Bucket, Derived, Shard
from tablewright.table import Table
from tablewright.values.keycodec import PartCodec


class FieldDescription(Struct, frozen=True):
    """One field."""

    attribute: str
    """Where it is stored: the attribute, with the map that it lies in."""
    shape: Shape
    required: bool
    default: str | None
    """The default, where it is a constant."""
    sealed: str = ""
    """How the value is made opaque."""
    sealer: str = ""
    """Who does it: another one cannot read what this one stored."""
    omits: bool = False
    """Whether None, or an empty set, is stored by leaving the attribute out."""


class KeysDescription(Struct, frozen=True):
    """The keys of an entity on the table or on one index."""

    pk: tuple[str, ...]
    sk: tuple[str, ...]
    when: str | None = None
    derived: Mapping[str, str] = {}
    forms: Mapping[str, str] = {}
    """How each field is written in a template, where its type decides that."""


class EntityDescription(Struct, frozen=True):
    """One entity."""

    name: str
    type: str
    fields: Mapping[str, FieldDescription]
    keys: KeysDescription
    indexes: Mapping[str, KeysDescription]
    uniques: Mapping[str, KeysDescription]
    """The key of each rule's marker."""
    options: Mapping[str, str]
    validators: Mapping[str, str] = {}
    """Rules in code that whole items are checked by."""
    hooks: Mapping[str, str] = {}
    ttl: str | None = None
    schema_version: int | None = None
    upcasts: bool = False
    """Whether functions make current items of those of older versions."""


class IndexDescription(Struct, frozen=True):
    """One index."""

    keys: tuple[str, ...]
    projection: str
    local: bool

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that its keys are made of."""
        return tuple(key.split(" ")[1] for key in self.keys)


class ModelDescription(Struct, frozen=True):
    """A whole table."""

    name: str
    key: tuple[str, ...]
    settings: Mapping[str, str]
    stream: str | None
    ttl: str | None
    """The attribute that items expire by."""
    deployment: Mapping[str, str]
    indexes: Mapping[str, IndexDescription]
    entities: Mapping[str, EntityDescription]
    """By stored type."""
    patterns: Mapping[str, PatternDescription]
    changes: Mapping[str, ChangeDescription]
    relationships: tuple[RelationshipDescription, ...] = ()
    aggregates: Mapping[str, TreeDescription] = {}
    counters: Mapping[str, int] = {}
    """How many shards each sharded counter has, by what it counts."""


def describe_model(table: Table) -> ModelDescription:
    """The description of a table."""
    style = table.key_style
    names = {f"the attribute for {k}": v for k, v in asdict(table.names).items() if k not in ("pk", "sk")}
    return ModelDescription(
        name=table.name,
        key=tuple(f"{a.name} ({a.tag})" for a in (table.pk, table.sk) if a is not None),
        settings={"the key style": f"{style.separator} {style.escape} {style.strict}", **names},
        stream=table.stream,
        ttl=table.ttl_attribute,
        deployment=_deployment(table.deployment),
        indexes={name: _index(index) for name, index in table.indexes.items()},
        entities={plan.options.type: _entity(plan) for plan in table.plan.entities.values()},
        patterns={name: describe_pattern(table, pattern) for name, pattern in table.patterns.items()},
        changes={name: describe_change(change) for name, change in table.changes.items()},
        relationships=tuple(map(describe_relationship, table.relationships)),
        aggregates={name: describe_tree(table.plan.aggregates[tree]) for name, tree in table.aggregates.items()},
        counters={f"{entity.__name__}.{count}": c.of for (entity, _, count), c in table.counters.items()},
    )


def _deployment(deployment: Deployment) -> dict[str, str]:
    """What is deployed, by the name of each setting."""
    billing = deployment.billing
    found = {
        name: constant_text(getattr(deployment, name))
        for name in (
            "recovery",
            "deletion_protection",
            "retain",
            "table_class",
            "contributor_insights",
            "alarms",
            "warm",
        )
    }
    found["encryption"] = "your own key" if isinstance(deployment.encryption, KmsKey) else deployment.encryption
    if isinstance(deployment.encryption, KmsKey):
        found["key"] = deployment.encryption.key
    found["billing"] = "provisioned" if isinstance(billing, Provisioned) else "on-demand"
    if not isinstance(billing, str):
        found["capacity"] = constant_text(billing)
    return {**found, "tags": constant_text(dict(sorted(deployment.tags.items())))}


def _index(index: Index) -> IndexDescription:
    keys = tuple(f"{side} {a.name} ({a.tag})" for side in ("pk", "sk") for a in getattr(index, side))
    projection = ", ".join(sorted(index.include)) if index.include else index.projection
    return IndexDescription(keys, projection, index.local)


def _entity(plan: EntityPlan) -> EntityDescription:
    options = plan.options
    own = tuple(key for key in (plan.pk, plan.sk) if key is not None)
    flags = {"version": options.version, "lock": options.lock, "timestamps": options.timestamps}
    soft = options.soft_delete
    return EntityDescription(
        name=plan.name,
        type=options.type,
        fields={name: _field(plan, name) for name in plan.fields},
        keys=_keys(plan, tuple(str(k) for k in own[:1]), tuple(str(k) for k in own[1:]), own),
        indexes={b.index.name: _binding(plan, b) for b in plan.bindings},
        uniques={u.name: _keys(plan, tuple(map(str, u.keys[:1])), (), u.keys) for u in plan.uniques},
        options={
            **{name: "yes" for name, on in flags.items() if on},
            **({} if soft is None else {"soft_delete": f"{soft.keep}, {soft.feed}"}),
        },
        ttl=None if options.ttl is None else options.stored.get(options.ttl, options.ttl),
        schema_version=options.schema_version,
        upcasts=plan.versions is not None and plan.versions.upcasts,
        validators=validators_of(plan.entity),
        hooks=dict(_hooks(plan.hooks)),
    )


def _hooks(hooks: Hooks | None) -> Iterator[tuple[str, str]]:
    for moment in () if hooks is None else hooks.__struct_fields__:
        for function in getattr(hooks, moment):
            yield f"{moment.replace('_', ' ')}: {function.__name__}", code_text(function)


def _field(plan: EntityPlan, name: str) -> FieldDescription:
    field = plan.fields[name]
    info: Any = plan.entity.model_fields[name]
    default = None if info.is_required() or info.default_factory is not None else default_text(info.default)
    sealed, sealer = ("", "") if field.sealing is None else (field.sealing.words, _sealer(field.sealing))
    shape = shape_of(field.annotation)
    omits = field.omit_none or field.omit_empty
    return FieldDescription(".".join(field.path), shape, info.is_required(), default, sealed, sealer, omits)


def _sealer(sealing: Sealing) -> str:
    """Ciphers by their kind, stores by their place: a text that shows neither."""
    found = [] if sealing.encrypted is None else [type(sealing.encrypted.cipher).__qualname__]
    if sealing.offloaded is not None:
        store = sealing.offloaded.store
        places = [
            f"{n}={v}" for n, v in sorted(getattr(store, "__dict__", {}).items()) if isinstance(v, str | PurePath)
        ]
        found += [type(store).__qualname__, *places]
    return hashlib.blake2b(repr(found).encode(), digest_size=8).hexdigest() if found else ""


def _binding(plan: EntityPlan, binding: IndexBinding) -> KeysDescription:
    when = None if binding.condition is None else condition_text(binding.condition)
    return _keys(plan, tuple(map(str, binding.pk)), tuple(map(str, binding.sk)), tuple(binding.keys), when)


def _keys(
    plan: EntityPlan, pk: tuple[str, ...], sk: tuple[str, ...], keys: Sequence[KeyPlan], when: str | None = None
) -> KeysDescription:
    templates = [key for key in keys if isinstance(key, TemplateKey)]
    used = sorted({name for key in templates for name in key.derived})
    forms: dict[str, str] = {}
    for key in keys:
        if isinstance(key, TemplateKey):
            codecs = {n: codec for n, codec in key.bound.codecs.items() if n in plan.fields}
            forms |= {n: _form(codec, plan.fields[n]) for n, codec in codecs.items()}
            hashed = {n for d in key.derived.values() for n in d.fields if n in plan.fields and n not in forms}
        else:
            hashed = set(key.fields) & plan.fields.keys()
        forms |= {n: _own_form(plan.fields[n]) for n in sorted(hashed)}
    return KeysDescription(pk, sk, when, {n: _derived_text(plan.entity.keys.derive[n]) for n in used}, forms)


_FORMS = {
    "TextPart": "text",
    "RawTextPart": "text",
    "NumberPart": "an ordered number",
    "PlainNumberPart": "digits",
    "PaddedIntPart": "digits",
    "FixedPointPart": "digits with a point",
    "DatetimePart": "a time",
    "DatePart": "a date",
    "UuidPart": "a UUID",
    "BytesPart": "bytes",
}


def _form(codec: PartCodec, field: FieldPlan) -> str:
    """How values of a field are written in a key: what of its type shows there."""
    form = _FORMS.get(type(codec).__name__)
    if form is None:  # choices are written as their values are
        choices = shape_of(field.annotation).choices
        form = "text" if any(choice[0] in "'\"" for choice in choices) else "digits" if choices else "true or false"
    return _normalised(form, field) if form == "text" else form


def _own_form(field: FieldPlan) -> str:
    """The same where the value is not written by a template: it is its own attribute, or gives a shard or a bucket."""
    shape = shape_of(field.annotation)
    return _normalised("text" if shape.kind in ("str", "choice") else shape.kind, field)


def _normalised(form: str, field: FieldPlan) -> str:
    how = [in_rule_words(rule) for rule in rules_of(field.annotation) if makes_other_text(rule)]
    return ", ".join([form, *how])


def _derived_text(spec: Derived) -> str:
    if isinstance(spec, Bucket):
        return f"{spec.by} of {spec.field}"
    return f"one of {spec.of} by {', '.join(spec.fields)}"


def derived_of(text: str) -> Derived:
    """The placeholder that was described so."""
    first, _, rest = text.partition(" of ")
    if first != "one":
        return Bucket(rest, by=first)  # type: ignore[arg-type]
    number, _, names = rest.partition(" by ")
    return Shard(*names.split(", "), of=int(number))


def is_upcast(was: EntityDescription, now: EntityDescription) -> bool:
    """Whether functions make current items of those that the old model wrote."""
    return now.upcasts and (now.schema_version or 1) > (was.schema_version or 1)
