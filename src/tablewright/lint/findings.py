"""What a rule finds, and what it is about."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from msgspec import Struct

Severity: TypeAlias = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The worst first."""


class Place(Struct, frozen=True):
    """A line of a source file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Subject(Struct, frozen=True, eq=False):
    """What a finding is about: its name for people, and the thing itself, which says where it is written."""

    name: str
    thing: Any
    field: str | None = None
    """The field of an entity, where the finding is about one."""


class Found(Struct, frozen=True, eq=False):
    """One finding as a rule makes it, before it is known whether it is waived."""

    subject: Subject
    message: str
    hint: str
    severity: Severity | None = None
    """Where it is less or more grave than usual."""
    also: tuple[Any, ...] = ()
    """Other things that it concerns, so that a waiver on one of them covers it: patterns, entities, names of indexes."""
    place: Place | None = None
    """Where the rule itself knows the line."""


class Finding(Struct, frozen=True):
    """Something that a rule does not like."""

    code: str
    """The rule's code, which never changes its meaning."""
    rule: str
    """The rule's name."""
    severity: Severity
    """How grave it is."""
    message: str
    """What was found."""
    hint: str
    """What to do about it."""
    place: Place | None
    """Where it is written, if the source could be found."""
    subject: str
    """The entity, field, pattern, index or relationship, as people call it."""
    waived: str | None = None
    """Why it is accepted, where the model says so."""


def at_least(findings: Iterable[Finding], severity: Severity) -> list[Finding]:
    """Those that are as grave as this or graver, and not waived."""
    allowed = SEVERITIES[: SEVERITIES.index(severity) + 1]
    return [finding for finding in findings if finding.waived is None and finding.severity in allowed]
