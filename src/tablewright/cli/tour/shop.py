"""The shop example, wherever it lies: in the repository's `examples/`, or packed into the wheel. There is one copy of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from examples.shop import model, seed
else:
    import sys
    from importlib import import_module
    from importlib.util import module_from_spec, spec_from_file_location
    from pathlib import Path

    import tablewright

    def _import(name: str) -> tuple[object, object]:
        package = Path(tablewright.__file__).parent
        packed, repository = package / "_examples" / "shop", package.parent.parent / "examples" / "shop"
        folder = packed if packed.is_dir() else repository
        spec = spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=[str(folder)])
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
        return import_module(f"{name}.model"), import_module(f"{name}.seed")

    model, seed = _import("tablewright_example_shop")

__all__ = ["model", "seed"]
