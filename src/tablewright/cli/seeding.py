"""Where commands find seed data: a seed.py beside the model, or entities made up for it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tablewright.errors import ArgumentError

if TYPE_CHECKING:
    from types import ModuleType

    from tablewright.client.session import Session
    from tablewright.table import Table

SEED_HELP = (
    "A Python file or module with seed(db) or entities(); by default the seed.py beside the model, if there is one."
)


def seeder(table: Table, given: str | None, *, generated: bool, each: int, seed: int) -> tuple[str, Seeder]:
    """Where the data comes from, in words, and what writes it."""
    module = None if generated else _named(given) if given else _beside(table)
    if module is not None:
        return f"{module.__name__}", _from_module(module)

    from tablewright.testing.samples import samples

    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)  # the same all day
    found = samples(table, each=each, seed=seed, now=today)
    made = Counter(type(entity) for entity in found)
    fewer = [f"{count:,} of {kind.__name__}" for kind, count in made.items() if count < each]
    short = f" (only {', '.join(fewer)}: there are no more that differ)" if fewer else ""

    def made_up(db: Session) -> int:
        for entity in found:
            db.put(entity)
        return len(found)

    return f"made-up data{short}", made_up


Seeder = Callable[["Session"], Any]


def _from_module(module: ModuleType) -> Seeder:
    write: Any = getattr(module, "seed", None)
    listed: Any = getattr(module, "entities", None)
    if callable(write):
        return cast("Seeder", write)
    entities: Callable[[], Any] | None = listed if callable(listed) else None
    if entities is None:
        raise ArgumentError(
            f"{module.__name__} has neither seed(db) nor entities().",
            hint="Write def entities() -> list[Entity], or def seed(db: Session) -> int.",
        )

    def put_all(db: Session) -> int:
        found: list[Any] = list(entities())
        for entity in found:
            db.put(entity)
        return len(found)

    return put_all


def _beside(table: Table) -> ModuleType | None:
    """The seed.py in the folder of the model."""
    entity = next(iter(table.entities.values()), None)
    model = None if entity is None else sys.modules.get(entity.__module__)
    place = None if model is None or model.__file__ is None else Path(model.__file__).parent / "seed.py"
    if model is None or place is None or not place.is_file():
        return None
    package = model.__name__.rpartition(".")[0]
    if package:
        return importlib.import_module(f"{package}.seed")
    return _file(place)


def _named(given: str) -> ModuleType:
    if Path(given).is_file():
        return _file(Path(given))
    try:
        return importlib.import_module(given)
    except ModuleNotFoundError as error:
        raise ArgumentError(f"There is no file or module {given}: {error}.", hint=SEED_HELP) from None


def _file(path: Path) -> ModuleType:
    """A file, as part of its package if it is in one."""
    path = path.resolve()
    names, folder = [path.stem], path.parent
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    if len(names) > 1:
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
        return importlib.import_module(".".join(names))
    spec = importlib.util.spec_from_file_location(f"_seed_of_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
