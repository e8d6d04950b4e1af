"""What commands say of the options that select entities."""

from __future__ import annotations

ENTITY_HELP = "All of this entity; the whole table is read."
WHERE_HELP = (
    "Only what meets this condition, such as 'status=DELIVERED' or 'placed_at<2024-01-01T00:00Z'; may be repeated. As in cells of "
    r"CSV, 'note=' is without a value where the field may be None, and 'note=\E' is the empty text."
)
PATTERN_HELP = "What this access pattern reads."
WITH_HELP = "An argument of the pattern, such as username=alice; may be repeated."
