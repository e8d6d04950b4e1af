"""Whether a request has two faults: then either may be told first, and each side must know the other's words.

That is shown by trial. With something taken away or made right, the engine tells what DynamoDB Local told, and with
something else Local tells what the engine told. A request with one fault never passes: whatever is changed, nobody
but the side that told it has those words. What Local is known to let pass it need not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from tests.engine.known_differences import only_mine

Send = Callable[[dict[str, Any]], str]
"""Gives the message with which a request is refused, "" where it is not."""
Alike = Callable[[str, str], bool]
"""Whether the engine's words mean the same as Local's."""

_GOOD: tuple[dict[str, Any], ...] = ({"S": "x"}, {"N": "1"}, {"S": ""}, {"B": "AAEC"}, {"SS": ["x"]}, {"L": []})
# Entries that are right, whatever attribute they are about.
_ENTRIES: dict[str, tuple[dict[str, Any], ...]] = {
    "Expected": ({"Exists": False},),
    "QueryFilter": ({"ComparisonOperator": "NULL"},),
    "ScanFilter": ({"ComparisonOperator": "NULL"},),
    "AttributeUpdates": ({"Action": "DELETE"},),
    "KeyConditions": tuple({"ComparisonOperator": "EQ", "AttributeValueList": [one]} for one in _GOOD[:2]),
}
OTHER = "zz"
"""An attribute that is in no key."""
_TAGS = frozenset({"S", "N", "B", "SS", "NS", "BS", "BOOL", "NULL", "L", "M"})
_BETWEEN = re.compile(r"(BETWEEN\s+\S+)\s+AND\s")
_SECTION = re.compile(r"\b(SET|REMOVE|ADD|DELETE)\b")
_PLACEHOLDER = re.compile(r"[:#]\w+")
_MOST_PAIRS = 400


def has_two_faults(
    request: dict[str, Any],
    right: dict[str, Any],
    words: tuple[str, str],
    senders: tuple[Send, Send],
    alike: Alike,
) -> bool:
    """Whether the engine's words and Local's are about two faults of one request.

    `right` has a parameter of every name that is never wrong.
    """
    (mine, theirs), (here, there) = words, senders

    def edits(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield from ({**part, name: value} for name, value in right.items() if name in part)
        if "KeyConditions" in right and not any(name.startswith("KeyCondition") for name in part):
            yield {**part, "KeyConditions": right["KeyConditions"]}
        yield from one_less(part)

    once = [*edits(request), *_few_parameters(request, right)]
    told = [here(edited) for edited in once]
    if not any(alike(one, theirs) for one in told) and not any(
        alike(here(again), theirs) for edited in once for again in edits(edited)
    ):
        return False
    if only_mine(mine):
        return True
    # Where the engine still tells the same, its fault is still there, and it may be Local's that is gone.
    likely = [edited for edited, one in zip(once, told, strict=True) if one == mine]
    likely.sort(key=lambda edited: len(str(edited)))
    if any(alike(mine, there(edited)) for edited in likely):
        return True
    again = [more for edited in likely for more in edits(edited)]
    return any(alike(mine, there(edited)) for edited in again[:_MOST_PAIRS] if here(edited) == mine)


def _few_parameters(request: dict[str, Any], right: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The request with one or two of its parameters, and what else it must have made right."""
    needed: dict[str, Any] = {name: right[name] for name in ("Key", "Item", "KeyConditions") if name in request}
    needed["TableName"] = request.get("TableName")
    given = [name for name in request if name != "TableName" and not name.startswith("ExpressionAttribute")]
    placeholders = {name: value for name, value in request.items() if name.startswith("ExpressionAttribute")}
    for names in [*((name,) for name in given), *combinations(given, 2)]:
        yield _tidied(request, {**needed, **placeholders, **{name: request[name] for name in names}})


def one_less(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The request with one thing taken away, or one value or one expression made simpler."""
    for edited in _edits(request):
        if edited != request:
            yield _tidied(request, edited)
    mended = _mended(request)
    if mended != request:
        yield mended


def _edits(part: Any, name: str = "") -> Iterator[Any]:
    if isinstance(part, dict):
        if len(part) == 1 and part.keys() <= _TAGS:
            yield from _GOOD
        for key, value in part.items():
            if key == "TableName":
                continue
            yield {other: kept for other, kept in part.items() if other != key}
            if name in _ENTRIES:
                yield from ({**part, key: right} for right in _ENTRIES[name])
                yield {OTHER if other == key else other: kept for other, kept in part.items()}
            for edited in _edits(value, key):
                yield {**part, key: edited}
    elif isinstance(part, list):
        if name == "AttributeValueList" and len({tag for value in part for tag in value}) > 1:
            # Of several types still, but of ones that every operator takes.
            yield [_GOOD[0], _GOOD[1]]
        for position, value in enumerate(part):
            yield part[:position] + part[position + 1 :]
            for edited in _edits(value):
                yield [*part[:position], edited, *part[position + 1 :]]
    elif isinstance(part, str) and name.endswith("Expression"):
        yield from _simpler(part, name)


def _simpler(text: str, kind: str) -> Iterator[str]:
    """Each action, path or term of an expression alone, and all but one."""
    if kind == "UpdateExpression":
        pieces = _SECTION.split(text)
        sections = list(zip(pieces[1::2], pieces[2::2], strict=True))
        actions = [(word, action.strip()) for word, body in sections for action in _at_commas(body)]
        for word, action in actions:
            yield f"{word} {action}"
        for left_out in range(len(actions)):
            kept = [one for position, one in enumerate(actions) if position != left_out]
            words = dict.fromkeys(word for word, _ in kept)
            yield " ".join(f"{word} " + ", ".join(action for own, action in kept if own == word) for word in words)
    elif kind == "ProjectionExpression":
        paths = text.split(", ")
        yield from (", ".join(paths[:position] + paths[position + 1 :]) for position in range(len(paths)))
    else:
        whole = _BETWEEN.sub(r"\1 BETWEEN_AND ", text)
        terms = [term.strip().strip("()").replace("BETWEEN_AND", "AND") for term in re.split(r"\b(?:AND|OR)\b", whole)]
        for term in terms:
            bare = term.removeprefix("NOT ")
            yield _closed(bare)
        if kind == "KeyConditionExpression":
            # Its terms are joined by AND alone, so that each can be left out.
            yield from (" AND ".join(map(_closed, terms[:out] + terms[out + 1 :])) for out in range(len(terms)))


def _closed(term: str) -> str:
    return term + ")" * (term.count("(") - term.count(")"))


def _at_commas(body: str) -> list[str]:
    return re.split(r",\s*(?![^(]*\))", body)


def _texts(part: Any) -> str:
    if isinstance(part, dict):
        return " ".join(str(value) if name.endswith("Expression") else _texts(value) for name, value in part.items())
    return " ".join(map(_texts, part)) if isinstance(part, list) else ""


def _tidied(before: Any, after: Any) -> Any:
    """Without the placeholders that nothing needs any more."""
    gone = set(_PLACEHOLDER.findall(_texts(before))) - set(_PLACEHOLDER.findall(_texts(after)))
    return _without(after, gone) if gone else after


def _without(part: Any, gone: set[str]) -> Any:
    if isinstance(part, list):
        return [_without(value, gone) for value in part]
    if not isinstance(part, dict):
        return part
    kept: dict[str, Any] = {}
    for name, value in part.items():
        if name in ("ExpressionAttributeNames", "ExpressionAttributeValues") and isinstance(value, dict):
            left = {placeholder: one for placeholder, one in value.items() if placeholder not in gone}
            if left or not value:
                kept[name] = left
        else:
            kept[name] = _without(value, gone)
    return kept


def _mended(part: Any) -> Any:
    """With every placeholder that it needs, and no other."""
    if isinstance(part, list):
        return [_mended(value) for value in part]
    if not isinstance(part, dict):
        return part
    if not any(name.endswith("Expression") for name in part):
        return {name: _mended(value) for name, value in part.items()}
    used = dict.fromkeys(_PLACEHOLDER.findall(_texts(part)))
    mended = dict(part)
    for parameter, sign, filler in (
        ("ExpressionAttributeNames", "#", "v"),
        ("ExpressionAttributeValues", ":", {"S": "x"}),
    ):
        given = part.get(parameter)
        known = given if isinstance(given, dict) else {}
        needed = {name: known.get(name, filler) for name in used if name[0] == sign}
        mended.pop(parameter, None)
        if needed:
            mended[parameter] = needed
    return mended
