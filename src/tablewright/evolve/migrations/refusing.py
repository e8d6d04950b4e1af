"""What is refused of a migration before anything of it is noted or written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from tablewright.errors import ArgumentError, TablewrightError
from tablewright.evolve.migrations.contradicting import clash
from tablewright.evolve.migrations.files import MigrationFile, later_steps
from tablewright.evolve.migrations.fitting import refuse_dropping, refuse_indexes, refuse_misfit
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.history import Entry, State
from tablewright.evolve.migrations.steps.fill_keys import FillKeys

SAID: Mapping[State, str] = {"ran": "run and not cut over yet"}
_ENDING: Collection[State] = ("retiring", "retired", "rolling back")


def refuse_questions(file: MigrationFile) -> None:
    """What somebody has to decide first, or has decided in two ways."""
    questions = file.migration.questions
    if questions:
        raise ArgumentError(
            f"{file.name} asks what only you can decide: {' '.join(q.asks for q in questions)}",
            hint="Put steps in the place of each Question, or take it out; what may stand there is said in it.",
        )
    _refuse_contradiction(file)


def _refuse_contradiction(file: MigrationFile) -> None:
    contradiction = file.migration.contradiction()
    if contradiction is not None:
        raise ArgumentError(
            f"{file.name} contradicts itself: {contradiction}", hint="Correct its steps; then run it again."
        )


def refuse_clashes(
    files: Sequence[MigrationFile], known: Sequence[MigrationFile], entries: Mapping[str, Entry]
) -> None:
    """What is to run, and what is open beside it, holds attributes in both forms: two must not mean the same ones. What is new comes
    behind all that has run, since that is the order in which they are retired, and undone the other way round."""
    last = max(entries, default="")
    for file in files:
        if file.name not in entries and file.name < last:
            raise ArgumentError(
                f"{file.name} has not run, and {last} has, which comes behind it.",
                hint=f"Give its file the next number behind {last}.",
            )
    todo = {file.name for file in files}
    open_ = [f for f in known if f.name in todo or (f.name in entries and entries[f.name].state != "retired")]
    for at, later in enumerate(open_):
        for earlier in open_[:at]:
            said = clash(earlier.migration.steps, later.migration.steps)
            if said is not None:
                raise ArgumentError(
                    f"{later.name} cannot be run beside {earlier.name}, which is not retired: {said}",
                    hint=f"Retire {earlier.name} first: `run --to` it, `cutover`, `retire`. Then run {later.name}.",
                )


def refuse_unfit(
    what: str,
    files: Sequence[MigrationFile],
    ground: Ground,
    entries: Mapping[str, Entry] | None = None,
    *,
    known: Sequence[MigrationFile] | None,
) -> None:
    """Refuses, before anything is noted, what the model of today cannot carry out, or does not fit; of what is new, also what could
    not be undone or ended. `known` are all migrations that there are; None where the model need not fit them."""
    for file in files:
        _refuse_contradiction(file)
        ground = replace(ground, later=later_steps(file.name, known or ()))
        refuse_indexes(file.migration.stage(what, ground), ground)
        if known is not None:
            others = [one.migration for one in known if one.name > file.name]
            refuse_misfit(file.migration, others, replace(ground, steps=file.migration.steps))
            if what == "retire":
                refuse_dropping(file.migration, others, ground)
        entry = (entries or {}).get(file.name)
        if what != "run" or (entry is not None and entry.digest == file.digest):
            continue
        for later, said in (("undo", "rolled back"), ("retire", "retired")):
            try:
                refuse_indexes(file.migration.stage(later, ground), None)
            except TablewrightError as error:
                raise ArgumentError(
                    f"Once it ran, {file.name} could not be {said}. {error.message}", hint=error.hint
                ) from error


def refuse_changed(file: MigrationFile, entry: Entry) -> None:
    """A changed file is run again. Where that is too late, its functions may be mended, and who wins; no more."""
    if entry.digest == file.digest:
        return
    if entry.state not in _ENDING:
        raise ArgumentError(
            f"{file.name} was changed after it ran.",
            hint="Run it again, so that what it says now is carried out; or bring the file back as it was.",
        )
    refuse_questions(file)
    if entry.outline and entry.outline != file.migration.outline:
        raise ArgumentError(
            f"{file.name} is {entry.state}, and has other steps now than those that were run.",
            hint="Bring its steps back as they were: only functions and wins= can be changed by now.",
        )


def refuse_early(file: MigrationFile, files: Sequence[MigrationFile], entries: Mapping[str, Entry]) -> None:
    """What a migration removes may be what one before it still needs."""
    for name, entry in entries.items():
        if name < file.name and entry.state != "retired":
            gone = all(one.name != name for one in files)
            raise ArgumentError(
                f"{name} comes before {file.name}, and is not retired yet: it is {SAID.get(entry.state, entry.state)}"
                f"{', and its file is gone' if gone else ''}.",
                hint=f"{'Bring its file back, and retire' if gone else 'Retire'} {name} first.",
            )


def refuse_missing(file: MigrationFile, ground: Ground) -> None:
    """Readers of the new model would look into an index that is not there."""
    live = {one["IndexName"] for one in ground.live.get("GlobalSecondaryIndexes", [])}
    live |= {one["IndexName"] for one in ground.live.get("LocalSecondaryIndexes", [])}
    for step in file.migration.steps:
        if isinstance(step, FillKeys) and step.index in ground.model.indexes and step.index not in live:
            raise ArgumentError(
                f"{ground.table} does not have the index {step.index}, which the model reads, and {step.code()} has filled.",
                hint="Write an AddIndex of it into the migration and run it again, or make the index by other means.",
            )


def refuse_lost(file: MigrationFile, entry: Entry) -> None:
    """What was removed for good is not undone."""
    lasting = [step for step in file.migration.steps if step.lasting]
    if entry.retired and lasting:
        raise ArgumentError(
            f"{file.name} is retired, and what {lasting[0].code()} removed cannot be brought back.",
            hint="Write a migration that goes on from here, or restore the table from a backup.",
        )


def refuse_gone(files: Sequence[MigrationFile], entries: Mapping[str, Entry]) -> None:
    """What is open needs its file: a run in another folder would find nothing to do, and say so."""
    known = {file.name for file in files}
    for name, entry in entries.items():
        if name not in known and entry.state != "retired":
            raise ArgumentError(
                f"{name} is {SAID.get(entry.state, entry.state)}, and its file is gone.",
                hint="Bring its file back, or name the model that the folder with it lies beside.",
            )
