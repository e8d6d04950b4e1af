"""Where commands find a model: a file or a module, read as a whole even if parts of it are wrong."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from msgspec import Struct, field

from tablewright.errors import ArgumentError, ModelError, TablewrightError

if TYPE_CHECKING:
    from tablewright.model.inspection import Refused
    from tablewright.model.symbols import SourceLine
    from tablewright.table import Table

MODEL_HELP = (
    "The model: a Python file (shop/model.py) or a module (shop.model), with :NAME where it holds several tables."
)


class Loaded(Struct, eq=False):
    """A model that was read: its tables, and what was refused. `failed` ended the reading before the end of the file."""

    where: str
    tables: list[Table]
    designs: list[str] = field(default_factory=list)
    """The names of tables that have no keys yet."""
    refused: list[Refused] = field(default_factory=list)
    failed: ModelError | None = None
    failed_at: SourceLine | None = None
    """The line of the model where that was."""

    @property
    def table(self) -> Table:
        """The one table of the model."""
        self.refuse_empty()
        if len(self.tables) == 1:
            return self.tables[0]
        names = ", ".join(repr(table.name) for table in self.tables)
        raise ArgumentError(f"The model holds {len(self.tables)} tables: {names}.", hint="Name one: MODEL:variable.")

    def refuse_empty(self) -> None:
        """Refuses a model without a table."""
        if self.tables:
            return
        if self.failed is not None:
            raise self.failed
        if self.designs:
            raise ArgumentError(
                f"{self.where} holds a design, {self.designs[0]}, whose keys are still to be found.",
                hint=f"tablewright design propose {self.where} --to model.py finds them, and writes the model.",
            )
        raise ArgumentError(f"{self.where} holds no table.", hint='It needs a Table("Name", ...).')


def load_model(where: str, *, leniently: bool = False) -> Loaded:
    """Reads the model at a path or in a module. Leniently, what is wrong in it is noted instead of being raised."""
    from tablewright.model.inspection import inspecting
    from tablewright.model.symbols import raised_at
    from tablewright.table import Table

    target, _, name = where.partition(":") if not Path(where).exists() else (where, "", "")
    if not leniently:
        module = _import(target)
        return Loaded(where, _chosen(module, name, _tables(module)), _designs(vars(module).values()))
    with inspecting() as found:
        read: ModuleType | None = None
        failed: ModelError | None = None
        failed_at: SourceLine | None = None
        try:
            read = _import(target)
        except ModelError as error:  # what the loader itself raises is none
            failed, failed_at = error, raised_at(error.__cause__ or error)
    tables = [table for table in found.tables if isinstance(table, Table)]
    if read is not None:
        tables = _chosen(read, name, tables or _tables(read))
    refused = [r for r in found.refused if r.table in tables]
    return Loaded(where, tables, _designs(found.tables), refused, failed, failed_at)


def read_module(where: str) -> tuple[ModuleType, str]:
    """What a file or a module holds, whole, and the name of what is meant in it, or an empty text."""
    target, _, name = where.partition(":") if not Path(where).exists() else (where, "", "")
    return _import(target), name


def _designs(found: Iterable[object]) -> list[str]:
    from tablewright.model.table import TableModel

    return [one.name for one in found if isinstance(one, TableModel) and not one.needs_keys]


def _tables(module: ModuleType) -> list[Table]:
    from tablewright.table import Table

    return list(dict.fromkeys(value for value in vars(module).values() if isinstance(value, Table)))


def _chosen(module: ModuleType, name: str, tables: list[Table]) -> list[Table]:
    if not name:
        return tables
    found = getattr(module, name, None)
    if found not in tables:
        raise ArgumentError(
            f"{module.__name__} holds no table called {name}.",
            hint=f"Its tables are: {', '.join(n for n, v in vars(module).items() if v in tables) or 'none'}.",
        )
    return [found]


def _import(target: str) -> ModuleType:
    """A file is imported as the module that it is in its package, so that its own imports work."""
    path = Path(target)
    if path.is_dir():
        path = path / "model.py"
    if path.suffix != ".py" and not path.exists():
        return _import_module(target, Path.cwd())
    if not path.is_file():
        raise ArgumentError(f"There is no file {target}.", hint="Name a Python file or a module.")
    path = path.resolve()
    names, folder = [path.stem], path.parent
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return _import_module(".".join(names), folder)


def _import_module(name: str, root: Path) -> ModuleType:
    from tablewright.model.symbols import placed

    if not sys.path or sys.path[0] != str(root):
        sys.path[:] = [str(root), *(place for place in sys.path if place != str(root))]
    importlib.invalidate_caches()
    for known in list(_read_before(name, root)):
        del sys.modules[known]  # read again, so that what is wrong in it is seen
    _folders.add(root)
    try:
        return importlib.import_module(name)
    except ModelError as error:
        error.message = placed(error, error.message)
        raise
    except SystemExit as error:
        said = placed(error, "SystemExit: the program ended while the model was read.")
        raise ModelError(said, hint=_GUARD) from error
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name and f"{name}.".startswith(f"{error.name}."):
            raise ArgumentError(f"There is no module {name}.", hint="Name a Python file or a module.") from None
        raise _unreadable(error) from error


_GUARD = 'What a file does when it is run belongs under if __name__ == "__main__".'
_folders: set[Path] = set()
"""Where models were read from."""


def _read_before(name: str, root: Path) -> Iterator[str]:
    """Modules that a model's file and those beside it were read into: in its package or, without one, in any folder that a
    model was read from, since all of these call their files alike."""
    package = name.rpartition(".")[0]
    for known, module in sys.modules.items():
        if package:
            if known == name or known.startswith(f"{package}."):
                yield known
        elif known == name:
            yield known
        elif "." not in known and _folders:
            file = getattr(module, "__file__", None)
            if file is not None and Path(file).parent in _folders and (root / Path(file).name).is_file():
                yield known


def _unreadable(error: Exception) -> ModelError:
    """Whatever else ended the reading of a model."""
    from tablewright.model.symbols import placed, said

    if isinstance(error, TablewrightError):
        return ModelError(placed(error, error.message), hint=error.hint)
    return ModelError(said(error), hint="Install what it needs." if isinstance(error, ModuleNotFoundError) else None)
