"""`tablewright design sign`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tablewright.cli.design.start import JOBS
from tablewright.cli.models import MODEL_HELP


def sign(
    job: Annotated[str, typer.Argument(help="The name of the job.")],
    role: Annotated[
        str,
        typer.Argument(
            help="As whom: technical-lead, product-manager or stakeholder for the requirements; engineer, participant or "
            "outsider for the review."
        ),
    ],
    name: Annotated[str, typer.Option("--name", help="The name of who signs.")],
    model: Annotated[
        str | None, typer.Option("--model", help=f"{MODEL_HELP} By default the one that the overview names.")
    ] = None,
    to: Annotated[Path, typer.Option("--to", help="The folder of all jobs.", file_okay=False)] = JOBS,
) -> None:
    """Sign a part of a design job: the requirements, or the review.

    The signature goes into signatures.json in the job's folder, with the date and a digest of what was signed. It holds
    until that changes: the entities, the patterns, the design. `tablewright design status` asks for those that are missing.

    Example: tablewright design sign order-history engineer --name "A. Lovelace"
    """
    from datetime import date

    from tablewright.cli.design.gathering import evidence_of
    from tablewright.scaffold.job import people, signing

    evidence = evidence_of(to / job, model)
    chosen = signing.role(role)
    signed = signing.signature(chosen, evidence, name, date.today().isoformat())
    people.sign(evidence.folder, chosen.name, signed)
    print(f"{chosen.agrees} Signed: {signed}.")
