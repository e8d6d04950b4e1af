"""How keys are written: the strict style with all proofs, or an adopted one for a table that exists already."""

from __future__ import annotations

from msgspec import Struct

from tablewright.errors import KeyTemplateError
from tablewright.values.keycodec.escape import BOUND, SEPARATOR


class KeyStyle(Struct, frozen=True):
    """Separator and escaping of a table's keys. Use `STRICT`, or `KeyStyle.adopted(...)` for an existing table."""

    separator: str = SEPARATOR
    """What stands between the parts of a key."""
    escape: bool = True
    """Whether `%` and the separator are escaped in values."""
    strict: bool = True
    """Whether it is the library's own style, for which more can be proved."""

    def __post_init__(self) -> None:
        if self.strict:
            if self.separator != SEPARATOR or not self.escape:
                raise KeyTemplateError(
                    "The strict key style has the separator # and escapes values.",
                    hint="Use KeyStyle.adopted(separator=...) for other keys.",
                )
        elif not self.separator or "{" in self.separator or "}" in self.separator:
            raise KeyTemplateError(
                "The separator of an adopted key style must hold at least one character, and no braces.",
                hint='Give the text that stands between the parts of the table\'s keys, such as "|".',
            )
        elif self.separator[-1] == "\U0010ffff" or any("\ud7ff" <= char <= "\udfff" for char in self.separator):
            raise KeyTemplateError(
                "The separator of an adopted key style must be ordinary text.",
                hint="A range over the parts below a key needs a character that follows the separator.",
            )

    @classmethod
    def adopted(cls, separator: str = "|", *, escape: bool = False) -> KeyStyle:
        """The style of keys that exist already: own separator, raw values, literals of any characters.

        With `escape`, values have `%` and the separator's characters written as `%XX`, for tables whose writer did so.
        """
        return cls(separator=separator, escape=escape, strict=False)

    @property
    def bound(self) -> str:
        """The text just above the separator: appended to a key, it closes the range over what stands below it."""
        return BOUND if self.strict else self.separator[:-1] + chr(ord(self.separator[-1]) + 1)


STRICT = KeyStyle()
"""The default: separator `#`, escape `%`; injective, ordered, closed ranges, whatever the values hold."""
