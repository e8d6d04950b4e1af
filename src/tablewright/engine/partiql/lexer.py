"""PartiQL text to tokens, each with its place in the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from tablewright.engine.partiql.keywords import KEYWORDS
from tablewright.engine.partiql.messages import malformed

NAME, QUOTED, STRING, NUMBER, ION, END = "<name>", "<quoted>", "<string>", "<number>", "<ion>", "<end>"

_token = re.compile(
    r"(?P<space>[ \t\r\n\v\f]+|--[^\r\n]*|/\*.*?\*/)"
    r"|(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![A-Za-z0-9_$.])"
    r"|(?P<string>'(?:[^']|'')*')"
    r'|(?P<quoted>"(?:[^"]|"")*")'
    r"|(?P<ion>`[^`]*`)"
    r"|(?P<symbol><<|>>|<=|>=|<>|!=|\|\||/(?!\*)|[=<>()\[\]{}.,:;?*+\-%@])",
    re.DOTALL,
)

# Two words that are one token to the grammar.
_PAIRS = frozenset(
    {
        ("is", "not"),
        ("not", "in"),
        ("not", "between"),
        ("not", "like"),
        ("insert", "into"),
        ("on", "conflict"),
        ("do", "nothing"),
        ("modified", "old"),
        ("modified", "new"),
        ("all", "old"),
        ("all", "new"),
        ("character", "varying"),
        ("double", "precision"),
        ("cross", "join"),
        ("inner", "join"),
        ("left", "join"),
        ("right", "join"),
        ("outer", "join"),
        ("union", "all"),
        ("intersect", "all"),
        ("except", "all"),
    }
)


class Position(NamedTuple):
    """Where a token stands, from 1 on, and how long it is; printed as the service prints it."""

    line: int
    column: int
    length: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}:{self.length}"


class Token(NamedTuple):
    """One token. For symbols and keywords, `kind` is the text itself in lower case."""

    kind: str
    text: str
    position: Position

    @property
    def is_keyword(self) -> bool:
        """Whether it is a reserved word, or two that belong together."""
        return self.kind.partition(" ")[0] in KEYWORDS


def tokenize(text: str) -> list[Token]:
    """All tokens but spaces and comments, closed by one END token."""
    tokens: list[Token] = []
    at, line, line_start = 0, 1, 0
    while at < len(text):
        found = _token.match(text, at)
        if found is None:
            malformed()
        group, word, start = found.lastgroup, found.group(), at
        at = found.end()
        position = Position(line, start - line_start + 1, len(word))
        if "\n" in word:
            line += word.count("\n")
            line_start = start + word.rindex("\n") + 1
        if group == "space":
            continue
        if group == "word":
            _add_word(tokens, word, position)
        elif group == "number":
            tokens.append(Token(NUMBER, _checked_number(word), position))
        elif group == "string":
            tokens.append(Token(STRING, word[1:-1].replace("''", "'"), position))
        elif group == "quoted":
            tokens.append(Token(QUOTED, word[1:-1].replace('""', '"'), position))
        elif group == "ion":
            tokens.append(Token(ION, word[1:-1], position))
        else:
            tokens.append(Token("<>" if word == "!=" else word, word, position))
    tokens.append(Token(END, "", Position(line, len(text) - line_start + 1, 0)))
    return tokens


def _add_word(tokens: list[Token], word: str, position: Position) -> None:
    lower = word.lower()
    if lower not in KEYWORDS:
        tokens.append(Token(NAME, word, position))
    elif tokens and (tokens[-1].kind, lower) in _PAIRS:
        first = tokens.pop()
        tokens.append(Token(f"{first.kind} {lower}", f"{first.text} {word}", first.position))
    else:
        tokens.append(Token(lower, word, position))


def _checked_number(word: str) -> str:
    """A number as written, unless its scale does not fit the 32 bits in which the service reads it."""
    mantissa, _, exponent = word.lower().partition("e")
    if exponent:
        digits = exponent.lstrip("+-").lstrip("0")
        if len(digits) > 10:
            malformed()
        scale = len(mantissa.partition(".")[2]) - int(exponent)
        if abs(int(exponent)) >= 2**31 or not -(2**31) <= scale < 2**31:
            malformed()
    return word
