"""Printed expressions read back as they were, mean the same, and agree with plain models of DynamoDB."""

from __future__ import annotations

import copy
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import ExpressionError, NumberError
from tablewright.expressions import (
    Attr,
    ExpressionBuilder,
    KeySchema,
    apply_update,
    compiled_condition,
    compiled_key_condition,
    compiled_projection,
    compiled_update,
    evaluate,
    parse_condition,
    parse_key_condition,
    parse_projection,
    parse_update,
    project,
    reduce_key_condition,
)
from tablewright.expressions import ast as nodes
from tablewright.expressions.comparison import binary, equal
from tests.expressions.strategies import (
    ODD_NAMES,
    conditions,
    items,
    ordered_values,
    path_sets,
    updates,
)

# ------------------------------------------------------------------------------------------ printed and read back


@given(conditions(ODD_NAMES))
def test_conditions_read_back(node: Any) -> None:
    request = ExpressionBuilder().condition(node).filter(node).build()
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    parsed = parse_condition(request["ConditionExpression"], names, values)
    assert parsed.node == node
    assert parsed.names_used == frozenset(names)
    assert parsed.values_used == frozenset(values)
    assert parse_condition(request["FilterExpression"], names, values, "FilterExpression").node == node


@given(updates(ODD_NAMES))
def test_updates_read_back(node: nodes.Update) -> None:
    request = ExpressionBuilder().update(node).build()
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    parsed = parse_update(request["UpdateExpression"], names, values)
    assert parsed.node == node
    assert parsed.names_used == frozenset(names)
    assert parsed.values_used == frozenset(values)


@given(path_sets(ODD_NAMES))
def test_projections_read_back(paths: list[nodes.Path]) -> None:
    request = ExpressionBuilder().project(*paths).build()
    parsed = parse_projection(request["ProjectionExpression"], request["ExpressionAttributeNames"])
    assert parsed.node.paths == tuple(paths)
    assert parsed.names_used == frozenset(request["ExpressionAttributeNames"])


@st.composite
def key_conditions(draw: st.DrawFn) -> tuple[nodes.Condition, KeySchema]:
    hashes = draw(st.lists(st.sampled_from(["h1", "h2", "status"]), min_size=1, max_size=3, unique=True))
    ranges = draw(st.lists(st.sampled_from(["r1", "r2", "name"]), max_size=3, unique=True))
    given_ranges = draw(st.integers(0, len(ranges)))
    value = ordered_values.filter(lambda wire: "" not in wire.values())
    terms: list[nodes.Condition] = [
        Attr(name).eq(draw(value)) for name in [*hashes, *ranges[: max(given_ranges - 1, 0)]]
    ]
    if given_ranges:
        last = Attr(ranges[given_ranges - 1])
        wire = draw(value)
        ways: list[nodes.Condition] = [
            last.eq(wire),
            last.lt(wire),
            last.le(wire),
            last.gt(wire),
            last.ge(wire),
            last.between(wire, wire),
        ]
        if "N" not in wire:
            ways.append(last.begins_with(wire))
        terms.append(draw(st.sampled_from(ways)))
    terms = draw(st.permutations(terms))
    node = terms[0] if len(terms) == 1 else nodes.And(tuple(terms))
    return node, KeySchema(tuple(hashes), tuple(ranges))


@given(key_conditions())
def test_key_conditions_read_back(case: tuple[nodes.Condition, KeySchema]) -> None:
    node, schema = case
    request = ExpressionBuilder().key_condition(node).build()
    names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
    assert parse_key_condition(request["KeyConditionExpression"], names, values).node == node
    compiled = compiled_key_condition(request["KeyConditionExpression"], names)
    compiled.check(values)
    ranges = compiled.reduce(values, schema)
    assert ranges == reduce_key_condition(node, schema)
    assert [ranges[name].operator for name in schema.hash] == ["="] * len(schema.hash)


# -------------------------------------------------------------------------------------------- the same meaning


def _plain(wire: dict[str, Any]) -> tuple[str, Any]:
    """A value as Python data that compares as DynamoDB does, made by another way than the evaluator's."""
    ((tag, content),) = wire.items()
    match tag:
        case "N":
            return tag, Decimal(content)
        case "B":
            return tag, binary(content)
        case "L":
            return tag, [_plain(part) for part in content]
        case "M":
            return tag, {name: _plain(part) for name, part in content.items()}
        case "SS":
            return tag, frozenset(content)
        case "NS":
            return tag, frozenset(map(Decimal, content))
        case "BS":
            return tag, frozenset(map(binary, content))
        case _:
            return tag, content


def _read(node: Any, item: dict[str, Any]) -> tuple[str, Any] | None:
    match node:
        case nodes.Value(wire):
            return _plain(wire)
        case nodes.Size(operand):
            found = _read(operand, item)
            if found is None or found[0] in ("N", "BOOL", "NULL"):
                return None
            units = len(found[1].encode("utf-16-le")) // 2 if found[0] == "S" else len(found[1])
            return "N", Decimal(units)
        case nodes.Attribute(path):
            here: Any = ("M", {name: _plain(wire) for name, wire in item.items()})
            for part in path:
                if isinstance(part, str):
                    if here[0] != "M" or part not in here[1]:
                        return None
                elif here[0] != "L" or part >= len(here[1]):
                    return None
                here = here[1][part]
            return here  # type: ignore[no-any-return]
        case _:
            raise AssertionError(node)


def _holds(node: Any, item: dict[str, Any]) -> bool:
    def read(part: Any) -> tuple[str, Any] | None:
        return _read(part, item)

    match node:
        case nodes.And(terms):
            return all(_holds(term, item) for term in terms)
        case nodes.Or(terms):
            return any(_holds(term, item) for term in terms)
        case nodes.Not(term):
            return not _holds(term, item)
        case nodes.AttributeExists(path):
            return read(nodes.Attribute(path)) is not None
        case nodes.AttributeNotExists(path):
            return read(nodes.Attribute(path)) is None
        case nodes.Compare("<>", left, right):
            return not _holds(nodes.Compare("=", left, right), item)
        case nodes.Between(operand, low, high):
            return _holds(nodes.Compare(">=", operand, low), item) and _holds(nodes.Compare("<=", operand, high), item)
        case nodes.In(operand, options):
            return any(_holds(nodes.Compare("=", operand, option), item) for option in options)
    one, two = (read(part) for part in nodes.operands(node))
    return one is not None and two is not None and _pair_holds(node, *one, *two)


def _pair_holds(node: Any, tag: str, value: Any, other_tag: str, other: Any) -> bool:
    match node:
        case nodes.Compare("="):
            return (tag, value) == (other_tag, other)
        case nodes.Compare(op):
            if tag != other_tag or tag not in ("S", "N", "B"):
                return False
            order = (value > other) - (value < other)
            return bool({"<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[op])
        case nodes.AttributeType():
            return bool(tag == other)
        case nodes.BeginsWith():
            return tag == other_tag and tag in ("S", "B") and bool(value[: len(other)] == other)
        case nodes.Contains():
            if tag == "L":
                return (other_tag, other) in value
            if tag in ("S", "B"):
                return tag == other_tag and other in value
            return tag in ("SS", "NS", "BS") and tag == other_tag + "S" and other in value
    raise AssertionError(node)


@given(conditions(), items)
def test_conditions_mean_what_the_model_says(node: Any, item: dict[str, Any]) -> None:
    expected = _holds(node, item)
    assert evaluate(node, item) is expected
    request = ExpressionBuilder().condition(node).build()
    values = request.get("ExpressionAttributeValues", {})
    compiled = compiled_condition(request["ConditionExpression"], request.get("ExpressionAttributeNames"))
    compiled.check(values)
    assert compiled(item, values) is expected


# ------------------------------------------------------------------------------------------------------ updates


class _Refused(Exception):
    pass


def _sparse(wire: Any) -> Any:
    """A document whose lists are maps from position to element, so that actions do not disturb each other."""
    if "L" in wire:
        return {"L": {position: _sparse(part) for position, part in enumerate(wire["L"])}}
    if "M" in wire:
        return {"M": {name: _sparse(part) for name, part in wire["M"].items()}}
    return wire


def _dense(wire: Any) -> Any:
    if "L" in wire:
        return {"L": [_dense(wire["L"][position]) for position in sorted(wire["L"])]}
    if "M" in wire:
        return {"M": {name: _dense(part) for name, part in wire["M"].items()}}
    return wire


def _get(document: Any, path: nodes.Path) -> Any:
    for part in path:
        inside = document.get("M" if isinstance(part, str) else "L")
        if inside is None or part not in inside:
            return None
        document = inside[part]
    return document


def _number(value: Any) -> Decimal:
    if "N" not in value:
        raise _Refused
    return Decimal(value["N"])


def _value(node: Any, document: Any) -> Any:
    match node:
        case nodes.Value(wire):
            return _sparse(wire)
        case nodes.Attribute(path):
            found = _get(document, path)
            if found is None:
                raise _Refused
            return found
        case nodes.IfNotExists(path, default):
            fallback = _value(default, document)
            found = _get(document, path)
            return fallback if found is None else found
        case nodes.Arithmetic(op, left, right):
            one, two = _number(_value(left, document)), _number(_value(right, document))
            return {"N": str(one + two if op == "+" else one - two)}
        case nodes.ListAppend(first, second):
            elements: list[Any] = []
            for part in (first, second):
                found = _value(part, document)
                if "L" not in found:
                    raise _Refused
                elements += [found["L"][position] for position in sorted(found["L"])]
            return {"L": dict(enumerate(elements))}
        case _:
            raise AssertionError(node)


def _members(wire: Any) -> dict[Any, str]:
    ((tag, content),) = wire.items()
    keys: dict[str, Callable[[str], Any]] = {"SS": str, "NS": Decimal, "BS": binary}
    key = keys[tag]
    return {key(member): member for member in content}


def _outcome(action: Any, document: Any) -> Any:
    found = _get(document, action.path)
    match action:
        case nodes.SetAction(_, value):
            return _value(value, document)
        case nodes.RemoveAction():
            return None
        case nodes.AddAction(_, nodes.Value(wire)):
            if found is None:
                return wire
            if found.keys() != wire.keys():
                raise _Refused
            if "N" in wire:
                return {"N": str(Decimal(found["N"]) + Decimal(wire["N"]))}
            ((tag, _),) = wire.items()
            return {tag: list((_members(found) | _members(wire)).values())}
        case nodes.DeleteAction(_, nodes.Value(wire)):
            if found is None:
                return None
            if found.keys() != wire.keys():
                raise _Refused
            ((tag, _),) = wire.items()
            left = [member for key, member in _members(found).items() if key not in _members(wire)]
            return {tag: left} if left else None
        case _:
            raise AssertionError(action)


def _updated(node: nodes.Update, item: dict[str, Any]) -> dict[str, Any]:
    old = _sparse({"M": item})
    new = copy.deepcopy(old)
    for action in node.actions:
        container = _get(new, action.path[:-1])
        wanted = "M" if isinstance(action.path[-1], str) else "L"
        if container is None or wanted not in container:
            raise _Refused
        value = _outcome(action, old)
        if value is None:
            container[wanted].pop(action.path[-1], None)
        else:
            container[wanted][action.path[-1]] = copy.deepcopy(value)
    return _dense(new)["M"]  # type: ignore[no-any-return]


@given(updates(), items)
def test_updates_do_what_the_model_says(node: nodes.Update, item: dict[str, Any]) -> None:
    before = copy.deepcopy(item)
    try:
        expected: dict[str, Any] | None = _updated(node, item)
    except _Refused:
        expected = None
    request = ExpressionBuilder().update(node).build()
    values = request.get("ExpressionAttributeValues", {})
    compiled = compiled_update(request["UpdateExpression"], request["ExpressionAttributeNames"])
    compiled.check(values)
    try:
        result = compiled.apply(item, values)
    except ExpressionError:
        assert expected is None
    else:
        assert expected is not None
        assert equal({"M": result.item}, {"M": expected})
        assert apply_update(node, item).item == result.item
        assert result.updated_old() == project(node.paths, before)
        assert result.updated_new() == project(node.paths, result.item)
    assert item == before


@given(path_sets(), items)
def test_projections_keep_what_the_paths_lead_to_and_nothing_else(
    paths: list[nodes.Path], item: dict[str, Any]
) -> None:
    request = ExpressionBuilder().project(*paths).build()
    compiled = compiled_projection(request["ProjectionExpression"], request["ExpressionAttributeNames"])
    kept = compiled(item)
    assert kept == project(paths, item)
    document = _sparse({"M": item})
    wanted: Any = {"M": {}}
    for path in paths:
        if (found := _get(document, path)) is not None:
            here = wanted
            for at, part in enumerate(path):
                tag = "M" if isinstance(part, str) else "L"
                last = at == len(path) - 1
                here = here.setdefault(tag, {})
                here = here.setdefault(part, found if last else {})
    assert kept == _dense(wanted)["M"]


# -------------------------------------------------------------------------------------------------- any text at all

_pieces = st.sampled_from(
    [*"abAB019_.,[]()=<>+-#:;'\"é𐀀\n\x00 ", " AND ", " OR ", "NOT ", " IN ", " BETWEEN ", "SET ", "REMOVE ", "ADD ",
     "DELETE ", "size(", "contains(", "if_not_exists(", "list_append(", "#a", ":a", "status", "a = :a"]
)  # fmt: skip


@given(st.lists(_pieces, max_size=25).map("".join), items, ordered_values)
def test_any_text_is_read_or_refused_in_the_services_words(
    text: str, item: dict[str, Any], wire: dict[str, Any]
) -> None:
    names, values = {"#a": "a"}, {":a": wire}
    read: dict[str, Callable[[], Any]] = {
        "ConditionExpression": lambda: parse_condition(text, names, values).node,
        "UpdateExpression": lambda: parse_update(text, names, values).node,
        "ProjectionExpression": lambda: parse_projection(text, names).node,
        "KeyConditionExpression": lambda: parse_key_condition(text, names, values).node,
    }
    for kind, run in read.items():
        node, message = _attempt(run)
        if node is None:
            assert message.startswith(f"Invalid {kind}: ")
            continue
        used: Callable[[], Any]
        match node:
            case nodes.Update():
                used = partial(apply_update, node, item)
            case nodes.Projection(paths):
                used = partial(project, paths, item)
            case _:
                assert evaluate(node, item) in (True, False)
                used = partial(reduce_key_condition, node, KeySchema(("a",)))
        result, message = _attempt(used)
        assert (result is None) == bool(message)


def _attempt(run: Callable[[], Any]) -> tuple[Any, str]:
    """What came out, or the message; whatever else is raised is a failure."""
    try:
        return run(), ""
    except (ExpressionError, NumberError) as error:
        return None, error.message
