"""The folder of a new job: overview, entity list, suggestions, and the checklists of each phase."""

from __future__ import annotations

import re
from typing import Literal

from tablewright.errors import ArgumentError
from tablewright.scaffold.job.catalogue import CATALOGUE
from tablewright.scaffold.job.checklists import PHASES
from tablewright.scaffold.job.guides import GUIDES
from tablewright.scaffold.job.suitability import ADVANTAGES, DISADVANTAGES
from tablewright.scaffold.rendering import rendered

Derivation = Literal["screens", "endpoints"]


def job_files(job: str, derivation: Derivation = "screens") -> dict[str, str]:
    """The files by their names. Patterns are derived from screens, which is recommended, or from endpoints."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", job):
        raise ArgumentError(
            f"{job!r} cannot be the name of a job.", hint="Use small letters, digits and '-', such as order-history."
        )
    words = {
        "job": job,
        "title": job.replace("-", " ").capitalize(),
        "derivation": derivation,
        "catalogue": CATALOGUE,
        "phases": PHASES,
        "advantages": ADVANTAGES,
        "disadvantages": DISADVANTAGES,
    }
    names = ["overview.md", "entities.md", f"{derivation}.md", "pattern-suggestions.md", "glossary.md", *GUIDES]
    files = {name: rendered(f"job/{name}.j2", **words) for name in names}
    for phase in PHASES:
        files[phase.file] = rendered("job/phase.md.j2", **words, phase=phase)
    return files
