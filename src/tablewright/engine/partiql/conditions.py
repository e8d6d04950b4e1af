"""Conditions and updates of a statement in the syntax of DynamoDB's expressions, whose resolver then checks them."""

from __future__ import annotations

from collections.abc import Sequence

from tablewright.engine.partiql.ast import (
    Aggregate,
    Bag,
    Call,
    Expression,
    Foreign,
    IsType,
    ListOf,
    Missing,
    Operation,
    Select,
    Symbol,
    Text,
)
from tablewright.engine.partiql.messages import refuse
from tablewright.engine.partiql.naming import token_name
from tablewright.engine.partiql.paths import DocumentPath, document_path, is_path
from tablewright.engine.partiql.values import Constants, is_constant
from tablewright.expressions.resolve_condition import UPDATE_FUNCTIONS
from tablewright.expressions.syntax import Call as CallSyntax
from tablewright.expressions.syntax import PathSyntax, Syntax, ValueSyntax
from tablewright.values import TAGS, AttributeValue

_COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})
_LOGIC = frozenset({"and", "or", "not"})
_PREDICATES = frozenset({"attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains"})
_FUNCTIONS = _PREDICATES | UPDATE_FUNCTIONS | {"size"}

_TYPES = {
    "null": "NULL",
    "bool": "BOOL",
    "boolean": "BOOL",
    "blob": "B",
    "string": "S",
    "numeric": "N",
    "struct": "M",
    "tuple": "M",
    "list": "L",
}
_LONG_TYPES = {
    "varchar": "CHARACTER_VARYING",
    "char": "CHARACTER",
    "int": "INTEGER",
    "int2": "SMALLINT",
    "integer2": "SMALLINT",
    "int4": "INTEGER4",
    "int8": "INTEGER8",
}

_IN = (
    "IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with "
    "at least one member"
)
_IS = (
    "Unsupported data type for IS operator: {}. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, "
    "NUMERIC, STRUCT, TUPLE, LIST]"
)
_TYPE_NAME = "Invalid attribute type name found; type: {}, valid types: {{N,BS,L,B,NULL,M,S,SS,NS,BOOL}}"
_TOO_COMPLEX = "The expression contains too many operators"
_MOST_COMPARED, _MOST_COPIED = 100, 8
_MISSING = "MISSING must be compared using IS operator"


class Translator:
    """Turns expressions into syntax with placeholders of its own; `names` and `values` say what they stand for."""

    __slots__ = ("_compared", "_copied", "constants", "names", "values")

    def __init__(self, parameters: Sequence[AttributeValue]) -> None:
        self.constants = Constants(parameters)
        self._compared = self._copied = 0
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}

    # -------------------------------------------------------------------------------------------- what both have

    def path(self, path: DocumentPath) -> PathSyntax:
        """A path, its names behind placeholders so that no word is reserved."""
        parts: list[str | int] = []
        for part in path:
            if isinstance(part, str):
                placeholder = f"#{len(self.names)}"
                self.names[placeholder] = part
                parts.append(placeholder)
            else:
                parts.append(part)
        return PathSyntax(tuple(parts))

    def value(self, value: AttributeValue) -> ValueSyntax:
        """A value behind a placeholder."""
        placeholder = f":{len(self.values)}"
        self.values[placeholder] = value
        return ValueSyntax(placeholder)

    def call(self, node: Call, known: frozenset[str]) -> CallSyntax:
        """A function with its operands; the resolver says which functions may stand where."""
        operands = tuple(map(self.operand, node.arguments))
        if node.function not in known:
            refuse(f"Unrecognized function: {node.function}", node.position)
        return CallSyntax(node.function, operands, is_function=True)

    # ---------------------------------------------------------------------------------------------- conditions

    def where(self, node: Expression) -> Syntax:
        """The condition of a WHERE clause."""
        if not self._is_condition(node):
            refuse("WHERE clause must contain an expression that resolves to a boolean")
        return self.condition(node)

    def condition(self, node: Expression) -> Syntax:
        """Something that is true or false."""
        match node:
            case Operation("and" | "or" as operator, terms):
                if not all(map(self._is_condition, terms)):
                    refuse("The arguments to AND/OR must be Expressions")
                return _joined(operator.upper(), tuple(map(self.condition, terms)))
            case Operation("not", (term,)):
                if not self._is_condition(term):
                    refuse("The argument to NOT must be a Type or Expression")
                return CallSyntax("NOT", (self.condition(term),))
            case Operation("in"):
                return self._in(node)
            case Operation("between", operands):
                self._refuse_truths("BETWEEN", operands)
                return CallSyntax("BETWEEN", tuple(map(self.operand, operands)))
            case Operation(operator, (left, right)) if operator in _COMPARISONS:
                return self._compare(operator, left, right)
            case Operation(operator):
                refuse(f"Unsupported operator in Condition Expression. Operator: {operator}")
            case IsType():
                return self._is_type(node)
            case Call("attribute_type", (_, Text(type_name))) if type_name not in TAGS:
                refuse(_TYPE_NAME.format(type_name))
            case Call():
                return self.call(node, _FUNCTIONS)
            case _:
                return self.operand(node)

    def operand(self, node: Expression) -> Syntax:
        """Something that is compared or handed to a function."""
        if is_path(node):
            return self.path(document_path(node))
        if is_constant(node):
            return self.value(self.constants.value(node))
        match node:
            case Missing():
                refuse(_MISSING)
            case Call():
                return self.call(node, _FUNCTIONS)
            case Operation(operator):
                refuse(f"Unsupported operator in Condition Expression. Operator: {operator}")
            case Select() | Aggregate() | Foreign():
                refuse(f"Unsupported token in expression: {token_name(node)}", node.position)
            case Symbol():
                refuse("Unsupported data type: SYMBOL under key root", node.position)
            case _:
                refuse(f"Unsupported token in expression: {token_name(node)}")

    def _is_condition(self, node: Expression) -> bool:
        match node:
            case Operation() | IsType():
                return True
            case Call(function):
                # What is not known is refused with its name.
                return function in _PREDICATES or function not in _FUNCTIONS
            case Missing() | Select() | Aggregate() | Foreign():
                return True
            case _:
                return False

    def _is_truth(self, node: Expression) -> bool:
        match node:
            case Operation(operator):
                return operator in _COMPARISONS or operator in _LOGIC or operator in ("in", "between")
            case Call(function):
                return function in _PREDICATES
            case _:
                return isinstance(node, IsType)

    def _refuse_truths(self, operator: str, operands: Sequence[Expression]) -> None:
        if any(map(self._is_truth, operands)):
            refuse(
                f"Incorrect operand type for operator or function; operator or function: {operator}, operand type: BOOL"
            )

    def _compare(self, operator: str, left: Expression, right: Expression) -> Syntax:
        if not self._is_truth(left) and not self._is_truth(right):
            return CallSyntax(operator, (self.operand(left), self.operand(right)))
        if operator not in ("=", "<>"):
            self._refuse_truths(operator, (left, right))
        same = self._same(left, right)
        return same if operator == "=" else CallSyntax("NOT", (same,))

    def _same(self, left: Expression, right: Expression) -> Syntax:
        """left = right, where one side at least is a condition. Expressions do not compare conditions."""
        self._compared += 1
        if self._compared > _MOST_COMPARED:
            refuse(_TOO_COMPLEX)
        if not self._is_truth(left):
            left, right = right, left
        truth = self.condition(left)
        opposite = CallSyntax("NOT", (truth,))
        # From here on the condition stands in two places, and whatever it holds is looked at twice as often.
        self._copied += not is_constant(right)
        if self._copied > _MOST_COPIED:
            refuse(_TOO_COMPLEX)
        if self._is_truth(right):
            other = self.condition(right)
            both = CallSyntax("AND", (truth, other))
            return CallSyntax("OR", (both, CallSyntax("AND", (opposite, CallSyntax("NOT", (other,))))))
        if is_constant(right):
            match self.constants.value(right):
                case {"BOOL": True}:
                    return truth
                case {"BOOL": False}:
                    return opposite
                case _:
                    return self._never()
        if not is_path(right):
            self.operand(right)
            return self._never()
        path = self.path(document_path(right))
        yes = CallSyntax("AND", (truth, CallSyntax("=", (path, self.value({"BOOL": True})))))
        return CallSyntax(
            "OR", (yes, CallSyntax("AND", (opposite, CallSyntax("=", (path, self.value({"BOOL": False}))))))
        )

    def _never(self) -> Syntax:
        value = self.value({"BOOL": True})
        return CallSyntax("<>", (value, value))

    def _in(self, node: Operation) -> Syntax:
        left, choices = node.operands
        if not isinstance(choices, (ListOf, Bag)) or not choices.items:
            refuse(_IN)
        if self._is_truth(left):
            return _joined("OR", tuple(self._same(left, choice) for choice in choices.items))
        return CallSyntax("IN", (self.operand(left), *map(self.operand, choices.items)))

    def _is_type(self, node: IsType) -> Syntax:
        if not is_path(node.operand) and not is_constant(node.operand):
            refuse("The left hand side argument to IS must be a Variable Reference, Literal, or Path")
        operand = self.operand(node.operand)
        if node.type == "missing":
            return CallSyntax("attribute_not_exists", (operand,), is_function=True)
        tag = _TYPES.get(node.type)
        if tag is None:
            refuse(_IS.format(_LONG_TYPES.get(node.type, node.type.upper())), node.position)
        return CallSyntax("attribute_type", (operand, self.value({"S": tag})), is_function=True)

    # ------------------------------------------------------------------------------------------------- updates

    def assigned(self, node: Expression) -> Syntax:
        """The value of a SET clause."""
        if is_path(node) or is_constant(node):
            return self.operand(node)
        match node:
            case Missing():
                refuse(_MISSING)
            case IsType():
                refuse("IS operator is not supported in update expressions")
            case Operation("+" | "-" as operator, operands):
                return CallSyntax(operator, tuple(map(self.assigned, operands)))
            case Operation(operator):
                refuse(f"Unsupported operator in Update Expression. Operator: {operator}")
            case Call(function, arguments):
                values = tuple(map(self.assigned, arguments))
                if function not in _FUNCTIONS:
                    refuse(f"Unrecognized function: {function}", node.position)
                if function not in UPDATE_FUNCTIONS:
                    refuse(f"The function is not allowed in an update expression; function: {function}")
                return CallSyntax(function, values, is_function=True)
            case _:
                return self.operand(node)


def _joined(operator: str, terms: tuple[Syntax, ...]) -> Syntax:
    """Terms of one level, those of a nested level with the same operator among them."""
    flat: list[Syntax] = []
    for term in terms:
        nested = isinstance(term, CallSyntax) and term.name == operator and not term.is_function
        flat.extend(term.args if nested and isinstance(term, CallSyntax) else (term,))
    return CallSyntax(operator, tuple(flat)) if len(flat) > 1 else flat[0]
