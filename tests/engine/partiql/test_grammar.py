"""What the grammar refuses, and in which words: the service's own, as far as they are known."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine.partiql.ast import Call, Name, Number, Operation, Path, Select, Update
from tablewright.engine.partiql.lexer import tokenize
from tablewright.engine.partiql.parser import parse_statement
from tablewright.errors import RequestRefused

MALFORMED = "Statement wasn't well formed, can't be processed: "
LEFT_OVER = "Unexpected token after expression"


def refusal(statement: str) -> str:
    with pytest.raises(RequestRefused) as caught:
        parse_statement(statement)
    assert caught.value.message.startswith(MALFORMED)
    return caught.value.message.removeprefix(MALFORMED)


@pytest.mark.parametrize(
    ("statement", "detail"),
    [
        ("   ", "Unexpected term"),
        ("SLECT * FROM T WHERE a = 1", "Expected data manipulation"),
        ("SELECTT * FROMM T", LEFT_OVER),
        ("SELECT", "Unexpected term"),
        ("SELECT *", "Expected FROM after SELECT list"),
        ("SELECT * FROM", "Unexpected term"),
        (
            "SELECT *, a FROM T",
            "Other expressions may not be present in the select list when '*' is used without dot notation.",
        ),
        ("SELECT a[*] FROM T", "Invalid use of * in select list"),
        ("SELECT * FROM T WHERE", "Unexpected term"),
        ("SELECT * FROM T WHERE;", "Unexpected term"),
        ("SELECT * FROM T WHERE NOT", "Unexpected term"),
        ("SELECT * FROM T WHERE (", "Unexpected term"),
        ("SELECT * FROM T WHERE ()", "Expression group cannot be empty"),
        ("SELECT * FROM T WHERE (a = 1", "Expected RIGHT_PAREN"),
        ("SELECT * FROM T WHERE a IN ()", "Expression group cannot be empty"),
        ("SELECT * FROM T WHERE a = 1 AND", "Missing right-hand side expression of infix operator"),
        ("SELECT * FROM T WHERE a =", "Missing right-hand side expression of infix operator"),
        ("SELECT * FROM T WHERE a BETWEEN 1", "Expected AND"),
        ("SELECT * FROM T WHERE ORDER BY a", "Unexpected keyword"),
        ("SELECT * FROM T WHERE IS NULL", "Unexpected operator"),
        ("SELECT * FROM T WHERE a = LIKE", "Unexpected operator"),
        ("SELECT * FROM T WHERE a IS SOMETHING", "Expected type name"),
        ("SELECT * FROM T WHERE order = 1", "Unexpected keyword"),
        ("SELECT * FROM T WHERE size = 1", "Unexpected keyword"),
        ("SELECT * FROM T WHERE a.value = 1", "Invalid path dot component"),
        ("SELECT * FROM T WHERE a[1 = 1", "Expected RIGHT_BRACKET"),
        ("SELECT * FROM T WHERE @1 = 1", "Identifier must follow @-operator"),
        ("SELECT * FROM T WHERE a = 1 b", LEFT_OVER),
        ("SELECT * FROM T WHERE a = 1 e5", LEFT_OVER),
        ("SELECT * FROM T WHERE a = 1)", LEFT_OVER),
        ("SELECT * FROM T ORDER BY a WHERE a = 1", LEFT_OVER),
        ("SELECT * FROM T; SELECT * FROM T", "Unexpected token after semicolon. (Only one query is allowed.)"),
        ("SELECT * FROM T JOIN U", "Expected 'ON'"),
        ("UPDATE T-1 SET a = 1", "Expected data manipulation"),
        ("UPDATE T ADD a 1 WHERE a = 1", "Expected data manipulation"),
        ("UPDATE T SET WHERE a = 1", "Expected identifier for simple path"),
        ("UPDATE T SET 'a' = 1", "Expected identifier for simple path"),
        ("UPDATE T SET a WHERE a = 1", "Expected '='"),
        ("UPDATE T SET a[*] = 1", "Invalid path component for simple path"),
        ("UPDATE T SET a.* = 1", "Invalid path dot component for simple path"),
        ("UPDATE T REMOVE a, b WHERE a = 1", LEFT_OVER),
        (
            "UPDATE T SET a = 1 WHERE a = 1 RETURNING OLD ALL *",
            "Expected ( MODIFIED | ALL ) ( NEW | OLD ) in each returning element.",
        ),
        ("UPDATE T SET a = 1 WHERE a = 1 RETURNING ALL OLD", "Unsupported syntax in RETURNING columns."),
        ("DELETE T WHERE a = 1", "Expected FROM after DELETE"),
        ("DELETE FROM", "Expected identifier for simple path"),
        ("DELETE FROM WHERE a = 1", "Expected identifier for simple path"),
        ("DELETE FROM T WHERE a = 1 ORDER BY a", LEFT_OVER),
        ("FROM T SET a = 1 WHERE b = 2", LEFT_OVER),
        ("FROM T WHERE a = 1", "Expected data manipulation"),
        ("INSERT INTO T t VALUE {'a': 1}", LEFT_OVER),
        ("INSERT INTO T (key, b) VALUES (1, 2)", "Unexpected keyword"),
        ("INSERT INTO T VALUE {'a' 1}", "Expected COLON"),
        ("INSERT INTO T VALUE {'a': 1", "Expected RIGHT_CURLY"),
        ("INSERT INTO T VALUE {'a': [1}", "Expected RIGHT_BRACKET"),
        ("INSERT INTO T VALUE {'a': <<1}", "Expected RIGHT_DOUBLE_ANGLE_BRACKET"),
        ("INSERT INTO T VALUE {'a': 1} ON CONFLICT DO NOTHING", "invalid ON CONFLICT syntax"),
        ("DROP DATABASE T", "Unexpected token following DROP"),
    ],
)
def test_statements_that_cannot_be_read(statement: str, detail: str) -> None:
    assert refusal(statement) == detail


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM T WHERE a = 'open",
        'SELECT * FROM "open',
        "SELECT * FROM T WHERE a = 1 # note",
        "SELECT * FROM T /* open",
        "SELECT * FROM T WHERE a = 1e2147483648",
        "SELECT * FROM T WHERE a = 1e99999999999999999999",
        "SELECT * FROM T WHERE a = 1.5e-2147483647",
        "SELECT * FROM T WHERE a = 1.2.3",
        "SELECT * FROM T WHERE a = 12ab",
        "SELECT * FROM T WHERE a ^ 2",
    ],
)
def test_text_that_has_no_tokens_gets_no_detail(statement: str) -> None:
    assert refusal(statement) == ""


@pytest.mark.parametrize(
    "statement",
    [
        "(" * 8000,
        "SELECT * FROM T WHERE " + "NOT " * 2000 + "a = 1",
        "SELECT * FROM T WHERE a = " + "[" * 4000,
        "SELECT * FROM T WHERE a = " + "- " * 4000 + "1",
        "UPDATE T SET a = " + "1 + " * 2000 + "1",
        "SELECT * FROM T WHERE " + "a = " * 2000 + "1",
        "SELECT " + "a[" * 2000 + "0" + "]" * 2000 + " FROM T",
        "INSERT INTO T VALUE " + "{'a': " * 1000,
        "EXISTS(" * 1000,
    ],
    ids=["groups", "negations", "lists", "signs", "sums", "comparisons", "positions", "structs", "calls"],
)
def test_deep_statements_are_refused_without_harm(statement: str) -> None:
    assert refusal(statement) == "Expressions are nested too deeply"


def test_wide_statements_are_read() -> None:
    node = parse_statement("SELECT * FROM T WHERE " + " OR ".join(["a = 1"] * 900))
    assert isinstance(node, Select)
    assert isinstance(node.where, Operation)
    assert len(node.where.operands) == 900


def where(condition: str) -> Any:
    node = parse_statement(f"SELECT * FROM T WHERE {condition}")
    assert isinstance(node, Select)
    return node.where


def shape(node: Any) -> Any:
    match node:
        case Operation(operator, operands):
            return (operator, *map(shape, operands))
        case Name(name):
            return name
        case Number(text):
            return text
        case Call(function, arguments):
            return (f"{function}()", *map(shape, arguments))
        case _:
            return type(node).__name__


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a = 1 AND b = 2 OR c = 3", ("or", ("and", ("=", "a", "1"), ("=", "b", "2")), ("=", "c", "3"))),
        ("a = 1 AND (b = 2 OR c = 3)", ("and", ("=", "a", "1"), ("or", ("=", "b", "2"), ("=", "c", "3")))),
        ("NOT a = 1 AND b = 2", ("and", ("not", ("=", "a", "1")), ("=", "b", "2"))),
        ("a NOT BETWEEN 1 AND 2 AND b", ("and", ("not", ("between", "a", "1", "2")), "b")),
        ("a NOT IN [1]", ("not", ("in", "a", "ListOf"))),
        ("a IS NOT MISSING", ("not", "IsType")),
        ("a < 1 = b", ("=", ("<", "a", "1"), "b")),
        ("a - 1 - 2 * 3", ("-", ("-", "a", "1"), ("*", "2", "3"))),
        ("a > - - 5", (">", "a", "5")),
        ("a != -1.5e3", ("<>", "a", "-1.5e3")),
        ("Begins_With(a, 'x') aNd b", ("and", ("begins_with()", "a", "Text"), "b")),
        ("a -- note\n= 1 /* and\nmore */", ("=", "a", "1")),
    ],
)
def test_precedence(condition: str, expected: Any) -> None:
    assert shape(where(condition)) == expected


def test_positions_count_lines_and_columns_from_one() -> None:
    tokens = tokenize('SELECT a\n  FROM "it""s" -- x\n WHERE b=\'l\nm\' AND c')
    places = {token.text: str(token.position) for token in tokens}
    assert places["a"] == "1:8:1"
    assert places['it"s'] == "2:8:7"
    assert places["b"] == "3:8:1"
    assert places["c"] == "4:8:1"


def test_quotes_are_doubled() -> None:
    node = where('"a ""b""" = \'it\'\'s\'')
    assert node.operands[0].name == 'a "b"'
    assert node.operands[1].text == "it's"


def test_paths_and_updates() -> None:
    node = parse_statement('UPDATE T SET a.b[0]."c" = 1, d = e + 1 REMOVE f WHERE g = ? AND h = ?')
    assert isinstance(node, Update)
    assert len(node.actions) == 3
    assert isinstance(node.actions[0].path, Path)  # type: ignore[union-attr]
    assert [operand.operands[1].number for operand in node.where.operands] == [0, 1]  # type: ignore[union-attr]


def test_parsed_statements_are_kept() -> None:
    assert parse_statement("SELECT * FROM T") is parse_statement("SELECT * FROM T")


# ------------------------------------------------------------------------------- forms that are read and never run


@pytest.mark.parametrize(
    ("expression", "token", "kind", "at", "length"),
    [
        ("CASE WHEN a = 1 THEN 2 ELSE 3 END", "CASE", "SearchedCase", 0, 4),
        ("CASE b WHEN 1 THEN 2 WHEN 3 THEN 4 END", "CASE b", "SimpleCase", 0, 4),
        ("CAST(1 AS INT)", "cast", "Typed", 4, 1),
        ("CAST(1 AS DECIMAL(3, 2))", "cast", "Typed", 4, 1),
        ("DATE '2024-02-29'", "UNKNOWN", "Date", 5, 12),
        ("TIME '10:20:30.5'", "UNKNOWN", "Time", 5, 12),
        ("TIME (3) WITH TIME ZONE '10:20:30+01:00'", "UNKNOWN", "Time", 24, 16),
    ],
)
def test_forms_that_are_read_to_be_refused(
    sql: Any, expression: str, token: str, kind: str, at: int, length: int
) -> None:
    def told(statement: str, what: str) -> None:
        column = statement.index(expression) + at + 1
        assert sql.wrong(statement) == f"{what} at 1:{column}:{length}"

    for where in (f"a = {expression}", expression, f"a IN [{expression}]", f"contains(a, {expression})"):
        told(f"SELECT * FROM App WHERE pk = 'a' AND {where}", f"Unsupported token in expression: {token}")
    told(f"UPDATE App SET a = {expression} WHERE pk = 'a' AND sk = 1", f"Unsupported token in expression: {token}")
    told(f"SELECT {expression} FROM App", "Unexpected path component")
    told(
        f"INSERT INTO App VALUE {{'pk': 'a', 'sk': 1, 'a': {expression}}}",
        f"Unsupported data type: {token} under key root",
    )
    told(
        f"INSERT INTO App VALUE {{'pk': 'a', 'sk': 1, 'a': {{'b': {expression}}}}}",
        f"Unsupported data type: {kind} under key root.b",
    )
    assert sql.wrong(expression) == f"Unsupported operation: {kind}"


@pytest.mark.parametrize(
    ("expression", "message", "at"),
    [
        ("EXTRACT(YEAR FROM a)", "Unsupported data type: SYMBOL under key root", "YEAR"),
        ("DATE_ADD(month, 1, a)", "Unsupported data type: SYMBOL under key root", "month"),
        ("DATE_DIFF(day, a, b)", "Unsupported data type: SYMBOL under key root", "day"),
        ("TRIM(LEADING 'x' FROM a)", "Unsupported data type: SYMBOL under key root", "LEADING"),
        ("TRIM(a)", "Unrecognized function: trim", "TRIM"),
        ("TRIM('x' FROM a)", "Unrecognized function: trim", "TRIM"),
        ("SUBSTRING(a FROM 1 FOR 2)", "Unrecognized function: substring", "SUBSTRING"),
        ("SUBSTRING(a, 1)", "Unrecognized function: substring", "SUBSTRING"),
    ],
)
def test_functions_with_a_grammar_of_their_own(sql: Any, expression: str, message: str, at: str) -> None:
    for statement in (
        f"SELECT * FROM App WHERE pk = 'a' AND {expression} = 1",
        f"UPDATE App SET a = {expression} WHERE pk = 'a' AND sk = 1",
    ):
        assert sql.wrong(statement) == f"{message} at 1:{statement.index(at) + 1}:{len(at)}"


@pytest.mark.parametrize(
    "expression",
    [
        "CASE END",
        "CASE a END",
        "CASE WHEN 1 END",
        "CASE WHEN 1 THEN 2",
        "CAST(1)",
        "CAST(1 AS NOTHING)",
        "CAST 1",
        "DATE 1",
        "DATE '2023-02-29'",
        "DATE '2023-2-9'",
        "TIME '25:00:00'",
        "TIME ('x') '10:00:00'",
        "TIME",
        "EXTRACT(CENTURY FROM a)",
        "EXTRACT(YEAR, a)",
        "DATE_ADD(year, 1)",
        "SUBSTRING(a)",
        "SUBSTRING",
        "TRIM",
    ],
)
def test_forms_that_are_not_well_formed(expression: str) -> None:
    assert refusal(f"SELECT * FROM T WHERE a = {expression}")
