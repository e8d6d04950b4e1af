"""What a user declares: which legacy table becomes which entities of the model, attribute by attribute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from msgspec import Struct

from tablewright.client.settings import check_table_name
from tablewright.compiler.fields import CREATED, UPDATED
from tablewright.errors import ConfigError
from tablewright.evolve.moving.asking import LegacyGet, LegacyQuery, LegacyScan
from tablewright.model.entity import Entity, did_you_mean
from tablewright.table import Table
from tablewright.wording import counted

Legacy: TypeAlias = dict[str, Any]
"""A legacy item as plain Python values, with the attributes that its move names and no others."""


_MOST_READ = 130
"""Attributes that one condition can compare where an item has none of them: `attribute_not_exists(#999) AND ` each, in 4 KB."""


class Constant(Struct, frozen=True):
    """A field that is the same in every item."""

    value: Any


class Default(Struct, frozen=True):
    """An attribute that may be missing, and what stands for it then; plan() and verify() count how often."""

    attribute: str
    value: Any


Source: TypeAlias = str | Constant | Default | Callable[[Legacy], Any]
"""Where a field comes from: an attribute by its name, with or without a default, a constant, or a function of the legacy item.
None leaves it out."""


class Made(Struct, frozen=True):
    """An entity of a split that has times of its own; without them it has those of its move."""

    entity: Entity
    created: datetime | None = None
    updated: datetime | None = None


class Remark(Struct, frozen=True):
    """Something that a split made up or left out, in words without values: plan() and verify() count them."""

    text: str


class Frozen(Struct, frozen=True):
    """Legacy items beside those of a move, such as a tenant's library, which are read once for each group and kept in the
    ledger as they were: whoever makes something of them, and whenever, makes the same.

    In the legacy item they stand under `name`, as FrozenItems."""

    name: str
    group: Callable[[Legacy], str | None]
    """From the leading item to the group whose items it needs; None for none."""
    reads: Callable[[str], Mapping[str, LegacyGet | LegacyQuery | LegacyScan]]
    """What is read for a group, each under a name. By an index, items that are not in it would be missing for ever."""


class FrozenItems(Struct, frozen=True):
    """What was read for a group."""

    taken_at: datetime
    """When it was."""
    items: Mapping[str, list[dict[str, Any]]]


class Join(Struct, frozen=True):
    """Another legacy table whose items are merged into those of a move; its item stands in the legacy item under the name of
    the join, or None where there is none."""

    table: str
    key: tuple[str, ...]
    """Its key attributes."""
    find: Callable[[Legacy], Mapping[str, Any] | None]
    """From the leading item to the key of the joined one."""
    owner: Callable[[Legacy], Mapping[str, Any] | None]
    """From the joined item to the key of the leading one, so that a change of it is noticed."""
    uses: tuple[str, ...]
    """The attributes that are read, besides the key."""
    dropped: tuple[str, ...] = ()
    """Attributes that are left behind on purpose."""
    alone: bool = False
    """Whether items whose owner is not there, or does not find them, are left behind on purpose; plan() and verify() tell them
    otherwise."""


class Move(Struct, frozen=True, kw_only=True):
    """Items of one legacy table, and what becomes of them.

    Either `entity` with `fields`, one for one, or `split`: a function that makes entities of the classes in `makes` out of one
    legacy item, each as it is or as `Made` with its own times, and `Remark`s on what it had to make up. Type, keys and index keys
    follow from the model, whatever the legacy item calls by those names.
    """

    table: str
    key: tuple[str, ...]
    """The key attributes of the legacy table."""
    entity: type[Entity] | None = None
    fields: Mapping[str, Source] = {}
    split: Callable[[Legacy], Iterable[Entity | Made | Remark]] | None = None
    makes: tuple[type[Entity], ...] = ()
    uses: tuple[str, ...] = ()
    """Attributes that functions read, besides those that `fields` name."""
    dropped: tuple[str, ...] = ()
    """Attributes that are left behind on purpose."""
    joins: Mapping[str, Join] = {}
    frozen: tuple[Frozen, ...] = ()
    """What is read once, and kept as it was."""
    created: Source | None = None
    """The library's own creation time, where the legacy item tells it."""
    updated: Source | None = None
    """The time of the last write, likewise."""
    back: Callable[[Any], Mapping[str, Any] | None] | None = None
    """From an entity to the legacy item, for the way back after legacy tables are written no more; None for an entity that belongs to
    another one, where several tables become one entity."""
    name: str = ""
    """How reports call it; the legacy table's name unless two moves share it."""

    @property
    def called(self) -> str:
        """Its name."""
        return self.name or self.table

    @property
    def entities(self) -> tuple[type[Entity], ...]:
        """What it makes."""
        return self.makes if self.entity is None else (self.entity,)

    @property
    def read(self) -> frozenset[str]:
        """The attributes of the leading item that decide what is made of it."""
        sources = (*self.fields.values(), self.created, self.updated)
        named = (s.attribute if isinstance(s, Default) else s for s in sources if isinstance(s, str | Default))
        return frozenset((*self.key, *self.uses, *named))

    @property
    def noted(self) -> bool:
        """Whether what becomes of an item takes more than the item, so that it is always written by way of a note."""
        return bool(self.joins or self.frozen)


class Parent(Struct, frozen=True):
    """Items that belong to another one: `Parent(Review, Merchant, {"merchant_id": "merchant_id"})`."""

    child: type[Entity]
    parent: type[Entity]
    by: Mapping[str, str]
    """Each field of the parent's key, and the child's field that holds it."""


class Moving:
    """Many legacy tables that become one table of a model.

    `ledger` is a small table of its own that keeps the phase, the flag, and notes of what still has to be written; it goes with the
    legacy tables. `origin` is the attribute by which moved items tell where they come from. `refresh` is how many seconds running
    processes may go on with the phase that they know.
    """

    def __init__(
        self,
        name: str,
        *,
        table: Table,
        moves: Iterable[Move],
        parents: Iterable[Parent] = (),
        ledger: str | None = None,
        origin: str = "moved_from",
        refresh: float = 5.0,
        safety_period: timedelta = timedelta(days=30),
    ) -> None:
        self.name = name
        self.table = table
        self.moves = tuple(moves)
        self.parents = tuple(parents)
        self.ledger = ledger or f"{name}-moving"
        self.origin = origin
        self.refresh = refresh
        self.safety_period = safety_period
        check_table_name(self.ledger)
        if not self.moves:
            raise ConfigError(f"The moving {name!r} has no moves.", hint="Moving(..., moves=[Move(...)])")
        if refresh <= 0 or safety_period < timedelta(0):
            raise ConfigError("refresh is more than 0 seconds, and safety_period not negative.")
        called = [m.called for m in self.moves]
        for twice in {c for c in called if called.count(c) > 1}:
            raise ConfigError(f"Two moves are called {twice!r}.", hint="Give one of them another name=.")
        for move in self.moves:
            _check(self, move)
        for relation in self.parents:
            _check_parent(table, relation)
        self.by_name = {m.called: m for m in self.moves}
        for legacy in self.keys:
            check_table_name(legacy)
            if len(self.read(legacy)) > _MOST_READ:
                raise ConfigError(
                    f"{len(self.read(legacy))} attributes of {legacy} are read; writes compare each, and a condition holds {_MOST_READ}.",
                    hint="Drop what the new table does not need, or gather attributes in a map of the legacy item first.",
                )
        self._known = {legacy: self.known(legacy) for legacy in self.keys}

    @property
    def keys(self) -> dict[str, tuple[str, ...]]:
        """Every legacy table and its key attributes, in order of declaration."""
        found: dict[str, tuple[str, ...]] = {}
        for move in self.moves:
            for table, key in ((move.table, move.key), *((join.table, join.key) for join in move.joins.values())):
                if found.setdefault(table, key) != key:
                    raise ConfigError(f"{table} is declared with two different keys.")
        return found

    @property
    def no_way_back(self) -> str | None:
        """Why what was written to the new table alone cannot be told to legacy tables; None where it can."""
        tables = [table for move in self.moves for table in (move.table, *(join.table for join in move.joins.values()))]
        for move in self.moves:
            if move.entity is None or move.noted:
                what = "makes many of one" if move.entity is None else "merges or freezes other items"
                return f"the move of {move.called!r} {what}, and nothing tells how that is undone"
            if move.back is None:
                return f"the move of {move.called!r} has no back="
            if tables.count(move.table) > 1:
                return f"several moves read {move.table}, and nobody knows which of them an item still needs"
        return None

    def read(self, table: str) -> frozenset[str]:
        """The attributes of a legacy table that decide what becomes of its items."""
        names: set[str] = set()
        for move in self.moves:
            if move.table == table:
                names |= move.read
            for join in move.joins.values():
                if join.table == table:
                    names |= {*join.key, *join.uses}
        return frozenset(names)

    def known(self, table: str) -> frozenset[str]:
        """The attributes of a legacy table that some move reads or drops."""
        names: set[str] = set()
        for move in self.moves:
            if move.table == table:
                names |= move.read | {*move.dropped}
            for join in move.joins.values():
                if join.table == table:
                    names |= {*join.key, *join.uses, *join.dropped}
        return frozenset(names)

    def unmapped(self, table: str, item: Mapping[str, Any]) -> list[str]:
        """What is to be said of the attributes of a legacy item that no move reads or drops."""
        others = item.keys() - self._known[table]
        return [f"the attribute {name!r} is neither mapped nor dropped" for name in sorted(others)]


def _check_parent(table: Table, relation: Parent) -> None:
    where = f"Parent({relation.child.__name__}, {relation.parent.__name__}, ...)"
    for entity in (relation.child, relation.parent):
        if entity not in table.plan.entities:
            raise ConfigError(f"{where} names {entity.__name__}, which is no entity of {table.name}.")
    child, parent = (table.plan.entities[entity] for entity in (relation.child, relation.parent))
    for name in relation.by.values():
        if name not in child.fields:
            raise ConfigError(
                f"{where} names {name!r}, which {child.name} does not have.{did_you_mean(name, child.fields)}"
            )
    if relation.by.keys() != parent.key_fields:
        raise ConfigError(
            f"{where} names {', '.join(sorted(relation.by)) or 'no fields'} of the parent, whose key is made of "
            f"{', '.join(sorted(parent.key_fields))}.",
            hint="Name each field of the parent's key, and the child's field that holds it.",
        )


def _check(moving: Moving, move: Move) -> None:
    where = f"The move of {move.called!r}"
    plans = moving.table.plan.entities
    if move.table in (moving.table.name, moving.ledger):
        raise ConfigError(f"{where} reads the table that is written.", hint="A legacy table is another one.")
    if not 1 <= len(move.key) <= 2:
        raise ConfigError(f"{where} names {counted(len(move.key), 'key attribute')}; a table has one or two.")
    if (move.entity is None) == (move.split is None) or (move.split is not None and not move.makes):
        raise ConfigError(
            f"{where} needs entity= and fields=, or split= and makes=.",
            hint="One of the two says what is made of an item.",
        )
    if move.back is not None and move.entity is None:
        raise ConfigError(f"{where} has back=, which takes one entity, but makes many.")
    for entity in move.entities:
        plan = plans.get(entity)
        if plan is None:
            raise ConfigError(f"{where} makes {entity.__name__}, which is no entity of {moving.table.name}.")
        if plan.seals or plan.mirrored:
            raise ConfigError(
                f"{where} makes {entity.__name__}, whose items are sealed or mirrored; such are written by a session only.",
                hint="Move it without the seal or mirror, and add that afterwards.",
            )
        if moving.origin in {f.path[0] for f in plan.fields.values()} | {*plan.names.own()}:
            raise ConfigError(
                f"{entity.__name__} has {moving.origin!r} already.", hint="Give Moving(origin=...) another name."
            )
        in_keys = plan.key_fields.union(*(binding.sources for binding in plan.bindings))
        for stamp, source in ((CREATED, move.created), (UPDATED, move.updated)):
            if stamp in in_keys and stamp not in plan.fields and source is None:
                raise ConfigError(
                    f"{where} makes {entity.__name__}, whose keys hold {stamp}, and does not say where it comes from.",
                    hint=f"Name it: Move(..., {stamp.removesuffix('_at')}=...).",
                )
    if move.entity is not None:
        for name in move.fields.keys() - plans[move.entity].fields.keys():
            raise ConfigError(
                f"{where} fills {name!r}, which {move.entity.__name__} does not have."
                f"{did_you_mean(name, plans[move.entity].fields)}"
            )
    beside = [*move.joins, *(frozen.name for frozen in move.frozen)]
    twice = sorted({name for name in beside if beside.count(name) > 1 or name in move.read})
    if twice:
        hint = "Give it another name."
        if {*twice} & {*move.uses}:
            hint = "Take it out of uses=, where joins need not stand; or, if the legacy item has such an attribute, give it another name."
        raise ConfigError(
            f"{where} calls a join or something frozen like another one, or like an attribute: {', '.join(map(repr, twice))}.",
            hint=hint,
        )
    both = move.read & {*move.dropped}
    if both:
        raise ConfigError(f"{where} both reads and drops {', '.join(sorted(both))}.")
