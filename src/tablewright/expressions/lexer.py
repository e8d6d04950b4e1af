"""Text to tokens, one token grammar for all five kinds of expressions."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from tablewright.errors import ExpressionError
from tablewright.expressions.limits import MAX_EXPRESSION_SIZE

KEYWORDS = frozenset({"AND", "OR", "NOT", "IN", "BETWEEN", "SET", "REMOVE", "ADD", "DELETE"})
"""Words that are never names, in any kind of expression and in any case."""

NAME, NAME_REF, VALUE_REF, INDEX, END, UNKNOWN = "name", "#name", ":value", "index", "end", "unknown"

_token = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<nameref>\#[A-Za-z0-9_]+)"
    r"|(?P<valueref>:[A-Za-z0-9_]+)"
    r"|(?P<index>0|[1-9][0-9]*)"
    r"|(?P<symbol><>|<=|>=|[=<>()\[\].,+-])"
    r"|(?P<unknown>.)",
    re.DOTALL,
)
_KINDS = {"nameref": NAME_REF, "valueref": VALUE_REF, "index": INDEX, "unknown": UNKNOWN}


class Token(NamedTuple):
    """One token: its kind (for keywords and symbols the upper-case text itself), its text, and where it stands."""

    kind: str
    text: str
    start: int
    end: int


def refuse(kind: str, message: str) -> NoReturn:
    """Raise the service's error for one kind of expression."""
    raise ExpressionError(f"Invalid {kind}: {message}", constraint=kind, operation="expression")


def check_size(text: str, kind: str) -> None:
    """Refuse an expression that is empty or too long, before it is read."""
    if not text:
        refuse(kind, "The expression can not be empty;")
    size = len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
    if size > MAX_EXPRESSION_SIZE:
        # The service tells the size of conditions only.
        told = "" if kind in ("UpdateExpression", "ProjectionExpression") else f" expression size: {size}"
        refuse(kind, f"Expression size has exceeded the maximum allowed size;{told}")


def tokenize(text: str, kind: str) -> list[Token]:
    """All tokens but spaces, closed by one END token."""
    check_size(text, kind)
    tokens: list[Token] = []
    for found in _token.finditer(text):
        group = found.lastgroup
        if group == "space":
            continue
        word = found.group()
        if group == "name":
            upper = word.upper()
            token_kind = upper if upper in KEYWORDS else NAME
        elif group == "symbol":
            token_kind = word
        else:
            token_kind = _KINDS[group or "unknown"]
        tokens.append(Token(token_kind, word, found.start(), found.end()))
    tokens.append(Token(END, "<EOF>", len(text), len(text)))
    return tokens


class TokenStream:
    """Tokens under a reading head, and the service's syntax error for the one that does not fit."""

    __slots__ = ("at", "expression_kind", "kind", "text", "tokens")

    def __init__(self, text: str, expression_kind: str) -> None:
        self.text = text
        self.expression_kind = expression_kind
        self.tokens = tokenize(text, expression_kind)
        self.at = 0
        self.kind = self.tokens[0].kind

    def advance(self) -> Token:
        """Take the token under the head."""
        token = self.tokens[self.at]
        self.at += 1
        self.kind = self.tokens[self.at].kind
        return token

    def expect(self, kind: str) -> Token:
        """Take the token under the head, which must be of this kind."""
        if self.kind != kind:
            self.syntax_error()
        return self.advance()

    def expect_end(self) -> None:
        """Refuse whatever is left."""
        if self.kind != END:
            self.syntax_error()

    def syntax_error(self) -> NoReturn:
        """Refuse the token under the head; `near` is the stretch from its left neighbour to its right one."""
        token = self.tokens[self.at]
        start = self.tokens[self.at - 1].start if self.at else 0
        following = self.tokens[self.at + 1 : self.at + 2]
        end = following[0].end if following else token.end
        refuse(self.expression_kind, f'Syntax error; token: "{token.text}", near: "{self.text[start:end]}"')
