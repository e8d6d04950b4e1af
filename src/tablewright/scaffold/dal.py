"""A data-access layer for a model: typed functions for every entity, access pattern and change, handlers and tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import asdict

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.plan import TablePlan
from tablewright.errors import ArgumentError
from tablewright.generate.model_code import docstring, python_name
from tablewright.model.annotations import optional, without_none
from tablewright.model.entity import Entity
from tablewright.model.operations import Collection, Get, Mixed, Query
from tablewright.scaffold.annotations import Imports
from tablewright.scaffold.rendering import rendered

if TYPE_CHECKING:
    from tablewright.model.change import Change
    from tablewright.model.pattern import Pattern


class Parameter(Struct, frozen=True):
    """A parameter of a function that is written: its type is source text."""

    name: str
    type: str
    default: str = ""

    @property
    def declared(self) -> str:
        """As it stands in a signature."""
        return f"{self.name}: {self.type}{f' = {self.default}' if self.default else ''}"


class PatternCode(Struct, frozen=True):
    """An access pattern as a function."""

    name: str
    doc: str
    parameters: tuple[Parameter, ...]
    source: str
    """The pattern in the model."""
    returns: str
    kind: str
    """get, query or collection."""


class ChangeCode(Struct, frozen=True):
    """A change as a function."""

    name: str
    doc: str
    parameters: tuple[Parameter, ...]
    source: str
    """The change in the model."""


class Functions(Struct, frozen=True):
    """The names of the usual functions of an entity."""

    create: str
    get: str
    update: str
    delete: str
    key: str


class EntityCode(Struct, frozen=True):
    """What the templates know of an entity."""

    name: str
    type: str
    """The class in the model."""
    module: str
    doc: str
    keys: tuple[Parameter, ...]
    patterns: tuple[PatternCode, ...]
    changes: tuple[ChangeCode, ...]
    functions: Functions
    sealed: bool
    updated: str | None
    """A field that a test can change."""


class Driving(Struct, frozen=True):
    """How functions and their tests are written: with or without `await`."""

    is_async: bool
    session: str
    results: str
    open: str
    define: str
    wait: str
    with_: str
    empty_table: str
    """The file that gives each test its table."""


_SYNC = Driving(False, "Session", "Results", "open", "def", "", "with", "tests/conftest.py")
_ASYNC = Driving(
    True, "AsyncSession", "AsyncResults", "open_async", "async def", "await ", "async with", "tests/empty_table.py"
)


def dal_files(plan: TablePlan, module: str, variable: str, *, is_async: bool = False) -> dict[str, str]:
    """The files of the layer by their paths. `module` is where the model is imported from, `variable` its table there."""
    writer = _Writer(plan, module, variable, _ASYNC if is_async else _SYNC)
    return dict(writer.files())


class _Writer:
    def __init__(self, plan: TablePlan, module: str, variable: str, driving: Driving) -> None:
        self._plan = plan
        self._driving = driving
        _refuse_own_parameters(plan)
        self._homes = _homes(plan, module)
        self._common: dict[str, Any] = {
            **asdict(driving),
            "table": f"{self._homes[module]}.{variable}",
            "label": plan.table.label,
        }
        self._common["setting"] = re.sub(r"\W", "_", plan.table.label).upper() + "_TARGET"

    def _imports(self) -> Imports:
        """With the names that the templates themselves use."""
        imports = Imports(self._homes)
        imports.add("collections.abc", "Mapping")
        imports.add("typing", "Any")
        imports.add("pydantic", "TypeAdapter")
        imports.add("tablewright", "Key", self._driving.results, self._driving.session, "key")
        return imports

    def files(self) -> Iterator[tuple[str, str]]:
        entities = [self._entity(one, self._imports()) for one in self._plan.entities.values()]
        common = {**self._common, "entities": entities}
        for path in (*_ONCE, self._driving.empty_table):
            yield path, _tidy(rendered(f"dal/{path}.j2", **common), self._imports())
        yield "data_access/keys.py", self._keys(common)
        for one in self._plan.entities.values():
            for template in ("data_access/entity.py", "api/entity.py", "tests/test_entity.py"):
                imports = self._imports()
                code = self._entity(one, imports)
                folder, _, file = template.partition("/")
                path = f"{folder}/{file.replace('entity', code.module)}"
                yield path, _tidy(rendered(f"dal/{template}.j2", **common, entity=code), imports)

    def _keys(self, common: Mapping[str, Any]) -> str:
        imports = self._imports()
        made = [self._entity(one, imports, functions=False) for one in self._plan.entities.values()]
        return _tidy(rendered("dal/data_access/keys.py.j2", **{**common, "entities": made}), imports)

    def _entity(self, plan: EntityPlan, imports: Imports, *, functions: bool = True) -> EntityCode:
        entity = plan.entity
        name, module = entity.__name__, python_name(entity.__name__)
        module = f"{module}_entity" if module in _TAKEN else module
        keys = tuple(
            Parameter(n, imports.text(without_none(plan.sources[n].annotation)))
            for n in plan.sources
            if n in plan.key_fields
        )
        patterns = tuple(self._pattern(p, imports) for p in self._patterns_of(entity)) if functions else ()
        changes = tuple(self._change(c, imports) for c in self._changes_of(entity)) if functions else ()
        taken = {p.name for p in patterns} | {c.name for c in changes}
        usual = {verb: f"{verb}_{module}" for verb in ("create", "get", "update", "delete")}
        usual = {verb: f"{text}_by_key" if text in taken else text for verb, text in usual.items()}
        return EntityCode(
            name=name,
            type=imports.text(entity),
            module=module,
            doc=_one_line((entity.__doc__ or "").strip().split("\n")[0]),
            keys=keys,
            patterns=patterns,
            changes=changes,
            functions=Functions(**usual, key=f"{module}_key"),
            sealed=bool(plan.seals),
            updated=_changeable(plan),
        )

    def _patterns_of(self, entity: type[Entity]) -> Iterator[Pattern[..., Any]]:
        for pattern in self._plan.table.patterns.values():
            if _first_entity(next(iter(pattern.variants.values()))) is entity:
                yield pattern

    def _changes_of(self, entity: type[Entity]) -> Iterator[Change[Any, ...]]:
        for change in self._plan.table.changes.values():
            if change.entity is entity:
                yield change

    def _pattern(self, pattern: Pattern[..., Any], imports: Imports) -> PatternCode:
        operation: Any = next(iter(pattern.variants.values()))
        match operation:
            case Get():
                kind, returns = "get", f"{imports.text(operation.result)} | None"
            case Query():
                kind, returns = "query", f"{self._driving.results}[{imports.text(operation.result)}]"
            case Mixed():
                kinds = " | ".join(imports.text(q.result) for q in operation.queries)
                kind, returns = "query", f"{self._driving.results}[{kinds}]"
            case _:
                assert isinstance(operation, Collection)
                made: Any = operation.make
                kind, returns = "collection", imports.text(made if isinstance(made, type) else Any)
        return PatternCode(
            pattern.name,
            _one_line(pattern.doc) or f"The access pattern {pattern.name}.",
            tuple(_parameters(pattern.parameters.annotations, imports)),
            self._named(pattern.function),
            returns,
            kind,
        )

    def _change(self, change: Change[Any, ...], imports: Imports) -> ChangeCode:
        doc = _one_line(change.doc) or f"The change {change.name}."
        parameters = tuple(_parameters(change.parameters.annotations, imports))
        return ChangeCode(change.name, doc, parameters, self._named(change.function))

    def _named(self, function: Any) -> str:
        return f"{self._homes[function.__module__]}.{function.__name__}"


_WIDTH = 110
_PARAMETERS = ("db", "target", "values")
_TAKEN = ("client", "items", "keys", "messages", "data", "api")
"""Names that entities' modules cannot have."""
_ONCE = (
    "__init__.py",
    "entities/__init__.py",
    "data_access/__init__.py",
    "data_access/client.py",
    "data_access/items.py",
    "api/__init__.py",
    "api/messages.py",
    "tests/__init__.py",
    "tests/test_all_patterns.py",
)


def _refuse_own_parameters(plan: TablePlan) -> None:
    """What is written has parameters of its own, which those of the model must not meet."""
    declared: list[Any] = [*plan.table.patterns.values(), *plan.table.changes.values()]
    named = [(f"{d.name}()", name) for d in declared for name in d.parameters.names]
    named += [(entity.name, name) for entity in plan.entities.values() for name in entity.key_fields]
    for what, name in named:
        if name in _PARAMETERS:
            raise ArgumentError(
                f"{what} has {name!r}, which functions of the layer have for something else.",
                hint=f"Give it another name, such as {name}_name.",
            )


def _homes(plan: TablePlan, module: str) -> dict[str, str]:
    """The modules that the model is declared in, with names that no field or parameter has."""
    table = plan.table
    declared: list[Any] = [*table.patterns.values(), *table.changes.values()]
    modules = {module, *(e.__module__ for e in plan.entities), *(d.function.__module__ for d in declared)}
    taken = {"db", "entity", "values", "target", "request", "found", "page", *_TAKEN}
    taken |= {name for entity in plan.entities.values() for name in entity.fields}
    taken |= {name for d in declared for name in (d.name, *d.parameters.names)}
    homes: dict[str, str] = {}
    for home in sorted(modules):
        alias = home.rpartition(".")[2]
        while alias in taken:
            alias += "_"
        taken.add(alias)
        homes[home] = alias
    return homes


def _parameters(annotations: Mapping[str, Any], imports: Imports) -> Iterator[Parameter]:
    """Those that may be left out stand last, as Python wants it; they are all given by name."""
    ordered = sorted(annotations, key=lambda n: optional(annotations[n]))
    for name in ordered:
        annotation = annotations[name]
        yield Parameter(name, imports.text(annotation), "None" if optional(annotation) else "")


def _first_entity(operation: Any) -> type[Entity]:
    match operation:
        case Collection():
            return operation.parts[0].query.entity
        case Mixed():
            return operation.queries[0].entity
    entity: type[Entity] = operation.entity
    return entity


def _changeable(plan: EntityPlan) -> str | None:
    """A field whose value can be replaced by that of another sample, whatever the other fields are."""
    ttl = plan.options.ttl
    for name, field in plan.fields.items():
        free = name not in plan.key_fields and name not in plan.unique_fields and name != ttl
        if free and not field.looks_around and field.sealing is None and not plan.entity.model_fields[name].frozen:
            return name
    return None


def _one_line(text: str) -> str:
    return docstring(" ".join(text.split()))


def _tidy(text: str, imports: Imports) -> str:
    """With its imports, with lines of a length that can be read, and without the blank lines that templates leave."""
    code = text.replace("@@IMPORTS@@", "").replace("@@MODEL@@", "")
    text = text.replace("@@IMPORTS@@", imports.statements(code)).replace("@@MODEL@@", imports.homes(code))
    text = "\n".join(part for line in text.split("\n") for part in _broken(line))
    return re.sub(r"\n{4,}", "\n\n\n", text).strip("\n") + "\n"


def _broken(line: str) -> list[str]:
    """A line that is too long, with each argument of its first call on a line of its own."""
    if len(line) > _WIDTH and line.startswith("from . import "):
        line = f"from . import ({line.removeprefix('from . import ')})"
    if len(line) <= _WIDTH or "(" not in line or line.lstrip().startswith(('"', "#")):
        return [line]
    start = line.index("(") + 1
    depth, cuts, end = 1, [start], len(line)
    for position in range(start, len(line)):
        character = line[position]
        depth += (character in "([{") - (character in ")]}")
        if depth == 0:
            end = position
            break
        if depth == 1 and character == ",":
            cuts.append(position + 1)
    indent = " " * (len(line) - len(line.lstrip()))
    ends = [*cuts[1:], end]
    arguments = [line[a:b].strip().rstrip(",") for a, b in zip(cuts, ends, strict=True)]
    return [line[:start], *(f"{indent}    {argument}," for argument in arguments if argument), indent + line[end:]]
