"""Quick comparisons give what the plain definition of DynamoDB's comparisons gives, also where much is remembered."""

from __future__ import annotations

import operator
from base64 import b64decode
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.expressions import compiled_condition
from tablewright.expressions.comparison import contains, elements, equal, form, ordered

Wire = dict[str, Any]

# Many ways of writing few numbers, and numbers that only their last digit or their exponent tells apart.
NUMBERS = st.sampled_from(
    [
        *[
            "0",
            "-0",
            "0.0",
            "0E+5",
            "1",
            "1.0",
            "1E0",
            "10e-1",
            "+1",
            "01",
            "-1",
            "-1.00",
            "10",
            "1E+1",
            "1E1",
            "0.1",
            ".1",
            "0.5",
            "0.50",
            "1E+125",
            "10E124",
            "1E-130",
        ],
        *("1" + "0" * 125, "0." + "0" * 129 + "1", "9" * 38, "9" * 37 + "8"),
    ]
)
TEXTS = st.sampled_from(["", "a", "ab", "1", "N1", "é"])
BINARIES = st.sampled_from(["", "AA==", "AB==", "AAE=", "/w=="])
SCALARS = (
    NUMBERS.map(lambda text: {"N": text})
    | NUMBERS.map(lambda text: {"N": text})
    | TEXTS.map(lambda text: {"S": text})
    | BINARIES.map(lambda text: {"B": text})
    | st.booleans().map(lambda flag: {"BOOL": flag})
    | st.just({"NULL": True})
)
SETS = (
    st.lists(NUMBERS, min_size=1, max_size=3).map(lambda found: {"NS": found})
    | st.lists(TEXTS, min_size=1, max_size=3).map(lambda found: {"SS": found})
    | st.lists(BINARIES, min_size=1, max_size=3).map(lambda found: {"BS": found})
)
VALUES: st.SearchStrategy[Wire] = st.recursive(
    SCALARS | SETS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda found: {"L": found})
        | st.dictionaries(st.sampled_from("ab"), inner, max_size=2).map(lambda found: {"M": found})
    ),
    max_leaves=5,
)
READ = {"N": Decimal, "S": str, "B": b64decode}
ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def plain(wire: Wire) -> Any:
    """What a value means, told by Python's own types and their equality."""
    ((tag, content),) = wire.items()
    if tag in READ:
        return tag, READ[tag](content)
    if tag in ("NS", "SS", "BS"):
        return tag, {READ[tag[0]](member) for member in content}
    if tag == "L":
        return tag, [plain(element) for element in content]
    if tag == "M":
        return tag, {name: plain(inner) for name, inner in content.items()}
    return tag, content


def plainly_contains(container: Wire, member: Wire) -> bool:
    ((tag, content),) = container.items()
    if tag == "L":
        return plain(member) in [plain(element) for element in content]
    if tag in ("S", "B"):
        return tag in member and READ[tag](member[tag]) in READ[tag](content)
    if tag in ("NS", "SS", "BS"):
        return plain(member) in [plain({tag[0]: one}) for one in content]
    return False


def plainly_ordered(left: Wire, right: Wire, op: str) -> bool:
    (tag, a), (other, b) = plain(left), plain(right)
    return tag == other and tag in READ and bool(ORDERS[op](a, b))


@given(left=VALUES, right=VALUES)
def test_equality_and_order(left: Wire, right: Wire) -> None:
    same = plain(left) == plain(right)
    assert equal(left, right) is same
    assert (form(left) == form(right)) is same
    for op in ORDERS:
        assert ordered(left, right, op) is plainly_ordered(left, right, op)


@given(container=VALUES, member=VALUES)
def test_containment(container: Wire, member: Wire) -> None:
    held = plainly_contains(container, member)
    assert contains(container, member) is held
    inside = elements(container)
    if inside is None:
        assert not {"L", "NS", "SS", "BS"} & container.keys()
    else:
        assert (form(member) in inside) is held


def holds(kind: str, left: Wire | None, right: Wire) -> bool:
    if kind == "<>":
        return left is None or plain(left) != plain(right)
    if left is None:
        return False
    if kind == "contains":
        return plainly_contains(left, right)
    return plain(left) == plain(right) if kind == "=" else plainly_ordered(left, right, kind)


@st.composite
def long_conditions(draw: st.DrawFn) -> tuple[str, list[tuple[str, str, str, bool]], dict[str, Wire]]:
    """A condition of many terms: its text, its terms (kind, attribute, value, negated) and its values."""
    values = {f":v{number}": draw(VALUES) for number in range(draw(st.integers(1, 6)))}
    kinds = st.sampled_from(["=", "<>", "contains"])
    terms: list[tuple[str, str, str, bool]] = []
    for _ in range(draw(st.integers(8, 14))):
        name = draw(st.sampled_from(sorted(values)))
        # An order with an operand that has none is refused before it is tried.
        kind = draw(kinds | st.sampled_from(sorted(ORDERS)) if values[name].keys() & READ.keys() else kinds)
        terms.append((kind, draw(st.sampled_from("abc")), name, draw(st.booleans())))
    used = {name for _, _, name, _ in terms}
    joined = draw(st.sampled_from([" AND ", " OR "]))
    text = joined.join(
        ("NOT " if negated else "") + (f"contains({path}, {name})" if kind == "contains" else f"{path} {kind} {name}")
        for kind, path, name, negated in terms
    )
    return text, terms, {name: value for name, value in values.items() if name in used}


@given(case=long_conditions(), items=st.lists(st.dictionaries(st.sampled_from("abc"), VALUES), min_size=1, max_size=4))
def test_long_conditions(
    case: tuple[str, list[tuple[str, str, str, bool]], dict[str, Wire]], items: list[dict[str, Wire]]
) -> None:
    text, terms, values = case
    condition = compiled_condition(text)
    condition.check(values)
    keep = condition.over(values)
    for item in items:
        results = [holds(kind, item.get(path), values[name]) is not negated for kind, path, name, negated in terms]
        expected = all(results) if " AND " in text else any(results)
        assert condition(item, values) is expected
        assert keep(item) is expected


@given(
    tested=VALUES,
    options=st.lists(VALUES, min_size=1, max_size=12),
    others=st.lists(st.fixed_dictionaries({"a": VALUES}), max_size=3),
)
def test_one_of_many(tested: Wire, options: list[Wire], others: list[dict[str, Wire]]) -> None:
    values = {f":v{number}": option for number, option in enumerate(options)}
    condition = compiled_condition(f"a IN ({', '.join(values)})")
    keep = condition.over(values)
    for item in [*others, {"a": tested}, {}]:
        expected = "a" in item and any(plain(item["a"]) == plain(option) for option in options)
        assert keep(item) is expected
        assert condition(item, values) is expected


@pytest.mark.parametrize("terms", [3, 30])
def test_nothing_is_remembered_from_one_request_to_the_next(terms: int) -> None:
    item: dict[str, Wire] = {"l": {"L": [{"N": "1"}]}, "v": {"N": "5"}}
    values: dict[str, Wire] = {":a": {"N": "1"}, ":b": {"N": "4"}}
    condition = compiled_condition(" AND ".join(["contains(l, :a)", "v > :b", "v <> :b"] * (terms // 3)))
    assert condition(item, values)
    item["l"]["L"].append({"N": "2"})
    assert condition(item, {**values, ":a": {"N": "2.0"}})
    item["l"]["L"].clear()
    assert not condition(item, values)
    item["l"]["L"].append({"N": "1"})
    values[":b"]["N"] = "6"
    assert not condition(item, values)
