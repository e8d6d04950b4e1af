"""Small made-up values that a field accepts, for examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.keys import bounds_of
from tablewright.errors import TablewrightError
from tablewright.model.annotations import plain, without_none

_BY_TYPE: tuple[tuple[type, tuple[Any, ...]], ...] = (
    (bool, (True, False)),
    (int, (1, 2, 10, 0, -1)),
    (Decimal, (Decimal(1), Decimal("2.5"), Decimal(10), Decimal(0), Decimal(-1))),
    (str, ("a", "b", "c1", "1", "a1b2c3d4")),
    (
        datetime,
        (
            datetime(2026, 1, 1, tzinfo=UTC),
            datetime(2000, 1, 1, tzinfo=UTC),
            datetime(2026, 1, 2, 12, tzinfo=UTC),
            datetime(2027, 1, 1, tzinfo=UTC),
        ),
    ),
    (date, (date(2026, 1, 1), date(2000, 1, 1), date(2026, 1, 2), date(2027, 1, 1))),
    (UUID, (UUID(int=1), UUID(int=2))),
    (bytes, (b"\x01", b"\x02")),
)

_MOST = 256


def samples(field: FieldPlan) -> list[Any]:
    """Some values of a field; none where its rules refuse all that come to mind."""
    kind = plain(without_none(field.annotation))
    if get_origin(kind) is Literal:
        return list(accepted(field, get_args(kind)))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return list(accepted(field, kind))
    if not isinstance(kind, type):
        return []
    known = next((values for of, values in _BY_TYPE if issubclass(kind, of)), ())
    limits = [limit for limit in bounds_of(field) if limit is not None]
    return list(accepted(field, (*known, *limits)))


def accepted(field: FieldPlan, values: Iterable[Any]) -> Iterator[Any]:
    """Those that the field takes, as it takes them."""
    for value in values:
        try:
            taken = field.accept(value)
            if taken is not None:
                field.encode(taken)
                yield taken
        except TablewrightError:
            continue


class Choices:
    """What may be chosen for each field of one item, best first."""

    def __init__(
        self,
        plan: EntityPlan,
        fixed: dict[str, list[Any]] | None = None,
        fits: Callable[[str, Any], bool] = lambda _, __: True,
    ) -> None:
        self.plan = plan
        self._fixed = fixed or {}
        self._fits = fits
        """Whether a value of a field is one that is asked for."""
        self._found: dict[str, list[Any]] = {}

    def of(self, name: str) -> list[Any]:
        """The values to try for a field."""
        if name in self._fixed:
            return self._fixed[name]
        if name not in self._found:
            self._found[name] = [v for v in samples(self.plan.sources[name]) if self._fits(name, v)]
        return self._found[name]

    def prefer(self, name: str, values: Iterable[Any]) -> None:
        """Tries these first, where the field takes them and nothing fixes it."""
        if name in self._fixed:
            return
        better = list(dict.fromkeys(v for v in accepted(self.plan.sources[name], values) if self._fits(name, v)))
        self._found[name] = better + [v for v in self.of(name) if v not in better]

    def allow(self, name: str, values: Iterable[Any]) -> None:
        """Tries these, whether they are asked for or not."""
        self._found[name] = list(accepted(self.plan.sources[name], values))

    def widen(self, name: str, count: int) -> None:
        """Adds more values, where nothing fixes the field."""
        if name in self._fixed or len(self.of(name)) >= count:
            return
        more = accepted(self.plan.sources[name], _many(self.plan.sources[name], min(count, _MOST)))
        self._found[name] = [*self.of(name), *(v for v in more if v not in self.of(name) and self._fits(name, v))]


def _many(field: FieldPlan, count: int) -> Iterator[Any]:
    """Many values of a field's type, each a little different from the one before."""
    kind = plain(without_none(field.annotation))
    for number in range(count):
        match kind:
            case type() if issubclass(kind, str):
                yield f"a{number}"
            case type() if issubclass(kind, datetime):
                yield datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=number)
            case type() if issubclass(kind, date):
                yield date(2026, 1, 1) + timedelta(days=number)
            case type() if issubclass(kind, UUID):
                yield UUID(int=number)
            case type() if issubclass(kind, bytes):
                yield bytes((number // 256, number % 256))
            case type() if issubclass(kind, int | Decimal):
                yield kind(number)
