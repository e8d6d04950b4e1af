"""The key codec: readable keys that cannot collide, keep their order, and read back exactly.

`KeyTemplate.parse` reads a template, `part_for` finds the encoder of each field, `BoundTemplate` joins the two;
`ranges` gives the keys below a parent, `unify` says whether two templates can meet.
"""

from typing import TYPE_CHECKING

from tablewright.later import names_later
from tablewright.values.keycodec.escape import escape, unescape

if TYPE_CHECKING:
    from tablewright.values.keycodec.bound import BoundTemplate
    from tablewright.values.keycodec.parts import PartCodec, may_share_text, part_for
    from tablewright.values.keycodec.places import BoundField, BoundSegment
    from tablewright.values.keycodec.proofs import closed_below
    from tablewright.values.keycodec.ranges import (
        KeyRange,
        Operator,
        after_prefix,
        descendants,
        field_range,
        last_before,
        past,
        subtree,
        through,
    )
    from tablewright.values.keycodec.style import STRICT, KeyStyle
    from tablewright.values.keycodec.template import Compound, KeyTemplate, Literal, Placeholder, Segment
    from tablewright.values.keycodec.unify import Verdict, may_begin_alike, may_equal, may_fall_in
else:
    __getattr__ = names_later(
        globals(),
        {
            "bound": "BoundTemplate",
            "parts": "PartCodec may_share_text part_for",
            "places": "BoundField BoundSegment",
            "proofs": "closed_below",
            "ranges": "KeyRange Operator after_prefix descendants field_range last_before past subtree through",
            "style": "STRICT KeyStyle",
            "template": "Compound KeyTemplate Literal Placeholder Segment",
            "unify": "Verdict may_begin_alike may_equal may_fall_in",
        },
    )

__all__ = [
    "STRICT",
    "BoundField",
    "BoundSegment",
    "BoundTemplate",
    "Compound",
    "KeyRange",
    "KeyStyle",
    "KeyTemplate",
    "Literal",
    "Operator",
    "PartCodec",
    "Placeholder",
    "Segment",
    "Verdict",
    "after_prefix",
    "closed_below",
    "descendants",
    "escape",
    "field_range",
    "last_before",
    "may_begin_alike",
    "may_equal",
    "may_fall_in",
    "may_share_text",
    "part_for",
    "past",
    "subtree",
    "through",
    "unescape",
]
