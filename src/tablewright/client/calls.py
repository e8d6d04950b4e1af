"""The sans-IO core: an operation is a generator that yields calls and receives responses; a session drives it.

Nothing in this room but the two drivers does I/O, so sync and async share every line of logic.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """One request to send. `repeatable` says that sending it twice has the effect of once, so that it may be repeated
    when a reply is lost; anything else then ends in OutcomeUnknownError."""

    operation: str
    request: dict[str, Any]
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait before the next step: the back-off of an operation that re-sends what was left over."""

    attempt: int


Step: TypeAlias = Call | Pause
Steps: TypeAlias = Generator[Step, dict[str, Any], T]
