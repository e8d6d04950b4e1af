"""Tokens to syntax: operands, paths and the entry for each kind of expression."""

from __future__ import annotations

from typing import NoReturn

from tablewright.expressions.lexer import INDEX, NAME, NAME_REF, VALUE_REF, TokenStream, refuse
from tablewright.expressions.limits import MAX_NESTING, MAX_OPERATORS
from tablewright.expressions.syntax import Call, PathSyntax, Syntax, ValueSyntax


class OperandParser:
    """Reads what all kinds of expressions share: paths, value placeholders, functions, parentheses around them."""

    __slots__ = ("depth", "tokens")

    def __init__(self, text: str, kind: str) -> None:
        self.tokens = TokenStream(text, kind)
        self.depth = 0

    def path(self) -> PathSyntax:
        """name, then .name and [position] as often as they come."""
        tokens = self.tokens
        parts: list[str | int] = [self._name()]
        while True:
            if tokens.kind == ".":
                tokens.advance()
                parts.append(self._name())
            elif tokens.kind == "[":
                tokens.advance()
                parts.append(int(tokens.expect(INDEX).text))
                tokens.expect("]")
            else:
                return PathSyntax(tuple(parts))

    def _name(self) -> str:
        if self.tokens.kind not in (NAME, NAME_REF):
            self.tokens.syntax_error()
        return self.tokens.advance().text

    def value(self) -> ValueSyntax:
        """A value placeholder."""
        return ValueSyntax(self.tokens.expect(VALUE_REF).text)

    def bare_operand(self) -> tuple[Syntax, bool]:
        """A path, a value or a function; and whether parentheses are doubled somewhere inside."""
        tokens = self.tokens
        if tokens.kind == VALUE_REF:
            return self.value(), False
        if tokens.kind != NAME or tokens.tokens[tokens.at + 1].kind != "(":
            return self.path(), False
        name = tokens.advance().text
        self.open()
        args, redundant = self.operand_list()
        self.close()
        return Call(name, args, is_function=True), redundant

    def operand_list(self) -> tuple[tuple[Syntax, ...], bool]:
        """operand, operand, …; each may stand in parentheses."""
        tokens = self.tokens
        args: list[Syntax] = []
        redundant = False
        while True:
            node, doubled = self.maybe_parenthesized()
            args.append(node)
            redundant |= doubled
            if tokens.kind != ",":
                return tuple(args), redundant
            tokens.advance()

    def maybe_parenthesized(self) -> tuple[Syntax, bool]:
        """An operand, perhaps in parentheses; and whether any are doubled."""
        opened = 0
        while self.tokens.kind == "(":
            self.open()
            opened += 1
        node, redundant = self.bare_operand()
        for _ in range(opened):
            self.close()
        return node, redundant or opened > 1

    def operand(self) -> Syntax:
        """An operand where nothing else can stand, so that doubled parentheses are refused at once."""
        node, redundant = self.maybe_parenthesized()
        if redundant:
            self.redundant()
        return node

    def open(self) -> None:
        """Take '('."""
        self.tokens.expect("(")
        self.depth += 1
        if self.depth > MAX_NESTING:
            if self.tokens.kind == "(":
                self.redundant()
            too_many_operators(self.tokens.expression_kind)

    def close(self) -> None:
        """Take ')'."""
        self.tokens.expect(")")
        self.depth -= 1

    def redundant(self) -> NoReturn:
        """Refuse parentheses around parentheses."""
        refuse(self.tokens.expression_kind, "The expression has redundant parentheses;")


def too_many_operators(kind: str) -> NoReturn:
    """Refuse a condition over the limit; the service stops counting one past it."""
    refuse(kind, f"The expression contains too many operators; operator count: {MAX_OPERATORS + 1}")


def parse_projection_syntax(text: str, kind: str = "ProjectionExpression") -> tuple[PathSyntax, ...]:
    """path, path, …"""
    parser = OperandParser(text, kind)
    paths = [parser.path()]
    while parser.tokens.kind == ",":
        parser.tokens.advance()
        paths.append(parser.path())
    parser.tokens.expect_end()
    return tuple(paths)
