"""One entity, compiled: its fields, keys, index bindings and unique rules, and the way to the wire and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pydantic
from msgspec import Struct, field

from tablewright.compiler.codegen import DecodeItem, EncodeFields
from tablewright.compiler.field_paths import PathPlans
from tablewright.compiler.fields import DECODING_FAILURES, FieldPlan, refused
from tablewright.compiler.keyfields import KeyFields
from tablewright.compiler.keys import KeyPlan, NativeKey, TemplateKey, Values, have_form
from tablewright.compiler.locating import Locate, MakeKeys
from tablewright.compiler.predicates import Predicate
from tablewright.compiler.revalidating import InvalidInside, revalidated
from tablewright.compiler.versions import Versions
from tablewright.errors import DecodeError, ValidationError
from tablewright.expressions import ast
from tablewright.model.conditions import Condition
from tablewright.model.entity import Entity, EntityOptions
from tablewright.model.hooks import Hooks
from tablewright.model.indexes import AttributeNames, Index
from tablewright.model.table import TableModel
from tablewright.values.types import AttributeValue, Item

if TYPE_CHECKING:
    from tablewright.compiler.records import Form


class IndexBinding(Struct, frozen=True, eq=False):
    """An entity's keys on one index."""

    index: Index
    pk: tuple[KeyPlan, ...]
    sk: tuple[KeyPlan, ...]
    condition: Condition | None
    predicate: Predicate | None
    sources: frozenset[str]
    required: frozenset[str]
    """Fields that must have a value for the item to be in the index."""
    made: tuple[KeyPlan, ...]
    """Keys whose attributes are written for this index, which was given their templates."""
    shared: tuple[NativeKey, ...]
    """Keys whose attributes are the entity's own fields."""
    make: MakeKeys
    """Makes the attributes that are written."""

    @property
    def keys(self) -> tuple[KeyPlan, ...]:
        """The plans of all attributes that this entity has in the index."""
        return self.pk + self.sk

    @property
    def written(self) -> tuple[str, ...]:
        """The attributes that are written for this index, and removed when the item leaves it."""
        return tuple(key.attribute.name for key in self.made)

    def compute(self, values: Values) -> dict[str, AttributeValue] | None:
        """The index attributes for these field values; None when the item is not in the index."""
        for key in self.shared:  # a field that is a key attribute follows the stricter rules of keys
            if values[key.field.name] is not None:
                key.encode(values)
        for name in self.required:
            if values[name] is None:
                return None
        if self.predicate is not None and not self.predicate(values):
            return None
        return self.make(values)


class UniquePlan(Struct, frozen=True, eq=False):
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


class Forms:
    """The form of an entity's items in responses, made when it is first asked for: not every program reads any."""

    __slots__ = ("_made", "_make", "_maker")

    def __init__(self, make: Callable[[], Form | None]) -> None:
        self._maker = make
        self._make: Callable[[], Form | None] | None = make
        self._made: Form | None = None

    def forget(self) -> None:
        """Has it made anew when it is next asked for."""
        self._make = self._maker

    def get(self) -> Form | None:
        """The form; None where items are read as dicts only."""
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made


NO_FORM = Forms(lambda: None)


class EntityPlan(Struct, frozen=True, eq=False):
    """Everything that reading and writing one entity needs."""

    entity: type[Entity]
    table: TableModel
    fields: Mapping[str, FieldPlan]
    sources: Mapping[str, FieldPlan]
    """What keys can be made of: the fields, and the library's own timestamps."""
    paths: PathPlans
    pk: KeyPlan
    sk: KeyPlan | None
    key: Callable[[Values], Item]
    """Makes the primary key of field values."""
    locate: Locate
    """The same of the key fields alone, as a caller gives them: it checks them first."""
    bindings: tuple[IndexBinding, ...]
    kept: tuple[IndexBinding, ...]
    """Those of them that writes keep right; the others follow from keys that they share."""
    uniques: tuple[UniquePlan, ...]
    key_fields: frozenset[str]
    in_key: KeyFields
    """Those of them that the key itself tells, for items that hold them nowhere else."""
    record_fields: tuple[str, ...]
    """Fields that can hold models or dataclasses."""
    warnings: tuple[str, ...]
    encode_fields: EncodeFields
    decode: DecodeItem
    forms: Forms
    """How items are read from the JSON of a response."""
    type_attribute: str
    type_name: str
    """What the attribute says of items of this entity."""
    hooks: Hooks | None = None
    """What runs before and after writes; None where nothing does."""
    seals: tuple[FieldPlan, ...] = ()
    """Fields that are encrypted or kept elsewhere, which is done where requests are sent."""
    hides: str | None = None
    """The attribute that tombstones have, which reads hide."""
    feed: IndexBinding | None = None
    """The index that tombstones are kept in on purpose."""
    haunted: frozenset[str] = frozenset()
    """All indexes that tombstones stay in: the feed, and those whose key attributes a tombstone has anyway."""
    versions: Versions | None = None
    """Its schema versions, where it has some."""
    prepared: dict[tuple[str, ...], Any] = field(default_factory=dict)
    """Requests that were made before, by the fields that they write."""
    ways: dict[str | None, Any] = field(default_factory=dict)
    """The keys that it can be reached by, under the name of the index; see `paths`."""
    other_keys: tuple[tuple[KeyPlan, ...], ...] = ()
    """Primary keys that its items may have beside the model's, while a migration moves them."""

    def current(self, item: Item) -> Item:
        """A stored item as the model's schema version has it; not a tombstone, which keeps what there was."""
        return item if self.versions is None or self.alive(item) is None else self.versions.current(item)

    def alive(self, item: Item | None) -> Item | None:
        """The item; None for a tombstone."""
        return None if self.hides is not None and item is not None and self.hides in item else item

    def visible(self, index: Index | None) -> ast.Condition | None:
        """The filter that hides tombstones from reads of the table or of an index that they stay in."""
        if self.hides is None or (index is not None and index.name not in self.haunted):
            return None
        return ast.AttributeNotExists((self.hides,))

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

    def key_of_item(self, item: Item) -> Item:
        """The primary key in a stored item."""
        names = [self.pk.attribute.name] + ([self.sk.attribute.name] if self.sk is not None else [])
        try:
            return {name: item[name] for name in names}
        except KeyError as error:
            raise DecodeError(
                f"{self.name}: an item came without its key attribute {error.args[0]}.",
                hint="Whatever answers there is not DynamoDB, or left attributes out.",
            ) from None

    def told_by_key(self, item: Item) -> dict[str, Any]:
        """The fields that the primary key of an item tells, as far as it is of the form that it should have."""
        told: dict[str, Any] = {}
        for key in (self.pk, self.sk):
            try:
                told |= {} if key is None else key.decode(item[key.attribute.name])
            except DECODING_FAILURES:  # other code made it
                continue
        return told

    def has_key(self, item: Item) -> bool:
        """Whether the primary key of an item has the form of this entity's."""
        own = (self.pk,) if self.sk is None else (self.pk, self.sk)
        return any(have_form(keys, item) for keys in (own, *self.other_keys))

    def owns(self, item: Item) -> bool:
        """Whether a stored item is of this entity's type."""
        return item.get(self.type_attribute) == {"S": self.type_name}

    def validated(self, entity: Entity) -> dict[str, Any]:
        """The entity's field values, validated once more: they may have been changed in place since it was built."""
        # A copy without our own bookkeeping, which is no field. What model_construct() left out is found missing.
        given = {n: v for n, v in vars(entity).items() if n in self.fields}
        for name in self.record_fields:
            if name in given:
                given[name] = self._revalidated(name, given[name])
        try:
            checked = type(entity).__pydantic_validator__.validate_python(given)
        except pydantic.ValidationError as error:
            raise refused(self.name, "", error) from None
        values: dict[str, Any] = checked.__dict__
        return values

    def _revalidated(self, name: str, value: Any) -> Any:
        try:
            return revalidated(value)
        except InvalidInside as error:
            raise refused(self.name, name, error) from None

    def values_in(self, item: Item, names: Iterable[str]) -> dict[str, Any]:
        """Some fields of a stored item, decoded; missing ones get their default or None."""
        values: dict[str, Any] = {}
        for name in names:
            field = self.sources[name]
            container: Any = item
            for step in field.path[:-1]:
                container = container.get(step, {}).get("M", {})
            stored = container.get(field.path[-1])
            if stored is None and name in self.in_key.keys and self.in_key.keys[name].attribute.name in item:
                values[name] = self.in_key.value(name, item)
                continue
            if stored is None:
                values[name] = field.default() if field.default is not None else None
                continue
            try:
                values[name] = None if "NULL" in stored and field.nullable else field.codec.decode(stored)
            except DECODING_FAILURES as error:
                raise DecodeError(
                    f"A stored {self.name} has a {name!r} that does not fit its field.",
                    hint="The item was written by other code or an older model; change the field or migrate the items.",
                ) from (None if isinstance(error, ValidationError) else error)  # ours tells what it met
        return values

    def index_attributes(self, values: Values) -> tuple[Item, tuple[str, ...]]:
        """For full field values: the index attributes to store, and those that must not be there."""
        store: Item = {}
        drop: list[str] = []
        for binding in self.kept:
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
    def mirrored(self) -> bool:
        """Whether each item has a mirror that is written with it."""
        return bool(self.table.mirrors) and self.entity in self.table.mirrors

    @property
    def unique_fields(self) -> frozenset[str]:
        """Fields that a unique rule names."""
        return frozenset(f for unique in self.uniques for f in unique.fields)
