"""Tokens to a statement, by precedence climbing; refuses what the grammar does not have, in the service's words."""

from __future__ import annotations

from tablewright.engine.partiql.ast import Definition, Expression
from tablewright.engine.partiql.lexer import END
from tablewright.engine.partiql.messages import malformed
from tablewright.engine.partiql.statement_parser import StatementParser
from tablewright.expressions.keeping import keeping

_CACHED = 1024

_DEFINITIONS = {
    ("create", "table"): "CreateTable",
    ("create", "index"): "CreateIndex",
    ("drop", "table"): "DropTable",
    ("drop", "index"): "DropIndex",
}


@keeping(_CACHED)
def parse_statement(text: str) -> Expression:
    """The one statement of a text, or the expression that stands where a statement should."""
    parser = StatementParser(text)
    first = parser.token
    if first.kind in ("create", "drop", "exec"):
        parser.advance()
        operation = "Exec" if first.kind == "exec" else _DEFINITIONS.get((first.kind, parser.kind))
        if operation is None:
            malformed(f"Unexpected token following {first.kind.upper()}")
        return Definition(operation, first.position)
    node = parser.expression()
    if parser.kind == ";":
        parser.advance()
        if parser.kind != END:
            malformed("Unexpected token after semicolon. (Only one query is allowed.)")
    if parser.kind != END:
        malformed("Unexpected token after expression")
    return node
