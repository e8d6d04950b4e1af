"""Phase 3: infrastructure, data-access layer, scripts and documents."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from tablewright.generate.model_code import python_name
from tablewright.scaffold.job.evidence import Evidence
from tablewright.scaffold.job.items import Checklist, Item, Phase, listing

# ------------------------------------------------------------------------------------------------- infrastructure


def _says(text: str, pattern: str, *, needed: Callable[[Evidence], bool] = lambda _: True) -> Item:
    def check(evidence: Evidence) -> str | None:
        if not evidence.infrastructure:
            where = evidence.overview.places.infrastructure or evidence.folder
            return f"there is no infrastructure code in {where}; tablewright generate MODEL cloudformation --to {where}"
        if not needed(evidence) or re.search(pattern, evidence.infrastructure):
            return None
        return "the infrastructure code does not say it"

    return Item(text, check)


def _names(evidence: Evidence) -> str | None:
    label = evidence.plan.table.label
    return None if label in evidence.infrastructure else f"{label} is not named in the infrastructure code"


def _keys(evidence: Evidence) -> str | None:
    table = evidence.plan.table
    wanted = [a.name for a in (table.pk, table.sk) if a is not None]
    return listing([n for n in wanted if n not in evidence.infrastructure], "not in the infrastructure code")


def _indexes(evidence: Evidence) -> str | None:
    wanted = [index.name for index in evidence.plan.table.indexes.values()]
    return listing([n for n in wanted if n not in evidence.infrastructure], "not in the infrastructure code")


INFRASTRUCTURE = Checklist(
    "Infrastructure",
    (
        Item("The table has its name.", _names),
        Item("The table has its composite key.", _keys),
        Item("Every index is there.", _indexes),
        _says("The billing mode is chosen.", r"(?i)billing_?mode"),
        _says(
            "The stream is on, where the model has one.",
            r"(?i)stream_?(specification|enabled|view_type)|stream=",
            needed=lambda e: e.plan.table.stream is not None,
        ),
        _says(
            "Expiry is on, where an entity expires.",
            r"(?i)time_?to_?live|\bttl\b",
            needed=lambda e: e.plan.table.ttl_attribute is not None,
        ),
        _says("Backups to any point in time are on.", r"(?i)point_?in_?time_?recovery"),
        _says("The table is protected from deletion.", r"(?i)deletion_?protection|prevent_destroy|RETAIN"),
    ),
)

# ----------------------------------------------------------------------------------------------- data-access layer


def _layer(evidence: Evidence) -> Path | None:
    return evidence.place("data_access")


def _of_layer(text: str, check: Callable[[Evidence, Path], str | None]) -> Item:
    def checked(evidence: Evidence) -> str | None:
        layer = _layer(evidence)
        if layer is None:
            return "places.data_access names no folder that is there; tablewright dal MODEL --to FOLDER"
        return check(evidence, layer)

    return Item(text, checked)


def _functions(files: Iterable[Path]) -> set[str]:
    """The names of all functions that are defined in some files."""
    found: set[str] = set()
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        found |= {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)}
    return found


def _file(path: str) -> Callable[[Evidence, Path], str | None]:
    return lambda _, layer: None if (layer / path).is_file() else f"{path} is missing"


def _modules(folder: str, prefix: str = "") -> Callable[[Evidence, Path], str | None]:
    def check(evidence: Evidence, layer: Path) -> str | None:
        present = {path.stem for path in (layer / folder).glob("*.py")}
        names = [f"{prefix}{python_name(entity.__name__)}" for entity in evidence.plan.entities]
        absent = [n for n in names if n not in present and f"{n}_entity" not in present]
        return listing([f"{folder}/{name}.py" for name in absent], "missing")

    return check


def _usual_functions(evidence: Evidence, layer: Path) -> str | None:
    present = _functions((layer / "data_access").rglob("*.py"))
    wanted = [
        f"{verb}_{python_name(entity.__name__)}"
        for entity in evidence.plan.entities
        for verb in ("create", "get", "update", "delete")
    ]
    return listing([f"{n}()" for n in wanted if n not in present and f"{n}_by_key" not in present], "missing")


def _pattern_functions(evidence: Evidence, layer: Path) -> str | None:
    present = _functions((layer / "data_access").rglob("*.py"))
    return listing([f"{n}()" for n in evidence.plan.table.patterns if n not in present], "no function for the pattern")


def _conversions(_: Evidence, layer: Path) -> str | None:
    present = _functions((layer / "data_access").rglob("*.py"))
    return listing([f"{n}()" for n in ("to_item", "from_item") if n not in present], "missing")


LAYER = Checklist(
    "Data-access layer",
    (
        _of_layer("The entities have a module.", _file("entities/__init__.py")),
        _of_layer("One place opens the table.", _file("data_access/client.py")),
        _of_layer("One place makes keys.", _file("data_access/keys.py")),
        _of_layer("Every entity has a module, with functions to create, get, update and delete.", _usual_functions),
        _of_layer("Entities become items, and items entities, in one place.", _conversions),
        _of_layer("Every access pattern has a function.", _pattern_functions),
        _of_layer("Every entity has handlers.", _modules("api")),
        _of_layer("Every entity has tests.", _modules("tests", "test_")),
    ),
)

# --------------------------------------------------------------------------------------------- scripts, documents


def _readme(command: str) -> Callable[[Evidence], str | None]:
    def check(evidence: Evidence) -> str | None:
        path = evidence.place("readme")
        if path is None or not path.is_file():
            return f"{evidence.overview.places.readme or 'a README'} is missing"
        said = f"tablewright {command}" in path.read_text(encoding="utf-8")
        return None if said else f"{evidence.overview.places.readme} does not tell of tablewright {command}"

    return check


SCRIPTS = Checklist(
    "Scripts",
    (
        Item("The README tells how to fill a table.", _readme("seed"), of_model=False),
        Item("The README tells how to try every pattern.", _readme("test-patterns"), of_model=False),
        Item("The README tells how to look at items.", _readme("explore"), of_model=False),
        Item("The README tells how to check stored items.", _readme("validate"), of_model=False),
    ),
)


def _guide(name: str) -> Callable[[Evidence], str | None]:
    def check(evidence: Evidence) -> str | None:
        path = (evidence.place("guides") or evidence.folder) / name
        if not path.is_file():
            return f"{path} is missing"
        return f"{path} still has lines to fill in" if "(fill in" in path.read_text(encoding="utf-8") else None

    return check


DELIVERABLES = Checklist(
    "What comes out of it",
    (
        Item(
            "Infrastructure code.",
            lambda e: None if e.infrastructure else f"none in {e.overview.places.infrastructure or e.folder}",
        ),
        Item(
            "The data-access layer.",
            lambda e: None if _layer(e) else "places.data_access names no folder that is there",
        ),
        Item("Scripts, told of in the README.", _readme("seed"), of_model=False),
        Item("A guide to the implementation.", _guide("implementation-guide.md"), of_model=False),
        Item("A description of the API.", _guide("api.md"), of_model=False),
        Item("A guide for trouble.", _guide("troubleshooting.md"), of_model=False),
    ),
)

DELIVERY = Phase("Phase 3: delivery", "phase-3.md", "5 to 7", (INFRASTRUCTURE, LAYER, SCRIPTS, DELIVERABLES))
