"""Descriptions of reads, as patterns build them: `query`, `get`, `collect` and queries joined by `|`. They hold no client
and do nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Generic, NoReturn, ParamSpec, Self, TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic import BaseModel

from tablewright.errors import ArgumentError, PatternError
from tablewright.model.conditions import Condition, as_condition
from tablewright.model.entity import Entity
from tablewright.model.results import AsyncResults, Results
from tablewright.model.symbols import Symbol, caller, is_symbol

if TYPE_CHECKING:
    from tablewright.model.pattern import Pattern

P = ParamSpec("P")
V = TypeVar("V")
X = TypeVar("X")
E = TypeVar("E", bound=Entity)
R = TypeVar("R", bound=BaseModel)
S_co = TypeVar("S_co", covariant=True)
A_co = TypeVar("A_co", covariant=True)
V_co = TypeVar("V_co", covariant=True)
R_co = TypeVar("R_co", bound=BaseModel, covariant=True)
Q = TypeVar("Q", bound=BaseModel)


class Gap(ArgumentError):
    """A value without the one that it comes after. In the body of a pattern it says which arguments do not go together."""


class Op(Struct, Generic[S_co, A_co], frozen=True, eq=False, kw_only=True):
    """Something a session can run: `S_co` is what a sync session returns, `A_co` what an async one returns.

    An operation made by calling a pattern remembers it, with its arguments and the compiler's plan.
    """

    pattern: Pattern[..., Any] | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    compiled: Any = None

    def _refined(self, **changes: Any) -> Self:
        """The same with something changed: what was planned before is no longer what is asked."""
        return replace(self, compiled=None, **changes)

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name in self.__struct_fields__ if name != "compiled")
        return f"{type(self).__name__}({', '.join(shown)})"


_ELSEWHERE = {
    "where": "filter",
    "filter_by": "filter",
    "order_by": "sorted_by",
    "sort_by": "sorted_by",
    "limit": "per_page",
    "reverse": "newest_first",
    "use_index": "via",
    "select": "only",
}
"""How other libraries call what reads can do."""


class _Read(Op[S_co, A_co], frozen=True, eq=False):
    """What single-entity reads share."""

    entity: type[Entity]
    conditions: tuple[Condition, ...]
    filters: tuple[Condition, ...] = ()
    index: str | None = None
    strong: bool = False
    view: type[BaseModel] | None = None

    if not TYPE_CHECKING:  # to type checkers a read must not look like something that can be looped over

        def __iter__(self) -> NoReturn:
            raise ArgumentError(
                f"{caller()}: a read does nothing by itself.",
                hint="Run it: db.run(pattern, ...), or db.execute(query(...)).",
            )

        def __getattr__(self, name: str) -> NoReturn:
            kind = type(self).__name__
            text = f"{kind!r} object has no attribute {name!r}"
            if name in self.entity.model_fields:
                text = (
                    f"{name!r} is a field of {self.entity.__name__}, and this is a read of one that was not made yet. "
                    "Make it: db.run(pattern, ...), or db.get(...)."
                )
            elif hasattr(type(self), meant := _ELSEWHERE.get(name, "")):
                about = " ".join((inspect.getdoc(getattr(type(self), meant)) or "").split())
                text = f"{text}. It is called .{meant}() here: {about}"
            raise AttributeError(text, name=name, obj=self)

    @property
    def result(self) -> type[BaseModel]:
        """What is read: the entity, or a view of it."""
        return self.view or self.entity

    def when(self, value: X | None, condition: Callable[[X], bool], *, after: object = ...) -> Self:
        """Adds a condition only when the value is given. With `after`, it can be given only together with that one: a
        city only with its country, `.when(city, lambda c: Site.city == c, after=country)`."""
        if value is None:
            return self
        if after is None:
            raise Gap("when(): a value is given without the one that it comes after.", hint="Give both, or neither.")
        return self._refined(conditions=(*self.conditions, as_condition(condition(value), "when")))

    def via(self, index: str) -> Self:
        """Reads through this index instead of the one the compiler would choose."""
        return self._refined(index=index)

    def consistent(self) -> Self:
        """A strongly consistent read (twice the read units; not on global indexes)."""
        return self._refined(strong=True)


class Query(_Read[Results[R_co], AsyncResults[R_co]], Generic[R_co], frozen=True, eq=False):
    """All items of one entity that the conditions select, in key order."""

    descending: bool = False
    page_limit: int | None = None
    order: tuple[str, ...] = ()
    """The fields that the result must be sorted by; a key that sorts otherwise does not serve it."""

    def sorted_by(self, *fields: Any) -> Self:
        """The order that is relied on: `query(Order, ...).sorted_by(Order.placed_at).newest_first()`. Without it a query
        comes in the order of whichever key serves it; with it, only a key that sorts so does."""
        return self._refined(order=tuple(_sorting(self.entity, field) for field in fields))

    def newest_first(self) -> Self:
        """Descending sort key."""
        return self._refined(descending=True)

    def oldest_first(self) -> Self:
        """Ascending sort key, which is the default."""
        return self._refined(descending=False)

    def filter(self, *conditions: bool) -> Self:
        """Drops items after they were read. It saves transfer, not read capacity: prefer a key that selects."""
        return self._refined(filters=self.filters + tuple(as_condition(c, "filter") for c in conditions))

    def per_page(self, limit: int) -> Self:
        """How many items one request reads at most, and the default size of .page()."""
        if is_symbol(limit):
            raise PatternError(
                f"{caller()}: per_page() takes a positive number, and a parameter of the pattern is not known yet.",
                hint="Leave it out here, and say it where the pattern is read: db.run(orders_of, ...).page(size).",
            )
        if type(limit) is not int or limit < 1:
            raise PatternError(f"{caller()}: per_page() takes a positive number.")
        return self._refined(page_limit=limit)

    def only(self, view: type[R]) -> Query[R]:
        """Reads some fields only, into a Pydantic model of yours that has fields of these names. It saves transfer, and
        lets an index with a narrow projection serve the read; it does not save read capacity."""
        return cast("Query[R]", self._refined(view=_view(view)))

    def __or__(self, other: Query[Q]) -> Mixed[R_co | Q]:
        """Both at once: `query(Film, ...) | query(Review, ...)` is one request for the items of both, in key order."""
        return Mixed((self, _joined(other)))


class Mixed(Op[Results[R_co], AsyncResults[R_co]], Generic[R_co], frozen=True, eq=False):
    """Items of several entities in one range of keys, each as what it is, in key order."""

    queries: tuple[Query[Any], ...]
    strong: bool = False
    skips_unknown: bool = False

    def __or__(self, other: Query[Q]) -> Mixed[R_co | Q]:
        """One entity more."""
        return cast("Mixed[R_co | Q]", self._refined(queries=(*self.queries, _joined(other))))

    def consistent(self) -> Self:
        """A strongly consistent read (twice the read units; not on global indexes)."""
        return self._refined(strong=True)

    def skipping_unknown(self) -> Self:
        """Leaves out items whose type the model does not know, where the read would otherwise fail at them."""
        return self._refined(skips_unknown=True)


class Get(_Read[R_co | None, Coroutine[Any, Any, R_co | None]], Generic[R_co], frozen=True, eq=False):
    """One item or None: GetItem where the conditions fix the primary key, else a query that expects at most one."""

    def only(self, view: type[R]) -> Get[R]:
        """Reads some fields only, into a Pydantic model of yours that has fields of these names."""
        return cast("Get[R]", self._refined(view=_view(view)))


class Part(Struct, frozen=True, eq=False):
    """One slot of a collection: the items of one query, or the first of them."""

    name: str
    query: Query[Any]
    many: bool


class Collection(Op[V_co, Coroutine[Any, Any, V_co]], Generic[V_co], frozen=True, eq=False):
    """Several entities of one item collection, read with one query and handed to the user's own class."""

    make: Callable[..., V_co]
    parts: tuple[Part, ...]
    strong: bool = False

    def consistent(self) -> Self:
        """A strongly consistent read (twice the read units; not on global indexes)."""
        return self._refined(strong=True)


class _Slot(Struct, frozen=True, eq=False):
    query: Query[Any]
    many: bool


def query(entity: type[E], *conditions: bool) -> Query[E]:
    """All items of an entity that meet the conditions; the keys must be able to select them."""
    return Query(_entity(entity, "query"), tuple(as_condition(c, "query") for c in conditions))


def get(entity: type[E], *conditions: bool) -> Get[E]:
    """One item of an entity, or None."""
    return Get(_entity(entity, "get"), tuple(as_condition(c, "get") for c in conditions))


def one(query: Query[R]) -> R | None:
    """In collect(): the first item of this query, or None."""
    return cast("R | None", _Slot(query, many=False))


def many(query: Query[R]) -> list[R]:
    """In collect(): all items of this query, in order."""
    return cast("list[R]", _Slot(query, many=True))


def collect(make: Callable[P, V], *args: P.args, **parts: P.kwargs) -> Collection[V]:
    """Reads several entities at once: `collect(CustomerPage, customer=one(query(...)), orders=many(query(...)))`."""
    if args:
        raise PatternError(f"{caller()}: collect() takes its parts by name.")
    slots = []
    for name, slot in parts.items():
        if not isinstance(slot, _Slot) or not isinstance(slot.query, Query):
            raise PatternError(f"{caller()}: collect({name}=...) is not one(query(...)) or many(query(...)).")
        slots.append(Part(name, slot.query, slot.many))
    if not slots:
        raise PatternError(f"{caller()}: collect() needs at least one part.")
    try:
        inspect.signature(make).bind(**parts)
    except TypeError as error:
        shown = getattr(make, "__name__", type(make).__name__)
        raise PatternError(f"{caller()}: collect() cannot call {shown} with these parts: {error}.") from None
    except ValueError:
        pass  # dict and the like do not tell their parameters
    return Collection(make, tuple(slots))


def reads_in(operation: Any) -> list[Any]:
    """The reads of one entity each that an operation consists of."""
    match operation:
        case Collection():
            return [part.query for part in operation.parts]
        case Mixed():
            return list(operation.queries)
    return [operation]


def _joined(other: Any) -> Query[Any]:
    if not isinstance(other, Query):
        raise PatternError(
            f"{caller()}: a query was joined with {type(other).__name__}.", hint="Write query(...) | query(...)."
        )
    return other


def _entity(entity: Any, function: str) -> Any:
    if not (isinstance(entity, type) and issubclass(entity, Entity)) or "__options__" not in entity.__dict__:
        refused = getattr(entity, "__name__", None) if getattr(entity, "__table__", None) is not None else None
        raise PatternError(
            f"{caller()}: {function}() takes an entity class with a table first.", context={"missing_entity": refused}
        )
    return entity


def _sorting(entity: type[Entity], given: Any) -> str:
    path: tuple[Any, ...] = getattr(given, "_path", ()) if getattr(type(given), "__is_field__", False) else ()
    if len(path) != 1 or not issubclass(entity, given._owner):
        raise PatternError(
            f"{caller()}: sorted_by() takes fields of {entity.__name__}.",
            hint=f"Write sorted_by({entity.__name__}.{next(iter(entity.model_fields), 'field')}).",
        )
    return str(path[0])


def _view(view: Any) -> Any:
    if type(view) is Symbol or not (isinstance(view, type) and issubclass(view, BaseModel)):
        raise PatternError(f"{caller()}: only() takes a Pydantic model class.")
    return view
