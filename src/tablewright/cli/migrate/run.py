"""`tablewright migrate run`."""

from __future__ import annotations

from typing import Annotated

import typer

from tablewright.cli.migrate.opening import Model, Target, Working, Write, carry_out, working


@working
def run(
    model: Model,
    target: Target,
    write: Write = False,
    to: Annotated[str | None, typer.Option("--to", help="The last migration to run: its name, or its number.")] = None,
    *,
    how: Working,
) -> None:
    """Carry out the migrations that are not retired yet.

    The new form is brought about beside the old one, while applications go on. Those that ran before are looked through
    again, for what code of either model has written since. It ends with 1 if items had to be left as they are.

    Example: tablewright migrate run shop/model.py --on shop.db --write
    """
    carry_out(model, target, how, lambda migrator: migrator.run(write=write, to=to), write=write)
