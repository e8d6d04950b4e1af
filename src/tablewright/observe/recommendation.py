"""A recommendation, and what a rule that makes some is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from msgspec import Struct, field

from tablewright.observe.snapshot import Snapshot

if TYPE_CHECKING:
    from tablewright.compiler.plan import TablePlan
    from tablewright.cost.prices import Prices

Severity = Literal["error", "warning", "info"]
Category = Literal["performance", "cost", "best-practice", "hot-partition", "capacity"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Recommendation(Struct, frozen=True, kw_only=True):
    """Something to change, why, and how."""

    rule: str
    """The name of the rule that it comes from, such as "hot-partition"."""
    severity: Severity
    category: Category
    subject: str
    """What it is about: a pattern, an index, a partition key."""
    message: str
    """What is wrong, in one sentence."""
    details: str
    """The figures."""
    action: str
    """What to do."""
    code: str | None = None
    """The same as code, or as a change of the model."""
    affected: tuple[str, ...] = ()
    """Patterns and operations that it is about."""
    breaks: tuple[str, ...] = ()
    """Patterns that would then ask more than now, or not be served: the action says which."""
    saves: float | None = None
    """The share of the capacity concerned that would be saved, where that can be worked out."""
    faster: float | None = None
    """The share of the time that would be saved, where that can be worked out."""
    evidence: Mapping[str, float | int | str] = field(default_factory=dict)
    """The figures by name, for programs."""
    impact: float = 0.0
    """The share of all requests or units that it concerns, from 0 to 1: what is sorted by after the severity."""
    frequency: float = 0.0
    """How often it happens in a second."""
    effort: int = 2
    """How hard it is to do: 1 a line of code, 2 a change of the model, 3 a migration."""


class Observed(Struct, frozen=True):
    """What rules look at."""

    snapshot: Snapshot
    plan: TablePlan | None = None
    """The model, where there is one."""
    prices: Prices | None = None


class Rule:
    """One rule. Its docstring says why it matters, when it fires and what to do; pages are made of it."""

    name: ClassVar[str]

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        """What it has to say of these figures; nothing, as long as there are too few of them."""
        raise NotImplementedError

    def waits_for(self, seen: Observed) -> str | None:
        """What is missing before it can judge, in a few words such as "a day of observation"; None if nothing is."""
        return None
