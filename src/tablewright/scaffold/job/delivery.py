"""Phase 3: infrastructure, data-access layer, scripts and documents."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tablewright.generate.model_code import python_name
from tablewright.scaffold.job.evidence import Evidence
from tablewright.scaffold.job.guides import GUIDES, code_in, unwritten
from tablewright.scaffold.job.items import Checklist, Item, Phase, composite, listing, not_in
from tablewright.scaffold.job.layer import Layer, calls

# ------------------------------------------------------------------------------------------------- infrastructure


def _said(text: str, *members: str, model: Callable[[Evidence], str | None] = lambda _: None) -> Item:
    """What the model must say itself, and every file of infrastructure code as the model does."""
    return Item(text, lambda evidence: model(evidence) or evidence.infrastructure.differs(*members))


def _recovered(evidence: Evidence) -> str | None:
    return None if evidence.plan.table.deployment.recovery else "the model says Deployment(recovery=False)"


def _protected(evidence: Evidence) -> str | None:
    deployment = evidence.plan.table.deployment
    off = [name for name in ("deletion_protection", "retain") if not getattr(deployment, name)]
    return f"the model says Deployment({', '.join(f'{name}=False' for name in off)})" if off else None


INFRASTRUCTURE = Checklist(
    "Infrastructure",
    (
        _said("The table has its name.", "name"),
        _said("The table has its composite key.", "keys", model=composite),
        _said("Every index is there.", "indexes"),
        _said("The billing mode is that of the model.", "billing"),
        _said("The stream is on, where the model has one.", "stream"),
        _said("Expiry is on, where an entity expires.", "ttl"),
        _said("Backups to any point in time are on.", "recovery", model=_recovered),
        _said("The table is protected from deletion.", "protected", "retained", model=_protected),
    ),
)

# ----------------------------------------------------------------------------------------------- data-access layer

LayerCheck = Callable[[Evidence, Layer], str | None]


def _of_layer(text: str, check: LayerCheck) -> Item:
    def checked(evidence: Evidence) -> str | None:
        layer = evidence.layer
        if layer is None:
            return "places.data_access names no folder that is there; tablewright dal MODEL --to FOLDER"
        return listing(layer.unread(), "cannot be read as Python") or check(evidence, layer)

    return Item(text, checked)


def _names(evidence: Evidence) -> list[str]:
    return [entity.__name__ for entity in evidence.plan.entities]


def _entities(evidence: Evidence, layer: Layer) -> str | None:
    file = layer.file("entities/__init__.py")
    if file is None:
        return "entities/__init__.py is missing"
    return not_in(_names(evidence), file.defined(), "not in entities/__init__.py", "{}")


def _opens(_: Evidence, layer: Layer) -> str | None:
    file = layer.file("data_access/client.py")
    if file is None:
        return "data_access/client.py is missing"
    opening = any({"open", "open_async"} & calls(f) for f in file.functions.values())
    return None if opening else "no function of data_access/client.py opens the table"


def _keys(evidence: Evidence, layer: Layer) -> str | None:
    file = layer.file("data_access/keys.py")
    if file is None:
        return "data_access/keys.py is missing"
    present = {*file.functions, *(n.replace("_entity_key", "_key") for n in file.functions)}
    return not_in([f"{python_name(n)}_key" for n in _names(evidence)], present, "not in data_access/keys.py")


def _usual_functions(evidence: Evidence, layer: Layer) -> str | None:
    present = {n for name in layer.functions("data_access") for n in (name, re.sub("(_entity)?(_by_key)?$", "", name))}
    verbs = ("create", "get", "update", "delete")
    wanted = [f"{verb}_{python_name(name)}" for name in _names(evidence) for verb in verbs]
    return not_in(wanted, present, "missing, or does nothing")


def _conversions(_: Evidence, layer: Layer) -> str | None:
    return not_in(("to_item", "from_item"), layer.functions("data_access"), "missing, or does nothing")


def _pattern_functions(evidence: Evidence, layer: Layer) -> str | None:
    there = layer.functions("data_access")
    running = [n for n, (file, function) in there.items() if n in file.spoken_of(function)]
    wanted = evidence.plan.table.patterns
    if not wanted:
        return "the model has no patterns"
    return not_in(wanted, there, "no function for the pattern, or it does nothing") or not_in(
        wanted, running, "the function does not run the pattern"
    )


def _handlers(evidence: Evidence, layer: Layer) -> str | None:
    absent = []
    for name in map(python_name, _names(evidence)):
        file = layer.file(f"api/{name}.py") or layer.file(f"api/{name}_entity.py")
        if file is None or not any(calls(f) for f in file.functions.values()):
            absent.append(f"api/{name}.py")
    return listing(absent, "missing, or handles nothing")


def _tests(evidence: Evidence, layer: Layer) -> str | None:
    spoken: set[str] = set()
    all_patterns = False
    for file, test in layer.tests():
        spoken |= file.spoken_of(test)
        all_patterns |= "assert_patterns" in calls(test)
    patterns = () if all_patterns else evidence.plan.table.patterns
    return not_in(_names(evidence), spoken, "no test of it that can fail", "{}") or not_in(
        patterns, spoken, "no test of the pattern that can fail"
    )


LAYER = Checklist(
    "Data-access layer",
    (
        _of_layer("The entities have a module.", _entities),
        _of_layer("One place opens the table.", _opens),
        _of_layer("One place makes keys.", _keys),
        _of_layer("Every entity has a module, with functions to create, get, update and delete.", _usual_functions),
        _of_layer("Entities become items, and items entities, in one place.", _conversions),
        _of_layer("Every access pattern has a function.", _pattern_functions),
        _of_layer("Every entity has handlers.", _handlers),
        _of_layer("Every entity and every access pattern has tests.", _tests),
    ),
)

# --------------------------------------------------------------------------------------------- scripts, documents

_COMMANDS = ("seed", "test-patterns", "explore", "validate")


def _readme(*commands: str) -> Callable[[Evidence], str | None]:
    def check(evidence: Evidence) -> str | None:
        named = evidence.overview.places.readme
        path = evidence.place("readme")
        if path is None or not path.is_file():
            return f"{named or 'a README'} is missing"
        shown = code_in(path.read_text(encoding="utf-8", errors="replace"))
        absent = [c for c in commands if not re.search(rf"\btablewright {c}(?![\w-])", shown)]
        return f"{named} does not show tablewright {absent[0]}" if absent else None

    return check


SCRIPTS = Checklist(
    "Scripts",
    tuple(
        Item(f"The README tells how to {what}.", _readme(command), of_model=False)
        for command, what in zip(
            _COMMANDS,
            ("fill a table", "try every pattern", "look at items", "check stored items"),
            strict=True,
        )
    ),
)


def _guide(
    name: str, more: Callable[[Evidence, Path], str | None] = lambda _, __: None
) -> Callable[[Evidence], str | None]:
    def check(evidence: Evidence) -> str | None:
        path = (evidence.place("guides") or evidence.folder) / name
        return unwritten(path, GUIDES[name]) or more(evidence, path)

    return check


def _every_pattern(evidence: Evidence, path: Path) -> str | None:
    words = set(re.findall(r"\w+", path.read_text(encoding="utf-8", errors="replace")))
    return not_in(evidence.plan.table.patterns, words, f"not told of in {path}")


def _whole_layer(evidence: Evidence) -> str | None:
    return next((told for item in LAYER.items if (told := item.check(evidence)) is not None), None)


DELIVERABLES = Checklist(
    "What comes out of it",
    (
        Item("Infrastructure code.", lambda evidence: evidence.infrastructure.missing),
        Item("The data-access layer.", _whole_layer),
        Item("Scripts, told of in the README.", _readme(*_COMMANDS), of_model=False),
        Item("A guide to the implementation.", _guide("implementation-guide.md"), of_model=False),
        Item("A description of the API.", _guide("api.md", _every_pattern)),
        Item("A guide for trouble.", _guide("troubleshooting.md"), of_model=False),
    ),
)

DELIVERY = Phase("Phase 3: delivery", "phase-3.md", "5 to 7", (INFRASTRUCTURE, LAYER, SCRIPTS, DELIVERABLES))
