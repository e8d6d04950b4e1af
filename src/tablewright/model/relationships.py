"""How entities relate, and the strategy chosen for each relationship: recorded, checked and documented."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tablewright.model.entity import Entity

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


@dataclass(frozen=True, slots=True)
class Relationship:
    """One relationship of the model.

    - embedded: `field` of the source holds the target(s); a list needs a declared maximum below 20.
    - item collection: the target's items share the source's partition.
    - shallow duplication: `field` of the source repeats a few attributes of the target.
    - adjacency list, materialised graph: `via` is the entity of the links; `source_fields` and `target_fields` name its
      fields that identify each end. Both directions must be readable.
    - normalised: separate requests, on purpose.
    """

    source: type[Entity]
    target: type[Entity] | str
    cardinality: Cardinality
    strategy: Strategy
    field: str | None = None
    via: type[Entity] | None = None
    source_fields: tuple[str, ...] = ()
    target_fields: tuple[str, ...] = ()
    reason: str = ""
