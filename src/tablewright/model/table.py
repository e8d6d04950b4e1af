"""The table that a model describes: its name, key attributes and indexes, and what is registered on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeAlias, TypeVar, get_args

from tablewright.errors import ModelError, UnknownIndexError
from tablewright.later import later
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.indexes import GSI, LSI, AttributeNames, AttributeSpec, Index, KeyAttribute
from tablewright.model.key_attributes import KeyAttributes
from tablewright.model.pattern import Pattern
from tablewright.values.keycodec.style import STRICT, KeyStyle

if TYPE_CHECKING:
    from tablewright.model import change
    from tablewright.model.aggregates import Aggregate
    from tablewright.model.change import Change
    from tablewright.model.operations import Op
    from tablewright.model.relationships import Relationship

    P = ParamSpec("P")
    E = TypeVar("E", bound=Entity)
    OpT = TypeVar("OpT", bound=Op[Any, Any])
else:
    later(globals(), "tablewright.model", "change")

_TABLE_NAME = r"[A-Za-z0-9_.-]{3,255}"
StreamView: TypeAlias = Literal["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]
"""What the records of a table's stream hold."""
_STAGE = "{stage}"
_STAGE_APART = r"^\{stage\}[-_.]?|[-_.]?\{stage\}"


_DEFINED_AGAIN = (
    "A name stands for one thing in a model. In a shell or notebook, run the whole model again, from its Table(...) on."
)


class TableModel:
    """A table's definition; `tablewright.Table` adds compiling and opening."""

    def __init__(
        self,
        name: str,
        *,
        indexes: Sequence[GSI | LSI] = (),
        names: AttributeNames | None = None,
        pk: AttributeSpec | None = None,
        sk: AttributeSpec | bool | None = True,
        key_style: KeyStyle = STRICT,
        stream: StreamView | None = None,
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
        if stream is not None and stream not in get_args(StreamView):
            raise ModelError(f"{name}: stream= is one of {', '.join(get_args(StreamView))}.")
        self.stream = stream
        self.pk = _key(pk, self.names.pk)
        self.sk = None if sk is None or sk is False else _key(None if sk is True else sk, self.names.sk)
        self.indexes: dict[str, Index] = KeyAttributes(name, self.names, self.pk, self.sk).resolve(indexes)
        self.entities: dict[str, type[Entity]] = {}
        self.patterns: dict[str, Pattern[..., Any]] = {}
        self.changes: dict[str, Change[Any, ...]] = {}
        self.relationships: list[Relationship] = []
        self.mirrors: dict[type[Entity], type[Entity]] = {}
        self.aggregates: dict[str, type[Aggregate[Any]]] = {}

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

    # ------------------------------------------------------------------------------------------- registering

    def register(self, entity: type[Entity]) -> None:
        """Called by the entity's class statement."""
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
        pattern = Pattern(function)
        if pattern.name in self.patterns:
            raise ModelError(f"{self.name} already has a pattern {pattern.name}().", hint=_DEFINED_AGAIN)
        self.on_pattern(pattern)
        self.patterns[pattern.name] = pattern
        return pattern

    def change(self, function: Callable[Concatenate[E, P], None]) -> Change[E, P]:
        """Declares a change: `@table.change` above a function that requires and assigns."""
        declared = change.Change(function)
        if declared.name in self.changes:
            raise ModelError(f"{self.name} already has a change {declared.name}().", hint=_DEFINED_AGAIN)
        self.on_change(declared)
        self.changes[declared.name] = declared
        return declared

    def relate(self, *relationships: Relationship) -> None:
        """Records relationships and the strategy chosen for each."""
        for relationship in relationships:
            self.on_relationship(relationship)
            if relationship.via is not None and relationship.mirror is not None:
                self.mirrors |= {relationship.via: relationship.mirror, relationship.mirror: relationship.via}
        self.relationships.extend(relationships)

    def add_aggregate(self, aggregate: type[Aggregate[Any]]) -> None:
        """Called by the aggregate's class statement."""
        if aggregate.__name__ in self.aggregates:
            raise ModelError(f"{self.name} already has an aggregate {aggregate.__name__}.", hint=_DEFINED_AGAIN)
        self.on_aggregate(aggregate)
        self.aggregates[aggregate.__name__] = aggregate

    def on_entity(self, entity: type[Entity]) -> None:
        """Hook: an entity was registered."""

    def on_pattern(self, pattern: Pattern[..., Any]) -> None:
        """Hook: a pattern was declared."""

    def on_change(self, change: Change[Any, ...]) -> None:
        """Hook: a change was declared."""

    def on_relationship(self, relationship: Relationship) -> None:
        """Hook: a relationship was declared."""

    def on_aggregate(self, aggregate: type[Aggregate[Any]]) -> None:
        """Hook: an aggregate was declared."""


def _key(spec: AttributeSpec | bool | None, default: str) -> KeyAttribute:
    if isinstance(spec, KeyAttribute):
        return spec
    return KeyAttribute(spec) if isinstance(spec, str) else KeyAttribute(default)
