"""What an entity says about its keys: templates for the table and each index, sparse conditions, shards, uniqueness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from msgspec import Struct

from tablewright.errors import ModelError
from tablewright.model.comparing import Field
from tablewright.model.conditions import Condition
from tablewright.values.keybuilding.granularity import Granularity

Side: TypeAlias = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class Shard:
    """A placeholder that spreads one hot partition over `of` partitions, by a hash of these fields.

    The same item always lands in the same shard, and reads that do not know the fields ask every shard and merge.
    """

    fields: tuple[str, ...]
    of: int

    def __init__(self, *fields: str, of: int) -> None:
        if not fields:
            raise ModelError(
                "A Shard needs at least one field to choose the shard by.", hint='Shard("order_id", of=8).'
            )
        if not 2 <= of <= 1000:
            raise ModelError(f"A Shard of {of} partitions makes no sense.", hint="Choose 2 to 1000.")
        object.__setattr__(self, "fields", fields)
        object.__setattr__(self, "of", of)


class Bucket(Struct, frozen=True):
    """A placeholder that holds the hour, day, month or year (UTC) of a datetime or date field: one partition per bucket."""

    field: str
    """The field whose time it is."""
    by: Granularity
    """How long a bucket is."""

    def __post_init__(self) -> None:
        if self.by not in ("hour", "day", "month", "year"):
            raise ModelError(f"A Bucket by {self.by!r} is unknown.", hint="Use 'hour', 'day', 'month' or 'year'.")

    @property
    def fields(self) -> tuple[str, ...]:
        """The field that the bucket is derived from."""
        return (self.field,)


Derived: TypeAlias = Shard | Bucket


@dataclass(frozen=True, slots=True)
class Unique:
    """Fields whose value (or combination of values) only one item of this entity may hold.

    `Unique("email")` is unique over the whole table, `Unique("tenant_id", "slug")` within each tenant. The rule is kept
    by a marker item in the same transaction; `key` is its template when the default name does not suit.
    """

    fields: tuple[str, ...]
    key: str | None = None

    def __init__(self, *fields: str, key: str | None = None) -> None:
        if not fields:
            raise ModelError("Unique() needs at least one field.")
        for name in fields:
            if not isinstance(name, str):
                raise ModelError(
                    f"Unique() names fields by their names, not by {type(name).__name__}.",
                    hint='Unique("tenant_id", "slug").',
                )
        object.__setattr__(self, "fields", fields)
        object.__setattr__(self, "key", key)


class IndexKeys(Struct, frozen=True):
    """An entity's keys on one index; `when` makes it sparse."""

    pk: tuple[str, ...]
    sk: tuple[str, ...]
    when: Condition | None = None


def _templates(side: Side | None) -> tuple[str, ...]:
    if side is None:
        return ()
    templates: tuple[Any, ...] = tuple(side) if isinstance(side, list | tuple) else (side,)
    for template in templates:
        _check_template(template)
    return templates


def _check_template(template: object) -> None:
    if not isinstance(template, str):
        raise ModelError(f"A key template is a text, not {type(template).__name__}.", hint='Write "ORDER#{order_id}".')


def sparse(pk: Side, sk: Side | None = None, *, when: Any) -> IndexKeys:
    """Index keys that are stored only while a condition holds: `sparse("DUE", "{due_at}", when=attr("status") == "pending")`."""
    if not isinstance(when, Condition):
        raise ModelError(
            "sparse(when=...) takes a condition on the entity's own fields.",
            hint='Write it with attr(): when=attr("status") == "pending".',
        )
    return IndexKeys(_templates(pk), _templates(sk), when)


def sparse_local(sk: str, *, when: Any) -> IndexKeys:
    """The same for a local index, which has only a sort key of its own."""
    return sparse((), sk, when=when)


class OwnEntity:
    """Owner of the fields that attr() names: the entity whose keys are being written, or the items of a plain table."""


def attr(name: str) -> Any:
    """A field of the entity being defined, where the class has no name yet: inside Keys(...). On a table that was opened
    without a model, an attribute: `attr("total") > 10`."""
    return Field(OwnEntity, (name,), Any)


def attr_is(name: str, value: object, shown: str, *, prefix: str = "") -> str:
    """The source of `attr(name) == value`, with the value as it is `shown`. Linters take == True for a mistake, so that the
    value of a flag is one of a list. `prefix` is what the names are reached by, such as `tablewright.`."""
    field = f'{prefix}attr("{name}")'
    return f"{prefix}is_in({field}, [{shown}])" if isinstance(value, bool) else f"{field} == {shown}"


IndexSpec: TypeAlias = str | tuple[Side] | tuple[Side, Side] | IndexKeys


class Keys:
    """An entity's key templates.

    `Keys("CUSTOMER#{username}", "ORDER#{placed_at}#{order_id}", GSI1=("ORDER#{order_id}", "ORDER#{order_id}"))`

    A template is made of literals and placeholders, separated by `#`. A placeholder names a field, or a shard or bucket
    given in `derive`; `{number:6}` pads a number to six digits, `{price:8.2}` a decimal. Index keys are given by the
    index's name, as (pk, sk); for a multi-attribute index each side is a tuple; for a local index it is the sort key
    alone. An attribute that an index shares with the table or with an index before it has its template already and is left
    out. `sparse(...)` leaves items out of an index. Index names that are no Python names go into `indexes`.
    """

    __slots__ = ("derive", "indexes", "pk", "sk", "unique")

    def __init__(
        self,
        pk: str,
        sk: str | None = None,
        /,
        *,
        unique: Sequence[str | Unique] = (),
        derive: Mapping[str, Derived] | None = None,
        indexes: Mapping[str, IndexSpec] | None = None,
        **more: IndexSpec,
    ) -> None:
        for template in (pk, *([] if sk is None else [sk])):
            _check_template(template)
        self.pk = pk
        self.sk = sk
        if isinstance(unique, str | Unique) or not isinstance(unique, Iterable):
            raise ModelError(
                f"Keys(unique=...) takes a list of rules, not {type(unique).__name__}.",
                hint=f"Write unique=[{unique!r}]." if isinstance(unique, str) else 'Write unique=["email"].',
            )
        self.unique = tuple(u if isinstance(u, Unique) else Unique(u) for u in unique)
        self.derive: dict[str, Derived] = dict(derive or {})
        for name, derived in self.derive.items():
            if not isinstance(derived, Shard | Bucket):
                raise ModelError(f"derive: {name!r} is neither a Shard nor a Bucket.", hint='Shard("order_id", of=8).')
        for twice in (indexes or {}).keys() & more.keys():
            raise ModelError(
                f"Keys() gives index {twice!r} two values.",
                hint="An item has one key on each index: use another index.",
            )
        self.indexes = {name: _index_keys(name, spec) for name, spec in {**(indexes or {}), **more}.items()}

    def __get__(self, instance: object, owner: type | None = None) -> Keys:
        # An item with an attribute `keys` would pass for a mapping, and dict(item) would fail.
        if instance is not None:
            raise AttributeError("keys belong to the class, not to an item")
        return self

    def __repr__(self) -> str:
        return f"Keys({self.pk!r}, {self.sk!r}, indexes={sorted(self.indexes)})"


def _index_keys(name: str, spec: IndexSpec) -> IndexKeys:
    if isinstance(spec, IndexKeys):
        return spec
    if isinstance(spec, str):
        return IndexKeys((), (spec,))
    if isinstance(spec, tuple) and 1 <= len(spec) <= 2:
        return IndexKeys(_templates(spec[0]), _templates(spec[1]) if len(spec) == 2 else ())
    raise ModelError(
        f"The keys of index {name!r} are not a template, a pair (pk, sk) or sparse(...).",
        hint=f'Write {name}=("STATUS#{{status}}", "{{placed_at}}").',
    )
