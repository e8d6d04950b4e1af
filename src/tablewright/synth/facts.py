"""What the search knows of entities: which fields can stand in which keys, and how traffic spreads over their values."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from msgspec import Struct

from tablewright.compiler.fields import FieldPlan, plan_fields, plan_stamps
from tablewright.compiler.keys import bounds_of
from tablewright.cost.prices import Prices
from tablewright.cost.sizes import bare_size
from tablewright.lint.heat import field_share
from tablewright.lint.keyfacts import is_ascending
from tablewright.model.annotations import plain, without_none
from tablewright.model.entity import Entity
from tablewright.model.expectations import ItemsExpected
from tablewright.model.keys import Unique
from tablewright.synth.design import Design, field_list
from tablewright.synth.stand_ins import keyable

FEW = 20
"""A field with fewer different values than this spreads no traffic."""
DIGITS = 19
"""The width of a whole number in a sort key, where the field does not declare both bounds: that of 64 bits."""


class EntityFacts(Struct, frozen=True, eq=False):
    """One entity of a design."""

    entity: type[Entity]
    name: str
    fields: Mapping[str, FieldPlan]
    identity: tuple[str, ...]
    unique: tuple[tuple[str, ...], ...]
    rules: tuple[Any, ...]
    """The unique rules as they were given."""
    settled: frozenset[str]
    """Fields that may stand in the primary key: they never change, are always there, and writers hold them."""
    fixed: frozenset[str]
    """Fields that never change."""
    optional: frozenset[str]
    shares: Mapping[str, float]
    """Of each field that can stand in a key, the share of the traffic that its busiest value has; 0 where it is spread, and
    all of it for a time, since what is written now has the time of now."""
    ascending: frozenset[str]
    """Fields whose values grow with every new item."""
    expected: ItemsExpected
    size: int
    """Bytes of an item: what was said, or what its fields make likely."""
    prices: Prices
    forced: bool = False
    """Whether a consistent read of everything leaves the table's key no choice, whatever that does to its partitions."""

    @property
    def spread(self) -> frozenset[str]:
        """Fields that have many values, so that a partition of their own spreads the traffic."""
        return frozenset(n for n, share in self.shares.items() if share * FEW <= 1)

    def share(self, fields: frozenset[str]) -> float:
        """The share of the traffic that the busiest partition has, where these fields choose it."""
        return math.prod(self.shares[n] for n in fields)

    def wordlike(self, name: str) -> bool:
        """Whether a value of the field could be taken for a word of a key."""
        kind = plain(without_none(self.fields[name].annotation))
        figures = isinstance(kind, type) and issubclass(kind, int | Decimal | date)
        return not figures or issubclass(kind, bool | enum.Enum)

    def placeholder(self, name: str, *, sorts: bool) -> str:
        """The field as a template names it; whole numbers that are sorted by are padded."""
        if not sorts or not self._whole_number(name):
            return f"{{{name}}}"
        bounds = [b for b in bounds_of(self.fields[name]) if isinstance(b, int)]
        return f"{{{name}:{max(len(str(abs(b))) for b in bounds) if len(bounds) == 2 else DIGITS}}}"

    def unbounded(self, name: str) -> bool:
        """Whether a whole number does not say both bounds, so that its key has room for 64 bits."""
        bounds = bounds_of(self.fields[name]) if self._whole_number(name) else (0, 0)
        return not all(isinstance(b, int) for b in bounds)

    def _whole_number(self, name: str) -> bool:
        kind = plain(without_none(self.fields[name].annotation))
        return isinstance(kind, type) and issubclass(kind, int) and not issubclass(kind, bool | enum.Enum)


class _Described(Struct, frozen=True, eq=False):
    """An entity without a plan, for questions about its fields."""

    entity: type[Entity]
    table: Design
    sources: Mapping[str, FieldPlan]


def facts_of(entity: type[Entity], design: Design, prices: Prices, *, parent: bool = False) -> EntityFacts:
    """Reads an entity of a design. The table key of a `parent` in a tree is made of its identity alone."""
    expected = design.expectations.of(entity)
    asked = entity.__asked__
    fields = {**plan_fields(entity), **plan_stamps(entity, design.names)}
    identity = field_list(entity, "identity", asked)
    frozen = {n for n, info in entity.model_fields.items() if info.frozen}
    optional = frozenset(n for n, f in fields.items() if f.nullable)
    described = _Described(entity, design, fields)
    shares = {n: field_share(described, n, design.expectations) or 0.0 for n, f in fields.items() if keyable(f)}
    fixed = frozenset({*identity, *frozen})
    held = identity if parent else field_list(entity, "handles", asked)
    settled = frozenset(n for n in fixed if n in shares and n not in optional and (not held or n in held))
    rules = tuple(asked.get("unique", ()))
    return EntityFacts(
        entity=entity,
        name=entity.__name__,
        fields=fields,
        identity=identity,
        unique=tuple(r.fields if isinstance(r, Unique) else (r,) for r in rules),
        rules=rules,
        settled=settled,
        fixed=fixed,
        optional=optional,
        shares=shares,
        ascending=frozenset(n for n in shares if is_ascending(described, n)),
        expected=expected,
        size=expected.size if expected.size is not None else bare_size(design.names, entity.__options__, fields),
        prices=prices,
    )
