"""Continuing a range after a given sort key: the cursor of a read over several partitions holds just one position."""

from __future__ import annotations

from tablewright.expressions import ast
from tablewright.values.keycodec import after_prefix
from tablewright.values.types import AttributeValue


def from_sort_key(
    terms: tuple[ast.Condition, ...], attribute: str, last: AttributeValue, *, descending: bool
) -> list[ast.Condition]:
    """The key conditions with the sort key's range cut off at `last`, which is still included.

    The result may include a few items past the other end (a prefix or an exclusive bound has no inclusive form), so the
    caller checks items against the original conditions.
    """
    at = ast.Value(last)
    name = ast.Attribute((attribute,))
    others = [t for t in terms if not _on(t, name)]
    own = next((t for t in terms if _on(t, name)), None)
    low, high = _bounds(own)
    if isinstance(own, ast.Compare) and own.op == "=":
        return list(terms)
    if descending:
        high = at
    else:
        low = at
    if low is not None and high is not None:
        others.append(ast.Between(name, low, high))
    elif low is not None:
        others.append(ast.Compare(">=", name, low))
    elif high is not None:
        others.append(ast.Compare("<=", name, high))
    return others


def _on(term: ast.Condition, name: ast.Attribute) -> bool:
    match term:
        case ast.Compare(_, left, _):
            return left == name
        case ast.Between(operand, _, _) | ast.BeginsWith(operand, _):
            return operand == name
    return False


def _bounds(term: ast.Condition | None) -> tuple[ast.Value | None, ast.Value | None]:
    match term:
        case ast.Between(_, ast.Value() as low, ast.Value() as high):
            return low, high
        case ast.Compare(">=" | ">", _, ast.Value() as low):
            return low, None
        case ast.Compare("<=" | "<", _, ast.Value() as high):
            return None, high
        case ast.BeginsWith(_, ast.Value(wire=prefix)) if "S" in prefix:
            return ast.Value(prefix), ast.Value({"S": after_prefix(prefix["S"])})
    return None, None
