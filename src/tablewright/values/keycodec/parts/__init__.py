"""Part encoders: one value of a declared type as key text, in order, and back."""

from tablewright.values.keycodec.parts.base import PartCodec, may_share_text
from tablewright.values.keycodec.parts.factory import part_for

__all__ = ["PartCodec", "may_share_text", "part_for"]
