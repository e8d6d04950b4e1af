"""From what a model expects to a mix: which pattern or write comes how often."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.model.entity import Entity, did_you_mean
from tablewright.table import Table

Kind = Literal["read", "create", "update", "delete"]


class Shares(Struct, frozen=True):
    """What the writes of an entity are, where a model says only how many there are: parts of one another."""

    create: float = 6.0
    update: float = 3.0
    delete: float = 1.0


class Line(Struct, frozen=True, eq=False):
    """One line of the mix: a pattern, or one kind of write of an entity."""

    name: str
    """The name of the pattern, or "Order: create"."""
    kind: Kind
    rate: float
    """How often it comes in a second."""
    declared: float
    """How often the model says it does, at the peak."""
    entity: type[Entity] | None = None
    """What is written; None for a pattern."""
    latency_ms: float | None = None
    """In how many milliseconds 99 of 100 should be answered, where the model says it."""
    results: int | None = None
    """How many items a usual one returns, where the model says it."""


class Mix(Struct, frozen=True):
    """All lines, and what is left out because nobody said how often it comes."""

    lines: tuple[Line, ...]
    silent: tuple[str, ...] = ()

    @property
    def rate(self) -> float:
        """Requests in a second, of all lines."""
        return sum(line.rate for line in self.lines)

    def without(self, names: Collection[str]) -> Mix:
        """The mix without these lines."""
        return Mix(tuple(line for line in self.lines if line.name not in names), self.silent)


def workload(
    table: Table,
    *,
    only: Collection[str] = (),
    scale: float = 1.0,
    writes: bool = True,
    shares: Shares | None = None,
) -> Mix:
    """The mix of a model by what expect() says of rates and writes; of `only` these patterns and entities, if it names some."""
    if scale <= 0:
        raise ArgumentError("The scale of the rates is a number above 0.")
    known = [*table.patterns, *(entity.__name__ for entity in table.entities.values())]
    for name in only:
        if name not in known:
            raise ArgumentError(f"{table.label} has no pattern or entity {name!r}.{did_you_mean(name, known)}")
    lines: list[Line] = []
    silent: list[str] = []
    for name in table.patterns:
        expected = table.expectations.of_pattern(name)
        if only and name not in only:
            continue
        if not expected.rate:
            silent.append(f"{name}()")
            continue
        lines.append(
            Line(
                name,
                "read",
                expected.rate * scale,
                expected.rate,
                latency_ms=expected.latency_ms,
                results=expected.results,
            )
        )
    for entity in table.entities.values() if writes else ():
        if only and entity.__name__ not in only:
            continue
        rate = table.expectations.of(entity).writes
        if rate:
            lines += _writes(entity, rate, scale, shares or Shares())
        else:
            silent.append(entity.__name__)
    left = [
        entity.__name__
        for entity in ([] if writes else table.entities.values())
        if table.expectations.of(entity).writes and (not only or entity.__name__ in only)
    ]
    if not lines and left:
        raise ArgumentError(
            f"Only reads are sent, so that there is no load to make: the writes of {', '.join(left)} are left out, and no pattern "
            "that is to be driven has a rate.",
            hint="Say how often a pattern runs, table.expect(pattern, rate=10), or let it write.",
        )
    if not lines:
        raise ArgumentError(
            f"Nothing is said of how often {', '.join(silent) or 'anything'} comes, so that there is no load to make.",
            hint="Say it in the model: table.expect(pattern, rate=10), table.expect(Entity, writes=5).",
        )
    return Mix(tuple(lines), tuple(silent))


def _writes(entity: type[Entity], rate: float, scale: float, shares: Shares) -> Iterator[Line]:
    whole = shares.create + shares.update + shares.delete
    if min(shares.create, shares.update, shares.delete) < 0 or whole <= 0:
        raise ArgumentError("The shares of creates, updates and deletes are numbers from 0 on, and not all 0.")
    kinds: tuple[tuple[Kind, float], ...] = (
        ("create", shares.create),
        ("update", shares.update),
        ("delete", shares.delete),
    )
    for kind, share in kinds:
        if share:
            own = rate * share / whole
            yield Line(f"{entity.__name__}: {kind}", kind, own * scale, own, entity)
