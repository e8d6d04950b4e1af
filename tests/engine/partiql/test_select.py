"""SELECT: columns, conditions and parameters."""

from __future__ import annotations

from typing import Any

import pytest

Sql = Any


def s(text: str) -> dict[str, str]:
    return {"S": text}


def n(number: object) -> dict[str, str]:
    return {"N": str(number)}


ALL = ["a1", "a2", "a3", "b1", "b2", "b3"]

# ------------------------------------------------------------------------------------------------------- columns


def test_whole_items_and_columns(sql: Sql) -> None:
    assert sql("SELECT * FROM App WHERE pk = 'a' AND sk = 1") == [sql.get("a", 1)]
    assert sql("SELECT v, t FROM App WHERE pk = 'a' AND sk = 1") == [{"v": n(10), "t": s("t1")}]


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        ("m.a", {"a": s("in")}),
        ("m.b[0]", {"b[0]": n(1)}),
        ('m.b[1]."c"', {"c": s("deep")}),
        ("m['a'], lst[1]", {"a": s("in"), "lst[1]": s("two")}),
        ("lst[-0]", {"lst[0]": n(1)}),
        ("nope, m.none, lst[7], t.x", {}),
        ('"m"."a", @v', {"a": s("in"), "v": n(10)}),
        ("PK", {}),
    ],
)
def test_a_column_has_the_last_name_of_its_path(sql: Sql, columns: str, row: Any) -> None:
    assert sql(f"SELECT {columns} FROM App WHERE pk = 'a' AND sk = 1") == [row]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("SELECT pk, pk FROM App", "Duplicate identifiers in select clause: pk"),
        ("SELECT m.a, a FROM App", "Duplicate identifiers in select clause: a"),
        (
            "SELECT m, m.a FROM App",
            "Two document paths overlap with each other; must remove or rewrite one of these paths; "
            "path one: [m, a], path two: [m]",
        ),
        ("SELECT m.* FROM App", "Changing item's hierarchy while reading isn't supported"),
        ("SELECT COUNT(*) FROM App", "Unexpected path component at 1:8:5"),
        ("SELECT\n count(v) FROM Nope", "Unexpected path component at 2:2:5"),
        ("SELECT v + 1 FROM App", "Unexpected path component at 1:10:1"),
        ("SELECT size(t) FROM App", "Unexpected path component at 1:8:4"),
        ("SELECT 'x' FROM App", "Unexpected path component at 1:8:3"),
        ("SELECT lst[1.5] FROM App", "Unexpected path component at 1:12:3"),
        ("SELECT lst[-1] FROM App", "List index is not within the allowable range; index: [-1] at 1:13:1"),
        (
            "SELECT lst[2147483648] FROM App",
            "List index is not within the allowable range; index: [2147483648] at 1:12:10",
        ),
        ('SELECT "" FROM App', "Path component cannot be an empty string"),
        (
            "SELECT pk.x FROM App",
            "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk",
        ),
        ("SELECT VALUE pk FROM App", "Select projection doesn't support value or pivot keywords"),
        ("PIVOT a AT b FROM App", "Select projection doesn't support value or pivot keywords"),
        ("SELECT DISTINCT pk FROM App", "Unsupported token in expression: DISTINCT"),
        ("SELECT pk AS p FROM App", "Aliasing is not supported"),
        ("SELECT pk FROM App a", "Aliasing is not supported"),
        ("SELECT pk FROM App AS a", "Aliasing is not supported"),
        ("SELECT pk FROM App AT a", "Aliasing is not supported"),
        ("SELECT * FROM App, Plain", "Only select from a single table or index is supported."),
        ("SELECT * FROM App INNER JOIN Plain ON 1 = 1", "Only select from a single table or index is supported."),
        ("SELECT * FROM 'App'", "Unexpected from source"),
        ("SELECT * FROM (SELECT * FROM App)", "Unexpected from source"),
        ("SELECT * FROM App.ByGroup.x", "A path may contain at most 2 components in the FROM clause"),
        ("SELECT * FROM App[0]", "Invalid list expression in source."),
        ('SELECT * FROM "App".""', "Path component cannot be an empty string"),
        (
            "SELECT * FROM ab",
            "Table name should be within the length [3, 255] and only contain 'a-z', 'A-Z', '0-9', '-', '_', '.'.",
        ),
        ("SELECT * FROM App GROUP BY pk", "Unsupported clause: GROUP BY"),
        ("SELECT * FROM App LIMIT 10", "Unsupported clause: LIMIT at 1:25:2"),
        ("SELECT * FROM App HAVING v", "Unsupported clause: HAVING at 1:26:1"),
        ("SELECT * FROM App.Nope", "The table does not have the specified index"),
        ("pk", "Unsupported operation: VariableReference"),
        ("'pk'", "Unsupported operation: Literal"),
        ("[1]", "Unsupported operation: Seq"),
        ("x IS INT4", "Unsupported operation: IsType"),
        ("DROP TABLE App", "Unsupported operation: DropTable"),
        ("EXEC something", "Unsupported operation: Exec"),
        ("1 + 1", "EXISTS can only be used in ExecuteTransaction write requests."),
        (
            "EXISTS(SELECT * FROM App WHERE pk = 'a' AND sk = 1 AND v = 1)",
            "EXISTS can only be used in ExecuteTransaction write requests.",
        ),
    ],
)
def test_what_cannot_be_selected(sql: Sql, statement: str, message: str) -> None:
    assert sql.wrong(statement) == message


def test_a_table_may_be_named_by_its_arn(sql: Sql) -> None:
    arn = "arn:aws:dynamodb:us-east-1:000000000000:table/App"
    assert len(sql(f"SELECT * FROM \"{arn}\" WHERE pk = 'a'")) == 3
    assert len(sql(f'SELECT * FROM "{arn}"."ByGroup" WHERE g = \'x\'')) == 6
    assert "multi-attribute" in sql.wrong(f'SELECT * FROM "{arn}"."ByFour"')


def test_a_table_that_is_not_there(sql: Sql) -> None:
    missing = ("ResourceNotFoundException", "Requested resource not found")
    assert sql.refused("SELECT * FROM Nope WHERE pk = 'a'") == missing
    assert sql.refused('SELECT * FROM "Nope"."Index"', ConsistentRead=True) == missing


# ---------------------------------------------------------------------------------------------------- conditions


@pytest.mark.parametrize(
    ("condition", "keys"),
    [
        ("v = 10", ["a1", "b1"]),
        ("10 = v", ["a1", "b1"]),
        ("v <> 10", ["a2", "a3", "b2", "b3"]),
        ("v != 10 AND pk = 'a'", ["a2", "a3"]),
        ("v > 10 AND v <= 20", ["a2", "b2"]),
        ("v = '10'", []),
        ("v = 1e1 AND v = .1e2 AND v = 10.0", ["a1", "b1"]),
        ("v > -5", ALL),
        ("v BETWEEN 20 AND 30", ["a2", "a3", "b2", "b3"]),
        ("v NOT BETWEEN 20 AND 30", ["a1", "b1"]),
        ("v IN [10, '20']", ["a1", "b1"]),
        ("v IN (10, 20)", ["a1", "a2", "b1", "b2"]),
        ("v IN <<10>>", ["a1", "b1"]),
        ("v NOT IN [10, 20]", ["a3", "b3"]),
        ("10 IN [v]", ["a1", "b1"]),
        ("NOT v = 10", ["a2", "a3", "b2", "b3"]),
        ("NOT nope = 10", ALL),
        ("nope <> 10", ALL),
        ("v = 10 OR t = 't3'", ["a1", "a3", "b1", "b3"]),
        ("nope IS MISSING", ALL),
        ("nil IS MISSING", []),
        ("nil IS NOT MISSING", ALL),
        ("nil IS NULL", ALL),
        ("nil = NULL", ALL),
        ("nope IS NULL", []),
        ("nope IS NOT NULL", ALL),
        ("yes IS BOOL AND t IS STRING AND v IS NUMERIC AND m IS STRUCT AND m IS TUPLE AND lst IS LIST", ALL),
        ("t IS BLOB", []),
        ("yes = true", ALL),
        ("m.a = 'in' AND m.b[1].c = 'deep' AND lst[1] = 'two'", ALL),
        ("lst = [1, 'two']", ALL),
        ("m = {'b': [1, {'c': 'deep'}], 'a': 'in'}", ALL),
        ("ss = <<'q', 'p'>>", ALL),
        ("begins_with(t, 't') AND NOT begins_with(t, 't1')", ["a2", "a3", "b2", "b3"]),
        ("contains(t, '2') AND contains(ss, 'p') AND contains(lst, 1)", ["a2", "b2"]),
        ("SIZE(t) = 2 AND size(lst) BETWEEN 1 AND 2 AND size(ss) IN [2]", ALL),
        ("attribute_type(t, 'S') AND attribute_exists(m.a) AND attribute_not_exists(m.z)", ALL),
        ("1 = 1", ALL),
        ("date IS MISSING", None),
        ('"date" IS MISSING AND status IS MISSING', ALL),
    ],
)
def test_conditions(sql: Sql, condition: str, keys: list[str] | None) -> None:
    statement = f"SELECT pk, sk FROM App WHERE {condition}"
    if keys is None:
        assert "wasn't well formed" in sql.wrong(statement)
    else:
        assert sorted(sql.keys(statement)) == keys


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("attribute_exists(nope) = false", True),
        ("true = attribute_exists(v)", True),
        ("attribute_exists(v) <> 1", True),
        ("attribute_exists(v) = 1", False),
        ("(v BETWEEN 0 AND 50) = true", True),
        ("(v = 5 OR t = 'x') = false", True),
        ("attribute_exists(nope) IN [true, false]", True),
        ("attribute_exists(v) = attribute_exists(t)", True),
        ("attribute_exists(v) = attribute_exists(nope)", False),
        ("attribute_exists(v) = yes", True),
        ("attribute_exists(v) <> yes", False),
        ("attribute_exists(v) = t", False),
        ("attribute_exists(v) = size(t)", False),
        ("NOT attribute_exists(v) = true", False),
        ("(v IS MISSING) = false", True),
    ],
)
def test_conditions_are_values_too(sql: Sql, condition: str, holds: bool) -> None:
    assert bool(sql(f"SELECT pk FROM App WHERE pk = 'a' AND sk = 1 AND {condition}")) is holds


def test_compared_conditions_do_not_multiply(sql: Sql) -> None:
    chain = " = ".join(["attribute_exists(v)"] * 20)
    assert sql.wrong(f"SELECT pk FROM App WHERE {chain}") == "The expression contains too many operators"
    nested = "v = 1"
    for _ in range(20):
        nested = f"({nested}) IN [true, false]"
    assert sql.wrong(f"SELECT pk FROM App WHERE {nested}") == "The expression contains too many operators"


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("yes", "WHERE clause must contain an expression that resolves to a boolean"),
        ("size(t)", "WHERE clause must contain an expression that resolves to a boolean"),
        ("NOT yes", "The argument to NOT must be a Type or Expression"),
        ("v = 1 AND yes", "The arguments to AND/OR must be Expressions"),
        ("v = MISSING", "MISSING must be compared using IS operator"),
        ("size(t) IS MISSING", "The left hand side argument to IS must be a Variable Reference, Literal, or Path"),
        ("5 IS MISSING", "Operator or function requires a document path; operator or function: attribute_not_exists"),
        (
            "v IS INT",
            "Unsupported data type for IS operator: INTEGER. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, "
            "STRING, NUMERIC, STRUCT, TUPLE, LIST] at 1:27:2",
        ),
        ("v + 1 = 11", "Unsupported operator in Condition Expression. Operator: +"),
        ("t LIKE 't%'", "Unsupported operator in Condition Expression. Operator: like"),
        ("t || 'x' = 'y'", "Unsupported operator in Condition Expression. Operator: ||"),
        ("v > -t", "Unsupported operator in Condition Expression. Operator: -"),
        ("upper(t) = 'T1'", "Unrecognized function: upper at 1:25:5"),
        ("EXISTS(t)", "Unrecognized function: exists at 1:25:6"),
        ("set_add(ss, <<'x'>>) = ss", "Unrecognized function: set_add at 1:25:7"),
        ("list_append(t, t) = 1", "The function is not allowed in a condition expression; function: list_append"),
        ("COUNT(v) = 1", "Unsupported token in expression: count at 1:25:5"),
        ("v = (SELECT v FROM App)", "Unsupported token in expression: SELECT at 1:30:6"),
        (
            "v = v",
            "The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [v]",
        ),
        ("v < true", "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL"),
        (
            "attribute_exists(v) > false",
            "Incorrect operand type for operator or function; operator or function: >, operand type: BOOL",
        ),
        (
            "v BETWEEN NULL AND NULL",
            "Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: NULL",
        ),
        (
            "v BETWEEN 20 AND 10",
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:20}, upper bound operand: AttributeValue: {N:10}",
        ),
        (
            "begins_with(t)",
            "Incorrect number of operands for operator or function; operator or function: begins_with, number of operands: 1",
        ),
        (
            "attribute_exists()",
            "Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 0",
        ),
        (
            "attribute_exists('v')",
            "Operator or function requires a document path; operator or function: attribute_exists",
        ),
        (
            "attribute_type(t, 'X')",
            "Invalid attribute type name found; type: X, valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}",
        ),
        (
            "attribute_type(t, 1)",
            "Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N",
        ),
        (
            "v IN []",
            "IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with at least one member",
        ),
        (
            "v IN 10",
            "IN operator must have a left hand argument of type Variable Reference and right hand argument of type Seq with at least one member",
        ),
        ("v = ?", "Number of parameters in request and statement don't match."),
        ("v = `10`", "Ion Literals are not supported: INT under key root at 1:29:4"),
        ("v = -0.0", "Negative zero decimal is not supported under key root at 1:30:3"),
        ("v = [1, v]", "Unsupported data type: VariableReference under key root[1] at 1:33:1"),
        ("v = [?]", "Unsupported data type: Parameter under key root[0] at 1:30:1"),
        (
            "v = 1e126",
            "Number overflow. Attempting to store a number with magnitude larger than supported range under root",
        ),
        (
            "v = 1e-131",
            "Number underflow. Attempting to store a number with magnitude smaller than supported range under root",
        ),
        (
            "v = 123456789012345678901234567890123456789",
            "Attempting to store more than 38 significant digits in a Number under root",
        ),
        ("m.* = 1", "Unpivot path component like a.*.b are not supported at 1:27:1"),
        ("m[*] = 1", "Wildcard path component like a[*].b are not supported at 1:27:1"),
        ("lst[?] = 1", "Unexpected path component at 1:29:1"),
    ],
)
def test_conditions_that_are_refused(sql: Sql, condition: str, message: str) -> None:
    assert sql.wrong(f"SELECT * FROM App WHERE {condition}") == message


def test_numbers_keep_38_digits(sql: Sql) -> None:
    digits = "12345678901234567890123456789012345678"
    sql(f"INSERT INTO App VALUE {{'pk': 'n', 'sk': {digits}, 'x': -0.{digits}, 'e': -1.5e-3, 'z': -0}}")
    (item,) = sql(f"SELECT * FROM App WHERE pk = 'n' AND sk = {digits}")
    assert (item["sk"], item["x"], item["e"], item["z"]) == (n(digits), n(f"-0.{digits}"), n("-0.0015"), n(0))


# ---------------------------------------------------------------------------------------------------- parameters


def test_parameters_stand_for_values(sql: Sql) -> None:
    assert sql.keys("SELECT pk, sk FROM App WHERE pk = ? AND v > ?", s("a"), n(10)) == ["a2", "a3"]
    assert sql.keys("SELECT pk, sk FROM App WHERE pk = ? AND v IN [?, 30]", s("a"), n(10)) == ["a1", "a3"]
    assert sql.keys("SELECT pk, sk FROM App WHERE begins_with(t, ?) AND pk = 'a'", s("t2")) == ["a2"]
    assert sql.keys("SELECT pk, sk FROM App WHERE ss = ? AND pk = 'a'", {"SS": ["q", "p"]}) == ["a1", "a2", "a3"]
    assert sql("SELECT * FROM App WHERE t = '?'") == []


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ({"N": "abc"}, "The parameter cannot be converted to a numeric value: abc"),
        ({"N": ""}, "The parameter cannot be converted to a numeric value"),
        ({"N": "1e99999999999"}, "The parameter cannot be converted to a numeric value: 1e99999999999"),
        ({"N": "1e-2147483648"}, "The parameter cannot be converted to a numeric value: 1e-2147483648"),
        (
            {"L": [{"M": {"x": {"NS": ["1", "1e99999999999"]}}}]},
            "The parameter cannot be converted to a numeric value: 1e99999999999",
        ),
        (
            {"N": "1e2147483647"},
            "Number underflow. Attempting to store a number with magnitude smaller than supported range",
        ),
        ({"N": "1e126"}, "Number overflow. Attempting to store a number with magnitude larger than supported range"),
        ({"SS": ["a", "a"]}, "One or more parameter values were invalid: Input collection [a, a] contains duplicates."),
        (
            {"NULL": False},
            "One or more parameter values were invalid: Null attribute value types must have the value of true",
        ),
        ({}, "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
    ],
)
def test_parameters_are_looked_at_before_the_statement(sql: Sql, parameter: Any, message: str) -> None:
    assert sql.wrong("SELECT * FROM App WHERE v = ?", parameter) == message
    assert sql.wrong("no statement at all", parameter) == message


def test_the_first_wrong_parameter_is_told(sql: Sql) -> None:
    deep: Any = s("leaf")
    for _ in range(40):
        deep = {"M": {"n": deep}}
    nesting = sql.wrong("SELECT * FROM App WHERE x = ? AND y = ?", deep, n("abc"))
    assert nesting.startswith("Nesting Levels have exceeded supported limits")
    assert sql.wrong("SELECT * FROM App WHERE x = ? AND y = ?", n("abc"), deep).endswith(": abc")
