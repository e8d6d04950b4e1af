"""The shape of every operation's request: which parameters it has, which it needs, and what they may be."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.engine.partiql.requests import PARTIQL_SHAPES
from tablewright.engine.validation.admin_requests import ADMIN_SHAPES
from tablewright.engine.validation.copy_requests import COPY_SHAPES
from tablewright.engine.validation.item_requests import ITEM_SHAPES
from tablewright.engine.validation.keeping_requests import KEEPING_SHAPES
from tablewright.engine.validation.shapes import Struct
from tablewright.engine.validation.stream_requests import STREAM_SHAPES
from tablewright.engine.validation.table_requests import TABLE_SHAPES

SHAPES: Mapping[str, Struct] = {
    **ADMIN_SHAPES,
    **COPY_SHAPES,
    **ITEM_SHAPES,
    **KEEPING_SHAPES,
    **PARTIQL_SHAPES,
    **STREAM_SHAPES,
    **TABLE_SHAPES,
}
