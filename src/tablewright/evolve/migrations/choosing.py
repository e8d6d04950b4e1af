"""Which migrations are meant: by their names and numbers, and by what was done of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations.files import MigrationFile
from tablewright.evolve.migrations.history import Entry, Ledger, State
from tablewright.evolve.migrations.refusing import SAID, refuse_changed, refuse_gone

Files = Sequence[MigrationFile]
Entries = Mapping[str, Entry]


def named(files: Files, name: str) -> MigrationFile:
    """The one of that name, or that number."""
    for file in files:
        number = file.name.partition("_")[0]
        if name in (file.name, number) or (name.isdecimal() and name.lstrip("0") == number.lstrip("0")):
            return file
    known = ", ".join(file.name for file in files) or "none"
    raise ArgumentError(f"There is no migration {name!r}.", hint=f"There are: {known}.")


def up_to(files: Files, name: str | None) -> Files:
    """Those up to the one of that name; all of them where no name is given."""
    return files if name is None else files[: files.index(named(files, name)) + 1]


def unretired(files: Files, entries: Entries) -> list[MigrationFile]:
    """Those that are not retired. None may be just ending: what others do beside that is not known."""
    for name, entry in entries.items():
        if entry.state in ("rolling back", "retiring"):
            verb = "rollback" if entry.state == "rolling back" else "retire"
            raise ArgumentError(
                f"{name} is {entry.state}, which was interrupted.",
                hint=f"Finish that first: migrate {verb} --write.",
            )
    return [file for file in files if file.name not in entries or entries[file.name].state != "retired"]


def unended(files: Files, entries: Entries) -> list[tuple[MigrationFile, Entry]]:
    """Those that have begun, and are not retired."""
    known = ((file, entries.get(file.name)) for file in files)
    return [(file, entry) for file, entry in known if entry is not None and entry.state != "retired"]


def chosen(
    files: Files, entries: Entries, name: str | None, states: Collection[State], done: Collection[State]
) -> MigrationFile | None:
    """A migration that is in one of these states: the one that is named, or the first. None where what is meant is `done` already."""
    meant = [file for file in files if name is None or file is named(files, name)]
    fitting = [file for file in meant if file.name in entries and entries[file.name].state in states]
    if fitting:
        file = fitting[0]
        refuse_changed(file, entries[file.name])
        return file
    begun = [file for file in meant if file.name in entries]
    open_ = [file for file in begun if entries[file.name].state not in done]
    if begun and not open_:
        return None
    if name is None and not begun:
        refuse_gone(files, entries)
        raise ArgumentError(
            "No migration has been run on this table.", hint="`tablewright migrate plan` tells what `run` would do."
        )
    state = entries[open_[0].name].state if open_ else None
    raise ArgumentError(f"{standing(meant if name else begun, entries)}.", hint=_NEXT[state])


_NEXT: Mapping[State | None, str] = {
    None: "Run it first: `tablewright migrate run --write`.",
    "running": "Run it to its end: `tablewright migrate run --write`.",
    "ran": "Cut it over first: `tablewright migrate cutover`.",
    "retiring": "`tablewright migrate retire --write` goes on with it.",
    "rolling back": "`tablewright migrate rollback --write` goes on with it.",
}


def standing(files: Files, entries: Entries) -> str:
    """What some are in, in words."""
    states: dict[str, State | None] = {f.name: entries[f.name].state if f.name in entries else None for f in files}
    return ", ".join(f"{name} is {'not run yet' if s is None else SAID.get(s, s)}" for name, s in states.items())


def last_begun(files: Files, entries: Entries, name: str | None) -> MigrationFile:
    """The last migration that was run, which nobody may mean another by."""
    if not entries:
        raise ArgumentError("No migration was run on this table.", hint="There is nothing to undo.")
    last = max(entries)
    file = next((file for file in files if file.name == last), None)
    if file is None:
        raise ArgumentError(
            f"{last} is the last migration that was run, and its file is gone.",
            hint="Bring the file back, and undo it first.",
        )
    if name is not None and named(files, name).name not in entries:
        raise ArgumentError(
            f"{named(files, name).name} was not run, or is undone already.",
            hint=f"Nothing was written. The last migration that was run is {last}.",
        )
    if name is not None and named(files, name) is not file:
        raise ArgumentError(
            f"{name} is not the last migration that was run; {file.name} is.", hint=f"Undo {file.name} first."
        )
    refuse_changed(file, entries[file.name])
    return file


def expected(file: MigrationFile, ledger: Ledger, *states: State) -> Entry:
    """What a migration is in, now that nobody else can change it: one of these states, or the last that was run."""
    entry = ledger.entries.get(file.name)
    if entry is None or (states and entry.state not in states) or (not states and max(ledger.entries) != file.name):
        raise ArgumentError(
            f"Another process has worked on {file.name} meanwhile.", hint="Look at `tablewright migrate status`."
        )
    refuse_changed(file, entry)
    return entry
