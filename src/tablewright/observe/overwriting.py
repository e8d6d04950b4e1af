"""Whether a write puts values in the place of others that its writer does not know."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from tablewright.errors import TablewrightError
from tablewright.expressions import ast, parse_condition, parse_update


def overwrites(request: dict[str, Any], keys: Collection[str], own: Collection[str]) -> bool:
    """Whether a PutItem or UpdateItem overwrites values without a condition on what was there. `keys` are the attributes of the
    primary key, `own` those that describe items and that the library writes itself: who says that an item must be there, and of
    which type, knows nothing of its values yet. Counting and appending overwrite nothing."""
    names, values = request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues")
    condition, update = request.get("ConditionExpression"), request.get("UpdateExpression")
    try:
        if condition and _guards(parse_condition(condition, names, values).node, keys, own):
            return False
        return not update or any(
            isinstance(action, ast.SetAction) and isinstance(action.value, ast.Value) and action.path[0] not in own
            for action in parse_update(update, names, values).node.actions
        )
    except (TablewrightError, TypeError, ValueError):
        return False  # the service will not take it either


def _guards(node: ast.Condition, keys: Collection[str], own: Collection[str]) -> bool:
    match node:
        case ast.And(terms):
            return any(_guards(term, keys, own) for term in terms)
        case ast.Or(terms):
            return all(_guards(term, keys, own) for term in terms)
        case ast.AttributeNotExists(path) if path[0] in keys:
            return True
    return any(path[0] not in own and path[0] not in keys for path in ast.paths_of(node))
