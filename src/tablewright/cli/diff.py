"""`tablewright diff`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tablewright.cli.revisions import REVISION_HELP


class FailOn(StrEnum):
    """From which impact on the command ends with 1."""

    additive = "additive"
    backfill = "backfill"
    breaking = "breaking"


def diff(
    old: Annotated[str, typer.Argument(help=f"The model as it was: {REVISION_HELP}.")],
    new: Annotated[str, typer.Argument(help=f"The model as it shall be: {REVISION_HELP}.")],
    fail_on: Annotated[
        FailOn | None, typer.Option(help="End with 1 if there is such a difference, or a graver one.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> None:
    """Tell what differs between two models, and what breaks.

    Everything is compared that items, writers or callers depend on: entities, fields, keys, indexes, unique rules, time
    to live, patterns, changes, relationships, aggregates and the deployment. With each difference it is said whether it is
    additive, needs a backfill or breaks, and whose items and which patterns are concerned. At the end stands the order in
    which to go.

    Example: tablewright diff main:shop/model.py shop/model.py --fail-on breaking
    """
    import msgspec

    from tablewright.cli.revisions import model_at
    from tablewright.evolve.differences.changes import IMPACTS
    from tablewright.evolve.differences.comparing import compare_models
    from tablewright.evolve.differences.describing import describe_model
    from tablewright.evolve.differences.showing import shown

    with model_at(old) as table:
        before = describe_model(table)
    with model_at(new) as table:
        after = describe_model(table)
    found = compare_models(before, after)
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        print(shown(found))
    if fail_on is not None and found.impact is not None and IMPACTS.index(found.impact) >= IMPACTS.index(fail_on.value):
        raise typer.Exit(1)
