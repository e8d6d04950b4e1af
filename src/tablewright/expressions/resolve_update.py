"""Update and projection syntax to nodes, with DynamoDB's checks on sections, paths, functions and operand types."""

from __future__ import annotations

from typing import Literal, cast

from tablewright.expressions.ast import (
    AddAction,
    Arithmetic,
    Attribute,
    DeleteAction,
    IfNotExists,
    ListAppend,
    Path,
    Projection,
    RemoveAction,
    SetAction,
    Update,
    UpdateAction,
    UpdateOperand,
    UpdateValue,
    Value,
    ValueRef,
)
from tablewright.expressions.lexer import refuse
from tablewright.expressions.resolve import (
    Names,
    Resolver,
    Template,
    Values,
    check_bare_names,
    path_text,
    tag_of,
)
from tablewright.expressions.resolve_condition import CONDITION_FUNCTIONS, UPDATE_FUNCTIONS
from tablewright.expressions.syntax import ActionSyntax, Call, PathSyntax, SectionSyntax, Syntax, ValueSyntax

_LONG_TYPE_NAMES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "L": "LIST",
    "M": "MAP",
}
_SETS = frozenset({"SS", "NS", "BS"})
_ALLOWED = {"ADD": _SETS | {"N"}, "DELETE": _SETS}


def _check_functions(node: Syntax | None, kind: str, *, nested: bool) -> None:
    match node:
        case PathSyntax():
            check_bare_names(node, kind)
        case Call(name, args, is_function):
            if is_function:
                if name in CONDITION_FUNCTIONS:
                    refuse(kind, f"The function is not allowed in an update expression; function: {name}")
                if name not in UPDATE_FUNCTIONS:
                    refuse(kind, f"Invalid function name; function: {name}")
                if nested and name == "list_append":
                    refuse(kind, f"The function is not allowed to be used this way in an expression; function: {name}")
            for arg in args:
                _check_functions(arg, kind, nested=True)


def _check_sections(sections: tuple[SectionSyntax, ...], kind: str) -> None:
    seen: set[str] = set()
    for section in sections:
        for action in section.actions:
            check_bare_names(action.path, kind)
            _check_functions(action.value, kind, nested=False)
        if section.keyword in seen:
            refuse(kind, f'The "{section.keyword}" section can only be used once in an update expression;')
        seen.add(section.keyword)


class _PathSet:
    """Paths of one expression, none of which may be within another or take one container for a map and a list."""

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self.paths: list[Path] = []

    def add(self, path: Path) -> None:
        for other in self.paths:
            for mine, theirs in zip(path, other, strict=False):
                if type(mine) is not type(theirs):
                    self.clash("conflict", path, other)
                if mine != theirs:
                    break
            else:
                self.clash("overlap", path, other)
        self.paths.append(path)

    def clash(self, how: str, path: Path, other: Path) -> None:
        self.resolver.fault(
            f"Two document paths {how} with each other; must remove or rewrite one of these paths; "
            f"path one: {path_text(path)}, path two: {path_text(other)}"
        )


class _UpdateResolver(Resolver):
    __slots__ = ()

    def build(self, sections: tuple[SectionSyntax, ...]) -> Update:
        """DynamoDB looks at the last action first: at all paths, then at all values."""
        written = [(section.keyword, action) for section in sections for action in section.actions]
        written.reverse()
        paths = _PathSet(self)
        for _, action in written:
            paths.add(self.path(action.path))
        actions = [
            self.action(keyword, path, action)
            for (keyword, action), path in zip(written, list(paths.paths), strict=True)
        ]
        return Update(tuple(reversed(actions)))

    def action(self, keyword: str, path: Path, action: ActionSyntax) -> UpdateAction:
        if action.value is None:
            return RemoveAction(path)
        if keyword == "SET":
            return SetAction(path, self.set_value(action.value))
        assert isinstance(action.value, ValueSyntax)
        value = self.value(action.value)
        self.set_operand(keyword, value.name)
        return AddAction(path, value) if keyword == "ADD" else DeleteAction(path, value)

    def set_operand(self, keyword: str, ref: str) -> None:
        kind, allowed = self.kind, _ALLOWED[keyword]

        def check(values: Values) -> None:
            tag = tag_of(values[ref])
            if tag not in allowed:
                refuse(
                    kind,
                    f"Incorrect operand type for operator or function; operator: {keyword}, "
                    f"operand type: {_LONG_TYPE_NAMES.get(tag, tag)}, typeSet: ALLOWED_FOR_{keyword}_OPERAND",
                )

        self.checks.append(check)

    def set_value(self, node: Syntax) -> UpdateValue:
        if isinstance(node, PathSyntax):
            return Attribute(self.path(node))
        if isinstance(node, ValueSyntax):
            return self.value(node)
        # Only list_append and arithmetic are refused as operands, and that has been done.
        operands = cast("tuple[UpdateOperand, ...]", tuple(map(self.set_value, node.args)))
        name = node.name
        if len(operands) != 2:
            self.fault(
                "Incorrect number of operands for operator or function; "
                f"operator or function: {name}, number of operands: {len(operands)}"
            )
        first, second = operands
        if name == "if_not_exists":
            if not isinstance(first, Attribute):
                self.fault(f"Operator or function requires a document path; operator or function: {name}")
            if first == second:
                self.fault(
                    "The first operand must be distinct from the remaining operands for this operator or function; "
                    f"operator: {name}, first operand: {path_text(first.path)}"
                )
            return IfNotExists(first.path, second)
        self.types(name, operands, "L" if name == "list_append" else "N")
        if name == "list_append":
            return ListAppend(first, second)
        return Arithmetic(cast(Literal["+", "-"], name), first, second)

    def types(self, name: str, operands: tuple[UpdateOperand, ...], wanted: str) -> None:
        kind = self.kind
        for operand in operands:
            if isinstance(operand, ValueRef):

                def check(values: Values, ref: str = operand.name) -> None:
                    value = values[ref]
                    if wanted not in value:
                        refuse(
                            kind,
                            "Incorrect operand type for operator or function; "
                            f"operator or function: {name}, operand type: {tag_of(value)}",
                        )

                self.checks.append(check)


def resolve_update(sections: tuple[SectionSyntax, ...], kind: str, names: Names) -> Template[Update]:
    """Check and resolve a parsed update; faults that need the values are left to the template's checks."""
    _check_sections(sections, kind)
    resolver = _UpdateResolver(kind, names)
    return resolver.template(lambda: resolver.build(sections), Update(()))


def resolve_projection(paths: tuple[PathSyntax, ...], kind: str, names: Names) -> Template[Projection]:
    """Check and resolve a parsed projection."""
    for path in paths:
        check_bare_names(path, kind)
    resolver = Resolver(kind, names)

    def build() -> Projection:
        found = _PathSet(resolver)
        for path in reversed(paths):
            found.add(resolver.path(path))
        return Projection(tuple(reversed(found.paths)))

    return resolver.template(build, Projection(()))


def bind_update(node: Update, values: Values) -> Update:
    """The same update with its placeholders replaced by the values they stand for."""

    def bind(part: UpdateValue) -> UpdateValue:
        match part:
            case ValueRef(name):
                return Value(values[name])
            case IfNotExists(path, default):
                return IfNotExists(path, cast(UpdateOperand, bind(default)))
            case ListAppend(first, second):
                return ListAppend(cast(UpdateOperand, bind(first)), cast(UpdateOperand, bind(second)))
            case Arithmetic(op, left, right):
                return Arithmetic(op, cast(UpdateOperand, bind(left)), cast(UpdateOperand, bind(right)))
            case _:
                return part

    def bind_action(action: UpdateAction) -> UpdateAction:
        match action:
            case SetAction(path, value):
                return SetAction(path, bind(value))
            case AddAction(path, ValueRef(name)):
                return AddAction(path, Value(values[name]))
            case DeleteAction(path, ValueRef(name)):
                return DeleteAction(path, Value(values[name]))
            case _:
                return action

    return Update(tuple(map(bind_action, node.actions)))
