"""Running a design, or what was made of it, as the module that its file is."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from types import ModuleType

from tablewright.errors import ArgumentError, TablewrightError
from tablewright.model.symbols import placed, said

_numbers = itertools.count(1)


def run(source: str, path: Path) -> ModuleType:
    """The module that this text would be at this path. It is not left in sys.modules."""
    package: list[str] = []
    root = path.resolve().parent
    while (root / "__init__.py").is_file():
        package.insert(0, root.name)
        root = root.parent
    module = ModuleType(".".join((*package, f"_design_{next(_numbers)}_{path.stem}")))
    module.__file__ = str(path)
    module.__package__ = ".".join(package)
    added = str(root) not in sys.path
    if added:
        sys.path.insert(0, str(root))
    sys.modules[module.__name__] = module  # annotations written as text are looked up there
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102 - the user's own file
    except TablewrightError as error:
        error.message = placed(error, error.message)
        raise
    except Exception as error:
        raise ArgumentError(said(error)) from error
    finally:
        del sys.modules[module.__name__]
        if added:
            sys.path.remove(str(root))
    return module
