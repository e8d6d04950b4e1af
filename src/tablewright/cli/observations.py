"""Where commands find what was observed: files that snapshots were saved in, or folders of them, of the model's own table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright.errors import ArgumentError

if TYPE_CHECKING:
    from tablewright.model.table import TableModel
    from tablewright.observe.snapshot import Snapshot

TABLE_NAME_HELP = (
    "The name that the observed table has, where it is not the model's: that of open(..., table_name=NAME)."
)


def read_observations(paths: Iterable[Path]) -> Snapshot:
    """What all of these files, and files of these folders, tell together."""
    from tablewright.observe.snapshot import merged

    return merged(file for path in paths for file in _files(path))


def refuse_another_table(snapshot: Snapshot, table: TableModel, called: str | None = None) -> None:
    """Refuses what was observed of another table than the model's, in whatever stage, or than one of the name that was said."""
    if snapshot.table == called if called is not None else table.may_be_called(snapshot.table):
        return
    raise ArgumentError(
        f"The files tell of the table {snapshot.table}, and the model is of {called or table.name}.",
        hint=f"Name the model of {snapshot.table}; or say --table-name {snapshot.table}, if the model is opened under that name.",
    )


def holds_observations(path: Path) -> bool:
    """Whether a path is of files of observations, and cannot be of a model."""
    if path.is_dir():
        return not (path / "model.py").exists() and next(path.glob("*.json"), None) is not None
    return path.suffix == ".json"


def _files(path: Path) -> list[Path]:
    """A file of observations, or those of a folder."""
    found = sorted(path.glob("*.json")) if path.is_dir() else [path] if path.is_file() else []
    if not found:
        what = f"{path} holds no files of observations" if path.is_dir() else f"There is no file of observations {path}"
        raise ArgumentError(
            f"{what}.", hint="Name files that Snapshot.save() wrote, or a folder that collectors save to."
        )
    return found
