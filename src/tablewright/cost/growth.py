"""What a table costs from month to month, while items are added to it and its traffic grows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from tablewright.compiler.plan import TablePlan
from tablewright.cost.beside import NOTHING, Beside
from tablewright.cost.estimating import Estimate, Planned, estimate
from tablewright.cost.expecting import Expecting
from tablewright.cost.prices import MONTH, Bill, Prices, deployed_billing, load_prices
from tablewright.cost.showing import shown_bytes
from tablewright.errors import ArgumentError
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.expectations import Expectations
from tablewright.wording import counted

_DAY = 86_400
_MOST = 600


class MonthCost(Struct, frozen=True):
    """One month, as it is at its end."""

    number: int
    """From 0 on, which is the model as it is expected."""
    items: Mapping[str, int]
    """By entity."""
    stored: int
    bill: Bill
    entities: Mapping[str, float]
    """What writing and keeping each entity costs, with its indexes."""
    patterns: Mapping[str, float]
    """What each pattern costs."""


class Growth(Struct, frozen=True):
    """A table over time."""

    table: str
    currency: str
    mode: str
    table_class: str
    months: tuple[MonthCost, ...]
    notes: tuple[str, ...]

    @property
    def total(self) -> float:
        """What all these months cost together, the first as it is expected not counted."""
        return sum(month.bill.total for month in self.months[1:])


def grow(
    table: Planned,
    months: int,
    prices: Prices | None = None,
    *,
    share: float = 1.0,
    beside: Beside = NOTHING,
    creates: Mapping[str, float] | None = None,
    lives: Mapping[str, float] | None = None,
    traffic: float = 0.0,
) -> Growth:
    """What each of so many months costs, in the mode and table class that the model is deployed with.

    Each write makes an item, unless `creates` says how many are made in a second at the peak: `{"Order": 2.5}`. `lives`
    says how many days the items of an entity live: `{"Event": 30}`. `traffic` is how much reads and writes grow from month
    to month: 0.05 is a twentieth.
    """
    if not 1 <= months <= _MOST:
        raise ArgumentError(f"Growth is told for 1 to {_MOST} months.")
    if not math.isfinite(traffic) or traffic <= -1:
        raise ArgumentError("The growth of traffic is a share of a month, such as 0.05.")
    plan, prices = table.plan, prices or load_prices()
    known = {entity.__name__: entity for entity in plan.table.entities.values()}
    for name in (*(creates or {}), *(lives or {})):
        if name not in known:
            raise ArgumentError(f"{plan.table.label} has no entity {name!r}.{did_you_mean(name, known)}")
    mode, table_class = deployed_billing(prices, plan.table.deployment)
    growing = _Growing(plan, share, creates or {}, lives or {}, traffic)
    found = []
    for number in range(months + 1):
        with_items = growing.expected(number)
        month = estimate(Expecting(plan, with_items), prices, share=share, beside=beside)
        found.append(_month(number, month, month.bill(mode, table_class)))
    return Growth(plan.table.label, prices.currency, mode, table_class, tuple(found), tuple(growing.notes()))


def _month(number: int, found: Estimate, bill: Bill) -> MonthCost:
    entities, patterns = dict[str, float](), dict[str, float]()
    for one in found.shares:
        # "Order on GSI1" is part of Order.
        subject = one.subject.split(" on ", 1)[0]
        into = patterns if one.what == "reads" else entities
        into[subject] = into.get(subject, 0.0) + one.month
    items = {e.name: e.items or 0 for e in found.entities}
    return MonthCost(number, items, found.stored, bill, entities, patterns)


class _Growing:
    """How what is expected changes from month to month."""

    def __init__(
        self,
        plan: TablePlan,
        share: float,
        creates: Mapping[str, float],
        lives: Mapping[str, float],
        traffic: float,
    ) -> None:
        self._plan, self._share, self._creates, self._lives, self._traffic = plan, share, creates, lives, traffic
        self._said = plan.table.expectations

    def _made(self, entity: type[Entity]) -> float | None:
        rate = self._creates.get(entity.__name__, self._said.created(entity))
        return None if rate is None else rate * self._share

    def expected(self, month: int) -> Expectations:
        """What is expected at the end of a month."""
        said, factor = Expectations(), (1 + self._traffic) ** month
        said.fields = self._said.fields
        for entity in self._plan.table.entities.values():
            own = self._said.of(entity)
            items = self._items(entity, month)
            ratio = items / own.items if own.items and items is not None else 1.0
            said.entities[entity] = replace(
                own,
                items=items,
                writes=None if own.writes is None else own.writes * factor,
                indexed={name: round(count * ratio) for name, count in own.indexed.items()},
            )
        for name, reads in self._said.patterns.items():
            said.patterns[name] = replace(reads, rate=None if reads.rate is None else reads.rate * factor)
        for change, made in self._said.changes.items():
            said.changes[change] = replace(made, rate=None if made.rate is None else made.rate * factor)
        return said

    def _items(self, entity: type[Entity], month: int) -> int | None:
        own, made = self._said.of(entity), self._made(entity)
        if made is None or month == 0:
            return own.items
        days = self._lives.get(entity.__name__)
        lifetime = math.inf if days is None else days * _DAY / MONTH
        # Whatever was there at the beginning goes evenly, and is gone when its time is over.
        left = (own.items or 0) * max(0.0, 1 - month / lifetime) if lifetime else 0.0
        return round(left + made * MONTH * (self._months(month) - self._months(month - min(month, lifetime))))

    def _months(self, month: float) -> float:
        """How many months of the first one's traffic so many months are."""
        return month if not self._traffic else ((1 + self._traffic) ** month - 1) / self._traffic

    def notes(self) -> Iterable[str]:
        """What was taken for granted."""
        grows = [e.__name__ for e in self._plan.table.entities.values() if self._made(e)]
        guessed = [name for name in grows if name not in self._creates]
        if guessed:
            yield f"Each write makes an item, since nobody said how many do: {', '.join(guessed)}."
        still = [e.__name__ for e in self._plan.table.entities.values() if not self._made(e)]
        if still:
            yield f"As many as ever, since nobody said that they are written: {', '.join(still)}."
        endless = [
            e.__name__
            for e in self._plan.table.entities.values()
            if e.__options__.ttl is not None and e.__name__ not in self._lives
        ]
        if endless:
            yield f"They expire, and nobody said after how many days, so that they are kept: {', '.join(endless)}."
        mortal = [name for name in grows if name in self._lives]
        kept = [name for name in grows if name not in self._lives]
        if mortal:
            days = ", ".join(f"{name} after {counted(self._lives[name], 'day')}" for name in mortal)
            yield f"Items are added to those that are expected, and go again: {days}."
        if kept:
            yield f"Items are added to those that are expected, and nobody deletes them: {', '.join(kept)}."
        yield "Reads return as many items as before."
        if self._traffic:
            yield f"Reads and writes grow by {self._traffic:.1%} from month to month."


def shown_growth(growth: Growth) -> str:
    """The months as lines of text: all of the first year, and then the last of each year and the last of all."""
    lines = [f"From month to month in {growth.currency}, {growth.mode}, {growth.table_class}:"]
    last = growth.months[-1].number
    for month in growth.months:
        if month.number > 12 and month.number % 12 and month.number != last:
            continue
        items = counted(sum(month.items.values()), "item")
        title = "now" if month.number == 0 else f"after {counted(month.number, 'month')}"
        lines.append(f"  {title}: {month.bill.total:,.2f} ({items}, {shown_bytes(month.stored)})")
    lines.append(f"  together: {growth.total:,.2f}")
    return "\n".join([*lines, *(f"  - {note}" for note in growth.notes)])
