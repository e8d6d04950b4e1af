"""`tablewright migrate rollback`."""

from __future__ import annotations

from tablewright.cli.migrate.opening import Model, Name, Target, Working, Write, carry_out, working


@working
def rollback(model: Model, target: Target, write: Write = False, name: Name = None, *, how: Working) -> None:
    """Undo the last migration that was run: the old form is brought back, with what was written since.

    It ends with 1 if items had to be left as they are.

    Example: tablewright migrate rollback shop/model.py --on shop.db --write
    """
    carry_out(model, target, how, lambda migrator: migrator.rollback(name, write=write), write=write)
