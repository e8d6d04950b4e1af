"""The names of DynamoDB's shapes as they travel: an item is a dict of tagged values, exactly as in the wire JSON."""

from __future__ import annotations

from typing import Any, TypeAlias

AttributeValue: TypeAlias = dict[str, Any]
"""One tagged value with exactly one member: {"S": "x"}, {"N": "1.5"}, {"B": "<base64 text>"}, {"BOOL": True},
{"NULL": True}, {"L": [...]}, {"M": {...}}, {"SS": [...]}, {"NS": [...]}, {"BS": [...]}."""

Item: TypeAlias = dict[str, AttributeValue]
"""Attribute name to tagged value."""

SCALAR_TAGS = frozenset({"S", "N", "B", "BOOL", "NULL"})
SET_TAGS = frozenset({"SS", "NS", "BS"})
DOCUMENT_TAGS = frozenset({"L", "M"})
TAGS = SCALAR_TAGS | SET_TAGS | DOCUMENT_TAGS
