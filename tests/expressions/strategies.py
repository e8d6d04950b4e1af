"""Random items, conditions and updates that DynamoDB accepts, for the property tests of expressions."""

from __future__ import annotations

from base64 import b64encode
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tablewright.expressions.ast import (
    AddAction,
    And,
    Arithmetic,
    Attribute,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Contains,
    DeleteAction,
    IfNotExists,
    In,
    ListAppend,
    Not,
    Or,
    RemoveAction,
    SetAction,
    Size,
    Update,
    Value,
)

# Few names and few values, so that conditions meet what items hold.
NAMES = ["a", "b", "c", "d"]
ODD_NAMES = [*NAMES, "status", "#a", ":a", "a.b", "a[0]", "SET", "with space", "é", "𐀀", "0", "x = :y OR"]

numbers = st.sampled_from(["0", "1", "2", "-1", "1.5", "10", "1E+1", "2.0", "100", "0.000001"])
texts = st.sampled_from(["", "a", "ab", "abc", "b", "é", "𐀀", "1"])
binaries = st.sampled_from([b"", b"a", b"ab", b"\x00", b"\xff", b"\x80"]).map(lambda raw: b64encode(raw).decode())
set_members = st.sampled_from(["1", "2", "3"])


def _set(tag: str, members: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.lists(members, min_size=1, max_size=3, unique=True).map(lambda found: {tag: found})


text_values = texts.map(lambda text: {"S": text})
number_values = numbers.map(lambda text: {"N": text})
binary_values = binaries.map(lambda text: {"B": text})
ordered_values = text_values | number_values | binary_values
set_values = _set("SS", st.sampled_from(["a", "b", "ab"])) | _set("NS", set_members) | _set("BS", binaries)
scalar_values = ordered_values | st.booleans().map(lambda flag: {"BOOL": flag}) | st.just({"NULL": True}) | set_values
values = st.recursive(
    scalar_values,
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda found: {"L": found})
        | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3).map(lambda found: {"M": found})
    ),
    max_leaves=8,
)
items = st.dictionaries(st.sampled_from(NAMES), values, max_size=4)


def paths(names: list[str], max_depth: int = 3) -> st.SearchStrategy[tuple[str | int, ...]]:
    """Document paths over some names."""
    rest = st.lists(st.sampled_from(names) | st.integers(0, 4), max_size=max_depth - 1)
    return st.tuples(st.sampled_from(names), rest).map(lambda pair: (pair[0], *pair[1]))


def _attributes(names: list[str]) -> st.SearchStrategy[Attribute]:
    return paths(names).map(Attribute)


def _constants(wires: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[Value]:
    return wires.map(Value)


def _sizes(names: list[str]) -> st.SearchStrategy[Size]:
    sized = text_values | binary_values | set_values
    return (_attributes(names) | _constants(sized)).map(Size)


@st.composite
def _compares(draw: st.DrawFn, names: list[str]) -> Compare:
    op: Any = draw(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]))
    wires = values if op in ("=", "<>") else ordered_values
    operands = _attributes(names) | _sizes(names) | _constants(wires)
    left = draw(operands)
    return Compare(op, left, draw(operands.filter(lambda right: not isinstance(left, Attribute) or left != right)))


def _order(wire: dict[str, Any]) -> Any:
    return Decimal(wire["N"]) if "N" in wire else wire["S"] if "S" in wire else _bytes(wire["B"])


def _bytes(text: str) -> bytes:
    from base64 import b64decode

    return b64decode(text)


@st.composite
def _betweens(draw: st.DrawFn, names: list[str]) -> Between:
    wires = draw(st.sampled_from([text_values, number_values, binary_values]))
    low, high = sorted([draw(wires), draw(wires)], key=_order)
    operand = draw(_attributes(names) | _sizes(names))
    others = _attributes(names).filter(lambda other: other != operand)
    return Between(operand, draw(st.just(Value(low)) | others), draw(st.just(Value(high)) | others))


@st.composite
def _ins(draw: st.DrawFn, names: list[str]) -> In:
    operand = draw(_attributes(names) | _sizes(names))
    options = _constants(values) | _attributes(names).filter(lambda other: other != operand)
    return In(operand, tuple(draw(st.lists(options, min_size=1, max_size=4))))


@st.composite
def _functions(draw: st.DrawFn, names: list[str]) -> Any:
    first = draw(_attributes(names))
    others = _attributes(names).filter(lambda other: other != first)
    kind = draw(st.sampled_from([AttributeExists, AttributeNotExists, AttributeType, BeginsWith, Contains]))
    if kind in (AttributeExists, AttributeNotExists):
        return kind(first.path)
    if kind is AttributeType:
        tag = draw(st.sampled_from(["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"]))
        return AttributeType(first, Value({"S": tag}))
    if kind is BeginsWith:
        return BeginsWith(first, draw(_constants(text_values | binary_values) | others))
    return Contains(draw(st.just(first) | _constants(values)), draw(_constants(values) | others))


def conditions(names: list[str] = NAMES) -> st.SearchStrategy[Any]:
    """Conditions that DynamoDB accepts."""
    leaves = _compares(names) | _betweens(names) | _ins(names) | _functions(names)
    return st.recursive(
        leaves,
        lambda inner: (
            inner.map(Not)
            | st.lists(inner, min_size=2, max_size=3).map(lambda terms: And(tuple(terms)))
            | st.lists(inner, min_size=2, max_size=3).map(lambda terms: Or(tuple(terms)))
        ),
        max_leaves=6,
    )


# --------------------------------------------------------------------------------------------------- updates


def overlap(one: tuple[str | int, ...], other: tuple[str | int, ...]) -> bool:
    """Whether DynamoDB refuses two paths in one expression."""
    for mine, theirs in zip(one, other, strict=False):
        if type(mine) is not type(theirs):
            return True
        if mine != theirs:
            return False
    return True


@st.composite
def path_sets(draw: st.DrawFn, names: list[str] = NAMES, max_size: int = 4) -> list[tuple[str | int, ...]]:
    """Paths that may stand together in one update or projection."""
    found: list[tuple[str | int, ...]] = []
    for path in draw(st.lists(paths(names), min_size=1, max_size=max_size)):
        if not any(overlap(path, other) for other in found):
            found.append(path)
    return found


@st.composite
def _set_operands(draw: st.DrawFn, names: list[str], wires: st.SearchStrategy[dict[str, Any]]) -> Any:
    operands = _attributes(names) | _constants(wires)
    if draw(st.booleans()):
        return draw(operands)
    path = draw(paths(names))
    return IfNotExists(path, draw(operands.filter(lambda default: default != Attribute(path))))


@st.composite
def _actions(draw: st.DrawFn, path: tuple[str | int, ...], names: list[str]) -> Any:
    kind = draw(st.sampled_from(["set", "arithmetic", "append", "remove", "add", "delete"]))
    lists = st.lists(scalar_values, max_size=2).map(lambda found: {"L": found})
    if kind == "set":
        return SetAction(path, draw(_set_operands(names, values)))
    if kind == "arithmetic":
        operands = _set_operands(names, number_values)
        return SetAction(path, Arithmetic(draw(st.sampled_from(["+", "-"])), draw(operands), draw(operands)))
    if kind == "append":
        return SetAction(path, ListAppend(draw(_set_operands(names, lists)), draw(_set_operands(names, lists))))
    if kind == "remove":
        return RemoveAction(path)
    if kind == "add":
        return AddAction(path, Value(draw(number_values | set_values)))
    return DeleteAction(path, Value(draw(set_values)))


_SECTIONS = [SetAction, RemoveAction, AddAction, DeleteAction]


@st.composite
def updates(draw: st.DrawFn, names: list[str] = NAMES) -> Update:
    """Updates that DynamoDB accepts, in the order in which they are printed."""
    actions = [draw(_actions(path, names)) for path in draw(path_sets(names))]
    return Update(tuple(sorted(actions, key=lambda action: _SECTIONS.index(type(action)))))
