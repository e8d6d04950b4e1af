"""What commands tell of restored tables, and of recovery."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tablewright.errors import ArgumentError

if TYPE_CHECKING:
    from tablewright.client.session import Session
    from tablewright.evolve.backups.recovery import Recovery
    from tablewright.table import Table


def moment(text: str) -> datetime:
    """A moment as people write it, with a time zone."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise ArgumentError("A moment has a date, a time and a time zone.", hint="--at 2025-06-30T12:00Z")
    return found


@contextmanager
def waiting_for(table: str) -> Iterator[None]:
    """Ctrl-C ends the waiting for a table that is being restored, and not its restore: what that leaves is told."""
    import typer

    try:
        yield
    except KeyboardInterrupt:
        print(
            f"\nStopped waiting. If {table} was ordered already it is made, without what the model says of it.\n"
            "While it is CREATING, the same command waits for it again, where a target tells what it is made of;\n"
            "else delete it first.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None


def settled_table(db: Session, table: Table, made: dict[str, Any], target: str, *, plain: bool, as_json: bool) -> None:
    """Sets again what the model says of a table that was restored, and tells what is left to do."""
    import json

    from msgspec import to_builtins

    from tablewright.cli.telling import tell
    from tablewright.evolve.backups.restoring import Settled, settle

    on_aws = target.startswith("aws:") or "amazonaws.com" in target
    settled = Settled((), (), ()) if plain else db._run(settle(table, made, tell, deployed=on_aws, old=db.table_name))
    if as_json:
        print(json.dumps({"table": made["TableName"], "items": made.get("ItemCount"), **to_builtins(settled)}))
        return
    print(f"The table {made['TableName']} is ACTIVE.")
    for title, lines in (("Set again", settled.again), ("Not set", settled.failed), ("Left to do", settled.left)):
        for line in lines:
            print(f"  {title}: {line}")


def show_recovery(table: str, found: Recovery, *, as_json: bool) -> None:
    """Tells whether a table can be restored, and from when on."""
    import json

    from msgspec import to_builtins

    if as_json:
        print(json.dumps({"table": table, **to_builtins(found)}))
    elif not found.on:
        print(f"Recovery of {table} is off.")
    else:
        days = "" if found.days is None else f", for {found.days} days"
        print(f"Recovery of {table} is on{days}: from {found.earliest} to {found.latest}.")
