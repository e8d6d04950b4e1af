"""How the commands find a moving and open both of its sides, and how they tell what was done."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from tablewright.cli.models import read_module
from tablewright.cli.move.hints import in_commands
from tablewright.cli.opening import STAGE_HELP
from tablewright.cli.stopping import sigterm_as_ctrl_c
from tablewright.errors import ArgumentError, ResourceNotFound, TablewrightError

if TYPE_CHECKING:
    from tablewright.evolve.jobs import Progress
    from tablewright.evolve.moving import Moving, MovingSession
    from tablewright.evolve.moving.planning import Missing
    from tablewright.evolve.moving.session import MovingOptions

_PLACE = "a file, aws:REGION, or a URL such as http://127.0.0.1:8000"
File: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Where the Moving is: a Python file (market.py) or a module (shop.market), with :NAME where it holds several.",
    ),
]
Target: TypeAlias = Annotated[str, typer.Option("--on", help=f"Where the new table is: {_PLACE}.")]
Legacy: TypeAlias = Annotated[
    str | None, typer.Option("--legacy", help="Where the legacy tables are, if elsewhere; likewise.")
]
Stage: TypeAlias = Annotated[str | None, typer.Option("--stage", help=STAGE_HELP)]
Flags: TypeAlias = Annotated[
    Path | None,
    typer.Option("--flags", help="The file that keeps the flag, where applications use FileFlags.", dir_okay=False),
]
Write: TypeAlias = Annotated[bool, typer.Option("--write", help="Do it. Without this, it is only counted.")]
BadRows: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--bad-rows",
        help="Write the key of each item that is wrong, skipped or left to this file, with its table and why, as JSON lines.",
        dir_okay=False,
    ),
]
InFlight: TypeAlias = Annotated[int, typer.Option("--in-flight", help="Items under way at once.", min=1, max=64)]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

_EVERY = 30.0
"""Seconds between two lines of progress where nobody looks at a terminal."""


def named_moving(where: str) -> tuple[Moving, str]:
    """The moving of a file, and how others can import it."""
    from tablewright.evolve.moving import Moving

    module, name = read_module(where)
    found = {n: value for n, value in vars(module).items() if isinstance(value, Moving)}
    if name:
        found = {n: value for n, value in found.items() if n == name}
    if len({id(value) for value in found.values()}) != 1:
        names = ", ".join(n for n, value in vars(module).items() if isinstance(value, Moving))
        raise ArgumentError(
            f"{where} holds no Moving{f' called {name}' if name else ''}." if not found else f"{where} holds several.",
            hint=f"Name one of them: FILE:NAME. There are: {names}." if names else "It needs a Moving(...).",
        )
    name, moving = next(iter(found.items()))
    return moving, f"{module.__name__}:{name}"


@contextmanager
def session_of(
    where: str,
    target: str,
    legacy: str | None,
    stage: str | None,
    *,
    flags: Path | None = None,
    create: bool = False,
    over: bool = False,
    legacy_alone: bool = False,
) -> Iterator[MovingSession]:
    """Both sides of a moving, or the legacy one alone. Nothing is made that is not there, unless `create` is given. Legacy tables must
    be there, unless they are retired, or the ledger is gone as well and the move may be `over`."""
    with session_and_name(
        where, target, legacy, stage, flags=flags, create=create, over=over, legacy_alone=legacy_alone
    ) as (session, _):
        yield session


@contextmanager
def session_and_name(
    where: str,
    target: str,
    legacy: str | None,
    stage: str | None,
    *,
    flags: Path | None = None,
    create: bool = False,
    over: bool = False,
    legacy_alone: bool = False,
) -> Iterator[tuple[MovingSession, str]]:
    """The same, and how others can import the moving."""
    from tablewright.evolve.moving import FileFlags, open_moving

    moving, name = named_moving(where)
    elsewhere = legacy if legacy != target else None
    options: MovingOptions = {}
    if not (create and elsewhere is not None):
        options["create"] = False
    if stage is not None:
        options["stage"] = stage
    if flags is not None:
        options["flags"] = FileFlags(flags)
    try:
        sides = (elsewhere, None) if legacy_alone and elsewhere is not None else (target, elsewhere)
        with open_moving(moving, sides[0], legacy=sides[1], **options) as session:
            try:
                _refuse_elsewhere(session, over=over)
                yield session, name
            except ResourceNotFound as error:
                _name_missing(error, session, prepare_command(where, target, legacy, stage))
                raise
    except TablewrightError as error:
        if error.hint is not None:
            error.hint = in_commands(error.hint)
        for place, holds in ((elsewhere, "the legacy tables (--legacy)"), (target, "the new table (--on)")):
            if place is not None and error.message == f"There is no file {place}.":
                both = "both sides (--on)" if elsewhere is None else holds
                error.hint = f"It is the place of {both}: name the file that holds them."
                if elsewhere is not None and place == target:
                    error.hint = (
                        f"It is the place of {both}: `{prepare_command(where, target, legacy, stage)}` makes it."
                    )
        raise


def prepare_command(where: str, target: str, legacy: str | None, stage: str | None) -> str:
    """The command that makes what a moving needs, as it has to be typed here."""
    words = ["tablewright", "move", "prepare", where, "--on", target]
    words += [] if legacy is None else ["--legacy", legacy]
    words += [] if stage is None else ["--stage", stage]
    return shlex.join(words)


def named_tables(missing: list[Missing]) -> str:
    """Tables, each with what it is: "the legacy table Orders and the ledger market-moving"."""
    names = list(dict.fromkeys(f"the {one.what} {one.table}" for one in missing))
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _refuse_elsewhere(session: MovingSession, *, over: bool) -> None:
    """Refuses a place without the legacy tables: a ledger may be there too, but not the one that says how far the moving is."""
    try:
        missing = session.missing_tables()
        gone = {one.table for one in missing if one.what == "legacy table"}
        if not gone:
            return
        if any(one.what == "ledger" and one.side == "legacy" for one in missing):
            elsewhere = not over
        else:
            elsewhere = not gone <= session.progress().retired.keys()
    except TablewrightError:  # whoever may not ask is told by what the command asks for
        return
    if elsewhere:
        raise ResourceNotFound("Legacy tables are not there.")


def _name_missing(error: ResourceNotFound, session: MovingSession, prepare: str) -> None:
    """Says which tables of which side are not there."""
    try:
        missing = session.missing_tables()
    except TablewrightError:  # whoever may not ask gets what the service said
        missing = []
    if not missing:
        if "table" in error.context:  # of a Read, or of something frozen
            error.message = f"There is no table {error.context['table']}."
            error.hint = "A Read or the mapping names it: mend that, or say where legacy tables are by --legacy."
        return
    legacy = [one for one in missing if one.side == "legacy" and one.what != "ledger"]
    plural = len({one.table for one in missing}) > 1
    names = named_tables(missing)
    error.message = f"{names[0].upper()}{names[1:]} {'are' if plural else 'is'} not there."
    if legacy:
        error.hint = "Legacy tables must be there: say where they are by --legacy, or mend the mapping."
    else:
        error.hint = f"`{prepare}` makes the new table and the ledger."


def print_json(told: Any) -> None:
    """For programs."""
    print(json.dumps(told, indent=2))


def counts_json(counts: Any) -> list[dict[str, Any]]:
    """Counts of problems by where and what they are, for JSON."""
    return [{"where": where, "what": what, "count": count} for (where, what), count in sorted(counts.items())]


def moment(seconds: float | None) -> str | None:
    """A time of the ledger, for people and programs."""
    from datetime import UTC, datetime

    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def progress_of(name: str) -> Callable[[Progress], None]:
    """Tells how far a job is: all the time on a terminal, now and then elsewhere."""
    lively, told = sys.stderr.isatty(), time.monotonic()

    def tell(progress: Progress) -> None:
        nonlocal told
        if lively:
            print(f"\r\033[K{name}: {progress}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - told >= _EVERY:
            told = time.monotonic()
            print(f"{name}: {progress}", file=sys.stderr, flush=True)

    return tell


@contextmanager
def stopping(says: str = "Stopped at a checkpoint. The same command goes on there.") -> Iterator[None]:
    """SIGTERM stops a job at a checkpoint, as Ctrl-C does, and both end the command with 130."""
    with sigterm_as_ctrl_c():
        try:
            yield
        except KeyboardInterrupt:
            print(f"\n{says}", file=sys.stderr)
            raise typer.Exit(130) from None


def stopping_writes(*, write: bool) -> AbstractContextManager[None]:
    """The same for work whose steps are each whole, so that it begins anew with what is left."""
    says = "What was written by then stays; the same command does the rest." if write else "Nothing was written."
    return stopping(f"Stopped. {says}")
