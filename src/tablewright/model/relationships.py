"""How entities relate, and the strategy chosen for each relationship: recorded, checked and documented."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from tablewright.errors import ModelError
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.pattern import Pattern

Cardinality: TypeAlias = Literal["1:1", "1:N", "M:N"]
Strategy: TypeAlias = Literal[
    "embedded",
    "item collection",
    "shallow duplication",
    "adjacency list",
    "materialised graph",
    "normalised",
]
MAX_EMBEDDED = 20


class Relationship(msgspec.Struct, frozen=True):
    """One relationship of the model.

    - embedded: `field` of the source holds the target(s); how long a list of them may be is a matter of
      lint (TW501, TW502), which can be waived.
    - item collection: the target's items share the source's partition.
    - shallow duplication: `copies` says which field of the source repeats which field of the target, so that it is known
      what becomes stale when the target changes: `copies={"customer_name": "name"}`. `found_by` is the pattern that finds
      an item's copies; its parameters are named like fields of the target. `by` says which field of the source holds which
      key field of the target, where they are called differently.
    - adjacency list, materialised graph: `via` is the entity of the links; `source_fields` and `target_fields` name its
      fields that identify each end, as a mapping where the end's own key fields are called otherwise:
      `source_fields={"follower": "username"}`. Both directions must be readable: by keys of `via`, or with `mirror`, an
      entity with the same fields and other keys, of which every link has an item too. The two are always written together.
    - normalised: separate requests, on purpose.
    """

    source: type[Entity]
    """The entity that has the relationship."""
    target: type[Entity] | str
    """The entity that it leads to."""
    cardinality: Cardinality
    """How many of each."""
    strategy: Strategy
    """How it is stored, as said above."""
    field: str | None = None
    copies: Mapping[str, str] = msgspec.field(default_factory=dict)
    by: Mapping[str, str] = msgspec.field(default_factory=dict)
    found_by: Pattern[..., Any] | None = None
    via: type[Entity] | None = None
    source_fields: tuple[str, ...] | Mapping[str, str] = ()
    target_fields: tuple[str, ...] | Mapping[str, str] = ()
    mirror: type[Entity] | None = None
    reason: str = ""
    """Why this strategy, for those who read the model."""

    def __post_init__(self) -> None:
        for what, given, allowed in (
            ("cardinality", self.cardinality, get_args(Cardinality)),
            ("strategy", self.strategy, get_args(Strategy)),
        ):
            if given not in allowed:
                raise ModelError(f"{self} has the unknown {what} {given!r}.{did_you_mean(given, allowed)}")

    def __str__(self) -> str:
        target = self.target if isinstance(self.target, str) else self.target.__name__
        return f"The relationship {self.source.__name__} to {target}"
