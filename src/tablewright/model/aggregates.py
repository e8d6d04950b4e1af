"""Aggregates: a root entity with its children as a tree of typed objects, and how children hang on their parents."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Protocol,
    Self,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
)

from msgspec import Struct

from tablewright.errors import ArgumentError, ModelError
from tablewright.model.annotations import members
from tablewright.model.entity import Entity, did_you_mean, with_article
from tablewright.model.symbols import user_frame

E = TypeVar("E", bound=Entity)
E_contra = TypeVar("E_contra", bound=Entity, contravariant=True)
T_co = TypeVar("T_co", covariant=True)
Counts = Callable[[Any], bool]
STATE = "__aggregate__"
"""Where the nodes of a tree keep what was loaded, beside their children."""


class Hanging(Struct, frozen=True, eq=False):
    """What children() or child() said: how the children hang on their parent."""

    many: bool
    by: Mapping[str, str]
    order_by: tuple[str, ...]
    counts: Mapping[str, Counts | None]


class Level(Struct, frozen=True, eq=False):
    """One declared branch of a node: its name, the children's entity and, where they have children, their node."""

    name: str
    entity: type[Entity]
    node: type[Node[Any]] | None
    hanging: Hanging


def children(
    *,
    by: Mapping[str, str] | None = None,
    order_by: str | Sequence[str] = (),
    count: str | None = None,
    count_if: Mapping[str, Counts] | None = None,
) -> Any:
    """In a Node or Aggregate: a list of children, `lines: list[Line] = children(order_by="position")`.

    A child belongs to the parent whose key fields it holds, under the same names; `by={"survey": "survey_id"}` says where
    the child's name differs. They are in key order, or sorted by the fields in `order_by`. `count` names a field of the
    parent that save_tree() keeps at the number of children, `count_if` fields for those that a function says yes to.
    """
    names = (order_by,) if isinstance(order_by, str) else tuple(order_by)
    counts: dict[str, Counts | None] = dict(count_if or {})
    if count is not None:
        counts[count] = None
    return Hanging(True, dict(by or {}), names, counts)


def child(*, by: Mapping[str, str] | None = None) -> Any:
    """In a Node or Aggregate: at most one child, `settings: Settings | None = child()`."""
    return Hanging(False, dict(by or {}), (), {})


@dataclass_transform(kw_only_default=True, field_specifiers=(children, child))
class _Tree:
    """Subclasses have a constructor that takes the entity and every branch by name."""


class Node(_Tree, Generic[E]):
    """An entity with its children: `class SectionNode(Node[Section]): elements: list[Element] = children()`."""

    entity: E
    __entity__: ClassVar[type[Entity]]
    __levels__: ClassVar[Mapping[str, Level]] = {}

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls.__dict__.get("__parameters__"):
            return  # Aggregate itself
        found = [
            get_args(b) for b in cls.__dict__.get("__orig_bases__", ()) if issubclass(get_origin(b) or object, Node)
        ]
        entity = found[0][0] if found else None
        if not isinstance(entity, type) or "__options__" not in entity.__dict__:
            raise ModelError(
                f"{cls.__name__} does not say which entity it is about.",
                hint=f"Write class {cls.__name__}(Node[Section]), or (Aggregate[Survey]) for a root.",
            )
        cls.__entity__ = entity
        cls.__levels__ = {level.name: level for level in _levels(cls)}

    if not TYPE_CHECKING:  # type checkers see a constructor with the branches by name

        def __init__(self, **given: Any) -> None:
            missing = [n for n in ("entity", *self.__levels__) if n not in given]
            unknown = [n for n in given if n != "entity" and n not in self.__levels__]
            if missing or unknown:
                raise ArgumentError(
                    f"{type(self).__name__}() takes entity, {', '.join(self.__levels__)} by name."
                    + (f" It lacks {missing[0]!r}." if missing else did_you_mean(unknown[0], self.__levels__))
                )
            if not isinstance(given["entity"], self.__entity__):
                raise ArgumentError(
                    f"{type(self).__name__}() takes {with_article(self.__entity__.__name__)}, not {type(given['entity']).__name__}."
                )
            self.__dict__.update(given)

        def __getattr__(self, name: str) -> Any:
            if name in type(self).__levels__:
                raise ArgumentError(
                    f"{type(self).__name__}.{name} was not loaded.",
                    hint="Load the tree deeper, or db.expand_node() it.",
                )
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __repr__(self) -> str:
        shown = "".join(f", {n}={vars(self)[n]!r}" if n in vars(self) else f", {n}=..." for n in self.__levels__)
        return f"{type(self).__name__}(entity={self.entity!r}{shown})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = ("entity", *self.__levels__)
        return [vars(self).get(n) for n in names] == [vars(other).get(n) for n in names]

    __hash__ = None  # type: ignore[assignment]


class Rooted(Protocol[E_contra, T_co]):
    """A class of aggregates as type checkers see it: which entity it begins with, and what it makes of it."""

    def bare(self, entity: E_contra) -> T_co:
        """The root alone."""
        ...


class Aggregate(Node[E]):
    """The root of a tree that lies in one item collection: it is loaded with one query and saved as one transaction.

    `class SurveyTree(Aggregate[Survey]): sections: list[SectionNode] = children(order_by="position")`. Each class is checked
    against the table's keys when it is defined.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.__entity__.__table__.add_aggregate(cls)

    @property
    def orphans(self) -> tuple[Entity, ...]:
        """Items of the collection whose parent was not there when the tree was loaded. save_tree() leaves them alone."""
        state = vars(self).get(STATE)
        return () if state is None else tuple(state.orphans)

    @classmethod
    def bare(cls, entity: E) -> Self:
        """The root alone, its branches not loaded."""
        made = cls.__new__(cls)
        vars(made)["entity"] = entity
        return made


def nodes_of(value: Any, level: Level) -> Iterable[Any]:
    """The children in a branch, whether it is a list or at most one."""
    if level.hanging.many:
        return typing.cast("Iterable[Any]", value)
    return () if value is None else (value,)


def entity_of(node: Any) -> Any:
    """The entity of a node, or the leaf itself."""
    return node.entity if isinstance(node, Node) else node


_TAKEN = ("entity", "orphans", "bare")


def _levels(cls: type[Node[Any]]) -> Iterable[Level]:
    own = inspect.get_annotations(cls)
    holder = type(cls.__name__, (), {"__annotations__": own, "__module__": cls.__module__})
    try:
        hints = typing.get_type_hints(holder, localns=user_frame().f_locals)
    except NameError as error:
        raise ModelError(
            f"{cls.__name__} has an annotation that names {error.name!r}, which is not defined here.",
            hint="Define the nodes of children before their parents.",
        ) from None
    for name, annotation in hints.items():
        if get_origin(annotation) is ClassVar:
            continue
        if name in _TAKEN:
            raise ModelError(
                f"{cls.__name__}.{name} is a name that every tree has already.", hint="Choose another one."
            )
        hanging = cls.__dict__.get(name)
        if not isinstance(hanging, Hanging):
            raise ModelError(
                f"{cls.__name__}.{name} is no branch.",
                hint=f"Write {name}: list[...] = children(), or ... | None = child().",
            )
        delattr(cls, name)
        yield _level(cls, name, annotation, hanging)


def _level(cls: type[Node[Any]], name: str, annotation: Any, hanging: Hanging) -> Level:
    if hanging.many:
        kinds = get_args(annotation) if get_origin(annotation) is list else ()
    else:
        kinds = tuple(m for m in members(annotation) if m is not NoneType)
        kinds = kinds if NoneType in members(annotation) else ()
    kind = kinds[0] if len(kinds) == 1 else None
    if isinstance(kind, type) and issubclass(kind, Node) and not issubclass(kind, Aggregate):
        return Level(name, kind.__entity__, kind, hanging)
    if isinstance(kind, type) and issubclass(kind, Entity) and "__options__" in kind.__dict__:
        return Level(name, kind, None, hanging)
    expected = "list[...] of" if hanging.many else "... | None of"
    raise ModelError(
        f"{cls.__name__}.{name} is annotated otherwise than {expected} an entity of a table or a Node of it."
    )
