"""What a table costs as it was observed, beside what its model expects: pattern by pattern, and entity by entity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from msgspec import Struct, field
from msgspec.structs import replace

from tablewright.cost.capacity import Consumed
from tablewright.cost.entities import TABLE, EntityCost
from tablewright.cost.estimating import Estimate, Planned, estimate, how_busy, peaks
from tablewright.cost.expecting import Expecting, expectations_of
from tablewright.cost.modes import Load
from tablewright.cost.prices import MONTH, Bill, Prices, Rates, deployed_billing, deployed_rates, load_prices, on_demand
from tablewright.cost.reads import PatternCost
from tablewright.cost.writes import Units
from tablewright.errors import ArgumentError
from tablewright.wording import counted

_WEEK = 7 * 86_400
_DEPARTS = 1.5
"""From how many times on what was observed departs from what was expected."""


class ObservedReads(Struct):
    """The requests of one access pattern, or of reads that no pattern declares."""

    requests: int = 0
    units: float = 0.0
    returned: int = 0
    """Items that came back."""
    scanned: int = 0
    """Items that were looked at."""
    places: dict[str, float] = field(default_factory=dict)
    """The units by where they were used: the table, or an index."""


class ObservedWrites(Struct):
    """The requests that wrote one entity, or that no entity is told of."""

    requests: int = 0
    units: float = 0.0
    indexes: dict[str, float] = field(default_factory=dict)
    """What each index took of the units."""
    parted: bool = True
    """Whether that was told of all of them."""
    reads: float = 0.0
    """Read units that these writes took, to know what they change."""
    sized: int = 0
    """Items whose size was measured, and their bytes."""
    size: int = 0


class ObservedUse(Struct, kw_only=True):
    """What was observed of a table for some time."""

    since: float
    """From when and until when, in seconds since 1970."""
    until: float
    seconds: float
    """For how long of it somebody looked."""
    patterns: dict[str, ObservedReads] = field(default_factory=dict)
    entities: dict[str, ObservedWrites] = field(default_factory=dict)
    other_reads: dict[str, ObservedReads] = field(default_factory=dict)
    """Reads that no pattern declares, by what they do."""
    other_writes: dict[str, ObservedWrites] = field(default_factory=dict)
    """Writes that concern no entity alone, by what they do."""
    minutes: list[tuple[float, float]] = field(default_factory=list)
    """Read and write units of each minute that somebody looked at, the last week of them."""
    unmetered: int = 0
    """Requests whose answers did not tell what they consumed; the others stand for them."""
    refused_units: float = 0.0
    """Write units that were counted for writes that their condition refused, at least."""


class Compared(Struct, frozen=True):
    """A pattern or an entity: what was expected of it, and what was observed."""

    name: str
    declared_rate: float | None
    """Requests in a second on average; None where nobody said it, or the model does not know it."""
    observed_rate: float
    declared_units: float | None
    """Units of a request."""
    observed_units: float | None
    """None where there was no request."""
    declared_month: float
    observed_month: float
    size: int | None = None
    """Bytes of a usual item as they were expected."""
    observed_size: int | None = None
    observed_reads: float = 0.0
    """Read units that a write took beforehand, to know the item."""

    @property
    def departs(self) -> bool:
        """Whether it costs notably more than was expected, or less."""
        low, high = sorted((self.declared_month, self.observed_month))
        return high >= 0.01 and high > _DEPARTS * low


class ObservedEstimate(Struct, frozen=True):
    """A month as it was observed, beside the same as it is declared. Both on demand, in the class that is deployed."""

    table: str
    currency: str
    declared: Bill
    observed: Bill
    patterns: tuple[Compared, ...]
    """The dearest first, as observed."""
    entities: tuple[Compared, ...]
    undeclared: tuple[Compared, ...]
    """Requests that no pattern or entity is told of."""
    notes: tuple[str, ...]


def estimate_observed(
    table: Planned, observed: ObservedUse, prices: Prices | None = None, *, share: float = 1.0
) -> ObservedEstimate:
    """What a month costs if all of it is as what was observed; `share` is that of the peak in what is declared."""
    _refuse_nothing(observed)
    prices = prices or load_prices()
    deployment = table.plan.table.deployment
    rates = deployed_rates(prices, deployment)
    declared = estimate(table, prices, share=share)
    bill = declared.bill("on-demand", deployed_billing(prices, deployment)[1])
    second = 1 / observed.seconds
    reads = [*observed.patterns.values(), *observed.other_reads.values()]
    writes = [*observed.entities.values(), *observed.other_writes.values()]
    month = MONTH * second
    first = sum(w.reads for w in writes)
    seen = on_demand(
        rates,
        reads=(sum(r.units for r in reads) + first) * month,
        writes=sum(w.units for w in writes) * month,
        stored=0.0,
    )
    return ObservedEstimate(
        table=declared.table,
        currency=prices.currency,
        declared=bill,
        # How much is stored, no request tells.
        observed=Bill(seen.reads, seen.writes, bill.storage, bill.recovery),
        patterns=_sorted(_patterns(declared, observed, rates, share)),
        entities=_sorted(_entities(declared, observed, rates, share)),
        undeclared=_sorted(_others(declared, observed, rates)),
        notes=tuple(_notes(declared, observed)),
    )


def _refuse_nothing(observed: ObservedUse) -> None:
    if observed.seconds <= 0:
        raise ArgumentError(
            "Nothing was observed for any time.", hint="Take a snapshot when the table was in use for a while."
        )


def _sorted(rows: Iterator[Compared]) -> tuple[Compared, ...]:
    return tuple(sorted(rows, key=lambda row: (-row.observed_month, -row.declared_month, row.name)))


def _patterns(declared: Estimate, observed: ObservedUse, rates: Rates, share: float) -> Iterator[Compared]:
    for cost in declared.patterns:
        seen = observed.patterns.get(cost.name, ObservedReads())
        yield _compared(f"{cost.name}()", _expected_reads(cost, share), seen, observed.seconds, rates.reads)


def _expected_reads(cost: PatternCost, share: float) -> tuple[float | None, float]:
    """Requests in a second, where a read takes several, and units of each."""
    rate = None if cost.rate is None else cost.rate * cost.requests * share
    return rate, cost.units / cost.requests


def _entities(declared: Estimate, observed: ObservedUse, rates: Rates, share: float) -> Iterator[Compared]:
    for cost in declared.entities:
        seen = observed.entities.get(cost.name, ObservedWrites())
        expected = None if cost.writes is None else cost.writes * share, cost.own.total
        yield _with_reads(
            _compared(cost.name, expected, seen, observed.seconds, rates.writes, cost), seen, observed.seconds, rates
        )


def _others(declared: Estimate, observed: ObservedUse, rates: Rates) -> Iterator[Compared]:
    """What the model has no name for: also patterns and entities of another version of it."""
    patterns, entities = {p.name for p in declared.patterns}, {e.name for e in declared.entities}
    reads = {f"{n}()": r for n, r in observed.patterns.items() if n not in patterns} | observed.other_reads
    writes = {n: w for n, w in observed.entities.items() if n not in entities} | observed.other_writes
    for name, read in reads.items():
        yield _compared(name, (None, None), read, observed.seconds, rates.reads)
    for name, written in writes.items():
        row = _compared(name, (None, None), written, observed.seconds, rates.writes)
        yield _with_reads(row, written, observed.seconds, rates)


def _with_reads(row: Compared, seen: ObservedWrites, seconds: float, rates: Rates) -> Compared:
    """The same with the reads that the writes took along."""
    if not seen.reads:
        return row
    month = seen.reads / seconds * MONTH / 1e6 * rates.reads
    each = seen.reads / seen.requests if seen.requests else seen.reads
    return replace(row, observed_month=row.observed_month + month, observed_reads=each)


def _compared(
    name: str,
    expected: tuple[float | None, float | None],
    seen: ObservedReads | ObservedWrites,
    seconds: float,
    price: float,
    cost: EntityCost | None = None,
) -> Compared:
    rate, units = expected
    size = None if not isinstance(seen, ObservedWrites) or not seen.sized else round(seen.size / seen.sized)
    return Compared(
        name,
        rate,
        seen.requests / seconds,
        units,
        seen.units / seen.requests if seen.requests else None,
        (rate or 0.0) * (units or 0.0) * MONTH / 1e6 * price,
        seen.units / seconds * MONTH / 1e6 * price,
        None if cost is None else cost.size,
        size,
    )


def as_observed(table: Planned, observed: ObservedUse) -> tuple[Planned, float]:
    """The model with the rates and sizes that were observed, as its peak; and the share of that peak that was the average.

    What was not observed keeps what is expected of it, but for rates: what nobody asked for costs nothing.
    """
    _refuse_nothing(observed)
    plan, said = table.plan, expectations_of(table.plan.table)
    busiest = _busiest(observed)
    said.changes.clear()  # which change a write was, no request tells
    costs = {cost.name: cost for cost in estimate(table).patterns}
    for entity in plan.table.entities.values():
        written, own = observed.entities.get(entity.__name__, ObservedWrites()), said.of(entity)
        size = round(written.size / written.sized) if written.sized else own.size
        largest = own.max_size if own.max_size is None or size is None else max(own.max_size, size)
        rate = written.requests / observed.seconds * busiest
        said.entities[entity] = replace(own, writes=rate, size=size, max_size=largest)
    for name in plan.patterns:
        read, expected = observed.patterns.get(name, ObservedReads()), said.of_pattern(name)
        runs = read.requests / costs[name].requests
        rate = runs / observed.seconds * busiest
        if runs:
            results, scanned = round(read.returned / runs), round(read.scanned / runs)
            expected = replace(expected, results=results, scanned=max(results, scanned))
        said.patterns[name] = replace(expected, rate=rate)
    created = {cost.name: cost.own for cost in estimate(Expecting(plan, said)).entities}
    for entity in plan.table.entities.values():
        written = observed.entities.get(entity.__name__, ObservedWrites())
        said.entities[entity] = replace(
            said.of(entity),
            taken=_taken(written, created[entity.__name__]),
            reads=written.reads / written.requests if written.requests else 0.0,
        )
    return Expecting(plan, said), 1 / busiest


def _taken(written: ObservedWrites, created: Units) -> dict[str, float]:
    """How many times what a create takes of the table and of each index a write took of it: nothing of an index that it
    left as it was, twice as much of one in which it moved. Where only all units together were told, they are parted as a
    create has them."""
    if not written.requests:
        return {}
    if not written.parted:
        return dict.fromkeys((TABLE, *created.indexes), written.units / written.requests / created.total)
    copied = {name: written.indexes.get(name, 0.0) for name in created.indexes}
    own = (written.units - sum(copied.values())) / written.requests
    return {
        TABLE: own / created.table,
        **{name: units / written.requests / created.indexes[name] for name, units in copied.items()},
    }


def noted(found: Estimate, seen: ObservedEstimate, share: float, declared_share: float = 1.0) -> Estimate:
    """The estimate of a model as it was observed, with what parts it from what was observed itself. `share` is that of the
    busiest minute which the average was, and `declared_share` the one that was said of what is declared."""
    notes = [
        "Rates, sizes, how many items are read and what writes take are those that were observed; read units follow by the model.",
        f"The peak is the busiest minute that was observed; the average was {share:.0%} of it, and so is the whole month.",
    ]
    if declared_share < 1:
        notes.append(f"The share of {declared_share:.0%} that was said is of the declared peak, and not used here.")
    left_out = sum(row.observed_month for row in seen.undeclared)
    if left_out >= 0.005:
        notes.append(f"Requests that the model does not declare are left out; they are {left_out:,.2f} of a month.")
    kept = [one for one in found.assumptions if one != how_busy(share)]
    return replace(found, assumptions=(*notes, *kept))


def _busiest(observed: ObservedUse) -> float:
    """How many times the average the busiest minute was, of reads or of writes."""
    found = [1.0]
    for side in zip(*observed.minutes, strict=True):
        if sum(side):
            found.append(max(side) * len(side) / sum(side))
    return max(found)


def observed_loads(table: Planned, observed: ObservedUse) -> dict[str, Load]:
    """The load of each place in each minute: its share of what all of them consumed, as far as answers told it."""
    if not observed.minutes:
        raise ArgumentError("No minutes were observed.", hint="Take a snapshot when the table was in use for a while.")
    reads, writes = dict[str, float](), dict[str, float]()
    for read in (*observed.patterns.values(), *observed.other_reads.values()):
        for place, units in read.places.items():
            reads[place] = reads.get(place, 0.0) + units
    for written in (*observed.entities.values(), *observed.other_writes.values()):
        for place, units in written.indexes.items():
            writes[place] = writes.get(place, 0.0) + units
        writes[TABLE] = writes.get(TABLE, 0.0) + written.units - sum(written.indexes.values())
        reads[TABLE] = reads.get(TABLE, 0.0) + written.reads
    of_reads, of_writes = (_shares(peaks(table.plan, units)) for units in (reads, writes))
    return {
        place: Load(
            tuple(r / 60 * of_reads[place] for r, _ in observed.minutes),
            tuple(w / 60 * of_writes[place] for _, w in observed.minutes),
        )
        for place in of_reads
    }


def observed_capacity(table: Planned, observed: ObservedUse) -> list[Consumed]:
    """What each place consumed in each minute, to be held against what is paid for."""
    return [
        Consumed(place, 60, tuple(r * 60 for r in load.reads), tuple(w * 60 for w in load.writes))
        for place, load in observed_loads(table, observed).items()
    ]


def _shares(units: Mapping[str, float]) -> dict[str, float]:
    whole = sum(units.values())
    return {place: n / whole if whole else float(place == TABLE) for place, n in units.items()}


def _notes(declared: Estimate, observed: ObservedUse) -> Iterator[str]:
    since, until = (
        datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M") for at in (observed.since, observed.until)
    )
    yield (
        f"Observed for {_length(observed.seconds)} between {since} and {until} UTC; the whole month is taken to be like that."
    )
    if observed.seconds < _WEEK:
        yield "A week shows more: nights, Sundays and what runs seldom."
    if observed.unmetered:
        yield (
            f"{counted(observed.unmetered, 'answer')} did not tell what they consumed; those of the same kind stand for them."
        )
    if observed.refused_units:
        yield (
            f"Writes that their condition refused are counted with {counted(round(observed.refused_units), 'unit')}; they took so many at "
            "least, since DynamoDB charges for them and does not tell how much."
        )
    idle = [f"{p.name}()" for p in declared.patterns if p.name not in observed.patterns]
    if idle:
        yield f"Never ran while somebody looked: {', '.join(idle)}."
    yield "What is stored is as the model expects it: no request tells how much there is."


def _length(seconds: float) -> str:
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= 2 * size:
            return counted(round(seconds / size, 1), name)
    return counted(round(seconds, 1 if seconds < 10 else 0), "second")


def shown_observed(found: ObservedEstimate) -> str:
    """The comparison as lines of text."""
    lines = [f"{found.table}, a month on demand in {found.currency}, as declared and as observed:"]
    for what, then, now in (
        ("reads", found.declared.reads, found.observed.reads),
        ("writes", found.declared.writes, found.observed.writes),
        ("all, with storage", found.declared.total, found.observed.total),
    ):
        lines.append(f"  {what}: {then:,.2f} declared, {now:,.2f} observed")
    for title, rows in (
        ("Patterns", found.patterns),
        ("Entities, written", found.entities),
        ("Not in the model", found.undeclared),
    ):
        if rows:
            lines += ["", f"{title}:", *(_row(row) for row in rows)]
    return "\n".join([*lines, "", *(f"  - {note}" for note in found.notes)])


def _row(row: Compared) -> str:
    parts = [
        f"{_figure(row.declared_rate, 'request')} a second declared, {_figure(row.observed_rate)} observed",
        f"{_figure(row.declared_units, 'unit')} each declared, {_figure(row.observed_units)} observed",
    ]
    if row.observed_reads:
        parts.append(f"{_figure(row.observed_reads, 'read unit')} before each observed")
    if row.observed_size is not None and row.size is not None:
        parts.append(f"{row.size:,} bytes declared, {row.observed_size:,} observed")
    mark = " <- departs" if row.departs else ""
    return f"  {row.name}: {row.declared_month:,.2f} declared, {row.observed_month:,.2f} observed ({'; '.join(parts)}){mark}"


def _figure(number: float | None, what: str = "") -> str:
    if number is None:
        return f"no {what}s" if what else "none"
    said = f"{number:,.2f}".rstrip("0").rstrip(".") if number >= 0.01 or not number else f"{number:.2g}"
    return f"{said} {what}{'' if said == '1' else 's'}" if what else said
