"""What was proved of a table, as plain data: for people, programs, lint and documents alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from tablewright.compiler.reasons import Counterexample, Reason


class RequestProof(Struct, frozen=True, kw_only=True):
    """One request that a pattern becomes."""

    when: str
    """For which arguments, where that matters: "since is given"."""
    operation: Literal["GetItem", "Query"]
    index: str | None
    """None for the table itself."""
    key_condition: str
    """In words, with parameters in braces."""
    request: Mapping[str, Any]
    """Exactly as it is sent, with parameters in braces in place of values."""
    entities: tuple[str, ...]
    """What it returns."""
    single: bool
    """Whether one request brings a page: no shards, buckets or lists that ask several partitions."""
    partitions: int | None
    """How many partitions are asked; None where that depends on the arguments."""
    counted: int | None
    """For how many partitions the worst case is counted: all, or as many as expect(..., partitions=...) says."""
    fan_out: tuple[str, ...]
    """By what several partitions are asked, in words."""
    order: tuple[str, ...]
    """The fields that the result is sorted by."""
    descending: bool
    unique: bool
    """Whether at most one item can match."""
    may_repeat: tuple[str, ...]
    """Of a get() that is not unique, the fields whose values a second item may have too."""
    consistent: bool
    items_at_worst: int | None
    """How many items are read in all; None where expect() did not say enough."""
    read_units_at_worst: float | None
    """What reading them costs; None where expect() did not say enough."""
    over_reads: tuple[str, ...]
    """Whose items may be read and dropped as well."""
    filtered_by: tuple[str, ...]
    """Fields of its filter: items that do not meet it are read, paid for and dropped."""
    unproved: tuple[str, ...]
    """What an adopted table leaves open."""


EditKind: TypeAlias = Literal["read", "projection", "index-key", "index", "filter"]


class Edit(Struct, frozen=True):
    """A change of the model after which a pattern is served; it was tried on a copy, together with all other patterns."""

    kind: EditKind
    """`read`: another way to ask. `projection`: a wider index. `index-key`: a key on an index that is there. `index`: a new
    index. `filter`: items are read and dropped."""
    text: str
    """What to do."""
    code: tuple[str, ...]
    """The lines of the model as they should be."""


class PatternProof(Struct, frozen=True):
    """An access pattern: how it is served, or why it is not."""

    name: str
    doc: str
    parameters: Mapping[str, str]
    entities: tuple[str, ...]
    requests: tuple[RequestProof, ...]
    """One for each different variant."""
    reasons: tuple[Reason, ...] = ()
    """Why each key cannot serve it; empty when it is served."""
    edits: tuple[Edit, ...] = ()
    """What would serve it, the smallest change first."""
    stuck: str = ""
    """Where there is no such change, why not."""
    message: str = ""
    """The whole refusal in words."""
    follows: bool = False
    """Whether it is only refused because an entity that it names was."""

    @property
    def served(self) -> bool:
        """Whether all its variants are served."""
        return not self.reasons


class Problem(Struct, frozen=True):
    """A definition beside patterns that was refused."""

    kind: str
    """entity, change, relationship, aggregate or expectation."""
    name: str
    code: str
    """The code of the error."""
    text: str
    remedy: str | None
    follows: bool
    """Whether it was refused only because an entity that it names was."""
    counterexample: Counterexample | None = None
    place: str | None = None
    """File and line."""


class TableProof(Struct, frozen=True):
    """All that was proved of a table."""

    table: str
    patterns: tuple[PatternProof, ...]
    unused_indexes: tuple[str, ...]
    """Indexes that no pattern, aggregate or feed reads."""
    problems: tuple[Problem, ...]
    unproved: tuple[str, ...]
    """What could not be proved; only adopted keys leave anything open."""

    @property
    def unserved(self) -> tuple[PatternProof, ...]:
        """The patterns that no key serves."""
        return tuple(p for p in self.patterns if not p.served)

    @property
    def holds(self) -> bool:
        """Whether everything was accepted and every pattern is served."""
        return not self.problems and not self.unserved

    def of(self, name: str) -> PatternProof:
        """The proof of one pattern; raises KeyError for a name that is none."""
        for pattern in self.patterns:
            if pattern.name == name:
                return pattern
        raise KeyError(name)
