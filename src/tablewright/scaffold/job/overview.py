"""The overview of a job: answers that a program can read, above the text for people."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct, field

from tablewright.errors import ArgumentError

OVERVIEW = "overview.md"
_FENCE = "+++"
Share = Annotated[float, Meta(ge=0)]


class Actions(Struct, forbid_unknown_fields=True):
    """What people and programs do."""

    user: list[str] = field(default_factory=list)
    admin: list[str] = field(default_factory=list)
    system: list[str] = field(default_factory=list)


class Scale(Struct, forbid_unknown_fields=True):
    """How much of everything there will be."""

    requests_per_second: Share = 0
    items: Annotated[int, Meta(ge=0)] = 0


class Needs(Struct, forbid_unknown_fields=True):
    """What is asked of the application beside its functions."""

    p50_ms: Share = 0
    p99_ms: Share = 0
    consistency: Literal["", "eventual", "strong", "mixed"] = ""
    budget_usd_a_month: Share = 0


class Situation(Struct, forbid_unknown_fields=True):
    """What decides whether one table suits."""

    relationships: Literal["", "simple", "complex"] = ""
    requirements: Literal["", "settled", "changing"] = ""
    first_priority: Literal["", "speed of reads", "speed of development"] = ""
    experience: Literal["", "none", "some", "much"] = ""
    tutorial_done: bool = False
    questions_of_all_kinds: bool = False


class Places(Struct, forbid_unknown_fields=True):
    """Where things are, as seen from the folder in which commands are run."""

    model: str = ""
    data_access: str = ""
    infrastructure: str = ""
    readme: str = "README.md"
    guides: str = ""


class Overview(Struct, forbid_unknown_fields=True):
    """The answers."""

    job: str
    answered_by: str = ""
    """A name and a date: `A. Lovelace, 2026-02-01`."""
    purpose: str = ""
    actions: Actions = field(default_factory=Actions)
    scale: Scale = field(default_factory=Scale)
    needs: Needs = field(default_factory=Needs)
    situation: Situation = field(default_factory=Situation)
    places: Places = field(default_factory=Places)


def read_overview(folder: Path) -> Overview:
    """The answers of a job."""
    path = folder / OVERVIEW
    if not path.is_file():
        raise ArgumentError(
            f"There is no job in {folder}: {OVERVIEW} is missing.", hint="`tablewright design start NAME` makes one."
        )
    text = path.read_text(encoding="utf-8")
    _, fence, rest = text.partition(f"{_FENCE}\n")
    answers, end, _ = rest.partition(f"\n{_FENCE}")
    if not fence or not end or not text.startswith(_FENCE):
        raise ArgumentError(f"{path} does not begin with answers between two lines of {_FENCE}.")
    try:
        return msgspec.convert(tomllib.loads(answers), Overview)
    except tomllib.TOMLDecodeError as error:
        raise ArgumentError(f"The answers in {path} are no TOML: {error}.") from None
    except msgspec.ValidationError as error:
        raise ArgumentError(f"An answer in {path} cannot be: {error}.") from None
