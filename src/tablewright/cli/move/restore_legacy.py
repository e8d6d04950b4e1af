"""`tablewright move restore-legacy`."""

from __future__ import annotations

import typer

from tablewright.cli.move.opening import File, Json, Legacy, Stage, Target, Write


def restore_legacy(
    file: File, target: Target, legacy: Legacy = None, write: Write = False, stage: Stage = None, as_json: Json = False
) -> None:
    """Bring the legacy tables up to date in the phase new, for the way back. Moves need back= for it.

    Repeat it until there is nothing to do, then verify, then go back, and once more behind that, for what was written while the phase
    changed. It ends with 1 if items were left, because they were just being written. Without --write it is counted.

    Example: tablewright move restore-legacy market.py --on market.db --write
    """
    from math import ceil
    from time import sleep

    from msgspec.structs import replace

    from tablewright.cli.move.opening import print_json, session_of, stopping_writes
    from tablewright.wording import counted

    with session_of(file, target, legacy, stage) as session, stopping_writes(write=write):
        done = session.restore_legacy(write=write)
        if write and done.wait:
            if not as_json:
                print(
                    f"Some may write the new table alone for {counted(ceil(done.wait), 'more second')}; waiting for them."
                )
            sleep(done.wait)
            again = session.restore_legacy()
            done = replace(again, written=done.written + again.written, deleted=done.deleted + again.deleted)
    if as_json:
        print_json({"written": done.written, "deleted": done.deleted, "left": dict(done.left), "dry_run": not write})
    elif done.nothing:
        print("Nothing to do.")
    else:
        mode = "" if write else "to be "
        print(f"Legacy items: {done.written:,} {mode}written, {counted(done.deleted, 'item')} {mode}deleted.")
        for reason, count in sorted(done.left.items()):
            print(f"  left, {counted(count, 'item')}: {reason}")
        if not write:
            print("Nothing was written. --write does it.")
    if done.left:
        raise typer.Exit(1)
