"""What a statement says before any table is looked at: paths, values, a resolved condition or update."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tablewright.engine.partiql.ast import (
    Assignment,
    Call,
    Column,
    Delete,
    Expression,
    Insert,
    Name,
    Path,
    Removal,
    Returned,
    Select,
    Struct,
    Update,
    Wildcard,
    operation_name,
)
from tablewright.engine.partiql.conditions import Translator
from tablewright.engine.partiql.messages import (
    ALIASING,
    EXISTS_MISPLACED,
    KEY_EQUALITY,
    ON_INDEX,
    PATH_COMPONENT,
    refuse,
)
from tablewright.engine.partiql.naming import token_name
from tablewright.engine.partiql.paths import DocumentPath, Place, document_path, is_path, place_of
from tablewright.errors import ExpressionError
from tablewright.expressions import CompiledUpdateExpression
from tablewright.expressions.ast import Condition
from tablewright.expressions.resolve_condition import resolve_condition
from tablewright.expressions.resolve_update import resolve_projection, resolve_update
from tablewright.expressions.syntax import ActionSyntax, SectionSyntax, Syntax, ValueSyntax
from tablewright.values import SET_TAGS, AttributeValue, Item

Values: TypeAlias = dict[str, AttributeValue]

_CONDITION, _UPDATE, _PROJECTION = "ConditionExpression", "UpdateExpression", "ProjectionExpression"
_SET_FUNCTIONS = {"set_add": "ADD", "set_delete": "DELETE"}


@dataclass(frozen=True, slots=True)
class Where:
    """A resolved condition with the values that its placeholders stand for."""

    condition: Condition
    values: Values


@dataclass(frozen=True, slots=True)
class Order:
    """One term of ORDER BY."""

    name: str
    descending: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A SELECT. No columns mean whole items; each has the name that it gets in the answer."""

    place: Place
    columns: tuple[tuple[str, DocumentPath], ...] | None
    where: Where | None
    order: tuple[Order, ...]


@dataclass(frozen=True, slots=True)
class Checking:
    """EXISTS(SELECT …): an item that must be there and satisfy a condition."""

    reading: Reading


@dataclass(frozen=True, slots=True)
class Inserting:
    """An INSERT with its item."""

    place: Place
    item: Item


@dataclass(frozen=True, slots=True)
class Updating:
    """An UPDATE. `returning` is a mapping such as ALL OLD, or None; the values of `where` serve the update too."""

    place: Place
    update: CompiledUpdateExpression
    where: Where
    returning: str | None


@dataclass(frozen=True, slots=True)
class Deleting:
    """A DELETE."""

    place: Place
    where: Where
    returning: str | None


Writing: TypeAlias = Inserting | Updating | Deleting
Understood: TypeAlias = Reading | Checking | Inserting | Updating | Deleting


def understand(node: Expression, parameters: Sequence[AttributeValue]) -> Understood:
    """What a parsed statement asks for, with its parameters in place."""
    try:
        match node:
            case Select():
                return _reading(node, parameters)
            case Insert():
                return _inserting(node, parameters)
            case Update():
                return _updating(node, parameters)
            case Delete():
                return _deleting(node, parameters)
            case Call("exists", (Select() as select,)):
                return Checking(_reading(select, parameters))
    except ExpressionError as error:
        # In a statement the service does not say which expression it was.
        refuse(error.message.removeprefix(f"Invalid {error.constraint}: "))
    operation = operation_name(node)
    refuse(EXISTS_MISPLACED if operation is None else f"Unsupported operation: {operation}")


# --------------------------------------------------------------------------------------------------------- reads


def _reading(node: Select, parameters: Sequence[AttributeValue]) -> Reading:
    if node.quantifier == "value":
        refuse("Select projection doesn't support value or pivot keywords")
    if node.unsupported:
        refuse(f"Unsupported clause: {node.unsupported}")
    if node.quantifier == "distinct":
        refuse("Unsupported token in expression: DISTINCT")
    place = place_of(node.source)
    columns = _columns(node.columns) if node.columns else None
    where = _where(node.where, Translator(parameters))
    return Reading(place, columns, where, tuple(Order(_ordered(one.expression), one.descending) for one in node.order))


def _ordered(node: Expression) -> str:
    if not isinstance(node, Name):
        refuse(f"Argument to ORDER BY must be of type VariableReference. Type: {token_name(node)}")
    return node.name


def _columns(columns: Sequence[Column]) -> tuple[tuple[str, DocumentPath], ...]:
    found: dict[str, DocumentPath] = {}
    for column in columns:
        node = column.expression
        if column.has_alias:
            refuse(ALIASING)
        if isinstance(node, Path) and isinstance(node.steps[-1], Wildcard):
            refuse("Changing item's hierarchy while reading isn't supported")
        if not is_path(node):
            refuse(PATH_COMPONENT, node.position)
        path = document_path(node)
        name = _column_name(path)
        if name in found:
            refuse(f"Duplicate identifiers in select clause: {name}")
        found[name] = path
    translator = Translator(())
    # The resolver begins with the last path, this language with the first.
    syntaxes = tuple(translator.path(path) for path in reversed(found.values()))
    resolve_projection(syntaxes, _PROJECTION, translator.names).check({})
    return tuple(found.items())


def _column_name(path: DocumentPath) -> str:
    """The last name of a path, with the positions behind it."""
    last = max(at for at, part in enumerate(path) if isinstance(part, str))
    return f"{path[last]}{''.join(f'[{position}]' for position in path[last + 1 :])}"


def _where(node: Expression | None, translator: Translator) -> Where | None:
    if node is None:
        return None
    template = resolve_condition(translator.where(node), _CONDITION, translator.names)
    template.check(translator.values)
    return Where(template.node, translator.values)


# -------------------------------------------------------------------------------------------------------- writes


def _inserting(node: Insert, parameters: Sequence[AttributeValue]) -> Inserting:
    if not node.is_value:
        refuse("Unsupported operation: InsertOp")
    if isinstance(node.source.place, Path):
        refuse(
            "FROM clause may only contain a single table name in data manipulation statements",
            node.source.place.position,
        )
    place = place_of(node.source)
    if node.returning:
        refuse("RETURNING is not supported in INSERT")
    if node.has_place:
        refuse("AT is not supported in insert statements.", node.position)
    if node.on_conflict:
        refuse("Unsupported clause: ON CONFLICT")
    if not isinstance(node.item, Struct):
        refuse(
            "Unsupported format in item expression. Please use struct format {...} to express item values for insert "
            "statement.",
            node.item.position,
        )
    return Inserting(place, Translator(parameters).constants.item(node.item))


def _written(node: Update | Delete) -> Place:
    if node.source is None:
        refuse("Only select from a single table or index is supported.")
    place = place_of(node.source)
    if place.index is not None:
        refuse(ON_INDEX)
    return place


def _updating(node: Update, parameters: Sequence[AttributeValue]) -> Updating:
    place = _written(node)
    translator = Translator(parameters)
    where = _where(node.where, translator)
    if where is None:
        refuse(KEY_EQUALITY)
    return Updating(place, _update(node, translator), where, _returned(node.returning))


def _deleting(node: Delete, parameters: Sequence[AttributeValue]) -> Deleting:
    place = _written(node)
    where = _where(node.where, Translator(parameters))
    if where is None:
        refuse(KEY_EQUALITY)
    returning = _returned(node.returning)
    if returning not in (None, "ALL OLD"):
        refuse(
            f"Invalid returning clause: RETURNING {returning} *. Only RETURNING ALL OLD * is allowed in DELETE "
            "statements."
        )
    return Deleting(place, where, returning)


def _returned(elements: Sequence[Returned]) -> str | None:
    if not elements:
        return None
    if len(elements) > 1:
        refuse("Invalid syntax with multiple returning elements in RETURNING clause")
    (element,) = elements
    if not element.is_star:
        refuse("Expected '*' after ( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause")
    return element.mapping


def _update(node: Update, translator: Translator) -> CompiledUpdateExpression:
    sections: dict[str, list[ActionSyntax]] = {}
    for action in node.actions:
        if isinstance(action, Insert):
            refuse("Only SET and REMOVE are supported in update expressions at this time")
        section, syntax = _action(action, translator)
        sections.setdefault(section, []).append(syntax)
    # The resolver begins with the last action, this language with the first.
    written = tuple(SectionSyntax(keyword, tuple(reversed(actions))) for keyword, actions in reversed(sections.items()))
    template = resolve_update(written, _UPDATE, translator.names)
    template.check(translator.values)
    return CompiledUpdateExpression(template)


def _action(action: Assignment | Removal, translator: Translator) -> tuple[str, ActionSyntax]:
    path = document_path(action.path)
    if isinstance(action, Removal):
        return "REMOVE", ActionSyntax(translator.path(path), None)
    value = action.value
    if isinstance(value, Call) and value.function in _SET_FUNCTIONS:
        members = _members(path, value, translator)
        return _SET_FUNCTIONS[value.function], ActionSyntax(translator.path(path), members)
    assigned: Syntax = translator.assigned(value)
    return "SET", ActionSyntax(translator.path(path), assigned)


def _members(path: DocumentPath, call: Call, translator: Translator) -> ValueSyntax:
    """What set_add and set_delete add to a set or take away from it."""
    name = call.function.upper()
    if len(call.arguments) != 2:
        refuse(f"{name} must have exactly two arguments", call.position)
    target, members = call.arguments
    if not is_path(target) or document_path(target) != path:
        refuse(f"The first argument to {name} must equal the assignment value", call.position)
    value = translator.constants.value(members) if not is_path(members) else {}
    if SET_TAGS.isdisjoint(value):
        refuse(f"The second argument to {name} must be a value with type SET", _start(target))
    return translator.value(value)


def _start(node: Expression) -> object:
    return node.root.position if isinstance(node, Path) else node.position
