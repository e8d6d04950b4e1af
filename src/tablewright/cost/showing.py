"""An estimate in words, for people."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.cost.entities import TABLE, EntityCost
from tablewright.cost.estimating import Estimate
from tablewright.cost.prices import GIGABYTE, Bill
from tablewright.cost.reads import PatternCost
from tablewright.cost.writes import Units
from tablewright.wording import counted, quantity

_DEAREST = 10
_USUAL = ("reads", "writes", "storage")


def shown(estimate: Estimate) -> str:
    """The estimate as lines of text."""
    lines = [f"{estimate.table}, prices of {estimate.region} since {estimate.since}", "", "Write units:"]
    for entity in estimate.entities:
        lines += _entity(entity)
    lines += ["", "Read units of a pattern:"]
    lines += [_pattern(pattern) for pattern in estimate.patterns] or ["  there are no patterns"]
    lines += ["", f"Stored: {shown_bytes(estimate.stored)}", "", f"A month in {estimate.currency}:"]
    for offer in estimate.offers:
        lines.append(f"  {offer.mode}, {offer.table_class}: {offer.bill.total:,.2f} ({_parts(offer.bill)})")
    if estimate.shares:
        lines += ["", "Where it goes, on demand:"]
        lines += [f"  {s.month:,.2f} for {s.what} of {s.subject}" for s in estimate.shares[:_DEAREST]]
    if estimate.savings:
        lines += ["", "What would cost less:"]
        lines += [f"  {s.subject}: {s.text}{_saved(s.month)} [{s.kind}]" for s in estimate.savings]
    lines += ["", "Assumed:", *(f"  - {text}" for text in estimate.assumptions)]
    return "\n".join(lines)


def _parts(bill: Bill) -> str:
    """What a bill is made of: always reads, writes and storage, and whatever else there is."""
    shown = ((name, getattr(bill, name)) for name in Bill.__struct_fields__)
    return ", ".join(f"{name} {month:,.2f}" for name, month in shown if month or name in _USUAL)


def _saved(month: float | None) -> str:
    return f" It saves up to {month:,.2f}." if month is not None and month >= 0.005 else ""


def _entity(cost: EntityCost) -> Iterator[str]:
    said = "" if cost.size_said else ", by its fields"
    rate = "" if cost.writes is None else f", {counted(cost.writes, 'write')} a second"
    items = "" if cost.items is None else f", {counted(cost.items, 'item')}"
    yield f"  {cost.name}: {counted(cost.size, 'byte')}{said}{items}{rate}"
    for what, units in (("create", cost.create), ("update", cost.update), ("delete", cost.delete)):
        yield f"    {what}: {_units(units)}"
    for name, units in cost.changes.items():
        first = cost.change_reads.get(name)
        read = "" if first is None else f", after {counted(first, 'read unit')} where the item is not at hand"
        rate = f", {quantity(cost.change_rates[name])} a second" if name in cost.change_rates else ""
        yield f"    {name}(), at worst: {_units(units)}{read}{rate}"


def _units(units: Units) -> str:
    if not units.indexes:
        return quantity(units.total)
    places = [(TABLE, units.table), *units.indexes.items()]
    return f"{quantity(units.total)} ({', '.join(f'{name} {quantity(n)}' for name, n in places)})"


def _pattern(cost: PatternCost) -> str:
    rate = "" if cost.rate is None else f", {quantity(cost.rate)} a second"
    requests = "" if cost.requests == 1 else f" in {cost.requests:,} requests"
    read = f"{counted(cost.items, 'item')} of {counted(cost.size, 'byte')} from {cost.index or TABLE}{requests}"
    return f"  {cost.name}: {quantity(cost.units)} ({read}){rate}"


def shown_bytes(number: int) -> str:
    """1.2 GB, 3.4 MB or 560 bytes."""
    if number >= GIGABYTE:
        return f"{number / GIGABYTE:,.1f} GB"
    return f"{number / 2**20:,.1f} MB" if number >= 2**20 else f"{number:,} bytes"
