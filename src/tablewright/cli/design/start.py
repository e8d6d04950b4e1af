"""`tablewright design start`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli.writing import FORCE_HELP
from tablewright.wording import counted

JOBS = Path("docs/specs/jobs")


class Derivation(StrEnum):
    """What access patterns are derived from."""

    SCREENS = "screens"
    ENDPOINTS = "endpoints"


def start(
    job: Annotated[str, typer.Argument(help="The name of the job, such as order-history.")],
    to: Annotated[Path, typer.Option("--to", help="The folder of all jobs.", file_okay=False)] = JOBS,
    derive: Annotated[
        Derivation, typer.Option("--from", help="What access patterns are derived from; screens are recommended.")
    ] = Derivation.SCREENS,
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
) -> None:
    """Start a design job: a folder with an overview and checklists.

    Overview, list of entities, screens or endpoints, suggestions of access patterns, checklists of three phases, a
    glossary, and guides to fill in. `tablewright design status` says what is missing.

    Example: tablewright design start order-history
    """
    from tablewright.cli.writing import write_files
    from tablewright.scaffold.job.folder import job_files
    from tablewright.scaffold.job.requirements import PREREQUISITES

    files = job_files(job, derive.value)
    write_files(to / job, files, force=force)
    print(f"{counted(len(files), 'file')} in {to / job}. Begin with {to / job / 'overview.md'}, then:")
    print(f"  tablewright design status {job}")
    print("Before the work begins:")
    for item in PREREQUISITES.items:
        print(f"  - {item.text}")
