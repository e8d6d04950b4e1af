"""What a data model has no place for, as lines of its description: written for people, and read again for models."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from msgspec import Struct, field
from msgspec.structs import asdict

from tablewright.compiler.derived import ShardPlan
from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.compiler.keys import TemplateKey
from tablewright.compiler.plan import TablePlan
from tablewright.generate.documents.wording import docline
from tablewright.generate.model_code import quoted
from tablewright.generate.workbench.conditions import condition_text
from tablewright.model.annotations import members, metadata, plain
from tablewright.model.fields import Epoch
from tablewright.model.indexes import AttributeNames, Index

OURS = "Made by Tablewright: the aliases of a facet are the templates of its keys."
_LEFT_OUT = "Left out, since a data model has no local and no multi-attribute indexes: "
_ON_INDEX = re.compile(r"(?P<index>[\w.-]+) of (?P<entity>\w+): (?P<keys>.*?)(, only while (?P<when>.*))?").fullmatch
_DERIVED = re.compile(r"\{(?P<name>\w+)\} of (?P<entity>\w+): (?P<what>.*)").fullmatch
_SHARDS = re.compile(r"one of (\d+) shards by (\w+(?: \+ \w+)*)").fullmatch
_BUCKET = re.compile(r"the (year|month|day|hour) of (\w+)").fullmatch
_UNIQUE = re.compile(r"(?P<entity>\w+) has unique values: (?P<rules>.*)").fullmatch
_OPTIONS = re.compile(r"(?P<entity>\w+) has options: (?P<options>.*)").fullmatch
_TYPES = re.compile(r"(?P<entity>\w+) has types: (?P<types>.*)").fullmatch
_ALWAYS = re.compile(r"(?P<entity>\w+) always has: (?P<fields>\w+(, \w+)*)").fullmatch
_STORED = re.compile(r"(?P<entity>\w+) stores (?P<names>\{.*\})").fullmatch
_STREAM = re.compile(r"The stream holds (KEYS_ONLY|NEW_IMAGE|OLD_IMAGE|NEW_AND_OLD_IMAGES)\.").fullmatch
_STYLE = re.compile(r'Keys are written as before: separator (".*?")(, escaped)?\.').fullmatch
_NAMES = re.compile(r"Attributes of the library: (\{.*\})").fullmatch
_DOC = re.compile(r"(?P<entity>\w+): (?P<doc>.*)").fullmatch
_WORD = re.compile(r"[A-Za-z0-9_ .-]+").fullmatch
_SCALARS = {datetime: "datetime", date: "date", int: "int", UUID: "UUID"}
"""Types that the letters of a data model do not tell."""
_USUAL_NAMES = {name: usual for name, usual in asdict(AttributeNames()).items() if isinstance(usual, str)}
_OPTION_TYPES: Mapping[str, type] = {
    "type": str,
    "version": bool,
    "schema_version": int,
    "ttl": str,
    "timestamps": bool,
    "lock": bool,
}


class Told(Struct):
    """What a description tells."""

    ours: bool = False
    """Whether aliases are templates as they stand."""
    docs: dict[str, str] = field(default_factory=dict)
    keys: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """The templates of index keys, by index and entity."""
    conditions: dict[tuple[str, str], str] = field(default_factory=dict)
    """Conditions of sparse indexes as they are written, by index and entity."""
    derived: dict[str, dict[str, str]] = field(default_factory=dict)
    """Shards and buckets as source text, by entity and placeholder."""
    unique: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Rules as source text, by entity."""
    options: dict[str, dict[str, str]] = field(default_factory=dict)
    types: dict[str, dict[str, str]] = field(default_factory=dict)
    """Annotations as source text, by entity and field."""
    always: dict[str, frozenset[str]] = field(default_factory=dict)
    """Fields that no item lacks, by entity."""
    stored: dict[str, dict[str, str]] = field(default_factory=dict)
    """Names of fields by entity and attribute, where they are not the same."""
    arguments: dict[str, str] = field(default_factory=dict)
    """Of Table(...), as source text."""
    names: AttributeNames = AttributeNames()
    unread: list[str] = field(default_factory=list)
    """What is there and could not be taken over."""


def known_there(index: Index) -> bool:
    """Whether a data model can hold an index."""
    return not index.local and not index.multi


# ------------------------------------------------------------------------------------------------------- written


def description(plan: TablePlan) -> str:
    """The description of a model's data model."""
    return "\n".join(_lines(plan))


def _lines(plan: TablePlan) -> Iterator[str]:
    table, entities = plan.table, list(plan.entities.values())
    yield OURS
    for entity in entities:
        if docline(entity.entity):
            yield f"{entity.name}: {docline(entity.entity)}"
    for entity in entities:
        yield from (_on_index(entity, binding) for binding in entity.bindings if known_there(binding.index))
        yield from _derived_lines(entity)
        if entity.uniques:
            rules = sorted(" + ".join(_rule_fields(u.name, u.fields)) for u in entity.uniques)
            yield f"{entity.name} has unique values: {'; '.join(rules)}"
        yield from _option_lines(entity)
        types = {name: text for name, f in entity.fields.items() if (text := _type_text(f.annotation)) is not None}
        if types:
            yield f"{entity.name} has types: {'; '.join(f'{name} {text}' for name, text in types.items())}"
        always = [name for name, info in entity.entity.model_fields.items() if info.is_required()]
        if always:
            yield f"{entity.name} always has: {', '.join(always)}"
        stored = {name: f.path[0] for name, f in entity.fields.items() if len(f.path) == 1 and f.path[0] != name}
        if stored:
            yield f"{entity.name} stores {json.dumps(stored)}"
    if not table.key_style.strict:
        escaped = ", escaped" if table.key_style.escape else ""
        yield f"Keys are written as before: separator {json.dumps(table.key_style.separator)}{escaped}."
    own = {name: given for name, usual in _USUAL_NAMES.items() if (given := getattr(table.names, name)) != usual}
    if own:
        yield f"Attributes of the library: {json.dumps(own)}"
    if table.stream is not None:
        yield f"The stream holds {table.stream}."
    left_out = [index.name for index in table.indexes.values() if not known_there(index)]
    if left_out:
        yield f"{_LEFT_OUT}{', '.join(left_out)}."


def _on_index(entity: EntityPlan, binding: IndexBinding) -> str:
    keys = " / ".join(str(key) for key in binding.keys)
    when = "" if binding.condition is None else f", only while {condition_text(binding.condition)}"
    return f"{binding.index.name} of {entity.name}: {keys}{when}"


def _derived_lines(entity: EntityPlan) -> Iterator[str]:
    keys = [entity.pk, entity.sk, *(key for binding in entity.bindings for key in binding.keys)]
    derived = {name: plan for key in keys if isinstance(key, TemplateKey) for name, plan in key.derived.items()}
    for name, plan in derived.items():
        what = (
            f"one of {plan.of} shards by {' + '.join(plan.fields)}"
            if isinstance(plan, ShardPlan)
            else f"the {plan.by} of {plan.field}"
        )
        yield f"{{{name}}} of {entity.name}: {what}"


def _rule_fields(name: str, fields: frozenset[str]) -> list[str]:
    """The fields of a rule in their order, which its name tells."""
    listed = name.split("+")
    return listed if set(listed) == fields else sorted(fields)


def _option_lines(entity: EntityPlan) -> Iterator[str]:
    options = entity.options
    said: dict[str, Any] = {"type": options.type} if options.type != entity.name else {}
    said |= {name: True for name in ("version", "lock") if getattr(options, name)}
    said |= {name: v for name in ("schema_version", "ttl") if (v := getattr(options, name)) is not None}
    said |= {} if options.timestamps else {"timestamps": False}
    if said:
        shown = ", ".join(f"{name}={quoted(v) if isinstance(v, str) else v}" for name, v in said.items())
        yield f"{entity.name} has options: {shown}"
    for name in ("nested", "soft_delete"):
        if getattr(options, name) is not None:
            yield f"{entity.name} is declared with {name}=, which is not part of this."


def _type_text(annotation: Any) -> str | None:
    epoch = metadata(annotation, Epoch)
    if epoch is not None:
        return f'Epoch("{epoch.unit}")'
    kinds = [kind for kind in members(annotation) if kind is not type(None)]
    if len(kinds) != 1:
        return None
    kind = plain(kinds[0])
    if get_origin(kind) is Literal and all(isinstance(v, str) and _WORD(v) for v in get_args(kind)):
        return f"Literal[{', '.join(map(quoted, get_args(kind)))}]"
    return _SCALARS.get(kind) if isinstance(kind, type) else None


# ---------------------------------------------------------------------------------------------------------- read


def told_by(text: str) -> Told:
    """What the description of a data model tells, whoever wrote it."""
    told = Told()
    for line in text.split("\n"):
        _read(line.strip(), told)
    return told


def _read(line: str, told: Told) -> None:
    if line == OURS:
        told.ours = True
    elif line.startswith(_LEFT_OUT):
        told.unread.append(f"Indexes that the data model has no place for: {line.removeprefix(_LEFT_OUT)}")
    elif re.fullmatch(r"\w+ is declared with \w+=, which is not part of this\.", line):
        told.unread.append(line.replace(" is declared", " was declared").replace("this.", "the data model."))
    elif found := _ON_INDEX(line):
        place = found["index"], found["entity"]
        told.keys[place] = tuple(found["keys"].split(" / "))
        if found["when"] is not None:
            told.conditions[place] = found["when"]
    elif found := _DERIVED(line):
        source = _derived_source(found["what"])
        if source is not None:
            told.derived.setdefault(found["entity"], {})[found["name"]] = source
    elif found := _UNIQUE(line):
        rules = [re.findall(r"\w+", rule) for rule in found["rules"].split("; ")]
        told.unique[found["entity"]] = tuple(_rule_source(fields) for fields in rules if fields)
    elif found := _OPTIONS(line):
        told.options[found["entity"]] = _options_source(found["options"])
    elif found := _TYPES(line):
        told.types[found["entity"]] = dict(_types_source(found["types"]))
    elif found := _ALWAYS(line):
        told.always[found["entity"]] = frozenset(found["fields"].split(", "))
    elif found := _STORED(line):
        names = _json(found["names"])
        if isinstance(names, dict) and all(n.isidentifier() and isinstance(a, str) for n, a in names.items()):
            told.stored[found["entity"]] = {attribute: name for name, attribute in names.items()}
    elif found := _STREAM(line):
        told.arguments["stream"] = quoted(found[1])
    elif found := _STYLE(line):
        separator = _json(found[1])
        if isinstance(separator, str) and separator and not set("{}") & set(separator):
            escaped = ", escape=True" if found[2] else ""
            told.arguments["key_style"] = f"KeyStyle.adopted({quoted(separator)}{escaped})"
    elif found := _NAMES(line):
        _read_names(_json(found[1]), told)
    elif found := _DOC(line):
        told.docs[found["entity"]] = found["doc"]


def _read_names(given: Any, told: Told) -> None:
    if isinstance(given, dict) and all(n in _USUAL_NAMES and isinstance(v, str) and v for n, v in given.items()):
        told.names = AttributeNames(**given)
        told.arguments["names"] = f"AttributeNames({', '.join(f'{n}={quoted(v)}' for n, v in given.items())})"


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _derived_source(what: str) -> str | None:
    if found := _SHARDS(what):
        return f"Shard({', '.join(quoted(name) for name in found[2].split(' + '))}, of={int(found[1])})"
    if found := _BUCKET(what):
        return f"Bucket({quoted(found[2])}, by={quoted(found[1])})"
    return None


def _rule_source(fields: list[str]) -> str:
    shown = ", ".join(map(quoted, fields))
    return shown if len(fields) == 1 else f"Unique({shown})"


def _options_source(text: str) -> dict[str, str]:
    try:
        call = ast.parse(f"f({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    found: dict[str, str] = {}
    for keyword in call.keywords if isinstance(call, ast.Call) else ():
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg is not None and type(value) is _OPTION_TYPES.get(keyword.arg):
            found[keyword.arg] = quoted(value) if isinstance(value, str) else repr(value)
    return found


def _types_source(text: str) -> Iterator[tuple[str, str]]:
    for one in text.split("; "):
        name, _, kind = one.partition(" ")
        if kind in _SCALARS.values():
            yield name, kind
        elif re.fullmatch(r'Epoch\("(s|ms|us)"\)', kind):
            yield name, f"Annotated[datetime, {kind}]"
        elif re.fullmatch(r'Literal\["[A-Za-z0-9_ .-]+"(, "[A-Za-z0-9_ .-]+")*\]', kind):
            yield name, kind
