"""Parts with few known values: bool, Enum and Literal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tablewright.errors import KeyTemplateError, KeyValueError
from tablewright.values.keycodec.parts.base import PartCodec, not_written_here


class ChoicePart(PartCodec):
    """One of a few values, each with its own text; ordered when the texts sort as the values do.

    `members` maps each value to the plain str, int or bool that it is written as; `text_of` writes that.
    """

    def __init__(self, kind: str, members: Mapping[Any, Any], text_of: Callable[[Any], str]) -> None:
        if not members:
            raise KeyTemplateError(f"{kind} has no values, so no key can hold one.", hint="Declare its values.")
        in_order = sorted(members, key=lambda member: members[member])
        texts = [text_of(members[member]) for member in in_order]
        self.kind = kind
        self.choices = tuple(sorted(texts))
        self.ordered = self.discrete = tuple(texts) == self.choices
        widths = {len(text) for text in texts}
        self.fixed_width = widths.pop() if len(widths) == 1 else None
        self.max_bytes = max(len(text.encode()) for text in texts)
        self.alphabet = frozenset("".join(texts))
        self.required = frozenset.intersection(*map(frozenset, texts))
        self._values = dict(zip(texts, in_order, strict=True))
        # A model may hold an enum's plain value in place of its member.
        self._texts = {
            key: text for member, text in zip(in_order, texts, strict=True) for key in (member, members[member])
        }
        self._before = dict(zip(texts[1:], in_order, strict=False))
        # 1 and True are one key of a dict.
        self._of_bool = any(isinstance(key, bool) for key in self._texts)

    def encode(self, value: Any) -> str:
        try:
            text = self._texts[value]
        except (KeyError, TypeError):
            raise KeyValueError(f"is not {self.kind}.", constraint="choice") from None
        if isinstance(value, (bool, int)) and isinstance(value, bool) is not self._of_bool:
            raise KeyValueError(f"is not {self.kind}.", constraint="choice")
        return text

    def decode(self, text: str) -> Any:
        try:
            return self._values[text]
        except KeyError:
            raise not_written_here(self.kind) from None

    def before(self, value: Any) -> Any | None:
        return self._before.get(self.encode(value)) if self.discrete else None
