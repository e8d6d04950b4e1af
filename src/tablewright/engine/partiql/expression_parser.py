"""Expressions of PartiQL: literals, paths, calls and operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tablewright.engine.partiql.ast import (
    Aggregate,
    Bag,
    Boolean,
    Call,
    Element,
    Expression,
    Field,
    Ion,
    IsType,
    ListOf,
    Missing,
    Name,
    Null,
    Number,
    Operation,
    Parameter,
    Path,
    Select,
    Step,
    Struct,
    Text,
    Wildcard,
)
from tablewright.engine.partiql.keywords import AGGREGATES, FUNCTIONS, TYPES
from tablewright.engine.partiql.lexer import END, ION, NAME, NUMBER, QUOTED, STRING, Token, tokenize
from tablewright.engine.partiql.limits import MAX_DEPTH
from tablewright.engine.partiql.messages import malformed
from tablewright.engine.partiql.special_forms import FORMS

_SETS, _OR, _AND, _NOT, _EQUALITY, _COMPARISON, _SUM, _PRODUCT = range(8)

_PRECEDENCE = {
    **dict.fromkeys(("union", "intersect", "except", "union all", "intersect all", "except all"), _SETS),
    "or": _OR,
    "and": _AND,
    **dict.fromkeys(("=", "<>", "is", "is not", "in", "not in"), _EQUALITY),
    **dict.fromkeys(("<", "<=", ">", ">=", "between", "not between", "like", "not like"), _COMPARISON),
    **dict.fromkeys(("+", "-", "||"), _SUM),
    **dict.fromkeys(("*", "/", "%"), _PRODUCT),
}
_STATEMENTS = frozenset({"select", "pivot", "insert into", "update", "delete", "from", "set", "remove"})

Part = TypeVar("Part")


class ExpressionParser:
    """Tokens under a reading head."""

    def __init__(self, text: str) -> None:
        self.tokens = tokenize(text)
        self.at = 0
        self.parameters = 0
        self.depth = 0

    # -------------------------------------------------------------------------------------------------- tokens

    @property
    def token(self) -> Token:
        """The token under the head."""
        return self.tokens[self.at]

    @property
    def kind(self) -> str:
        """Its kind."""
        return self.tokens[self.at].kind

    def advance(self) -> Token:
        """Take the token under the head."""
        token = self.tokens[self.at]
        self.at += token.kind != END
        return token

    def take(self, kind: str) -> bool:
        """Take the token under the head if it is of this kind."""
        if self.kind != kind:
            return False
        self.advance()
        return True

    def expect(self, kind: str, told: str) -> Token:
        """Take the token under the head, which must be of this kind."""
        if self.kind != kind:
            malformed(f"Expected {told}")
        return self.advance()

    def deeper(self) -> None:
        """Count one more level, and refuse what no sensible statement has."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            malformed("Expressions are nested too deeply")

    # ----------------------------------------------------------------------------------------------- operators

    def expression(self, above: int = -1) -> Expression:
        """An expression whose operators all bind more tightly than `above`."""
        depth = self.depth
        self.deeper()
        left = self.unary()
        while (precedence := _PRECEDENCE.get(self.kind, -1)) > above:
            operator = self.advance()
            if operator.kind in ("and", "or"):
                # Terms of one level stand beside each other, however many they are.
                terms = [left, self.right(precedence)]
                while self.take(operator.kind):
                    terms.append(self.right(precedence))
                left = Operation(operator.kind, tuple(terms), operator.position)
                continue
            self.deeper()
            left = self.operation(left, operator, precedence)
        self.depth = depth
        return left

    def right(self, precedence: int) -> Expression:
        """What stands behind an infix operator."""
        if self.kind == END:
            malformed("Missing right-hand side expression of infix operator")
        return self.expression(precedence)

    def operation(self, left: Expression, operator: Token, precedence: int) -> Expression:
        """What an operator other than AND and OR makes of its left side and what follows."""
        kind, position = operator.kind, operator.position
        negated = kind.startswith("not ") or kind == "is not"
        plain = {"is not": "is"}.get(kind, kind.removeprefix("not "))
        node: Expression
        match plain:
            case "is":
                node = IsType(left, self.type_name(), position)
            case "in":
                node = Operation("in", (left, self.choices(precedence)), position)
            case "between":
                low = self.right(precedence)
                self.expect("and", "AND")
                node = Operation("between", (left, low, self.right(precedence)), position)
            case "like":
                pattern = self.right(precedence)
                if self.take("escape"):
                    self.right(precedence)
                node = Operation("like", (left, pattern), position)
            case _:
                node = Operation(plain, (left, self.right(precedence)), position)
        return Operation("not", (node,), position) if negated else node

    def choices(self, precedence: int) -> Expression:
        """What follows IN: a list, or several values in parentheses."""
        if self.kind != "(":
            return self.right(precedence)
        position = self.advance().position
        if self.kind == ")":
            malformed("Expression group cannot be empty")
        items = self.several(self.expression)
        self.expect(")", "RIGHT_PAREN")
        return items[0] if len(items) == 1 and isinstance(items[0], Select) else ListOf(items, position)

    def type_name(self) -> str:
        """What follows IS; a type's parameters say nothing here."""
        kind = self.token.text.lower()
        if kind not in TYPES and self.kind.replace(" ", "_") not in TYPES:
            malformed("Expected type name")
        name = self.advance().text.lower().replace(" ", "_")
        if self.take("("):
            self.several(self.expression)
            self.expect(")", "RIGHT_PAREN")
        return name

    def unary(self) -> Expression:
        """A term with the signs or NOTs before it."""
        token = self.token
        if token.kind == "not":
            self.advance()
            return Operation("not", (self.expression(_NOT),), token.position)
        if token.kind not in ("+", "-"):
            return self.path_of(self.term())
        self.advance()
        depth = self.depth
        self.deeper()
        operand = self.unary()
        self.depth = depth
        if isinstance(operand, Number):
            return operand if token.kind == "+" else _negated(operand)
        return Operation(token.kind, (operand,), token.position)

    # --------------------------------------------------------------------------------------------------- terms

    def several(self, one: Callable[[], Part]) -> tuple[Part, ...]:
        """One or more, with commas between them."""
        parts = [one()]
        while self.take(","):
            parts.append(one())
        return tuple(parts)

    def term(self) -> Expression:
        """Something without operators."""
        token = self.token
        kind, position = token.kind, token.position
        if kind in _STATEMENTS:
            return self.statement()
        if kind in FORMS:
            return FORMS[kind](self)
        if kind in (NAME, QUOTED) or kind in FUNCTIONS:
            self.advance()
            if self.kind == "(":
                return Call(token.text.lower(), self.arguments(), position)
            if kind in FUNCTIONS:
                malformed("Unexpected keyword")
            return Name(token.text, position)
        if kind in AGGREGATES:
            return self.aggregate()
        simple = self.simple_literal(token)
        if simple is not None:
            self.advance()
            return simple
        match kind:
            case "?":
                self.advance()
                self.parameters += 1
                return Parameter(self.parameters - 1, position)
            case "(":
                return self.group()
            case "[":
                return ListOf(self.enclosed("]", "RIGHT_BRACKET", self.expression), position)
            case "<<":
                return Bag(self.enclosed(">>", "RIGHT_DOUBLE_ANGLE_BRACKET", self.expression), position)
            case "{":
                return Struct(self.enclosed("}", "RIGHT_CURLY", self.member), position)
            case "values":
                self.advance()
                return Bag(self.several(self.group), position)
            case "@":
                self.advance()
                if self.kind not in (NAME, QUOTED):
                    malformed("Identifier must follow @-operator")
                name = self.advance()
                return Name(name.text, name.position)
        if kind in _PRECEDENCE and kind != "*":
            malformed("Unexpected operator")
        malformed("Unexpected keyword" if token.is_keyword else "Unexpected term")

    def statement(self) -> Expression:
        """A statement inside an expression; known to the parser of statements."""
        raise NotImplementedError

    def simple_literal(self, token: Token) -> Expression | None:
        """A literal that is one token."""
        kind, text, position = token
        if kind == STRING:
            return Text(text, position)
        if kind == NUMBER:
            return Number(text, position)
        if kind == ION:
            return Ion(text, position)
        if kind in ("true", "false"):
            return Boolean(kind == "true", position)
        if kind == "null":
            return Null(position)
        return Missing(position) if kind == "missing" else None

    def group(self) -> Expression:
        """(expression), or a list in parentheses."""
        position = self.expect("(", "LEFT_PAREN").position
        if self.kind == ")":
            malformed("Expression group cannot be empty")
        items = self.several(self.expression)
        self.expect(")", "RIGHT_PAREN")
        return items[0] if len(items) == 1 else ListOf(items, position)

    def enclosed(self, end: str, told: str, one: Callable[[], Part]) -> tuple[Part, ...]:
        """Nothing or several parts between an opening token and its end."""
        self.advance()
        if self.take(end):
            return ()
        parts = self.several(one)
        self.expect(end, told)
        return parts

    def member(self) -> tuple[Expression, Expression]:
        """name: value"""
        name = self.expression()
        self.expect(":", "COLON")
        return name, self.expression()

    def arguments(self) -> tuple[Expression, ...]:
        """What stands in the parentheses of a call."""
        return self.enclosed(")", "RIGHT_PAREN", self.expression)

    def aggregate(self) -> Expression:
        """COUNT(*) and its like."""
        token = self.advance()
        if self.kind != "(":
            malformed("Unexpected keyword")
        self.advance()
        if self.kind == "*" and token.kind == "count":
            self.advance()
        else:
            if self.kind in ("distinct", "all"):
                self.advance()
            if len(self.several(self.expression)) > 1:
                malformed("Aggregate functions are always unary")
        self.expect(")", "RIGHT_PAREN")
        return Aggregate(token.kind, token.position)

    # --------------------------------------------------------------------------------------------------- paths

    def path_of(self, root: Expression) -> Expression:
        """A term with the steps that lead on from it."""
        steps: list[Step] = []
        position = self.token.position
        while self.kind in (".", "["):
            steps.append(self.step(simple=False))
        return Path(root, tuple(steps), position) if steps else root

    def simple_path(self) -> Expression:
        """A path from a name on, without stars or computed positions: what can be written to."""
        token = self.token
        if token.kind not in (NAME, QUOTED):
            malformed("Expected identifier for simple path")
        self.advance()
        steps: list[Step] = []
        while self.kind in (".", "["):
            steps.append(self.step(simple=True))
        root = Name(token.text, token.position)
        return Path(root, tuple(steps), token.position) if steps else root

    def step(self, *, simple: bool) -> Step:
        """.name or [index]"""
        if self.take("."):
            token = self.token
            if token.kind in (NAME, QUOTED):
                return Field(self.advance().text, token.position)
            if token.kind == "*":
                if simple:
                    malformed("Invalid path dot component for simple path")
                return Wildcard(".*", self.advance().position)
            malformed("Invalid path dot component")
        position = self.advance().position
        if self.kind == "*":
            if simple:
                malformed("Invalid path component for simple path")
            star = self.advance().position
            self.expect("]", "RIGHT_BRACKET")
            return Wildcard("[*]", star)
        index = self.expression()
        if simple and not isinstance(index, (Name, Text, Number, Boolean, Null, Missing, Ion)):
            malformed("Invalid path component for simple path")
        self.expect("]", "RIGHT_BRACKET")
        return Element(index, position)


def _negated(number: Number) -> Number:
    text = number.text[1:] if number.text[0] == "-" else f"-{number.text}"
    return Number(text, number.position)
