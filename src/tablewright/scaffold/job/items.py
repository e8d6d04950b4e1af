"""An item of a checklist, and how it is judged."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from tablewright.scaffold.job.evidence import Evidence

Check = Callable[[Evidence], str | None]
"""What is missing, in words; None where nothing is."""
NO_MODEL = "there is no model yet"


class Item(Struct, frozen=True, eq=False):
    """One thing to see to."""

    text: str
    check: Check
    of_model: bool = True
    """Whether it needs a model to be judged."""

    def missing(self, evidence: Evidence) -> str | None:
        """What is still missing."""
        if self.of_model and not evidence.has_model:
            return NO_MODEL
        return self.check(evidence)


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
    """An item that an answer in the overview settles."""
    return Item(text, lambda evidence: None if check(evidence) else hint, of_model=False)


def lints(text: str, *codes: str) -> Item:
    """An item that rules of the linter settle."""
    return Item(text, lambda evidence: evidence.found(*codes))


def made(text: str, output: str) -> Item:
    """A file that is made from the model, and is up to date."""
    return Item(text, lambda evidence: evidence.output(output))


def listing(names: list[str], what: str) -> str | None:
    """ "notes_in(), pinned() have no doc", or None where there are no names."""
    if not names:
        return None
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{shown}: {what}"
