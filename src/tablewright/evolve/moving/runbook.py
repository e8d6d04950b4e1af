"""The runbook of a move: its phases in order, with what to type, what to look at, and the way back, for this mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tablewright.evolve.moving.flags import READS
from tablewright.evolve.moving.mapping import Constant, Default, Move, Moving, Source
from tablewright.wording import counted, span


def runbook(moving: Moving, file: str = "FILE") -> str:
    """The whole way of a moving in Markdown: its phases, what to type, what to look at, and the way back. `file` is what commands call the file or module that holds the moving."""
    wait = counted(2 * moving.refresh, "second")
    safe = moving.safety_period.total_seconds()
    keep = [f"Keep it so for {span(safe)}: legacy tables stay up to date."] if safe else []
    refused = f", refused before {span(safe)} after all reads are switched" if safe else ""

    def command(name: str, *words: str) -> str:
        return f"`{' '.join(('tablewright move', name, file, *words, '--on TARGET'))}`"

    sections = [
        f"# Moving {', '.join(moving.keys)} to {moving.table.name}",
        "TARGET is the place of the new table: a file, a URL or `aws:REGION`; `--legacy` names the place of the legacy tables where that is "
        f"another. {command('status')} says which phase holds, and since when. A change of phase holds {wait} later, by when every "
        f"process knows it; clocks must agree to within {counted(moving.refresh, 'second')}. In Python, commands are calls of the session "
        'of `open_moving(...)`: `session.advance("dual")`, `session.backfill(write=True)`.',
        "## Mapping\n\n" + "\n\n".join(_mapping(move) for move in moving.moves),
        _section(
            "1. Plan",
            "Legacy tables are read and written as ever.",
            [
                f"{command('plan')} tries the mapping on samples; mend it until it ends with 0. `--bad-rows ROWS` tells which items are wrong.",
                f"{command('plan', '--all')} tries it on all items, before anything is written. Go on when it ends with 0.",
                f"{command('prepare')} makes the ledger and the new table.",
                "Deploy the application with its writes and reads through the session: nothing changes yet.",
            ],
            "Deploy the application as it was; delete the ledger and the new table.",
        ),
        _section(
            "2. Write both",
            "Every create, update and delete is written on both sides; legacy tables answer.",
            [
                f"{command('advance', 'dual')} waits until it holds.",
                f"Run {command('repair', '--write')} every few minutes: a write that the application could not settle (`Written.settled`) has a "
                "note in the ledger. It ends with 0 when nothing is left.",
            ],
            f"{command('back')}. What the new table holds is mended by the backfill when you come back.",
        ),
        _section(
            "3. Backfill and verify",
            "What was there before is moved; whatever is newer stays.",
            [
                f"{command('backfill')} says what it would cost; with `--write` it moves "
                + ", ".join(f"`{move.called}`" for move in moving.moves)
                + ". After a stop or a crash, run it again.",
                f"{command('repair', '--write')}, for what a job could only note.",
                f"{command('mend', '--write')}, if legacy tables were written alone for a while after an earlier try.",
                f"{command('verify', '--writing')}: counts, fields in both directions, orphans. Go on when it ends with 0.",
            ],
            f"{command('back')}.",
        ),
        _section(
            "4. Shadow reads",
            "Both sides are read and compared; legacy answers are given.",
            [
                f"{command('advance', 'shadow')}.",
                "Let every process of the application call `session.tell()` now and then; its `session.shadow_report()` has differences, errors "
                f"and times. {command('shadow')} shows what all have told, and `--reads READS --tell` tries reads from a file.",
                "Go on when reads of every kind were compared and none differed.",
            ],
            f"{command('back')}.",
        ),
        _section(
            "5. Switch reads",
            f"The flag `{READS}` says who reads the new table; both sides are written.",
            [
                f"{command('advance', 'switched')}.",
                f"{command('switch', '10')}, then `50`, then `100`, with a day of looking at errors and times between.",
                f"{command('verify')} after the last step.",
                *keep,
                f"{command('verify')} once more at the end: the next phase asks for one that is younger than the safety period.",
            ],
            f"{command('kill')} at once, or {command('switch', '0')}, then {command('back')}.",
        ),
        _section(
            "6. Retire",
            "Only the new table is written; legacy tables are archived and deleted.",
            [
                f"{command('advance', 'new')}{refused}.",
                f"{command('repair', '--write')} once it holds, for what was noted in the last seconds of both sides.",
                f"{command('retire', 'FOLDER', '--write')} archives each legacy table, reads the archive again, deletes the table, and takes the "
                f"attribute `{moving.origin}` off moved items.",
                f"{command('retire', 'FOLDER', '--write', '--delete-ledger')} deletes the ledger too, now or later.",
            ],
            _last_way_back(moving, command),
        ),
    ]
    return "\n\n".join(sections) + "\n"


def _section(title: str, what: str, steps: Iterable[str], back: str) -> str:
    listed = "\n".join(f"- [ ] {step}" for step in steps)
    return f"## {title}\n\n{what}\n\n{listed}\n\nBack: {back}"


def _last_way_back(moving: Moving, command: Callable[..., str]) -> str:
    if moving.no_way_back is not None:
        return f"none after this step: {moving.no_way_back}. Before `retire`, nothing is lost."
    restore = command("restore-legacy", "--write")
    steps = (f"{restore} until it does nothing", command("verify"), command("back"), f"{restore} until it does nothing")
    return f"before `retire`: {', then '.join(steps)}, for what was written while the phase changed."


def _mapping(move: Move) -> str:
    key = " and ".join(f"`{name}`" for name in move.key)
    lines = [f"### {move.called}", "", f"Legacy table `{move.table}`, key {key}."]
    for name, join in move.joins.items():
        lines.append(f"Merged with `{join.table}` as `{name}`.")
    for frozen in move.frozen:
        lines.append(f"Reads `{frozen.name}` once for each group, and keeps it in the ledger.")
    if move.entity is None:
        made = ", ".join(f"`{entity.__name__}`" for entity in move.makes)
        lines += ["", f"Split into {made} by {_function(move.split, move)}."]
    else:
        lines += ["", f"| field of `{move.entity.__name__}` | from |", "|---|---|"]
        lines += [f"| `{field}` | {_source(source, move)} |" for field, source in move.fields.items()]
    if move.dropped:
        lines += ["", f"Left behind: {', '.join(f'`{name}`' for name in move.dropped)}."]
    return "\n".join(lines)


def _source(source: Source, move: Move) -> str:
    if isinstance(source, str):
        return f"`{source}`"
    if isinstance(source, Constant):
        return "a constant"
    if isinstance(source, Default):
        return f"`{source.attribute}`, or a default"
    return _function(source, move)


def _function(function: object, move: Move) -> str:
    """A function by its name; one that has none by what it may read."""
    name = getattr(function, "__name__", "")
    if name.isidentifier():
        return f"the function `{name}`"
    read = ", ".join(f"`{attribute}`" for attribute in move.uses)
    return f"a function of {read}" if read else "a function of the item"
