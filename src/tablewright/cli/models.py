"""Where commands find a model: a file or a module, read as a whole even if parts of it are wrong."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from msgspec import Struct, field

from tablewright.errors import ArgumentError, ModelError, TablewrightError

if TYPE_CHECKING:
    from tablewright.model.inspection import Refused
    from tablewright.table import Table

MODEL_HELP = (
    "The model: a Python file (shop/model.py) or a module (shop.model), with :NAME where it holds several tables."
)


class Loaded(Struct, eq=False):
    """A model that was read: its tables, and what was refused. `failed` ended the reading before the end of the file."""

    tables: list[Table]
    refused: list[Refused] = field(default_factory=list)
    failed: ModelError | None = None

    @property
    def table(self) -> Table:
        """The one table of the model."""
        if len(self.tables) == 1:
            return self.tables[0]
        names = ", ".join(repr(table.name) for table in self.tables)
        raise ArgumentError(
            f"The model holds {len(self.tables)} tables: {names}." if self.tables else "The model holds no table.",
            hint="Name one: MODEL:variable." if self.tables else 'It needs a Table("Name", ...).',
        )


def load_model(where: str, *, leniently: bool = False) -> Loaded:
    """Reads the model at a path or in a module. Leniently, what is wrong in it is noted instead of being raised."""
    from tablewright.model.inspection import inspecting
    from tablewright.table import Table

    target, _, name = where.partition(":") if not Path(where).exists() else (where, "", "")
    if not leniently:
        module = _import(target)
        return Loaded(_chosen(module, name, _tables(module)))
    with inspecting() as found:
        read: ModuleType | None = None
        failed: ModelError | None = None
        try:
            read = _import(target)
        except ModelError as error:  # what the loader itself raises is none
            failed = error
    tables = [table for table in found.tables if isinstance(table, Table)]
    if read is not None:
        tables = _chosen(read, name, tables or _tables(read))
    return Loaded(tables, [r for r in found.refused if r.table in tables], failed)


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
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    beside = f"{name.rpartition('.')[0]}."  # a model may consist of several files of one package
    for known in [m for m in sys.modules if m == name or (beside != "." and m.startswith(beside))]:
        del sys.modules[known]  # read again, so that what is wrong in it is seen
    try:
        return importlib.import_module(name)
    except TablewrightError:
        raise
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise ArgumentError(f"There is no module {name}.", hint="Name a Python file or a module.") from None
        raise ArgumentError(f"{name} cannot be imported: {error}.", hint="Install what it needs.") from error
    except Exception as error:
        raise ArgumentError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error
