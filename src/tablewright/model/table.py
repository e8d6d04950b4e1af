"""The table that a model describes: its name, key attributes and indexes, and what is registered on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    Literal,
    ParamSpec,
    TypeAlias,
    TypeVar,
    cast,
    get_args,
    overload,
)

from tablewright.errors import ModelError, UnknownIndexError
from tablewright.later import later
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.indexes import GSI, LSI, AttributeNames, AttributeSpec, Index, KeyAttribute
from tablewright.model.inspection import Unread, current_inspection, refusing
from tablewright.model.key_attributes import KeyAttributes
from tablewright.model.pattern import Pattern
from tablewright.model.symbols import user_line
from tablewright.values.keycodec.style import STRICT, KeyStyle

if TYPE_CHECKING:
    from tablewright.model import belongings, change, deployment, expectations
    from tablewright.model.aggregates import Aggregate
    from tablewright.model.belongings import Belongings
    from tablewright.model.change import Change
    from tablewright.model.counters import ShardedCounter
    from tablewright.model.deployment import Deployment
    from tablewright.model.expectations import Expectations, Waiver
    from tablewright.model.operations import Op
    from tablewright.model.relationships import Relationship

    P = ParamSpec("P")
    E = TypeVar("E", bound=Entity)
    OpT = TypeVar("OpT", bound=Op[Any, Any])
    CastT = TypeVar("CastT", bound=Callable[[dict[str, Any]], dict[str, Any]])
else:
    later(globals(), "tablewright.model", "belongings", "change", "deployment", "expectations")

_TABLE_NAME = r"[A-Za-z0-9_.-]{3,255}"
StreamView: TypeAlias = Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]
"""What the records of a table's stream hold."""
USUAL_VIEW: StreamView = "NEW_AND_OLD_IMAGES"
"""What they hold if only a stream is asked for."""
_STAGE = "{stage}"
_STAGE_APART = r"^\{stage\}[-_.]?|[-_.]?\{stage\}"


_DEFINED_AGAIN = (
    "A name stands for one thing in a model. In a shell or notebook, run the whole model again, from its Table(...) on."
)


class TableModel:
    """A table's definition; `tablewright.Table` adds compiling and opening."""

    needs_keys: ClassVar[bool] = True
    """Whether each entity says its keys; in a design they are still to be found."""
    asks: ClassVar[tuple[str, ...]] = ()
    """Class keywords that entities of this table have beside the usual ones; they are kept in `__asked__`."""

    def __init__(
        self,
        name: str,
        *,
        indexes: Sequence[GSI | LSI] = (),
        names: AttributeNames | None = None,
        pk: AttributeSpec | None = None,
        sk: AttributeSpec | bool | None = True,
        key_style: KeyStyle = STRICT,
        stream: StreamView | bool | None = None,
        deployment: Deployment | None = None,
    ) -> None:
        if not isinstance(name, str):
            raise ModelError(f"The name of a table is a text, not {type(name).__name__}.")
        if not re.fullmatch(_TABLE_NAME, name.replace(_STAGE, "dev")):
            raise ModelError(
                f"{name!r} cannot be the name of a table.",
                hint="DynamoDB wants 3 to 255 characters out of letters, digits, '_', '-' and '.'; {stage} may stand in it.",
            )
        self.name = name
        self.names = names or AttributeNames()
        self.key_style = key_style
        if stream not in (None, *get_args(StreamView)) and not isinstance(stream, bool):
            raise ModelError(f"{name}: stream= is True, or one of {', '.join(get_args(StreamView))}.")
        self.stream: StreamView | None = (USUAL_VIEW if stream else None) if isinstance(stream, bool) else stream
        self.pk = _key(pk, self.names.pk)
        self.sk = None if sk is None or sk is False else _key(None if sk is True else sk, self.names.sk)
        self.indexes: dict[str, Index] = KeyAttributes(name, self.names, self.pk, self.sk).resolve(indexes)
        if deployment is not None:
            self.deployment = self._deployed(deployment)
        self.entities: dict[str, type[Entity]] = {}
        self.patterns: dict[str, Pattern[..., Any]] = {}
        self.unserved: dict[str, Pattern[..., Any]] = {}
        """Patterns that no key serves; a model holds some only while it is being inspected."""
        self.changes: dict[str, Change[Any, ...]] = {}
        self.relationships: list[Relationship] = []
        self.mirrors: dict[type[Entity], type[Entity]] = {}
        self.aggregates: dict[str, type[Aggregate[Any]]] = {}
        self.counters: dict[tuple[type[Entity], str, str], ShardedCounter[Any]] = {}
        """Sharded counters, by their entity and its two fields."""
        self.waivers: list[Waiver] = []
        inspection = current_inspection()
        if inspection is not None:
            inspection.tables.append(self)

    def __repr__(self) -> str:
        return f"<table {self.name!r}: {len(self.entities)} entities, {len(self.indexes)} indexes>"

    @property
    def label(self) -> str:
        """The name without its stage, for messages about the table of any stage."""
        return re.sub(_STAGE_APART, "", self.name) or self.name

    def physical_name(self, stage: str | None = None) -> str:
        """The table's name in one stage."""
        if _STAGE not in self.name:
            return self.name
        if not stage:
            raise ModelError(
                f"The table name {self.name!r} needs a stage.",
                hint='Open it with stage="dev", or set TABLEWRIGHT_STAGE.',
            )
        return self.name.replace(_STAGE, stage)

    def may_be_called(self, name: str) -> bool:
        """Whether a table of this name is the model's, in whatever stage."""
        return name == self.label or bool(re.fullmatch(re.escape(self.name).replace(re.escape(_STAGE), ".+"), name))

    def index(self, name: str) -> Index:
        """The index of this name."""
        found = self.indexes.get(name)
        if found is None:
            raise UnknownIndexError(
                f"{self.label} has no index {name!r}.{did_you_mean(name, self.indexes)}", field=name
            )
        return found

    @property
    def ttl_attribute(self) -> str | None:
        """The attribute that items expire by, if an entity declares one or leaves tombstones; a table has at most one."""
        for entity in self.entities.values():
            name = entity.__options__.ttl
            if name is not None:
                return entity.__options__.stored.get(name, name)
        soft = any(e.__options__.soft_delete is not None for e in self.entities.values())
        return self.names.expires if soft else None

    @cached_property
    def deployment(self) -> Deployment:
        """How the table is to be run on AWS."""
        return deployment.Deployment()

    def _deployed(self, given: Deployment) -> Deployment:
        if not isinstance(given, deployment.Deployment):
            raise ModelError(f"{self.name}: deployment= is Deployment(...), not {type(given).__name__}.")
        given.fit(self.name, (i.name for i in self.indexes.values() if not i.local))
        return given

    # ------------------------------------------------------------------------------------------- registering

    def register(self, entity: type[Entity]) -> None:
        """Called by the entity's class statement."""
        with refusing(self, "entity", entity.__name__, entity):
            self._register(entity)

    def _register(self, entity: type[Entity]) -> None:
        other = self.entities.get(entity.__options__.type)
        if other is not None:
            where = f"{self.name} already has an entity of type {entity.__options__.type!r} ({other.__qualname__})."
            if (entity.__module__, entity.__qualname__) == (other.__module__, other.__qualname__):
                raise ModelError(where, hint=_DEFINED_AGAIN)
            raise ModelError(
                where, hint='Give one of them another stored name: class X(Entity, table=..., type="...").'
            )
        self.entities[entity.__options__.type] = entity
        try:
            self.on_entity(entity)
        except BaseException:
            del self.entities[entity.__options__.type]
            raise

    def pattern(self, function: Callable[P, OpT]) -> Pattern[P, OpT]:
        """Declares an access pattern: `@table.pattern` above a function that returns query(), get() or collect()."""
        pattern: Any = Unread(function)
        with refusing(self, "pattern", getattr(function, "__name__", "?"), function):
            pattern = Pattern(function)
            if pattern.name in self.patterns:
                raise ModelError(f"{self.name} already has a pattern {pattern.name}().", hint=_DEFINED_AGAIN)
            self.on_pattern(pattern)
            self.patterns[pattern.name] = pattern
        if isinstance(pattern, Pattern) and self.patterns.get(pattern.name) is not pattern:
            self.unserved[pattern.name] = pattern
        return cast("Pattern[P, OpT]", pattern)

    def change(self, function: Callable[Concatenate[E, P], None]) -> Change[E, P]:
        """Declares a change: `@table.change` above a function that requires and assigns."""
        declared: Any = Unread(function)
        with refusing(self, "change", getattr(function, "__name__", "?"), function):
            declared = change.Change(function)
            if declared.name in self.changes:
                raise ModelError(f"{self.name} already has a change {declared.name}().", hint=_DEFINED_AGAIN)
            self.on_change(declared)
            self.changes[declared.name] = declared
        return cast("Change[E, P]", declared)

    def upcast(self, entity: type[Entity], version: int, /) -> Callable[[CastT], CastT]:
        """Declares what makes of a stored item of one schema version one of the next: `@table.upcast(User, 1)` above a
        function from attributes to attributes, both as dicts of plain Python values. Keys, type, version and times are
        not among them."""
        return partial(self._cast, "upcast", entity, version)

    def downcast(self, entity: type[Entity], version: int, /) -> Callable[[CastT], CastT]:
        """The way back: `@table.downcast(User, 2)` above a function that makes of an item of version 2 one of version 1,
        for `open(..., write_versions={User: 1})`."""
        return partial(self._cast, "downcast", entity, version)

    def _cast(self, way: Literal["upcast", "downcast"], entity: type[Entity], version: int, function: CastT) -> CastT:
        name = f"{way} of {getattr(entity, '__name__', entity)} from {version}"
        with refusing(self, way, name, function):
            self.on_cast(way, entity, version, function)
        return function

    def relate(self, *relationships: Relationship) -> None:
        """Records relationships and the strategy chosen for each."""
        checked: list[Relationship] = []
        for relationship in relationships:
            with refusing(self, "relationship", str(relationship), relationship):
                self.on_relationship(relationship)
                checked.append(relationship)
        for relationship in checked:
            if relationship.via is not None and relationship.mirror is not None:
                self.mirrors |= {relationship.via: relationship.mirror, relationship.mirror: relationship.via}
        self.relationships.extend(checked)

    def add_aggregate(self, aggregate: type[Aggregate[Any]]) -> None:
        """Called by the aggregate's class statement."""
        with refusing(self, "aggregate", aggregate.__name__, aggregate):
            if aggregate.__name__ in self.aggregates:
                raise ModelError(f"{self.name} already has an aggregate {aggregate.__name__}.", hint=_DEFINED_AGAIN)
            self.on_aggregate(aggregate)
            self.aggregates[aggregate.__name__] = aggregate

    def belongings(
        self,
        owner: Pattern[P, Any],
        /,
        *patterns: Pattern[..., Any],
        below: Mapping[type[Entity], Pattern[..., Any] | Sequence[Pattern[..., Any]]] | None = None,
        beside: Sequence[type[Entity]] = (),
    ) -> Belongings[P]:
        """Declares what belongs to somebody, so that sessions can list and erase it:
        `everything_of = table.belongings(user, orders_of, below={Order: lines_of}, beside=[Product])`.

        The first pattern finds the owner; the others take parameters of the same names. Those in `below` are given the
        fields of an item by their names. Every entity must be found in full, or stand in `beside`.
        """
        made: Any = Unread(owner)
        with refusing(self, "belongings", "belongings()", owner):
            found = belongings.declared(self, (owner, *patterns), below, tuple(beside))
            if found is not None:
                self.on_belongings(found)
                made = found
        return cast("Belongings[P]", made)

    # ------------------------------------------------------------------------------------- what is expected of it

    @cached_property
    def expectations(self) -> Expectations:
        """What was said with expect()."""
        return expectations.Expectations()

    @overload
    def expect(
        self,
        what: type[Entity],
        /,
        *,
        items: int = ...,
        size: int = ...,
        max_size: int = ...,
        writes: float = ...,
        per: Mapping[str | tuple[str, ...], int] = ...,
        indexed: Mapping[str, int] = ...,
    ) -> None: ...
    @overload
    def expect(
        self,
        what: Pattern[..., Any],
        /,
        *,
        rate: float = ...,
        results: int = ...,
        partitions: int = ...,
        scanned: int = ...,
        latency_ms: float = ...,
        source: str = ...,
        note: str = ...,
    ) -> None: ...
    @overload
    def expect(self, what: Change[Any, ...], /, *, rate: float) -> None: ...
    @overload
    def expect(self, what: object, /, *, distinct: int = ..., hottest: float = ...) -> None: ...
    def expect(self, what: Any, /, **facts: Any) -> None:
        """Says what is expected in use, for proofs, lint, cost and documents; nothing that is stored depends on it.

        - of an entity: `expect(Order, items=2_000_000, size=900, max_size=40_000, writes=50, per={"username": 500})`.
          Sizes are bytes, `writes` are those of a second at the peak, `per` is how many share a field's value at most;
          `indexed={"GSI3": 10}` is how many are in an index at one time, where that is not all of them.
        - of a field: `expect(Order.status, distinct=3, hottest=0.9)`. How many values there are, and the share of the
          traffic that concerns the one most in demand.
        - of a pattern: `expect(orders_of, rate=100, results=20, latency_ms=50, source="order history")`. Where arguments
          decide how many partitions are asked, by a list or a range of time, `partitions=7` is how many usually are;
          `scanned=600` is how many items a usual one looks at, where its filter leaves some of them out.
        - of a change: `expect(ship, rate=5)`, how often it is made in a second at the peak. The entity's `writes` hold these.
        """
        with refusing(self, "expectation", f"expect({getattr(what, '__name__', what)!r})", what):
            if not isinstance(what, Unread):
                self.expectations.add(self, what, facts)

    def waive(self, code: str, on: Any = None, /, *, reason: str) -> None:
        """Accepts what a lint rule finds: on an entity, a pattern, a field, an index by its name, or in the whole table.

        `waive("TW304", Order, reason="a dozen orders are pending at any time")`. Of several things the finding must be
        about all: `waive("TW701", (Order, "GSI2"), reason="...")` accepts it on this index only.
        """
        with refusing(self, "expectation", f"waive({code!r})", on):
            if not isinstance(code, str) or not isinstance(reason, str) or not reason.strip():
                raise ModelError(
                    f"{self.name}: waive() needs the code of a rule and a reason.",
                    hint='waive("TW304", Order, reason="...")',
                )
            if isinstance(on, Unread):
                return
            self.waivers.append(expectations.Waiver(code, on, reason.strip(), user_line()))

    def on_entity(self, entity: type[Entity]) -> None:
        """Hook: an entity was registered."""

    def on_pattern(self, pattern: Pattern[..., Any]) -> None:
        """Hook: a pattern was declared."""

    def on_change(self, change: Change[Any, ...]) -> None:
        """Hook: a change was declared."""

    def on_cast(
        self,
        way: Literal["upcast", "downcast"],
        entity: type[Entity],
        version: int,
        cast: Callable[[dict[str, Any]], dict[str, Any]],
    ) -> None:
        """Hook: an upcast or downcast was declared."""

    def on_relationship(self, relationship: Relationship) -> None:
        """Hook: a relationship was declared."""

    def on_aggregate(self, aggregate: type[Aggregate[Any]]) -> None:
        """Hook: an aggregate was declared."""

    def on_belongings(self, belongings: Belongings[...]) -> None:
        """Hook: belongings were declared."""


def _key(spec: AttributeSpec | bool | None, default: str) -> KeyAttribute:
    if isinstance(spec, KeyAttribute):
        return spec
    return KeyAttribute(spec) if isinstance(spec, str) else KeyAttribute(default)
