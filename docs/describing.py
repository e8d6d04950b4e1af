"""Reads classes and functions and writes down, as Markdown, how they are called and what they hold."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from datetime import timedelta
from functools import cache
from importlib import import_module
from itertools import pairwise
from textwrap import dedent
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_overloads

from msgspec import Struct

import tablewright

_WIDE = 110
_INTERNAL = {
    "TableModel": "register add_aggregate on_entity on_pattern on_change on_relationship on_aggregate",
    "GSI": "resolved attributes multi",
    "LSI": "resolved attributes multi",
    "AddIndex": "form",
    "AttributeNames": "of_index own",
    "Aggregate": "bare",
    "BatchWriter": "flush",
    "Bucket": "fields",
    "Changing": "actions",
    "DropIndex": "form",
    "Entity": "model_fields_set",
    "Fault": "start concerns notice on_request on_reply changing count refuse unseen is_due strikes",
    "Faults": "watch in_haste deferring around changing unseen",
    "InFile": "take load renew save release finish",
    "InTable": "take load renew save release finish",
    "KeyStyle": "bound",
    "LegacyGet": "items",
    "LegacyQuery": "items",
    "LegacyScan": "items",
    "Meter": "note",
    "Migration": "contradiction outline stage entities paired pairs beside_pairs taken_further filled_at_the_end",
    "Move": "entities read noted",
    "Moving": "read known unmapped",
    "ReadCache": "bind find expect ended forget",
    "RetryPolicy": "of delay retryable ambiguous",
    "SessionOptions": "of",
    "ShardedCounter": "shard_for",
    "Step": "takes makes fills field_before run retire undo keys_before code arguments",
}
"""Methods without an underscore that the library alone calls, by their class."""

_OPAQUE = {"Query", "Get", "Collection", "Mixed", "BatchWriter", "GSI", "LSI", "Entity"}
"""Records whose fields are the library's own affair, or all told by their constructor."""

_MADE_FOR_YOU = {
    *("Session", "AsyncSession", "Transaction", "AsyncTransaction", "BatchWriter", "Page", "Capacity", "Stored"),
    *("Query", "Get", "Collection", "Mixed", "Key", "PlainTable", "AsyncPlainTable", "Results", "AsyncResults"),
    *("ChangePage", "Changed", "Changing", "Counted", "Deleted", "Deleting", "Difference", "Orphan", "Refreshed"),
    *("SessionOptions", "StreamRecord", "Swept", "Tally", "TallyPart", "Tombstone", "UniqueMarker", "ValueContext"),
    *(
        "MovingSession",
        "AsyncMovingSession",
        "BadRow",
        "FrozenItems",
        "Counts",
        "Estimate",
        "Progress",
        "Report",
        "Spent",
        "Left",
    ),
    *("Plan", "Verification", "Tally", "Repaired", "Mended", "Restored", "Archived", "ShadowReport"),
    *("Written", "Faults", "Snapshot", "KeyPair", "KeyRange", "ShardedKey", "Meter", "Sent"),
}
"""Classes that users meet but do not construct."""


def said(thing: object) -> str:
    """A docstring as Markdown: what is indented, or drawn, stays as it is."""
    return inspect.cleandoc(thing.__doc__ or "") if not isinstance(thing, str) else inspect.cleandoc(thing)


def in_one_line(text: str) -> str:
    """The first paragraph, fit for a list or a table."""
    return " ".join(text.split("\n\n", maxsplit=1)[0].split()).replace("|", "\\|")


def shown_type(annotation: Any, module: str = "") -> str:
    """A type as the source of a module writes it, without the modules it comes from; names for a choice of texts are
    replaced by the choice."""
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b(?!os\.)(?:[a-z_]\w*\.)+(?=[A-Za-z])", "", text).replace("'", '"')
    text = re.sub(r"\b(\w+)_co\b", r"\1", text)
    return re.sub(r'(?<!")\b[A-Z]\w+\b(?!["\[])', lambda name: _choice(name[0], module), text)


def _choice(name: str, module: str) -> str:
    """The texts that a name stands for in a module; the name itself, if it stands for something else."""
    found = vars(sys.modules[module]).get(name, None) if module else None
    home = _imports(module).get(name) if module and found is None else None
    if home is not None:
        found = getattr(import_module(home), name, None)
    return (
        f"Literal[{', '.join(map(repr, get_args(found)))}]".replace("'", '"') if get_origin(found) is Literal else name
    )


@cache
def _imports(module: str) -> dict[str, str]:
    """What a module takes from others of ours, also only for type checkers, by where it comes from."""
    statements = [
        s for s in ast.walk(ast.parse(inspect.getsource(sys.modules[module]))) if isinstance(s, ast.ImportFrom)
    ]
    ours = [s for s in statements if s.module is not None and s.module.startswith("tablewright.")]
    return {each.name: str(s.module) for s in ours for each in s.names}


def parameters(function: Callable[..., Any], *, typed: bool) -> list[str]:
    """The parameters of a function as they are written, without self."""
    shown: list[str] = []
    keyword_only = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            shown.append("*")
        variable = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        stars = "" if not variable else "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
        keyword_only = keyword_only or stars == "*"
        kind = _parameter_type(function, parameter) if typed else ""
        default = _default(parameter)
        shown.append(
            f"{stars}{parameter.name}: {kind}{default}" if kind else stars + parameter.name + default.replace(" ", "")
        )
    return shown


def called(function: Callable[..., Any], name: str | None = None) -> str:
    """How a function is called."""
    return f"{name or function.__name__}({', '.join(parameters(function, typed=False))})"


def declared(function: Callable[..., Any], name: str, *, result: bool = True) -> str:
    """How a function is called, and with what types."""
    alternatives = [part for each in _variants(function) for part in _split(_returned(each), "|")]
    returned = " | ".join(dict.fromkeys(alternatives))
    return f"{name}({', '.join(parameters(function, typed=True))})" + (f" -> {returned}" if returned and result else "")


def _returned(function: Callable[..., Any]) -> str:
    kind = shown_type(inspect.signature(function).return_annotation, function.__module__)
    if hasattr(function, "__wrapped__"):  # a generator that @contextmanager makes something to enter
        kind = re.sub(r"^(Async)?Iterator\[", r"Abstract\1ContextManager[", kind)
    return kind


def _variants(function: Callable[..., Any]) -> Sequence[Callable[..., Any]]:
    """The overloads of a function, or the function."""
    return get_overloads(function) or [function]


def _parameter_type(function: Callable[..., Any], parameter: inspect.Parameter) -> str:
    """The type of a parameter; of one that selects an overload, every text that does."""
    if isinstance(function, type):
        return fields(function).get(parameter.name, "")
    own = shown_type(parameter.annotation, function.__module__)
    texts: dict[str, None] = {}
    for each in get_overloads(function) if own == "str" else ():
        given = inspect.signature(each).parameters.get(parameter.name)
        texts.update(dict.fromkeys(re.findall(r'"[^"]*"', shown_type(given.annotation) if given else "")))
    return f"Literal[{', '.join(texts)}]" if texts else own


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return ""
    value = parameter.default
    if isinstance(value, timedelta):
        return f" = {value!r}".replace("datetime.", "")
    simple = value is None or value == () or isinstance(value, bool | int | float | str)
    return f" = {value!r}".replace("'", '"') if simple else " = ..."


def methods(cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods of a class, base classes first, each in the order of the source."""
    seen: dict[str, Any] = {}
    for base in reversed(cls.__mro__[:-1]):
        if base.__module__.startswith("tablewright"):
            seen.update({n: v for n, v in vars(base).items() if not n.startswith("_")})
    hidden = {name for base in cls.__mro__ for name in _INTERNAL.get(base.__name__, "").split()}
    for name, value in seen.items():
        found = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
        if inspect.isfunction(found) and name not in hidden:
            yield name, value


def fields(cls: type) -> dict[str, str]:
    """The public fields of a record, or of what looks like one, with their types as they are written."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        if base.__module__.startswith("tablewright"):
            own = vars(base).get("__annotations__", {})
            found.update({n: shown_type(a, base.__module__) for n, a in own.items()})
    return {n: kind for n, kind in found.items() if not n.startswith("_") and not kind.startswith("ClassVar")}


def is_record(cls: type) -> bool:
    """Whether a class is little more than its fields."""
    if cls.__name__ in _OPAQUE:
        return False
    return issubclass(cls, Struct) or is_dataclass(cls) or (issubclass(cls, tuple) and hasattr(cls, "_fields"))


def field_meanings(cls: type) -> dict[str, str]:
    """The strings below fields, which Python itself forgets."""
    meanings: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        if base.__module__.startswith("tablewright"):
            (body,) = ast.parse(dedent(inspect.getsource(base))).body
            for statement, after in pairwise(getattr(body, "body", ())):
                named = isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
                if named and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                    meanings[statement.target.id] = in_one_line(said(str(after.value.value)))
    return meanings


def listed_fields(cls: type) -> list[str]:
    """A line for each field of a record; where its constructor is shown already, for those of which there is more to say."""
    if not is_record(cls):
        return []
    meanings = field_meanings(cls)
    shown = {n: kind for n, kind in fields(cls).items() if n in meanings or not made(cls)}
    return [f"- `.{n}` (`{kind}`)" + (f": {meanings[n]}" if n in meanings else "") for n, kind in shown.items()]


def listed_method(name: str, method: Any, of: str = "") -> list[str]:
    """The lines for a method or property; `of` is the class, for what is called on it."""
    if isinstance(method, property):
        kind = _returned(method.fget) if method.fget else ""
        return [f"- `.{name}`" + (f" (`{kind}`)" if kind else "") + f": {in_one_line(said(method))}"]
    static = isinstance(method, classmethod | staticmethod)
    function = method.__func__ if static else method
    first, _, more = said(function).partition("\n\n")
    shown = declared(function, f"{of}.{name}" if static and of else name)
    waits = "await " if inspect.iscoroutinefunction(function) else ""
    lines = [f"- **`{waits}{shown}`**: {' '.join(first.split())}"]
    return lines + [f"\n  {' '.join(part.split())}\n" for part in more.split("\n\n") if part]


def members(cls: type) -> list[str]:
    """The fields of a class, if it is a record, and its methods."""
    lines = listed_fields(cls)
    for name, method in methods(cls):
        lines += listed_method(name, method, cls.__name__)
    return ["\n".join(lines)] if lines else []


def explained(cls: type) -> list[str]:
    """A class with its fields and methods."""
    return [f"## {cls.__name__}", said(cls), *members(cls)]


def made(cls: type) -> list[str]:
    """How a class is made, where users make it."""
    own = next((vars(base)["__init__"] for base in cls.__mro__ if "__init__" in vars(base)), None)
    if getattr(cls, "_is_protocol", False):
        call = vars(cls).get("__call__")
        return [fenced(declared(call, "__call__"))] if call is not None else []
    if cls.__name__ in _MADE_FOR_YOU or issubclass(cls, tablewright.Entity):
        return []
    if is_record(cls) and not _written_by_hand(cls):
        return [fenced(declared(cls, cls.__name__, result=False))]
    if own is object.__init__ or not inspect.isfunction(own):
        return []
    return [fenced(declared(own, cls.__name__, result=False))]


def _written_by_hand(cls: type) -> bool:
    own = vars(cls).get("__init__")
    return inspect.isfunction(own) and own.__code__.co_filename != "<string>"  # that is where dataclasses write theirs


def fenced(call: str) -> str:
    """A call as a block, a parameter a line where it is long."""
    if len(call) > _WIDE:
        name, _, rest = call.partition("(")
        inside, closing, result = rest.rpartition(") -> ") if ") -> " in rest else rest.rpartition(")")
        call = f"{name}(\n" + "".join(f"    {each},\n" for each in _split(inside)) + closing + result
    return f"```py\n{call}\n```"


def _split(inside: str, at: str = ",") -> list[str]:
    """Parameters one by one, or the types of a union: what is within brackets or quotes stays together."""
    parts, depth, quoted = [""], 0, False
    for letter in inside:
        quoted ^= letter == '"'
        depth += (letter in "[(") - (letter in "])")
        if letter == at and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part]


def documented_constant(name: str) -> str:
    """The string below an assignment, which Python itself forgets."""
    for module in list(sys.modules.values()):
        if (
            not isinstance(module, ModuleType)
            or not module.__name__.startswith("tablewright.")
            or name not in vars(module)
        ):
            continue
        body = ast.parse(inspect.getsource(module)).body
        for statement, after in pairwise(body):
            targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
            named = any(isinstance(t, ast.Name) and t.id == name for t in targets)
            if named and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                return str(after.value.value)
    return ""
