"""Tokens to syntax for update expressions."""

from __future__ import annotations

from tablewright.expressions.lexer import END
from tablewright.expressions.parser import OperandParser
from tablewright.expressions.syntax import ActionSyntax, Call, SectionSyntax, Syntax

SECTIONS = frozenset({"SET", "REMOVE", "ADD", "DELETE"})


class _UpdateParser(OperandParser):
    __slots__ = ()

    def section(self) -> SectionSyntax:
        """A keyword and its actions."""
        tokens = self.tokens
        if tokens.kind not in SECTIONS:
            tokens.syntax_error()
        keyword = tokens.advance().kind
        actions = [self.action(keyword)]
        while tokens.kind == ",":
            tokens.advance()
            actions.append(self.action(keyword))
        return SectionSyntax(keyword, tuple(actions))

    def action(self, keyword: str) -> ActionSyntax:
        """path = value, path, or path :value."""
        path = self.path()
        if keyword == "REMOVE":
            return ActionSyntax(path, None)
        if keyword == "SET":
            self.tokens.expect("=")
            value, _, redundant = self.set_value()
            if redundant:
                self.redundant()
            return ActionSyntax(path, value)
        return ActionSyntax(path, self.value())

    def set_value(self) -> tuple[Syntax, bool, bool]:
        """An operand, or two with + or - between; whether it stands in parentheses, and whether any are doubled."""
        in_parentheses = self.tokens.kind == "("
        if in_parentheses:
            self.open()
            node, inner, redundant = self.set_value()
            self.close()
            redundant |= inner
            if isinstance(node, Call) and not node.is_function:
                return node, True, redundant
        else:
            node, redundant = self.bare_operand()
        if self.tokens.kind in ("+", "-"):
            if redundant:
                self.redundant()
            operator = self.tokens.advance().kind
            return Call(operator, (node, self.operand())), False, False
        return node, in_parentheses, redundant


def parse_update_syntax(text: str, kind: str = "UpdateExpression") -> tuple[SectionSyntax, ...]:
    """Read an update expression."""
    parser = _UpdateParser(text, kind)
    sections = [parser.section()]
    while parser.tokens.kind != END:
        sections.append(parser.section())
    return tuple(sections)
