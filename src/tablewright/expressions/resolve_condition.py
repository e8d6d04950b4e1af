"""Condition syntax to condition nodes, with DynamoDB's checks on functions and operand types."""

from __future__ import annotations

from tablewright.expressions.ast import (
    And,
    Attribute,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    In,
    Not,
    Operand,
    Or,
    Size,
    Value,
    ValueRef,
)
from tablewright.expressions.comparison import binary, ordered
from tablewright.expressions.lexer import refuse
from tablewright.expressions.limits import MAX_IN_OPERANDS, MAX_OPERATORS
from tablewright.expressions.parser import too_many_operators
from tablewright.expressions.resolve import (
    Names,
    Resolver,
    Template,
    Values,
    check_bare_names,
    path_text,
    tag_of,
)
from tablewright.expressions.syntax import Call, PathSyntax, Syntax, ValueSyntax
from tablewright.values.types import TAGS, AttributeValue

_ARITY = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
    "size": 1,
}
UPDATE_FUNCTIONS = frozenset({"if_not_exists", "list_append"})
CONDITION_FUNCTIONS = frozenset(_ARITY)

_ORDERED = frozenset({"S", "N", "B"})
_PREFIXED = frozenset({"S", "B"})
_SIZED = TAGS - {"N", "BOOL", "NULL"}
_COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})

# Sets in messages have no order of their own; these are as the service once printed them.
_ALL_TYPES = "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"
_TYPE_NAMES = "{B,NULL,SS,BOOL,L,BS,N,NS,S,M}"

_NOTHING = AttributeExists(())


def check_functions(node: Syntax, kind: str, *, as_condition: bool) -> None:
    """Refuse unknown and misplaced functions, reserved words and impossible positions, in the order written."""
    if isinstance(node, PathSyntax):
        check_bare_names(node, kind)
        return
    if isinstance(node, ValueSyntax):
        return
    if node.is_function:
        if node.name in UPDATE_FUNCTIONS:
            refuse(kind, f"The function is not allowed in a condition expression; function: {node.name}")
        if node.name not in CONDITION_FUNCTIONS:
            refuse(kind, f"Invalid function name; function: {node.name}")
        if as_condition == (node.name == "size"):
            refuse(kind, f"The function is not allowed to be used this way in an expression; function: {node.name}")
    terms_are_conditions = node.name in ("AND", "OR", "NOT") and not node.is_function
    for arg in node.args:
        check_functions(arg, kind, as_condition=terms_are_conditions)


class _ConditionResolver(Resolver):
    __slots__ = ("operators",)

    def __init__(self, kind: str, names: Names) -> None:
        super().__init__(kind, names)
        self.operators = 0

    def build(self, syntax: Syntax) -> Condition:
        node = self.condition(syntax)
        if self.operators > MAX_OPERATORS:
            kind = self.kind
            self.checks.append(lambda values: too_many_operators(kind))
        return node

    def condition(self, node: Syntax) -> Condition:
        assert isinstance(node, Call)
        if node.is_function:
            return self.function(node)
        name = node.name
        if name == "NOT":
            self.operators += 1
            return Not(self.condition(node.args[0]))
        if name in ("AND", "OR"):
            self.operators += len(node.args) - 1
            terms = tuple(map(self.condition, node.args))
            return And(terms) if name == "AND" else Or(terms)
        self.operators += 1
        operands = tuple(map(self.operand, node.args))
        if name == "IN":
            self.distinct(name, operands)
            if len(operands) - 1 > MAX_IN_OPERANDS:
                self.fault(
                    f"The IN operator is provided with too many operands; number of operands: {len(operands) - 1}"
                )
            return In(operands[0], operands[1:])
        if name not in ("=", "<>"):
            self.types(name, operands, _ORDERED)
        self.distinct(name, operands)
        if name == "BETWEEN":
            self.bounds(operands[1], operands[2])
            return Between(*operands)
        assert name in _COMPARATORS
        return Compare(name, operands[0], operands[1])  # type: ignore[arg-type]

    def operand(self, node: Syntax) -> Operand:
        if isinstance(node, PathSyntax):
            return Attribute(self.path(node))
        if isinstance(node, ValueSyntax):
            return self.value(node)
        self.operators += 1
        operands = tuple(map(self.operand, node.args))
        self.arity("size", operands)
        self.types("size", operands, _SIZED)
        return Size(operands[0])

    def function(self, node: Call) -> Condition:
        self.operators += 1
        name = node.name
        operands = tuple(map(self.operand, node.args))
        self.arity(name, operands)
        first = operands[0]
        if name in ("attribute_exists", "attribute_not_exists"):
            if not isinstance(first, Attribute):
                self.fault(f"Operator or function requires a document path; operator or function: {name}")
            return (AttributeExists if name == "attribute_exists" else AttributeNotExists)(first.path)
        second = operands[1]
        if name == "begins_with":
            self.types(name, operands, _PREFIXED)
        self.distinct(name, operands)
        if name == "begins_with":
            return BeginsWith(first, second)
        if name == "contains":
            return Contains(first, second)
        self.type_name(second)
        return AttributeType(first, second)

    # --------------------------------------------------------------------------------------------- checks

    def arity(self, name: str, operands: tuple[Operand, ...]) -> None:
        if len(operands) != _ARITY[name]:
            self.fault(
                "Incorrect number of operands for operator or function; "
                f"operator or function: {name}, number of operands: {len(operands)}"
            )

    def distinct(self, name: str, operands: tuple[Operand, ...]) -> None:
        first = operands[0]
        if isinstance(first, Attribute) and first in operands[1:]:
            self.fault(
                "The first operand must be distinct from the remaining operands for this operator or function; "
                f"operator: {name}, first operand: {path_text(first.path)}"
            )

    def types(self, name: str, operands: tuple[Operand, ...], allowed: frozenset[str]) -> None:
        """Constants must be of an allowed type; what a path holds is not known before the item is."""
        kind = self.kind
        for operand in operands:
            if isinstance(operand, Size) and "N" not in allowed:
                self.fault(_wrong_type(name, "N"))
            if isinstance(operand, ValueRef):
                ref = operand.name

                def check(values: Values, ref: str = ref) -> None:
                    tag = tag_of(values[ref])
                    if tag not in allowed:
                        refuse(kind, _wrong_type(name, tag))

                self.checks.append(check)

    def bounds(self, low: Operand, high: Operand) -> None:
        if not (isinstance(low, ValueRef) and isinstance(high, ValueRef)):
            return
        kind, low_name, high_name = self.kind, low.name, high.name

        def check(values: Values) -> None:
            low, high = values[low_name], values[high_name]
            if tag_of(low) != tag_of(high):
                rule = "same data type for lower and upper bounds"
            elif ordered(high, low, "<"):
                rule = "upper bound to be greater than or equal to lower bound"
            else:
                return
            refuse(
                kind,
                f"The BETWEEN operator requires {rule}; lower bound operand: AttributeValue: {_shown(low)}, "
                f"upper bound operand: AttributeValue: {_shown(high)}",
            )

        self.checks.append(check)

    def type_name(self, operand: Operand) -> None:
        name = "attribute_type"
        if isinstance(operand, Size):
            self.fault(_wrong_type(name, "N"))
        if not isinstance(operand, ValueRef):
            self.fault(_wrong_type(name, _ALL_TYPES))
        kind, ref = self.kind, operand.name

        def check(values: Values) -> None:
            value = values[ref]
            if "S" not in value:
                refuse(kind, _wrong_type(name, tag_of(value)))
            if value["S"] not in TAGS:
                refuse(kind, f"Invalid attribute type name found; type: {value['S']}, valid types: {_TYPE_NAMES}")

        self.checks.append(check)


def _wrong_type(name: str, tag: str) -> str:
    return f"Incorrect operand type for operator or function; operator or function: {name}, operand type: {tag}"


def _shown(value: AttributeValue) -> str:
    """A bound as the service prints it."""
    tag = tag_of(value)
    if tag == "B":
        size = len(binary(value["B"]))
        return f"{{B:java.nio.HeapByteBuffer[pos=0 lim={size} cap={size}]}}"
    return f"{{{tag}:{value[tag]}}}"


def resolve_condition(syntax: Syntax, kind: str, names: Names) -> Template[Condition]:
    """Check and resolve a parsed condition; faults that need the values are left to the template's checks."""
    check_functions(syntax, kind, as_condition=True)
    resolver = _ConditionResolver(kind, names)
    return resolver.template(lambda: resolver.build(syntax), _NOTHING)


def bind_condition(node: Condition, values: Values) -> Condition:
    """The same condition with its placeholders replaced by the values they stand for."""

    def operand(part: Operand) -> Operand:
        match part:
            case ValueRef(name):
                return Value(values[name])
            case Size(inner):
                return Size(operand(inner))
            case _:
                return part

    match node:
        case And(terms):
            return And(tuple(bind_condition(term, values) for term in terms))
        case Or(terms):
            return Or(tuple(bind_condition(term, values) for term in terms))
        case Not(term):
            return Not(bind_condition(term, values))
        case Compare(op, left, right):
            return Compare(op, operand(left), operand(right))
        case Between(tested, low, high):
            return Between(operand(tested), operand(low), operand(high))
        case In(tested, options):
            return In(operand(tested), tuple(map(operand, options)))
        case AttributeType(tested, type_name):
            return AttributeType(operand(tested), operand(type_name))
        case BeginsWith(tested, prefix):
            return BeginsWith(operand(tested), operand(prefix))
        case Contains(container, member):
            return Contains(operand(container), operand(member))
        case AttributeExists() | AttributeNotExists():
            return node
