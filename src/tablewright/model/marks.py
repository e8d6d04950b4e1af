"""Attributes that migrations leave on items while they are under way."""

COPY_OF, COPIED_TO = "TablewrightCopyOf", "TablewrightCopiedTo"
"""On items that a migration gives another primary key: where the other one of the two lies, and what both held."""
PART_OF = "TablewrightPartOf"
"""On a part of an item that a migration has split: of which one it is, and what the part held when it was made."""
