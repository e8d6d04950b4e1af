"""An item of a checklist, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from tablewright.scaffold.job.evidence import Evidence
from tablewright.scaffold.job.people import who_and_when

Check = Callable[[Evidence], str | None]
"""What is missing, in words; None where nothing is."""
NO_MODEL = "there is no model yet"
NO_ENTITIES = "the model has no entities"


class Item(Struct, frozen=True, eq=False):
    """One thing to see to."""

    text: str
    check: Check
    of_model: bool = True
    """Whether it needs a model to be judged."""
    said_by: Callable[[Evidence], str] | None = None
    """Who said so, and when, where no program can know."""
    codes: tuple[str, ...] = ()
    """The rules of the linter that judge it."""

    def missing(self, evidence: Evidence) -> str | None:
        """What is still missing."""
        if self.of_model and not evidence.has_model:
            return NO_MODEL
        told = self.check(evidence)
        if told is None and self.of_model:  # of what was refused, nothing is known but that
            return refusals(evidence) or (None if evidence.plan.entities else NO_ENTITIES)
        return told


class Checklist(Struct, frozen=True, eq=False):
    """Things to see to together."""

    name: str
    items: tuple[Item, ...]


class Phase(Struct, frozen=True, eq=False):
    """A part of the work, with what it takes and what comes out of it."""

    name: str
    file: str
    days: str
    checklists: tuple[Checklist, ...]


def answered(text: str, check: Callable[[Evidence], bool], hint: str) -> Item:
    """An item that an answer in the overview settles. No program can know it, so it is kept who answered."""

    def told(evidence: Evidence) -> str | None:
        if not check(evidence):
            return hint
        who = evidence.overview.answered_by
        return None if who_and_when(who) else "answered_by does not say who answered, and when"

    return Item(text, told, of_model=False, said_by=lambda evidence: evidence.overview.answered_by)


def lints(text: str, *codes: str, first: Check = lambda _: None) -> Item:
    """An item that rules of the linter settle; `first` says what they must know for that, and is missing."""
    return Item(text, lambda evidence: evidence.found(*codes) or first(evidence), codes=codes)


def made(text: str, output: str) -> Item:
    """A file that is made from the model, and is up to date."""
    return Item(text, lambda evidence: evidence.output(output))


def refusals(evidence: Evidence) -> str | None:
    """The definitions that were refused, other than patterns."""
    return listing([r.name for r in evidence.refused if r.kind != "pattern"], "refused; see tablewright check")


def composite(evidence: Evidence) -> str | None:
    """What keeps the primary key from being composite."""
    return None if evidence.plan.table.sk is not None else "the table has no sort key"


def listing(names: list[str], what: str) -> str | None:
    """ "notes_in(), pinned() have no doc", or None where there are no names."""
    if not names:
        return None
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{shown}: {what}"


def not_in(wanted: Iterable[str], present: Iterable[str], what: str, form: str = "{}()") -> str | None:
    """Those that are wanted and not there."""
    there = set(present)
    return listing([form.format(name) for name in wanted if name not in there], what)
