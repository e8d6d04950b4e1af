"""Tokens to syntax for conditions: condition, filter and key-condition expressions."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

from tablewright.expressions.limits import MAX_OPERATORS
from tablewright.expressions.parser import OperandParser
from tablewright.expressions.syntax import Call, Syntax

_COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})


class _Role(Enum):
    CONDITION = auto()
    OPERAND = auto()
    EITHER = auto()
    """A function in parentheses: a condition by itself, an operand if a comparator follows."""


class _Term(NamedTuple):
    node: Syntax
    role: _Role
    in_parentheses: bool = False
    redundant: bool = False


class _ConditionParser(OperandParser):
    """One pass without backtracking: what stands in parentheses is known to be a condition or an operand only
    after it was read, so doubled parentheses around an operand are refused once that is settled, as the service does.
    """

    __slots__ = ()

    def condition(self, *, in_parentheses: bool) -> _Term:
        """OR over AND over NOT, in one frame per level of parentheses."""
        tokens = self.tokens
        or_terms: list[Syntax] = []
        and_terms: list[Syntax] = []
        while True:
            negations = 0
            while tokens.kind == "NOT":
                tokens.advance()
                negations += 1
            alone = in_parentheses and not (negations or or_terms or and_terms)
            term = self.term(alone=alone)
            if alone and term.role is not _Role.CONDITION:
                return term
            node = term.node
            # Beyond the limit the count alone decides; deeper trees would only be thrown away.
            for _ in range(min(negations, MAX_OPERATORS + 1)):
                node = Call("NOT", (node,))
            and_terms.append(node)
            if tokens.kind == "AND":
                tokens.advance()
                continue
            or_terms.append(and_terms[0] if len(and_terms) == 1 else Call("AND", tuple(and_terms)))
            and_terms = []
            if tokens.kind == "OR":
                tokens.advance()
                continue
            if len(or_terms) > 1:
                return _Term(Call("OR", tuple(or_terms)), _Role.CONDITION)
            only_a_group = alone and term.in_parentheses and or_terms[0] is term.node
            return _Term(or_terms[0], _Role.CONDITION, only_a_group)

    def term(self, *, alone: bool) -> _Term:
        """One comparison, function or group; alone in parentheses it may also turn out to be an operand."""
        tokens = self.tokens
        in_parentheses = tokens.kind == "("
        if in_parentheses:
            self.open()
            inner = self.condition(in_parentheses=True)
            self.close()
            node, role = inner.node, inner.role
            redundant = inner.redundant or inner.in_parentheses
            if role is _Role.CONDITION:
                if redundant:
                    self.redundant()
                return _Term(node, role, in_parentheses)
        else:
            node, redundant = self.bare_operand()
            is_function = isinstance(node, Call) and node.is_function
            role = _Role.EITHER if is_function else _Role.OPERAND
        kind = tokens.kind
        if kind in _COMPARATORS or kind in ("BETWEEN", "IN"):
            if redundant:
                self.redundant()
            return _Term(self.comparison(node), _Role.CONDITION)
        if alone and kind == ")":
            return _Term(node, role, in_parentheses, redundant)
        if role is not _Role.EITHER:
            tokens.syntax_error()
        if redundant:
            self.redundant()
        return _Term(node, _Role.CONDITION, in_parentheses)

    def comparison(self, left: Syntax) -> Call:
        """What follows the first operand."""
        tokens = self.tokens
        operator = tokens.advance().kind
        if operator == "BETWEEN":
            low = self.operand()
            tokens.expect("AND")
            return Call("BETWEEN", (left, low, self.operand()))
        if operator == "IN":
            tokens.expect("(")
            options = [self.operand()]
            while tokens.kind == ",":
                tokens.advance()
                options.append(self.operand())
            tokens.expect(")")
            return Call("IN", (left, *options))
        return Call(operator, (left, self.operand()))


def parse_condition_syntax(text: str, kind: str) -> Syntax:
    """Read a condition of any kind."""
    parser = _ConditionParser(text, kind)
    term = parser.condition(in_parentheses=False)
    parser.tokens.expect_end()
    return term.node
