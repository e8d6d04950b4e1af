"""Forms of SQL that DynamoDB's grammar knows and DynamoDB never runs. They are read to be refused by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, time
from typing import TYPE_CHECKING

from tablewright.engine.partiql.ast import Call, Expression, Foreign, Symbol
from tablewright.engine.partiql.lexer import NUMBER, STRING
from tablewright.engine.partiql.messages import malformed
from tablewright.engine.partiql.naming import token_name

if TYPE_CHECKING:
    from tablewright.engine.partiql.expression_parser import ExpressionParser

_KEYWORD = "Unexpected keyword"
_DATE_PARTS = frozenset({"year", "month", "day", "hour", "minute", "second", "timezone_hour", "timezone_minute"})
_TRIMMED = frozenset({"both", "leading", "trailing"})
_a_date = re.compile(r"\d{4}-\d{2}-\d{2}").fullmatch
_a_time = re.compile(r"(\d{2}:\d{2}:\d{2})(?:\.\d+)?(?:[+-]\d{2}:\d{2})?").fullmatch


def _case(parser: ExpressionParser) -> Expression:
    """CASE [operand] WHEN … THEN … [ELSE …] END"""
    position = parser.advance().position
    operand = None if parser.kind == "when" else parser.expression()
    if parser.kind != "when":
        malformed("Expected WHEN")
    while parser.take("when"):
        parser.expression()
        parser.expect("then", "THEN")
        parser.expression()
    if parser.take("else"):
        parser.expression()
    parser.expect("end", "END")
    if operand is None:
        return Foreign("CASE", "SearchedCase", position)
    return Foreign(f"CASE {token_name(operand)}", "SimpleCase", position)


def _cast(parser: ExpressionParser) -> Expression:
    """CAST(expression AS type)"""
    parser.advance()
    position = parser.expect("(", "LEFT_PAREN").position
    parser.expression()
    parser.expect("as", "AS")
    parser.type_name()
    parser.expect(")", "RIGHT_PAREN")
    return Foreign("cast", "Typed", position)


def _date(parser: ExpressionParser) -> Expression:
    """DATE 'yyyy-mm-dd'"""
    parser.advance()
    if parser.kind != STRING:
        malformed(_KEYWORD)
    literal = parser.advance()
    try:
        fits = _a_date(literal.text) is not None and date.fromisoformat(literal.text) is not None
    except ValueError:
        fits = False
    if not fits:
        malformed("Expected DATE string to be of the format yyyy-MM-dd")
    return Foreign("UNKNOWN", "Date", literal.position)


def _time(parser: ExpressionParser) -> Expression:
    """TIME [(precision)] [WITH TIME ZONE] 'hh:mm:ss'"""
    parser.advance()
    if parser.take("("):
        if parser.kind != NUMBER:
            malformed(_KEYWORD)
        parser.advance()
        parser.expect(")", "RIGHT_PAREN")
    if parser.take("with"):
        parser.expect("time", "TIME")
        parser.expect("zone", "ZONE")
    if parser.kind != STRING:
        malformed(_KEYWORD)
    literal = parser.advance()
    found = _a_time(literal.text)
    try:
        fits = found is not None and time.fromisoformat(found[1]) is not None
    except ValueError:
        fits = False
    if not fits:
        malformed("Invalid format for time string")
    return Foreign("UNKNOWN", "Time", literal.position)


def _symbol(parser: ExpressionParser, among: frozenset[str], told: str) -> Symbol:
    token = parser.advance()
    if token.text.lower() not in among:
        malformed(told)
    return Symbol(token.text, token.position)


def _extract(parser: ExpressionParser) -> Expression:
    """EXTRACT(part FROM expression)"""
    token = parser.advance()
    parser.expect("(", "LEFT_PAREN")
    part = _symbol(parser, _DATE_PARTS, "Expected one of the date parts")
    parser.expect("from", "FROM")
    source = parser.expression()
    parser.expect(")", "RIGHT_PAREN")
    return Call("extract", (part, source), token.position)


def _reckon(parser: ExpressionParser) -> Expression:
    """DATE_ADD(part, expression, expression), and DATE_DIFF likewise"""
    token = parser.advance()
    parser.expect("(", "LEFT_PAREN")
    arguments: list[Expression] = [_symbol(parser, _DATE_PARTS, "Expected one of the date parts")]
    for _ in range(2):
        parser.expect(",", "COMMA")
        arguments.append(parser.expression())
    parser.expect(")", "RIGHT_PAREN")
    return Call(token.text.lower(), tuple(arguments), token.position)


def _substring(parser: ExpressionParser) -> Expression:
    """SUBSTRING(text FROM start [FOR length]), or with commas"""
    token = parser.advance()
    if not parser.take("("):
        malformed(_KEYWORD)
    arguments = [parser.expression()]
    following = "," if parser.kind == "," else "from"
    if not parser.take(following):
        malformed("Expected FROM or COMMA")
    arguments.append(parser.expression())
    if parser.take("," if following == "," else "for"):
        arguments.append(parser.expression())
    parser.expect(")", "RIGHT_PAREN")
    return Call("substring", tuple(arguments), token.position)


def _trim(parser: ExpressionParser) -> Expression:
    """TRIM([[BOTH | LEADING | TRAILING] [characters] FROM] text)"""
    token = parser.advance()
    if not parser.take("("):
        malformed(_KEYWORD)
    arguments: list[Expression] = []
    if parser.token.text.lower() in _TRIMMED:
        arguments.append(_symbol(parser, _TRIMMED, _KEYWORD))
    if parser.kind != "from":
        arguments.append(parser.expression())
    if parser.take("from"):
        arguments.append(parser.expression())
    parser.expect(")", "RIGHT_PAREN")
    return Call("trim", tuple(arguments), token.position)


FORMS: Mapping[str, Callable[[ExpressionParser], Expression]] = {
    "case": _case,
    "cast": _cast,
    "date": _date,
    "time": _time,
    "extract": _extract,
    "date_add": _reckon,
    "date_diff": _reckon,
    "substring": _substring,
    "trim": _trim,
}
"""How to read each of them, by the keyword that it begins with."""
