"""Why a key cannot serve a read, as data: what stands in messages, sorted by kind, for proofs, lint and programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

Kind: TypeAlias = Literal[
    "no-partition-value",
    "scan",
    "gap",
    "unused-condition",
    "two-ranges",
    "operator",
    "order",
    "list",
    "bucket",
    "not-unique",
    "sparse",
    "projection",
    "neighbours",
    "consistent-index",
    "filter-on-key",
    "no-key",
    "other-partition",
    "directions",
    "definition",
]
"""`no-partition-value`: a field of the partition key is not known. `scan`: nothing is known at all. `gap`: a field before
the one that is asked for is not known. `unused-condition`: the key does not hold the field. `two-ranges`: more than one
range. `operator`: the key cannot answer this comparison. `order`: keys do not sort by the field. `list`: is_in() outside
of a partition key. `bucket`: a period without both ends. `not-unique`: get() without the whole key. `sparse`: the index
leaves items out. `projection`: the index lacks fields. `neighbours`: others' items would be read. `consistent-index`: a
consistent read of a global index. `filter-on-key`: a filter on a key attribute. `no-key`: the entity has no keys there.
`other-partition`, `directions`: parts that cannot be read together. `definition`: anything else that is wrong in the definition itself."""


class ExampleItem(Struct, frozen=True):
    """One made-up item: whose, with which values, and the keys that they really give."""

    entity: str
    values: Mapping[str, str]
    """The fields that matter, as Python writes their values."""
    key: Mapping[str, str]
    """The key attributes, as they would be stored."""

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self.values.items())
        key = ", ".join(f"{name} = {value}" for name, value in self.key.items())
        return f"{self.entity}({values}): {key}"


class Counterexample(Struct, frozen=True):
    """Made-up items that show what would go wrong, and what that is."""

    items: tuple[ExampleItem, ...]
    text: str
    arguments: Mapping[str, str] = {}
    """The arguments of the read that would bring them, as Python writes their values."""
    request: Mapping[str, Any] = {}
    """The request that would, as it is sent."""


class Reason(Struct, frozen=True):
    """Why one key cannot serve a read."""

    kind: Kind
    key_path: str
    """The index, or "the table's key"; empty where it is about no key in particular."""
    text: str
    remedy: str | None = None
    """What would change that, where the key came close."""
    counterexample: Counterexample | None = None
    other: str | None = None
    """Whose items would be met."""
    fields: tuple[str, ...] = ()
    """The fields that it is about."""

    def __str__(self) -> str:
        return f"{self.key_path}: {self.text}" if self.key_path else self.text


class Refusal(Exception):
    """A key cannot serve a read; `remedy` says what would change that, where the key came close."""

    def __init__(
        self,
        kind: Kind,
        text: str,
        remedy: str | None = None,
        *,
        other: str | None = None,
        fields: Iterable[str] = (),
    ) -> None:
        super().__init__(text)
        self.kind: Kind = kind
        self.remedy = remedy
        self.other = other
        self.fields = tuple(fields)

    def by(self, key_path: str) -> Reason:
        """The reason, with the name of the key."""
        return Reason(self.kind, key_path, str(self), self.remedy, None, self.other, self.fields)


def reasons_of(error: Any) -> tuple[Reason, ...]:
    """The reasons that an error carries; one for all of it where it carries none."""
    found: tuple[Reason, ...] = getattr(error, "reasons", ())
    return found or (Reason("definition", "", error.message, error.hint),)
