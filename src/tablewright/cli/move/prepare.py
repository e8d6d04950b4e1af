"""`tablewright move prepare`."""

from __future__ import annotations

from tablewright.cli.move.opening import File, Legacy, Stage, Target


def prepare(file: File, target: Target, legacy: Legacy = None, stage: Stage = None) -> None:
    """Make the new table and the ledger where they are missing. The application notices nothing.

    Example: tablewright move prepare market.py --on market.db
    """
    from tablewright.cli.move.opening import session_of

    with session_of(file, target, legacy, stage, create=True) as session:
        session.prepare()
        print(f"The table {session.db.table_name} and the ledger {session.moving.ledger} are there.")
