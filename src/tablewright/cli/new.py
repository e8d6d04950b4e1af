"""`tablewright new`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli.writing import FORCE_HELP


def new(
    name: Annotated[str, typer.Argument(help="The name of the project.")],
    to: Annotated[
        Path | None, typer.Option("--to", help="The folder; NAME, if none is given.", file_okay=False)
    ] = None,
    example: Annotated[
        str | None,
        typer.Option("--example", help="Start from an example, blog or shop, in place of two small entities."),
    ] = None,
    tablewright: Annotated[
        str | None,
        typer.Option(
            "--tablewright",
            metavar="REQUIREMENT",
            help='What installs Tablewright, such as "tablewright[aws] @ git+https://...". By default what installed this one.',
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help=FORCE_HELP)] = False,
) -> None:
    """Start a project: model, store, seed data, tests and CI.

    It works at once: its tests pass, and every command takes its model. Nothing is written over without --force.

    Example: tablewright new notebooks
    """
    from tablewright.cli.writing import write_files
    from tablewright.generate.model_code import python_name
    from tablewright.scaffold.project import project_files
    from tablewright.scaffold.requirement import Requirement

    folder = to or Path(name)
    requirement = None if tablewright is None else Requirement(tablewright)
    write_files(folder, project_files(name, example, requirement), force=force)
    print(f"{name} is in {folder}. Try it:")
    print(f"  cd {folder}")
    print(f"  tablewright test-patterns {python_name(name)}/model.py")
    print("  python -m pip install -e . pytest && python -m pytest")
