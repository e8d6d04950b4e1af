"""Expressions and legacy parameters drawn at random, right and wrong, for comparisons with DynamoDB Local."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]


def s(text: str) -> dict[str, str]:
    return {"S": text}


def n(number: object) -> dict[str, str]:
    return {"N": str(number)}


SCALARS = st.sampled_from(
    [s("x"), s("xy"), s("y"), s(""), n(0), n(1), n("1.0"), n(-10), n("1E+1"), {"B": "AAEC"}, {"B": ""}]
)
OTHERS = st.sampled_from(
    [
        {"BOOL": True},
        {"NULL": True},
        {"SS": ["q", "p"]},
        {"SS": ["x"]},
        {"NS": ["2", "1.0"]},
        {"BS": ["AAEC"]},
        {"L": [s("one"), n(2)]},
        {"L": []},
        {"M": {"in": n(1), "deep": {"M": {}}}},
    ]
)
VALUES = st.one_of(SCALARS, SCALARS, OTHERS)
ATTRIBUTES = st.sampled_from(["v", "w", "w", "inc", "cnt", "ss", "li", "m"])
PATHS = st.one_of(
    ATTRIBUTES, ATTRIBUTES, st.sampled_from(["m.#in", "m.deep", "li[0]", "li[7]", "m.#in.z", "v[1]", "#n", "pk", "g"])
)
COMPARATORS = st.sampled_from(["=", "=", "<>", "<", "<=", ">", ">="])
NAMES = {"#in": "in", "#n": "v"}


class Written:
    """An expression as it is being written, with its placeholders."""

    def __init__(self, draw: Draw, values: dict[str, Any] | None = None) -> None:
        self.draw = draw
        self.values: dict[str, Any] = {} if values is None else values

    def value(self, strategy: st.SearchStrategy[Any] = VALUES) -> str:
        name = f":v{len(self.values)}"
        self.values[name] = self.draw(strategy)
        return name

    def path(self) -> str:
        return str(self.draw(PATHS))

    def operand(self) -> str:
        kind = self.draw(st.integers(0, 7))
        return self.value() if kind < 4 else f"size({self.path()})" if kind == 4 else self.path()

    def condition(self, depth: int = 2) -> str:
        kind = self.draw(st.integers(0, 9 if depth else 6))
        match kind:
            case 0 | 1 | 2:
                return f"{self.path()} {self.draw(COMPARATORS)} {self.operand()}"
            case 3:
                return f"{self.path()} BETWEEN {self.operand()} AND {self.operand()}"
            case 4:
                return f"{self.path()} IN ({', '.join(self.operand() for _ in range(self.draw(st.integers(1, 3))))})"
            case 5:
                return f"{self.draw(st.sampled_from(['attribute_exists', 'attribute_not_exists']))}({self.path()})"
            case 6:
                name = self.draw(st.sampled_from(["begins_with", "contains", "attribute_type"]))
                second = (
                    self.value(st.sampled_from([s("S"), s("N"), s("L"), s("Q")])) if name == "attribute_type" else None
                )
                return f"{name}({self.path()}, {second or self.operand()})"
            case 7:
                return f"NOT {self.condition(depth - 1)}"
            case _:
                joined = self.draw(st.sampled_from(["AND", "OR"]))
                left, right = self.condition(depth - 1), self.condition(depth - 1)
                return f"({left}) {joined} {right}" if kind == 8 else f"{left} {joined} {right}"

    def update(self) -> str:
        sections: list[str] = []
        for keyword in self.draw(
            st.lists(st.sampled_from(["SET", "SET", "REMOVE", "ADD", "DELETE"]), min_size=1, max_size=2)
        ):
            actions = [self.action(keyword) for _ in range(self.draw(st.integers(1, 2)))]
            sections.append(f"{keyword} {', '.join(actions)}")
        return " ".join(sections)

    def action(self, keyword: str) -> str:
        path = self.path()
        if keyword == "REMOVE":
            return path
        if keyword in ("ADD", "DELETE"):
            sets = st.sampled_from([{"SS": ["p", "z"]}, {"NS": ["1"]}, n("1.5"), n(2), s("x"), {"L": [n(1)]}])
            return f"{path} {self.value(sets)}"
        kind = self.draw(st.integers(0, 6))
        match kind:
            case 0 | 1 | 2:
                return f"{path} = {self.value()}"
            case 3:
                return f"{path} = {self.path()}"
            case 4:
                return f"{path} = if_not_exists({self.path()}, {self.value()})"
            case 5:
                return f"{path} = list_append({self.path()}, {self.value(st.sampled_from([{'L': [n(9)]}, s('x')]))})"
            case _:
                operator, number = self.draw(st.sampled_from("+-")), st.sampled_from([n(1), n("0.5"), s("x")])
                return f"{path} = {self.path()} {operator} {self.value(number)}"


FAULTS = ["", "", "", "", "", "", "drop value", "unused value", "unused name", "cut", "double", "word", "call"]


def spoiled(draw: Draw, text: str, values: dict[str, Any], names: dict[str, str]) -> str:
    """Sometimes a fault in an expression or its placeholders."""
    match draw(st.sampled_from(FAULTS)):
        case "drop value" if values:
            del values[draw(st.sampled_from(sorted(values)))]
        case "unused value":
            values[":unused"] = s("x")
        case "unused name":
            names["#unused"] = "x"
        case "cut":
            return text[: draw(st.integers(0, len(text)))]
        case "double":
            return f"(({text}))"
        case "word":
            return text.replace("v", "status", 1)
        case "call":
            return text.replace("(", "(foo(", 1)
        case _:
            pass
    return text


def with_placeholders(request: dict[str, Any], values: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """A request with the placeholders that its expressions mention."""
    text = " ".join(str(part) for name, part in request.items() if name.endswith("Expression"))
    used = {name: attribute for name, attribute in NAMES.items() if name in text}
    if used or names:
        request["ExpressionAttributeNames"] = {**used, **names}
    if values:
        request["ExpressionAttributeValues"] = values
    return request


@st.composite
def condition_parts(draw: Draw, parameter: str = "ConditionExpression") -> dict[str, Any]:
    """A condition or filter with its placeholders."""
    written = Written(draw)
    names: dict[str, str] = {}
    text = spoiled(draw, written.condition(), written.values, names)
    return with_placeholders({parameter: text}, written.values, names)


@st.composite
def update_parts(draw: Draw) -> dict[str, Any]:
    """An update, sometimes with a condition."""
    written = Written(draw)
    names: dict[str, str] = {}
    parts = {"UpdateExpression": spoiled(draw, written.update(), written.values, names)}
    if draw(st.booleans()):
        parts["ConditionExpression"] = written.condition(1)
    return with_placeholders(parts, written.values, names)


@st.composite
def projection_parts(draw: Draw) -> dict[str, Any]:
    """A projection, which may name a path twice."""
    paths = draw(st.lists(PATHS, min_size=1, max_size=3))
    return with_placeholders({"ProjectionExpression": ", ".join(paths)}, {}, {})


# ------------------------------------------------------------------------------------------------- legacy parameters

OPERATORS = st.sampled_from(
    ["EQ", "NE", "IN", "LE", "LT", "GE", "GT", "BETWEEN", "NOT_NULL", "NULL", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH"]
)


@st.composite
def comparisons(draw: Draw, attributes: st.SearchStrategy[str] = ATTRIBUTES) -> dict[str, Any]:
    """A filter of one to three attributes, mostly with as many operands as the operator takes."""
    found: dict[str, Any] = {}
    for name in draw(st.lists(attributes, min_size=1, max_size=3, unique=True)):
        operator = draw(OPERATORS)
        count = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2}.get(operator, 1) + draw(st.sampled_from([0, 0, 0, 0, 0, 1]))
        first = draw(VALUES)
        values = [first if draw(st.integers(0, 3)) else draw(VALUES) for _ in range(count)]
        found[name] = {"ComparisonOperator": operator, "AttributeValueList": values}
    return found


@st.composite
def expectations(draw: Draw) -> dict[str, Any]:
    """Expected, in its older and its newer form."""
    if draw(st.booleans()):
        expected = draw(comparisons())
    else:
        forms = st.sampled_from(
            [{"Exists": False}, {"Exists": True}, {"Exists": True, "Value": s("x")}, {"Value": n(1)}, {}]
        )
        expected = {name: draw(forms) for name in draw(st.lists(ATTRIBUTES, min_size=1, max_size=2, unique=True))}
    parts: dict[str, Any] = {"Expected": expected}
    if draw(st.integers(0, 2)) == 0:
        parts["ConditionalOperator"] = draw(st.sampled_from(["AND", "OR"]))
    return parts


@st.composite
def attribute_updates(draw: Draw) -> dict[str, Any]:
    """AttributeUpdates of one to three attributes."""
    found: dict[str, Any] = {}
    for name in draw(
        st.lists(st.one_of(ATTRIBUTES, st.sampled_from(["pk", "g", "r"])), min_size=1, max_size=3, unique=True)
    ):
        one: dict[str, Any] = {"Action": draw(st.sampled_from(["PUT", "PUT", "ADD", "DELETE"]))}
        if draw(st.integers(0, 5)):
            one["Value"] = draw(VALUES)
        found[name] = one
    return {"AttributeUpdates": found}
