"""What a job would cost: units of each write, worked out from the items as they are, and money by the prices of the package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from tablewright.cost.prices import Prices, load_prices, on_demand, usual_rates
from tablewright.cost.writes import write_cost
from tablewright.errors import TablewrightError
from tablewright.evolve.jobs.work import Writes
from tablewright.expressions import compiled_update
from tablewright.infer.sample import IndexLayout, layout_of
from tablewright.model.indexes import GSI, LSI
from tablewright.model.table import TableModel
from tablewright.values.types import Item
from tablewright.wording import counted


class Estimate(Struct, frozen=True):
    """What it would take to do what a dry run looked at."""

    items: float
    """Items to write."""
    read_units: float
    """To read the table once more."""
    write_units: float
    """To write, the copies in indexes included."""
    cost: float
    """Both, at the prices of requests on demand."""
    currency: str
    share: float
    """How much of the table was looked at; what is missing was added in proportion."""

    def __str__(self) -> str:
        basis = "" if self.share >= 1 else f", projected from {self.share:.1%} of the table"
        return (
            f"about {counted(round(self.items), 'item')} to write: {counted(round(self.read_units, 1), 'read unit')} and "
            f"{counted(round(self.write_units, 1), 'write unit')}, {self.currency} {self.cost:,.4f} on demand{basis}"
        )


class Costing:
    """Adds up what writes would cost. Tables are as DescribeTable tells; of one that nobody described, the items alone count."""

    def __init__(
        self,
        described: Mapping[str, Mapping[str, Any]],
        models: Mapping[str, TableModel] | None = None,
        prices: Prices | None = None,
    ) -> None:
        """`models`: of tables that will be otherwise than they are."""
        self._tables = {name: _model(one) for name, one in described.items()} | dict(models or {})
        self._prices = prices or load_prices()
        self.items = 0
        self.units = 0.0

    def add(self, writes: Writes, known: Sequence[tuple[str, Item]]) -> None:
        """What has to be written for an item, which is one of those that are known to be there, with their tables."""
        self.items += 1
        for one in (writes, *writes.later):
            transactional = len(one.actions) > 1
            for action in one.actions:
                for kind, members in action.items():
                    self.units += self._units(kind, members, known, transactional=transactional)

    def _units(
        self, kind: str, members: dict[str, Any], known: Sequence[tuple[str, Item]], *, transactional: bool
    ) -> float:
        name = members["TableName"]
        model = self._tables.get(name) or TableModel("unknown")
        key = members.get("Key")
        place = {n: v for n, v in (key or members.get("Item", {})).items() if n in _keys(model)}
        old = next((i for t, i in known if t == name and all(i.get(n) == v for n, v in place.items())), None)
        new: Item | None = None
        if kind == "Put":
            new = members["Item"]
        elif kind == "Update":
            new = updated(old or key or {}, members)
        elif kind == "ConditionCheck":
            new = old or key
            return write_cost(TableModel("unknown"), old, new, transactional=True).total
        elif old is None:
            old = key
        return write_cost(model, old, new, transactional=transactional).total

    def estimate(self, read_units: float, share: float) -> Estimate:
        """The whole, where so much of the table was looked at."""
        reads, writes = read_units / share, self.units / share
        bill = on_demand(usual_rates(self._prices), reads=reads, writes=writes, stored=0.0)
        return Estimate(self.items / share, reads, writes, bill.total, self._prices.currency, share)


def _keys(model: TableModel) -> tuple[str, ...]:
    return (model.pk.name,) if model.sk is None else (model.pk.name, model.sk.name)


def updated(item: Item, members: dict[str, Any]) -> Item:
    """An item after an update; as it was, where the update is wrong."""
    try:
        update = compiled_update(members["UpdateExpression"], members.get("ExpressionAttributeNames"))
        return update.apply(item, members.get("ExpressionAttributeValues") or {}).item
    except TablewrightError:
        return item  # the service will say what is wrong with it


def _model(description: Mapping[str, Any]) -> TableModel:
    layout = layout_of(description)
    return TableModel(layout.name, pk=layout.pk, sk=layout.sk, indexes=[_index(index) for index in layout.indexes])


def _index(index: IndexLayout) -> GSI | LSI:
    projection: Any = index.include if index.projection == "INCLUDE" else index.projection
    if index.local:
        return LSI(index.name, sk=index.sk[0], projection=projection)
    return GSI(index.name, pk=index.pk, sk=index.sk or None, projection=projection)
