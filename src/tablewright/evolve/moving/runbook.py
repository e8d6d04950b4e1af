"""The runbook of a move: its phases in order, with what to call, what to look at, and the way back, for this mapping."""

from __future__ import annotations

from collections.abc import Iterable

from tablewright.evolve.moving.flags import READS
from tablewright.evolve.moving.mapping import Constant, Default, Move, Moving, Source


def runbook(moving: Moving) -> str:
    """The whole of it, in Markdown."""
    wait = f"{2 * moving.refresh:g} seconds"
    days = moving.safety_period.days
    sections = [
        f"# Moving {', '.join(moving.keys)} to {moving.table.name}",
        "Calls are on the session of `open_moving(...)`. `session.progress()` says which phase holds, and since when. A change "
        f"of phase holds {wait} later, by when every process knows it; clocks must agree to within {moving.refresh:g} seconds. Each call "
        "has a command: `tablewright move prepare FILE --on TARGET`, and `plan`, `status`, `advance`, `back`, `backfill`, `repair`, "
        "`verify`, `mend`, `shadow`, `switch`, `kill`, `restore-legacy` and `retire` likewise.",
        "## Mapping\n\n" + "\n\n".join(_mapping(move) for move in moving.moves),
        _section(
            "1. Plan",
            "Legacy tables are read and written as ever.",
            [
                "`session.prepare()` makes the ledger and the new table.",
                "`session.plan()` tries the mapping on samples. Go on when `plan().exit_code` is 0.",
                "Deploy the application with its writes and reads through the session: nothing changes yet.",
            ],
            "Deploy the application as it was; delete the ledger and the new table.",
        ),
        _section(
            "2. Write both",
            "Every create, update and delete is written on both sides; legacy tables answer.",
            [
                '`session.advance("dual")`, then wait until it holds.',
                "Watch `Written.settled`: what is not settled has a note in the ledger. Run `session.repair()` every few minutes.",
                "`session.repair().exit_code` is 0 when nothing is left.",
            ],
            '`session.go_back("legacy")`. What the new table holds is mended by the backfill when you come back.',
        ),
        _section(
            "3. Backfill and verify",
            "What was there before is moved; whatever is newer stays.",
            [
                "`session.backfill()` says what it would cost; `session.backfill(write=True)` moves "
                + ", ".join(f"`{move.called}`" for move in moving.moves)
                + ". After a stop or a crash, run it again.",
                "`session.repair()`, for what a job could only note.",
                "`session.mend()`, if legacy tables were written alone for a while after an earlier try.",
                "`session.verify(writing=True)`: counts, fields in both directions, orphans. Go on when its exit code is 0.",
            ],
            '`session.go_back("legacy")`.',
        ),
        _section(
            "4. Shadow reads",
            "Both sides are read and compared; legacy answers are given.",
            [
                '`session.advance("shadow")`.',
                "Every process calls `session.tell()` now and then; `session.shadow_report()` shows differences, errors and times.",
                "Go on when reads of every kind were compared and none differed.",
            ],
            '`session.go_back("dual")`.',
        ),
        _section(
            "5. Switch reads",
            f"The flag `{READS}` says who reads the new table; both sides are written.",
            [
                '`session.advance("switched")`.',
                "`session.switch(10)`, `session.switch(50)`, `session.switch(100)`, with a day of looking at errors and times between.",
                "`session.verify()` after the last step, and once more at the end.",
                f"Keep it so for {days} days: legacy tables stay up to date.",
            ],
            '`session.kill()` at once, or `session.switch(0)`, then `session.go_back("shadow")`.',
        ),
        _section(
            "6. Retire",
            "Only the new table is written; legacy tables are archived and deleted.",
            [
                f'`session.advance("new")`, refused before {days} days after `switch(100)`.',
                "`session.retire(folder)` archives each legacy table, reads the archive again, deletes the table, and takes the "
                f"attribute `{moving.origin}` off moved items.",
                "`session.delete_ledgers()`.",
            ],
            _last_way_back(moving),
        ),
    ]
    return "\n\n".join(sections) + "\n"


def _section(title: str, what: str, steps: Iterable[str], back: str) -> str:
    listed = "\n".join(f"- [ ] {step}" for step in steps)
    return f"## {title}\n\n{what}\n\n{listed}\n\nBack: {back}"


def _last_way_back(moving: Moving) -> str:
    without = [move.called for move in moving.moves if move.back is None or move.noted]
    if without:
        return f"none after this step, since there is no `back=` for {', '.join(without)}. Before `retire`, nothing is lost."
    return 'before `retire`: `session.restore_legacy()`, `session.verify()`, `session.go_back("switched")`.'


def _mapping(move: Move) -> str:
    key = " and ".join(f"`{name}`" for name in move.key)
    lines = [f"### {move.called}", "", f"Legacy table `{move.table}`, key {key}."]
    for name, join in move.joins.items():
        lines.append(f"Merged with `{join.table}` as `{name}`.")
    for frozen in move.frozen:
        lines.append(f"Reads `{frozen.name}` once for each group, and keeps it in the ledger.")
    if move.entity is None:
        made = ", ".join(f"`{entity.__name__}`" for entity in move.makes)
        lines += ["", f"Split into {made} by `{getattr(move.split, '__name__', 'a function')}`."]
    else:
        lines += ["", f"| field of `{move.entity.__name__}` | from |", "|---|---|"]
        lines += [f"| `{field}` | {_source(source)} |" for field, source in move.fields.items()]
    if move.dropped:
        lines += ["", f"Left behind: {', '.join(f'`{name}`' for name in move.dropped)}."]
    return "\n".join(lines)


def _source(source: Source) -> str:
    if isinstance(source, str):
        return f"`{source}`"
    if isinstance(source, Constant):
        return "a constant"
    if isinstance(source, Default):
        return f"`{source.attribute}`, or a default"
    return f"the function `{getattr(source, '__name__', 'a function')}`"
