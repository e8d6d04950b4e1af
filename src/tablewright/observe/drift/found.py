"""What a comparison finds: the figures side by side, and where they depart so far that somebody should look."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Kind = Literal[
    "pattern-unseen",
    "pattern-more-often",
    "pattern-less-often",
    "pattern-dearer",
    "pattern-cheaper",
    "pattern-more-results",
    "pattern-fewer-results",
    "pattern-slower",
    "undeclared-requests",
    "index-unread",
    "partition-too-busy",
    "partition-growing",
    "item-near-limit",
    "entity-larger",
    "entity-smaller",
    "entity-more-writes",
    "entity-fewer-writes",
    "partitions-more",
    "partitions-fewer",
]


class Departure(Struct, frozen=True):
    """Something that is not as it was declared, or that the model says nothing of."""

    kind: Kind
    subject: str
    text: str
    declared: float | None = None
    observed: float | None = None


class PatternUse(Struct, frozen=True):
    """One declared pattern. What nobody declared or observed is None."""

    name: str
    index: str | None
    requests: int
    runs: float
    """Calls: requests for further pages, and those to the other partitions that a call asks, are no calls of their own."""
    rate: float
    """Calls in a second, on average."""
    declared_rate: float | None
    """At the peak."""
    units: float | None
    """Read units of a call."""
    expected_units: float | None
    """By the number of items or their size that was declared, and what follows from types; None where neither was."""
    results: float | None
    """Items that a call returned."""
    declared_results: int | None
    p99_ms: float | None
    """In how many milliseconds 99 of 100 requests were answered."""
    declared_ms: float | None


class UndeclaredUse(Struct, frozen=True):
    """Reads that no pattern declares."""

    operation: str
    index: str | None
    pattern: str | None
    """A pattern that the model does not have."""
    entity: str | None
    requests: int
    share: float
    """Of all requests."""
    read_units: float


class EntityUse(Struct, frozen=True):
    """One entity of the model."""

    name: str
    measured: int
    """Items that were measured."""
    size: float | None
    """Bytes of a usual one of them."""
    declared_size: int | None
    largest: int
    """Bytes of the largest that was seen, at least; 0 if none was large enough to be noticed."""
    declared_largest: int | None
    writes: float
    """In a second, on average; those of batches and transactions that are of several entities are not counted."""
    declared_writes: float | None
    """At the peak."""
    more_writes: bool = False
    """Whether there were batches or transactions of several entities, which may have written it beside."""


class PlaceUse(Struct, frozen=True):
    """The table (its name is empty), or an index."""

    name: str
    requests: int
    partitions: int
    """Different partition keys that were asked for or written, within some two percent."""
    declared_partitions: int | None
    busiest_reads: float
    """Read units of the busiest second that a partition had, if it was worth to be noted."""
    busiest_writes: float
    read: bool
    """Whether it was read."""


class Drift(Struct, frozen=True):
    """What is declared and what was observed, side by side."""

    table: str
    seconds: float
    """For how long somebody looked."""
    requests: int
    processes: int
    patterns: tuple[PatternUse, ...]
    undeclared: tuple[UndeclaredUse, ...]
    entities: tuple[EntityUse, ...]
    places: tuple[PlaceUse, ...]
    departures: tuple[Departure, ...]
    notes: tuple[str, ...]
    """What cannot be known from these figures."""
