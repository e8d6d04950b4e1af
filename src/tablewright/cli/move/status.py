"""`tablewright move status`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.cli.move.opening import File, Flags, Json, Legacy, Stage, Target
from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.evolve.moving import MovingSession
    from tablewright.evolve.moving.planning import Missing


def status(
    file: File, target: Target, legacy: Legacy = None, flags: Flags = None, stage: Stage = None, as_json: Json = False
) -> None:
    """Tell how far a moving is: its phase, its flag, what is still to be written, when it was verified.

    Example: tablewright move status market.py --on market.db
    """
    from time import time

    from tablewright.cli.move.opening import moment, named_tables, prepare_command, print_json, session_of
    from tablewright.errors import ResourceNotFound
    from tablewright.evolve.moving.phases import DOES

    with session_of(file, target, legacy, stage, flags=flags, over=True) as session:
        try:
            progress, flag, pending = session.progress(), session.flag(), session.pending()
        except ResourceNotFound:
            missing = session.missing_tables()
            if _is_over(session, missing):
                if as_json:
                    print_json(
                        {
                            "phase": "over",
                            "prepared": False,
                            "missing": list(dict.fromkeys(one.table for one in missing)),
                        }
                    )
                else:
                    print(f"The move is over: {named_tables(missing)} are gone, and {session.db.table_name} is there.")
                    print("If they are elsewhere, say where by --legacy.")
                return
            if not missing or any(one.what == "legacy table" for one in missing):
                raise
            prepare = prepare_command(file, target, legacy, stage)
            if as_json:
                tables = list(dict.fromkeys(one.table for one in missing))
                print_json({"phase": "legacy", "prepared": False, "missing": tables, "next": prepare})
            else:
                print(f"Not prepared yet. Still to be made: {named_tables(missing)}. Legacy tables are used as ever.")
                print(f"Next: {prepare}")
            return
    now = time()
    if as_json:
        print_json(
            {
                "phase": progress.phase,
                "prepared": True,
                "holds": now >= progress.since,
                "since": moment(progress.since or None),
                "percent": flag.percent,
                "killed": flag.killed,
                "all_switched_since": moment(progress.whole_since),
                "verified_at": moment(progress.verified_at),
                "wrong_at": moment(progress.wrong_at),
                "wrong": progress.wrong,
                "compared": progress.compared,
                "differed": progress.differed,
                "pending": dict(pending),
                "legacy_behind": progress.behind,
                "retired": progress.retired,
            }
        )
        return
    since = f", since {moment(progress.since)}" if progress.since else ""
    if now < progress.since:
        since = f", in {counted(round(progress.since - now), 'second')}; until then {progress.before}"
    print(f"{progress.phase}{since}: {DOES[progress.phase]}")
    killed = ", killed: everybody reads the legacy tables" if flag.killed else ""
    whole = f", all of them since {moment(progress.whole_since)}" if progress.whole_since is not None else ""
    print(f"flag: {flag.percent} percent of subjects{whole}{killed}")
    not_yet = "not yet" if progress.last_wrong is None else f"not yet; {progress.last_wrong}"
    print(f"verified: {moment(progress.verified_at) or not_yet}")
    if progress.phase == "shadow":
        print(f"shadow reads: {progress.compared:,} compared, {progress.differed:,} differed or failed")
    if progress.behind:
        print(
            "legacy tables: may lack what was written while the phase changed; `tablewright move restore-legacy` tells them"
        )
    print(f"to be written: {counted(sum(pending.values()), 'item')}")
    for reason, count in sorted(pending.items()):
        print(f"  {counted(count, 'item')}: {reason}")
    for table, what in sorted(progress.retired.items()):
        print(f"{table}: {what}")


def _is_over(session: MovingSession, missing: list[Missing]) -> bool:
    """Whether all is gone that a retirement deletes, and nothing else."""
    gone = {one.table for one in missing}
    return gone == {*session.moving.keys, session.moving.ledger} and all(one.what != "new table" for one in missing)
