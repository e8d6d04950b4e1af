"""INSERT, UPDATE and DELETE: what they write, what they return, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.errors import ConditionalCheckFailed

Sql = Any


def s(text: str) -> dict[str, str]:
    return {"S": text}


def n(number: object) -> dict[str, str]:
    return {"N": str(number)}


KEY = "Where clause does not contain a mandatory equality on all key attributes"
FAILED = ("ConditionalCheckFailedException", "The conditional request failed")

# -------------------------------------------------------------------------------------------------------- INSERT


def test_insert_stores_every_type(sql: Sql) -> None:
    statement = (
        "INSERT INTO App VALUE {'pk': 'new', 'sk': 1.50, 's': 'it''s', 'b': true, 'z': NULL, 'l': 'x', 'e': '', "
        "'deep': {'list': [1, [], {'x': <<1, 2.50>>}], 'words': <<'a', 'b'>>}};"
    )
    assert sql(statement) == []
    assert sql("SELECT * FROM App WHERE pk = 'new' AND sk = 1.5") == [
        {
            "pk": s("new"),
            "sk": n("1.5"),
            "s": s("it's"),
            "b": {"BOOL": True},
            "z": {"NULL": True},
            "l": s("x"),
            "e": s(""),
            "deep": {
                "M": {
                    "list": {"L": [n(1), {"L": []}, {"M": {"x": {"NS": ["1", "2.5"]}}}]},
                    "words": {"SS": ["a", "b"]},
                }
            },
        }
    ]


def test_insert_takes_parameters_as_attributes(sql: Sql) -> None:
    sql("INSERT INTO App VALUE {'pk': ?, 'sk': ?, 'x': ?}", s("p"), n(7), {"BS": ["AQ==", "Ag=="]})
    assert sql.get("p", 7) == {"pk": s("p"), "sk": n(7), "x": {"BS": ["AQ==", "Ag=="]}}


def test_an_item_is_inserted_once(sql: Sql) -> None:
    before = sql.get("a", 1)
    duplicate = ("DuplicateItemException", "Duplicate primary key exists in table")
    assert sql.refused("INSERT INTO App VALUE {'pk': 'a', 'sk': 1, 'x': 'other'}") == duplicate
    assert sql.get("a", 1) == before
    sql("DELETE FROM App WHERE pk = 'a' AND sk = 1")
    assert sql("INSERT INTO App VALUE {'pk': 'a', 'sk': 1}") == []


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("App VALUE {'pk': 'x'}", "Key attribute should be present in the item: Key sk"),
        ("App VALUE {}", "Key attribute should be present in the item: Key pk"),
        (
            "App VALUE {'pk': 1, 'sk': 1}",
            "Key attribute's data type should match its data type in table's schema: Key pk",
        ),
        (
            "App VALUE {'pk': '', 'sk': 1}",
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an "
            "empty string value. Key: pk",
        ),
        (
            "App VALUE {\"pk\": 'x', 'sk': 1}",
            "Tuple keys must be of type String. Actual type: VariableReference under root at 1:24:4",
        ),
        (
            "App VALUE {1: 'x', 'sk': 1}",
            "Tuple keys must be of type String. Actual type: INT under root at 1:24:1",
        ),
        ("App VALUE {'pk': 'x', 'pk': 'y'}", "Duplicate keys in tuple. Key: pk under root at 1:35:4"),
        ("App VALUE {'x': {'b': 1, 'b': 2}}", "Duplicate keys in tuple. Key: b under root at 1:29:1"),
        ("App VALUE {'': 1}", "Path component cannot be an empty string"),
        ("App VALUE {'x': v}", "Unsupported data type: v under key root at 1:29:1"),
        ("App VALUE {'x': 1 + 1}", "Unsupported data type: + under key root at 1:31:1"),
        ("App VALUE {'x': MISSING}", "Unsupported data type: MISSING under key root at 1:29:7"),
        ("App VALUE {'x': upper('a')}", "Unsupported data type: upper under key root at 1:29:5"),
        ("App VALUE {'x': {'y': ?}}", "Unsupported data type: Parameter under key root.y at 1:35:1"),
        ("App VALUE {'x': `{{aGk=}}`}", "Ion Literals are not supported: BLOB under key root at 1:29:10"),
        ("App VALUE {'x': <<>>}", "Empty bags are not supported"),
        (
            "App VALUE {'x': <<1, 'a'>>}",
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags",
        ),
        (
            "App VALUE {'x': <<true>>}",
            "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags",
        ),
        (
            "App VALUE {'x': [<<'a', 'a'>>]}",
            "One or more parameter values were invalid: Input collection [a, a] contains duplicates.",
        ),
        (
            "App VALUE {'x': <<2, 2.0>>}",
            "One or more parameter values were invalid: Input collection [2, 2.0] contains duplicates! under root",
        ),
        (
            "App VALUE {'x': [1, 1e126]}",
            "Number overflow. Attempting to store a number with magnitude larger than supported range under root[1]",
        ),
        (
            "App VALUE {'m': {'x': 1e-131}}",
            "Number underflow. Attempting to store a number with magnitude smaller than supported range under root.x",
        ),
        (
            "App VALUE [1]",
            "Unsupported format in item expression. Please use struct format {...} to express item values for insert "
            "statement. at 1:23:1",
        ),
        (
            "App VALUE ?",
            "Unsupported format in item expression. Please use struct format {...} to express item values for insert "
            "statement. at 1:23:1",
        ),
        ("App {'pk': 'x', 'sk': 1}", "Unsupported operation: InsertOp"),
        ("App <<{'pk': 'x', 'sk': 1}>>", "Unsupported operation: InsertOp"),
        ("App VALUE {'pk': 'x', 'sk': 1} AT 1", "AT is not supported in insert statements. at 1:1:6"),
        ("App VALUE {'pk': 'x', 'sk': 1} RETURNING ALL OLD *", "RETURNING is not supported in INSERT"),
        ("App VALUE {'pk': 'x'} ON CONFLICT WHERE pk = 'x' DO NOTHING", "Unsupported clause: ON CONFLICT"),
        (
            "\"App\".\"ByGroup\" VALUE {'pk': 'x'}",
            "FROM clause may only contain a single table name in data manipulation statements at 1:13:5",
        ),
        (
            "App VALUE {'pk': 'x', 'sk': 1, 'g': 1}",
            "One or more parameter values were invalid: Type mismatch for Index Key g Expected: S Actual: N IndexName: "
            "ByFour",
        ),
    ],
)
def test_inserts_that_are_refused(sql: Sql, rest: str, message: str) -> None:
    assert sql.wrong(f"INSERT INTO {rest}") == message


def test_documents_may_be_31_deep(sql: Sql) -> None:
    def nested(levels: int) -> str:
        return "{'a': " * levels + "1" + "}" * levels

    sql(f"INSERT INTO App VALUE {{'pk': 'deep', 'sk': 1, 'd': {nested(31)}}}")
    update = "UPDATE App SET d = {} WHERE pk = 'deep' AND sk = 1"
    beyond = "Nesting Levels have exceeded supported limits under root"
    assert sql.wrong(update.format(nested(32))) == beyond + ".a" * 32
    inside = "UPDATE App SET m.deep = ? WHERE pk = 'a' AND sk = 1"
    value: Any = s("leaf")
    for _ in range(31):
        value = {"L": [value]}
    assert sql.wrong(inside, value) == "Nesting Levels have exceeded supported limits"
    (response,) = sql.batch({"Statement": inside, "Parameters": [value]})["Responses"]
    assert response["Error"]["Message"] == "Nesting Levels have exceeded supported limits"
    assert response["TableName"] == "App"
    assert sql.wrong(update.format("[" * 32 + "1" + "]" * 32)) == beyond + "[0]" * 32


def test_items_are_400_kilobytes_at_most(sql: Sql) -> None:
    refusal = sql.wrong("INSERT INTO App VALUE {'pk': 'big', 'sk': 1, 'x': ?}", s("x" * 409_600))
    assert refusal == "Item size has exceeded the maximum allowed size"
    refusal = sql.wrong("UPDATE App SET x = ? WHERE pk = 'a' AND sk = 1", s("x" * 409_600))
    assert refusal == "Item size to update has exceeded the maximum allowed size"


# -------------------------------------------------------------------------------------------------------- UPDATE


@pytest.mark.parametrize(
    ("actions", "attribute", "value"),
    [
        ("SET x = 1", "x", n(1)),
        ("SET x = 1, y = 'b' SET z = x2", None, None),
        ("SET x = t", "x", s("t1")),
        ("SET m.a = 'new'", "m", {"M": {"a": s("new"), "b": {"L": [n(1), {"M": {"c": s("deep")}}]}}}),
        ('SET m.b[1]."c" = NULL', "m", {"M": {"a": s("in"), "b": {"L": [n(1), {"M": {"c": {"NULL": True}}}]}}}),
        ("SET lst[0] = 7", "lst", {"L": [n(7), s("two")]}),
        ("SET lst[9] = 7", "lst", {"L": [n(1), s("two"), n(7)]}),
        ("SET lst = list_append(lst, [3])", "lst", {"L": [n(1), s("two"), n(3)]}),
        ("SET lst = LIST_APPEND(['zero'], lst)", "lst", {"L": [s("zero"), n(1), s("two")]}),
        ("SET v = v + 1", "v", n(11)),
        ("SET v = v-1", "v", n(9)),
        ("SET v = 100 - v - - 5", "v", n(95)),
        ("SET v = (v + v)", "v", n(20)),
        ("SET c = if_not_exists(c, 5)", "c", n(5)),
        ("SET c = if_not_exists(c, 5) + v", "c", n(15)),
        ("SET ss = set_add(ss, <<'z', 'p'>>)", "ss", {"SS": ["p", "q", "z"]}),
        ("SET ss = SET_DELETE(ss, <<'p', 'z'>>)", "ss", {"SS": ["q"]}),
        ("SET ss = set_delete(ss, <<'p', 'q'>>)", "ss", None),
        ("SET fresh = set_add(fresh, <<1>>)", "fresh", {"NS": ["1"]}),
        ("SET fresh = set_delete(fresh, <<1>>)", "fresh", None),
        ("SET ss = <<'only'>>", "ss", {"SS": ["only"]}),
        ("REMOVE t", "t", None),
        ("REMOVE t REMOVE v SET x = v", "x", n(10)),
        ("REMOVE lst[0]", "lst", {"L": [s("two")]}),
        ("REMOVE nope", "nope", None),
    ],
)
def test_updates(sql: Sql, actions: str, attribute: str | None, value: Any) -> None:
    statement = f"UPDATE App {actions} WHERE pk = 'a' AND sk = 1"
    if attribute is None:
        assert sql.wrong(statement) == "The provided expression refers to an attribute that does not exist in the item"
        return
    assert sql(statement) == []
    stored = sql.get("a", 1).get(attribute)
    if stored is not None and "SS" in stored:
        stored["SS"].sort()
    assert stored == value


def test_parameters_in_an_update(sql: Sql) -> None:
    statement = "UPDATE App SET v = v + ? SET ss = set_add(ss, ?) WHERE pk = ? AND sk = ? AND t = ?"
    sql(statement, n(5), {"SS": ["z"]}, s("a"), n(1), s("t1"))
    assert sql.get("a", 1)["v"] == n(15)
    assert sorted(sql.get("a", 1)["ss"]["SS"]) == ["p", "q", "z"]


OPERAND = "Incorrect operand type for operator or function; operator or function: "


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ("SET x = nope", "The provided expression refers to an attribute that does not exist in the item"),
        (
            "SET lst = list_append(nope, [1])",
            "The provided expression refers to an attribute that does not exist in the item",
        ),
        ("SET t = t + 1", "An operand in the update expression has an incorrect data type"),
        ("SET ss = set_add(ss, <<1>>)", "An operand in the update expression has an incorrect data type"),
        ("SET t = set_add(t, <<'x'>>)", "An operand in the update expression has an incorrect data type"),
        ("SET m.q.z = 1", "The document path provided in the update expression is invalid for update"),
        ("SET none[0] = 1", "The document path provided in the update expression is invalid for update"),
        ("SET x = 'a' + 1", OPERAND + "+, operand type: S"),
        ("SET x = v - NULL", OPERAND + "-, operand type: NULL"),
        (
            "SET x = -v",
            "Incorrect number of operands for operator or function; operator or function: -, number of operands: 1",
        ),
        ("SET x = v * 2", "Unsupported operator in Update Expression. Operator: *"),
        ("SET x = MISSING", "MISSING must be compared using IS operator"),
        ("SET x = t IS NULL", "IS operator is not supported in update expressions"),
        ("SET x = size(t)", "The function is not allowed in an update expression; function: size"),
        ("SET x = upper(t)", "Unrecognized function: upper at 1:20:5"),
        ("SET x = [t]", "Unsupported data type: VariableReference under key root[0] at 1:21:1"),
        (
            "SET x = 1 SET x = 2",
            "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [x], path two: [x]",
        ),
        (
            "SET m = 1, m.x = 2",
            "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [m, x], path two: [m]",
        ),
        (
            "SET pk = 'x'",
            "One or more parameter values were invalid: Cannot update attribute pk. This attribute is part of the key",
        ),
        (
            "REMOVE sk",
            "One or more parameter values were invalid: Cannot update attribute sk. This attribute is part of the key",
        ),
        (
            "SET g = ''",
            "One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.",
        ),
        ("SET lst[-1] = 1", "List index is not within the allowable range; index: [-1] at 1:21:1"),
        ("SET x = set_add(ss, <<'x'>>)", "The first argument to SET_ADD must equal the assignment value at 1:20:7"),
        (
            "SET ss = set_add(<<'x'>>, <<'x'>>)",
            "The first argument to SET_ADD must equal the assignment value at 1:21:7",
        ),
        ("SET ss = set_add(ss, 'x')", "The second argument to SET_ADD must be a value with type SET at 1:29:2"),
        ("SET ss = set_delete(ss, ['x'])", "The second argument to SET_DELETE must be a value with type SET at 1:32:2"),
        ("SET ss = set_add(ss, t)", "The second argument to SET_ADD must be a value with type SET at 1:29:2"),
        ("SET ss = set_add(ss)", "SET_ADD must have exactly two arguments at 1:21:7"),
        (
            "SET ss = set_add(ss, <<'x', 'x'>>)",
            "One or more parameter values were invalid: Input collection [x, x] contains duplicates.",
        ),
        ("SET ss = set_add(ss, <<>>)", "Empty bags are not supported"),
        ("INSERT INTO App VALUE {'pk': 'x'}", "Only SET and REMOVE are supported in update expressions at this time"),
    ],
)
def test_updates_that_are_refused(sql: Sql, actions: str, message: str) -> None:
    before = sql.get("a", 1)
    assert sql.wrong(f"UPDATE App {actions} WHERE pk = 'a' AND sk = 1") == message
    assert sql.get("a", 1) == before


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("", KEY),
        ("WHERE pk = 'a'", KEY),
        ("WHERE pk = 'a' AND sk > 1", KEY),
        ("WHERE pk = 'a' AND sk = 1 OR v = 1", KEY),
        ("WHERE pk = 'a' AND (sk = 1 OR sk = 2)", KEY),
        ("WHERE pk IN ['a'] AND sk = 1", KEY),
        ("WHERE pk = t AND sk = 1", KEY),
        ("WHERE NOT pk = 'a' AND sk = 1", KEY),
        (
            "WHERE pk = 'a' AND sk = '1'",
            "Key attribute's data type should match its data type in table's schema: Key sk",
        ),
        ("WHERE pk = true AND sk = 1", "Key value must be of type S, N, or B. Key name: pk, Key type: BOOL"),
        (
            "WHERE pk = 'a' AND sk = 1 AND pk = 'b'",
            "Multiple conditions on same key pk. Only single item Update/Insert/Delete are supported",
        ),
    ],
)
@pytest.mark.parametrize("verb", ["UPDATE App SET x = 1", "DELETE FROM App", "FROM"])
def test_writes_name_one_item(sql: Sql, verb: str, where: str, message: str) -> None:
    statement = f"FROM App {where} SET x = 1" if verb == "FROM" else f"{verb} {where}"
    assert sql.wrong(statement) == message


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE App.ByGroup SET x = 1 WHERE g = 'x'", "This operation is not supported on an index"),
        ("UPDATE Nope.ByGroup SET x = 1 WHERE g = 'x'", "This operation is not supported on an index"),
        ("DELETE FROM App.ByGroup WHERE g = 'x'", "This operation is not supported on an index"),
        ("UPDATE App a SET x = 1 WHERE pk = 'a'", "Aliasing is not supported"),
        ("DELETE FROM App a WHERE pk = 'a'", "Aliasing is not supported"),
        ("SET x = 1", "Only select from a single table or index is supported."),
        ("REMOVE x", "Only select from a single table or index is supported."),
    ],
)
def test_writes_name_a_table(sql: Sql, statement: str, message: str) -> None:
    assert sql.wrong(statement) == message


def test_conditions_of_writes(sql: Sql) -> None:
    for condition in ("t = 'zz'", "attribute_exists(nope)", "NOT begins_with(t, 't')", "sk > 5"):
        assert sql.refused(f"UPDATE App SET x = 1 WHERE pk = 'a' AND sk = 1 AND {condition}") == FAILED
        assert sql.refused(f"DELETE FROM App WHERE pk = 'a' AND sk = 1 AND {condition}") == FAILED
    assert "x" not in sql.get("a", 1)
    sql("UPDATE App SET x = 1 WHERE (pk = 'a' AND sk = 1) AND (t = 'zz' OR v = 10) AND pk = 'a' AND sk < 2")
    assert sql.get("a", 1)["x"] == n(1)
    sql("DELETE FROM App WHERE pk = 'a' AND sk = 1 AND x = 1")
    assert sql.get("a", 1) is None


def test_the_failed_item_comes_back_when_asked_for(sql: Sql) -> None:
    for wanted in ("ALL_OLD", "NONE"):
        with pytest.raises(ConditionalCheckFailed) as caught:
            sql("DELETE FROM App WHERE pk = 'a' AND sk = 1 AND v = 1", ReturnValuesOnConditionCheckFailure=wanted)
        assert caught.value.item == (sql.get("a", 1) if wanted == "ALL_OLD" else None)


def test_an_update_changes_what_is_there(sql: Sql) -> None:
    for where in ("", " AND attribute_not_exists(pk)", " AND x IS MISSING"):
        assert sql.refused(f"UPDATE App SET x = 1 WHERE pk = 'none' AND sk = 1{where}") == FAILED
        assert sql.refused(f"FROM App WHERE pk = 'none' AND sk = 1{where} SET x = 1") == FAILED
    assert sql.get("none", 1) is None


def test_a_delete_of_nothing_succeeds(sql: Sql) -> None:
    assert sql("DELETE FROM App WHERE pk = 'none' AND sk = 1") == []
    assert sql("DELETE FROM App WHERE pk = 'none' AND sk = 1 AND t = 'x'") == []
    assert sql("DELETE FROM App WHERE pk = 'none' AND sk = 1 RETURNING ALL OLD *") == []


def test_from_may_come_first(sql: Sql) -> None:
    (item,) = sql("from App where pk = ? and sk = 1 and v = 10 set x = ? remove t returning all new *", s("a"), n(7))
    assert item["x"] == n(7)
    assert "t" not in item


@pytest.mark.parametrize(
    ("actions", "mapping", "row"),
    [
        ("SET v = 99", "MODIFIED OLD", {"v": n(10)}),
        ("SET v = 99", "MODIFIED NEW", {"v": n(99)}),
        ("SET m.a = 'x'", "MODIFIED NEW", {"m": {"M": {"a": s("x")}}}),
        ("SET m.a = 'x'", "MODIFIED OLD", {"m": {"M": {"a": s("in")}}}),
        ("SET lst[1] = 'x', lst[0] = 'y'", "MODIFIED NEW", {"lst": {"L": [s("y"), s("x")]}}),
        ("SET lst[1] = 'x'", "MODIFIED OLD", {"lst": {"L": [s("two")]}}),
        ("SET lst[7] = 'x'", "MODIFIED NEW", None),
        ("SET lst[2] = 'x'", "MODIFIED NEW", {"lst": {"L": [s("x")]}}),
        ("REMOVE lst[0]", "MODIFIED NEW", {"lst": {"L": [s("two")]}}),
        ("REMOVE v", "MODIFIED OLD", {"v": n(10)}),
        ("REMOVE v", "MODIFIED NEW", None),
        ("SET x = 1", "MODIFIED OLD", None),
    ],
)
def test_returning_what_was_modified(sql: Sql, actions: str, mapping: str, row: Any) -> None:
    statement = f"UPDATE App {actions} WHERE pk = 'a' AND sk = 1 RETURNING {mapping} *"
    assert sql(statement) == ([] if row is None else [row])


def test_returning_whole_items(sql: Sql) -> None:
    old = sql.get("a", 1)
    assert sql("UPDATE App SET v = 99 WHERE pk = 'a' AND sk = 1 RETURNING ALL OLD *") == [old]
    assert sql("UPDATE App SET v = 98 WHERE pk = 'a' AND sk = 1 RETURNING ALL NEW *") == [{**old, "v": n(98)}]
    assert sql("DELETE FROM App WHERE pk = 'a' AND sk = 1 RETURNING ALL OLD *") == [{**old, "v": n(98)}]
    only = "Only RETURNING ALL OLD * is allowed in DELETE statements."
    for mapping in ("ALL NEW", "MODIFIED OLD", "MODIFIED NEW"):
        refusal = sql.wrong(f"DELETE FROM App WHERE pk = 'b' AND sk = 1 RETURNING {mapping} *")
        assert refusal == f"Invalid returning clause: RETURNING {mapping} *. {only}"
    update = "UPDATE App SET v = 1 WHERE pk = 'b' AND sk = 1 RETURNING "
    assert sql.wrong(update + "ALL OLD v").startswith("Expected '*' after")
    assert sql.wrong(update + "ALL OLD *, ALL NEW *").startswith("Invalid syntax with multiple returning elements")
    assert sql.get("b", 1)["v"] == n(10)


def test_writes_tell_their_cost(sql: Sql) -> None:
    answer = sql.answer(
        "INSERT INTO App VALUE {'pk': 'c', 'sk': 1, 'g': 'x', 'r': 'y'}", ReturnConsumedCapacity="INDEXES"
    )
    assert answer["ConsumedCapacity"]["Table"] == {"CapacityUnits": 1.0}
    assert answer["ConsumedCapacity"]["GlobalSecondaryIndexes"] == {"ByGroup": {"CapacityUnits": 1.0}}
    assert answer["Items"] == []
