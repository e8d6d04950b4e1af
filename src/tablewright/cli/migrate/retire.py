"""`tablewright migrate retire`."""

from __future__ import annotations

from tablewright.cli.migrate.opening import Model, Name, Target, Working, Write, carry_out, working


@working
def retire(model: Model, target: Target, write: Write = False, name: Name = None, *, how: Working) -> None:
    """Remove what a migration has left behind: old attributes, keys, indexes and items. Only what is cut over is retired.

    Do it when no code of the old model runs any more. It ends with 1 if items had to be left as they are.

    Example: tablewright migrate retire shop/model.py --on shop.db --write
    """
    carry_out(model, target, how, lambda migrator: migrator.retire(name, write=write), write=write)
