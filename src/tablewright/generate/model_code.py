"""Model code as a person would write it, from a sketch: where there is no model yet, only what is known of a table."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from tablewright.errors import ArgumentError
from tablewright.generate.documents.blocks import plain_line

_WIDTH = 110
_HOMES: Mapping[str, str] = {
    "Annotated": "typing",
    "Any": "typing",
    "Literal": "typing",
    "date": "datetime",
    "datetime": "datetime",
    "timedelta": "datetime",
    "Decimal": "decimal",
    "Enum": "enum",
    "StrEnum": "enum",
    "UUID": "uuid",
    "dataclass": "dataclasses",
    "BaseModel": "pydantic",
    "Field": "pydantic",
}
"""Where names come from that annotations and defaults may use; all others that the code uses are Tablewright's."""
_OURS = (
    *("GSI", "LSI", "AttributeNames", "Bucket", "Collection", "Deployment", "Entity", "Epoch", "Get", "KeyStyle"),
    *("Keys", "KmsKey", "Mixed", "NaturalKey", "OnDemand", "Provisioned", "Query", "Relationship", "Shard", "Table"),
    *("Unique", "all_of", "any_of", "attr", "between", "binary", "collect", "contains", "exists", "get", "is_in"),
    *("many", "missing", "negate", "number", "one", "query", "sparse", "sparse_local", "starts_with"),
)
KNOWN_NAMES = frozenset((*_HOMES, *_OURS))
"""Names that model code imports, which nothing in it should be called by."""


class FieldSketch(Struct, frozen=True):
    """A field: its annotation and default are source text."""

    name: str
    annotation: str
    default: str | None = None
    comment: str = ""


class IndexKeysSketch(Struct, frozen=True):
    """An entity's keys on one index. Several templates on a side are those of a multi-attribute index."""

    pk: tuple[str, ...]
    sk: tuple[str, ...] = ()
    when: str | None = None
    """The condition of a sparse index, as source text: `attr("status") == "pending"`."""


class EntitySketch(Struct, frozen=True):
    """An entity. `options` are class keywords with their source text."""

    name: str
    fields: tuple[FieldSketch, ...]
    pk: str
    sk: str | None = None
    indexes: Mapping[str, IndexKeysSketch] = field(default_factory=dict)
    unique: tuple[str, ...] = ()
    """Rules as source text: `"email"` with its quotes, or `Unique("tenant_id", "slug")`."""
    derive: Mapping[str, str] = field(default_factory=dict)
    """Shards and buckets as source text: `Shard("order_id", of=8)`."""
    options: Mapping[str, str] = field(default_factory=dict)
    doc: str = ""
    comments: tuple[str, ...] = ()
    """Lines above the keys: why they are as they are."""


class PatternSketch(Struct, frozen=True):
    """An access pattern: parameters with annotation (and default) as source text, and the expression that it returns."""

    name: str
    parameters: Mapping[str, str]
    result: str
    returns: str
    doc: str = ""


class ModelSketch(Struct, frozen=True):
    """A whole model file. `table` is the name of the variable, `arguments` are further ones of Table(...), as source text."""

    table: str
    table_name: str
    entities: tuple[EntitySketch, ...]
    indexes: tuple[str, ...] = ()
    """As source text: `GSI("GSI1")`."""
    patterns: tuple[PatternSketch, ...] = ()
    arguments: Mapping[str, str] = field(default_factory=dict)
    statements: tuple[str, ...] = ()
    """Whole statements for the end, such as expectations and relationships."""
    doc: str = ""


def model_code(model: ModelSketch) -> str:
    """The model as a Python file."""
    body: list[str] = [_table(model)]
    body += [_entity(model, entity) for entity in model.entities]
    body += [_pattern(model, pattern) for pattern in model.patterns]
    text = "\n\n\n".join(body)
    if model.statements:
        text += "\n\n\n" + "\n".join(model.statements)
    doc = f'"""{docstring(model.doc)}"""\n\n' if model.doc else ""
    return f"{doc}{_imports(text)}\n\n{text}\n"


def docstring(text: str) -> str:
    """Text, line by line, as it can stand between three quotes."""
    lines = "\n".join(" " * (len(line) - len(line.lstrip(" "))) + plain_line(line) for line in text.split("\n"))
    inner = lines.replace("\\", "\\\\").replace('"""', "'''")
    return f"{inner[:-1]}'" if inner.endswith('"') else inner


def python_name(text: str, *, upper: bool = False) -> str:
    """A name for Python made of any text: `order-line` becomes order_line, or OrderLine."""
    words = re.findall(r"[A-Za-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text))
    name = "".join(w[0].upper() + w[1:] for w in words) if upper else "_".join(w.lower() for w in words)
    if not name or name[0].isdigit():
        name = f"{'X' if upper else 'x'}{'' if upper else '_'}{name}"
    return f"{name}_" if keyword.iskeyword(name) or keyword.issoftkeyword(name) else name


def _imports(text: str) -> str:
    names = (node for node in ast.walk(_parsed(text)) if isinstance(node, ast.Name))
    used = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    homes: dict[str, list[str]] = {}
    for name in sorted(used):
        home = _HOMES.get(name) or ("tablewright" if name in _OURS else None)
        if home is not None:
            homes.setdefault(home, []).append(name)
    standard = [_import(h, homes[h]) for h in sorted(homes) if h not in ("pydantic", "tablewright")]
    groups = [standard, *([_import(h, homes[h])] for h in ("pydantic", "tablewright") if h in homes)]
    return "\n\n".join("\n".join(group) for group in groups if group)


def _import(home: str, names: list[str]) -> str:
    # As ruff sorts them: constants, classes, the rest.
    ordered = sorted(names, key=lambda n: (not n.isupper(), not n[0].isupper(), n))
    line = f"from {home} import {', '.join(ordered)}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"from {home} import (", *(f"    {name}," for name in ordered), ")"])


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise ArgumentError(f"The sketch of a model makes no Python: {error}.") from None


def _table(model: ModelSketch) -> str:
    arguments = [quoted(model.table_name)]
    if model.indexes:
        arguments.append(_call("indexes=[", list(model.indexes), "]", 4))
    arguments += [f"{name}={value}" for name, value in model.arguments.items()]
    return _call(f"{model.table} = Table(", arguments, ")", 0)


def _entity(model: ModelSketch, entity: EntitySketch) -> str:
    options = "".join(f", {name}={value}" for name, value in entity.options.items())
    lines = [f"class {entity.name}(Entity, table={model.table}{options}):"]
    if entity.doc:
        lines += [f'    """{docstring(entity.doc)}"""', ""]
    lines += [f"    # {line}" for comment in entity.comments for line in _wrapped(comment, _WIDTH - 6)]
    lines += ["    " + line for line in _call("keys = Keys(", list(_key_arguments(entity)), ")", 4).splitlines()]
    for one in entity.fields:
        default = f" = {one.default}" if one.default is not None else ""
        comment = f"  # {plain_line(one.comment)}" if one.comment else ""
        lines.append(f"    {one.name}: {one.annotation}{default}{comment}")
    return "\n".join(lines)


def _key_arguments(entity: EntitySketch) -> Iterator[str]:
    yield quoted(entity.pk)
    if entity.sk is not None:
        yield quoted(entity.sk)
    aside: list[str] = []
    for name, keys in entity.indexes.items():
        if name.isidentifier() and name not in ("unique", "derive", "indexes") and not keyword.iskeyword(name):
            yield f"{name}={_index_keys(keys)}"
        else:
            aside.append(f"{quoted(name)}: {_index_keys(keys)}")
    if aside:
        yield f"indexes={{{', '.join(aside)}}}"
    if entity.unique:
        yield f"unique=[{', '.join(entity.unique)}]"
    if entity.derive:
        yield f"derive={{{', '.join(f'{quoted(n)}: {v}' for n, v in entity.derive.items())}}}"


def _index_keys(keys: IndexKeysSketch) -> str:
    sides = [_side(keys.pk)] if keys.pk else []
    if keys.sk:
        sides.append(_side(keys.sk))
    if keys.when is not None:
        return f"{'sparse' if keys.pk else 'sparse_local'}({', '.join(sides)}, when={keys.when})"
    if not keys.pk:
        return sides[0]
    return f"({', '.join(sides)})" if len(sides) > 1 else f"({sides[0]},)"


def _side(templates: tuple[str, ...]) -> str:
    if len(templates) == 1:
        return quoted(templates[0])
    return f"({', '.join(map(quoted, templates))})"


def _pattern(model: ModelSketch, pattern: PatternSketch) -> str:
    parameters = [f"{name}: {text}" for name, text in pattern.parameters.items()]
    lines = [f"@{model.table}.pattern", _call(f"def {pattern.name}(", parameters, f") -> {pattern.result}:", 0)]
    if pattern.doc:
        lines.append(f"    {quoted(pattern.doc)}")
    return "\n".join([*lines, *_returned(pattern.returns)])


def _returned(expression: str) -> list[str]:
    """`return` with an expression, on several lines where it is long: its alternatives, or the arguments of its call."""
    if len(expression) + len("    return ") <= _WIDTH or "\n" in expression:
        return [f"    return {expression}"]
    made = ast.parse(expression, mode="eval").body
    parts = [ast.get_source_segment(expression, part) or "" for part in _joined(made)]
    if len(parts) > 1:
        return ["    return (", *(f"        {'| ' if n else ''}{part}" for n, part in enumerate(parts)), "    )"]
    if isinstance(made, ast.Call) and not made.keywords:
        arguments = [ast.get_source_segment(expression, a) or "" for a in made.args]
        begin = f"    return {ast.get_source_segment(expression, made.func)}("
        return [begin, *(f"        {argument}," for argument in arguments), "    )"]
    return [f"    return {expression}"]


def _joined(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _joined(node.left)
        yield node.right
    else:
        yield node


def _call(begin: str, arguments: list[str], end: str, indent: int) -> str:
    """On one line where it fits, else an argument a line."""
    line = f"{begin}{', '.join(arguments)}{end}"
    if len(line) + indent <= _WIDTH and "\n" not in line:
        return line
    return "\n".join([begin, *("    " + a.replace("\n", "\n    ") + "," for a in arguments), end])


def quoted(text: str) -> str:
    """Text as ruff would quote it."""
    shown = repr(text)
    return f'"{shown[1:-1]}"' if shown[0] == "'" and '"' not in text else shown


def _wrapped(text: str, width: int) -> Iterable[str]:
    line = ""
    for word in plain_line(text).split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    if line:
        yield line
