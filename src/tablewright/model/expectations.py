"""What is expected of a model in use: how many items and how large they are, how often patterns run, what may be waived.

Nothing that is stored or read depends on it. Proofs, lint, synthesis, cost and documents go by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from tablewright.errors import ModelError
from tablewright.model.change import Change
from tablewright.model.comparing import Field
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.keys import Keys
from tablewright.model.pattern import Pattern
from tablewright.model.symbols import SourceLine

if TYPE_CHECKING:
    from tablewright.model.table import TableModel


class ItemsExpected(Struct, frozen=True):
    """What is expected of the items of an entity."""

    items: int | None = None
    """How many there will be."""
    size: int | None = None
    """Bytes of a usual one."""
    max_size: int | None = None
    """Bytes of the largest."""
    writes: float | None = None
    """Puts, updates and deletes in a second, at the peak."""
    per: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    """How many at most share the values of these fields, or of what keys derive from fields: `{("username",): 500}`,
    `{("device", "day"): 300}`."""
    indexed: Mapping[str, int] = field(default_factory=dict)
    """How many at most are in an index at one time, where not all are: `{"GSI3": 10}`."""
    taken: Mapping[str, float] = field(default_factory=dict)
    """How many times what a create takes of the table or of an index a write took of it, where that was observed. Nobody
    says this in a model."""
    reads: float = 0.0
    """Read units that a write took beforehand, to know the item, where that was observed. Nobody says this either."""

    def at_most(self, known: frozenset[str], index: str | None = None) -> int | None:
        """How many items there are at most with given values of these fields, in the table or in an index, as far as was
        said."""
        counts = [count for fields, count in self.per.items() if known.issuperset(fields)]
        there = self.items if index is None else self.indexed.get(index, self.items)
        return min([*counts, *([] if there is None else [there])], default=None)


class ValuesExpected(Struct, frozen=True):
    """What is expected of the values of a field."""

    distinct: int | None = None
    """How many different ones there will be."""
    hottest: float | None = None
    """The share of all reads and writes that concerns the one most in demand; if not said, each has an equal share."""


class ReadsExpected(Struct, frozen=True):
    """What is expected of an access pattern."""

    rate: float | None = None
    """Reads in a second, at the peak."""
    results: int | None = None
    """How many items a usual one returns."""
    latency_ms: float | None = None
    """In how many milliseconds 99 of 100 should be answered."""
    source: str = ""
    """The screen or the endpoint that needs it."""
    note: str = ""
    """Anything else to know."""
    partitions: int | None = None
    """How many partitions a usual one asks, where its arguments decide that: a list of values, or a range of time."""
    scanned: int | None = None
    """How many items a usual one looks at, where a filter leaves some of them out."""


class ChangesExpected(Struct, frozen=True):
    """What is expected of a declared change."""

    rate: float | None = None
    """How often it is made in a second, at the peak; the writes of its entity hold these."""


class Waiver(Struct, frozen=True):
    """A finding that is accepted, and why."""

    code: str
    """The code of the rule."""
    on: Any
    """The entity, pattern, field, relationship or index name that it is about, or several of which it is about all; None for
    the whole table."""
    reason: str
    """Why it is accepted."""
    line: SourceLine | None = None
    """Where the model says so."""


class Expectations:
    """Everything that is expected of one table."""

    def __init__(self) -> None:
        self.entities: dict[type[Entity], ItemsExpected] = {}
        self.fields: dict[tuple[type[Entity], str], ValuesExpected] = {}
        self.patterns: dict[str, ReadsExpected] = {}
        self.changes: dict[tuple[type[Entity], str], ChangesExpected] = {}

    def of(self, entity: type[Entity]) -> ItemsExpected:
        """What is expected of an entity. It is written at least as often as it is changed."""
        own, changed = self.entities.get(entity, ItemsExpected()), self.changed(entity)
        return own if changed <= (own.writes or 0.0) else replace(own, writes=changed)

    def changed(self, entity: type[Entity]) -> float:
        """How often an entity is changed in a second by declared changes, as far as was said."""
        return sum(one.rate or 0.0 for (owner, _), one in self.changes.items() if owner is entity)

    def created(self, entity: type[Entity]) -> float | None:
        """Writes in a second that are none of the declared changes, each of which may make an item."""
        writes = self.of(entity).writes
        return None if writes is None else writes - self.changed(entity)

    def of_change(self, entity: type[Entity], name: str) -> ChangesExpected:
        """What is expected of a change."""
        return self.changes.get((entity, name), ChangesExpected())

    def of_field(self, entity: type[Entity], name: str) -> ValuesExpected:
        """What is expected of a field."""
        return self.fields.get((entity, name), ValuesExpected())

    def of_pattern(self, name: str) -> ReadsExpected:
        """What is expected of a pattern."""
        return self.patterns.get(name, ReadsExpected())

    def add(self, table: TableModel, what: Any, facts: Mapping[str, Any]) -> None:
        """Notes more facts about an entity, a field, a pattern or a change of a table; refuses what cannot be."""
        if isinstance(what, Pattern):
            if what not in (table.patterns.get(what.name), table.unserved.get(what.name)):
                raise _stranger(table, f"the pattern {what.name}()")
            about = f"the pattern {what.name}()"
            self.patterns[what.name] = _with(about, self.of_pattern(what.name), facts)
        elif isinstance(what, Change):
            if what is not table.changes.get(what.name):
                raise _stranger(table, f"the change {what.name}()")
            place = what.entity, what.name
            self.changes[place] = _with(f"the change {what.name}()", self.of_change(*place), facts)
        elif isinstance(what, Field):
            owner, path = what._owner, what._path
            if getattr(owner, "__table__", None) is not table or len(path) != 1:
                raise _stranger(table, repr(what))
            self.fields[owner, str(path[0])] = _with(repr(what), self.of_field(owner, str(path[0])), facts)
        elif isinstance(what, type) and issubclass(what, Entity):
            if getattr(what, "__table__", None) is not table:
                raise _stranger(table, what.__name__)
            known = self.entities.get(what, ItemsExpected())
            more = dict(facts)
            if "per" in facts:
                more["per"] = {**known.per, **_per(what, facts["per"])}
            if "indexed" in facts:
                more["indexed"] = {**known.indexed, **_indexed(table, what, facts["indexed"])}
            self.entities[what] = _with(what.__name__, known, more)
        else:
            raise ModelError(
                f"{table.name}: expect() was given {type(what).__name__}.",
                hint="Pass an entity class, a field such as Order.status, a pattern, or a change.",
            )


def _with(about: str, known: Any, facts: Mapping[str, Any]) -> Any:
    allowed = type(known).__struct_fields__
    for name, value in facts.items():
        if name not in allowed:
            raise ModelError(f"expect({about}): {name!r} is nothing to expect of it.{did_you_mean(name, allowed)}")
        if name in ("source", "note"):
            if not isinstance(value, str):
                raise ModelError(f"expect({about}): {name} is a text.")
        elif name in ("per", "indexed"):
            continue
        elif isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
            raise ModelError(f"expect({about}): {name} is a number from 0 on.")
        elif name in ("items", "size", "max_size", "distinct", "results", "partitions", "scanned") and not isinstance(
            value, int
        ):
            raise ModelError(f"expect({about}): {name} is a whole number.")
        elif name == "hottest" and value > 1:
            raise ModelError(f"expect({about}): hottest is a share, from 0 to 1.")
    made = replace(known, **facts)
    if isinstance(made, ItemsExpected) and None not in (made.size, made.max_size) and made.size > made.max_size:  # type: ignore[operator]
        raise ModelError(f"expect({about}): a usual item is larger than the largest.")
    return made


def _per(entity: type[Entity], given: Any) -> dict[tuple[str, ...], int]:
    if given is None:
        return {}
    hint = 'Write per={"username": 500}, or per={("tenant_id", "status"): 500}.'
    if not isinstance(given, Mapping):
        raise ModelError(f"expect({entity.__name__}): per is a mapping from fields to a number.", hint=hint)
    found: dict[tuple[str, ...], int] = {}
    declared = getattr(entity, "keys", None)
    known = [*entity.model_fields, *(declared.derive if isinstance(declared, Keys) else ())]
    for fields, count in given.items():
        names = (fields,) if isinstance(fields, str) else tuple(fields)
        for name in names:
            if name not in known:
                raise ModelError(f"expect({entity.__name__}): per names {name!r}.{did_you_mean(str(name), known)}")
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ModelError(f"expect({entity.__name__}): per gives no whole number for {', '.join(names)}.", hint=hint)
        found[tuple(sorted(names))] = count
    return found


def _indexed(table: TableModel, entity: type[Entity], given: Any) -> dict[str, int]:
    hint = 'Write indexed={"GSI3": 10}.'
    if not isinstance(given, Mapping):
        raise ModelError(f"expect({entity.__name__}): indexed is a mapping from indexes to a number.", hint=hint)
    for index, count in given.items():
        if index not in table.indexes:
            raise ModelError(
                f"expect({entity.__name__}): indexed names {index!r}.{did_you_mean(str(index), table.indexes)}"
            )
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ModelError(f"expect({entity.__name__}): indexed gives no whole number for {index}.", hint=hint)
    return dict(given)


def _stranger(table: TableModel, what: str) -> ModelError:
    return ModelError(f"{table.name}: expect() was given {what}, which is not of this table.")
