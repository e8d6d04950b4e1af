"""Which field chooses the shard where a partition key is spread: the same for whoever suggests it, asks for it or counts it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from uuid import UUID

from tablewright.compiler.fields import FieldPlan
from tablewright.model.annotations import members

_ID_NAME = re.compile(r"(^|_)(id|uuid|ulid|guid|key|number|no|seq|sequence|token|hash)$|[a-z](Id|ID|Uuid|Number)$")


def is_id(sources: Mapping[str, FieldPlan], name: str) -> bool:
    """Whether a field is called like an id that somebody makes, or is a UUID."""
    return bool(_ID_NAME.search(name)) or UUID in members(sources[name].annotation)


def shard_field(sources: Mapping[str, FieldPlan], free: Sequence[str]) -> str:
    """Of the fields that a partition does not tell, those of its sort key first: an id, of which there are many values and which
    readers of one item know; else the last, which is the finest."""
    return next((name for name in free if is_id(sources, name)), free[-1])
