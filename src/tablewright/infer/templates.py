"""Key templates, recovered from stored keys by finding the values of fields inside them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import permutations
from typing import TypeVar

from msgspec import Struct, field

from tablewright.generate.model_code import python_name
from tablewright.infer.forms import Form, Writer
from tablewright.model.keys import Derived, Shard
from tablewright.values.keybuilding.shards import shard_of
from tablewright.values.keycodec import KeyStyle, unescape
from tablewright.values.types import AttributeValue

Values = Mapping[str, AttributeValue]
"""The values of one item by the names of its fields."""
Piece = tuple[str, frozenset[Form]]
"""A part of one stored key: its text, and what fields it can be."""
ENOUGH = 300
"""So many keys tell what a template is."""
_MAJORITY = 0.6
_MOST = 0.9
"""The share of many keys that a template must explain; the others are told as not fitting."""
_MANY = 10
_SEVERAL = 3
_label = re.compile(r"[A-Z][A-Z0-9_.\-]*").fullmatch
_word = re.compile(r"[$@_]?[A-Za-z][A-Za-z_ .\-]{0,39}[0-9]{0,2}").fullmatch
_BRACES = re.compile("[{}]")
_numeral = re.compile(r"[0-9]+").fullmatch


class Template(Struct, frozen=True):
    """A template that was recovered."""

    text: str
    forms: tuple[Form, ...] = ()
    """The fields in it."""
    fresh: Mapping[str, int] = field(default_factory=dict)
    """Fields that only the key holds: the number of their part."""
    derive: Mapping[str, Derived] = field(default_factory=dict)
    plain: bool = False
    """Whether it has no literal."""
    parts: int = 1


class Recovery:
    """Recovers the templates of one kind of items, in one style."""

    def __init__(self, style: KeyStyle, writers: Mapping[bool, Mapping[str, Writer]]) -> None:
        self.style = style
        self._writers = writers

    def recover(
        self, keys: Sequence[tuple[Values, str]], *, sorts: bool, primary: bool, preferred: Collection[str | Form]
    ) -> Template | None:
        """The template that most of these keys are made by; None where they have no common form, or, but for those of the
        primary key, hold something that no field does. `preferred` are fields and forms to take where several fit."""
        pieces = [self._pieces(values, text, sorts) for values, text in keys[:ENOUGH]]
        if not pieces:
            return None
        count, share = Counter(len(p) for p in pieces).most_common(1)[0]
        if share < _MAJORITY * len(pieces):
            return None
        alike = [(values, p) for (values, _), p in zip(keys, pieces, strict=False) if len(p) == count]
        if any(_shared((p[position][0],) for _, p in alike) == [""] for position in range(count)):
            return None  # no template has an empty part
        found: list[str] = []
        forms: list[Form] = []
        fresh: dict[str, int] = {}
        derive: dict[str, Derived] = {}
        literal = False
        for position in range(count):
            text = _shared((p[position][0],) for _, p in alike)
            common = _shared(p[position][1] for _, p in alike)
            if text and self._is_literal(position, text[0], common, found, len(alike)):
                literal = True
                found.append(text[0])
                continue
            form = self._chosen(common, preferred, found[-1] if found else "", forms)
            prefix = ""
            if form is None and not self.style.strict:
                prefix, form = self._compound(alike, position, sorts, preferred)
                literal = literal or bool(prefix)
            if form is not None:
                forms.append(form)
                if form.derived is not None:
                    derive[form.derived[0]] = form.derived[1]
                found.append(f"{prefix}{form}")
                continue
            shard = self._shard(alike, position, sorts)
            if shard is not None:
                derive["shard"] = shard
                found.append("{shard}")
            elif primary:
                name = self._fresh_name(found, fresh, position)
                fresh[name] = position
                found.append(f"{{{name}}}")
            else:
                return None
        return Template(self.style.separator.join(found), tuple(forms), fresh, derive, not literal, count)

    def part(self, text: str, position: int, parts: int) -> str | None:
        """The value that stands at a place of a stored key, for fields that only the key holds."""
        segments = text.split(self.style.separator)
        if len(segments) != parts:
            return None
        try:
            return unescape(segments[position]) if self.style.strict else segments[position]
        except Exception:  # not written in this style
            return None

    def _pieces(self, values: Values, text: str, sorts: bool) -> list[Piece]:
        segments = text.split(self.style.separator)
        known: dict[str, set[Form]] = {}
        for name, value in values.items():
            writer = self._writers[sorts].get(name)
            for written, form in writer.forms(value, segments) if writer is not None else ():
                known.setdefault(written, set()).add(form)
        found: list[Piece] = []
        at = 0
        while at < len(segments):
            # Raw values may hold the separator, so that the longest one counts.
            longest = len(segments) if not self.style.escape else at + 1
            for end in range(longest, at, -1):
                piece = self.style.separator.join(segments[at:end])
                if piece in known or end == at + 1:
                    found.append((piece, frozenset(known.get(piece, ()))))
                    at = end
                    break
        return found

    def _is_literal(self, position: int, text: str, common: Sequence[Form], before: list[str], count: int) -> bool:
        """The same text in all of them may be a label, or a value that the sample holds no other of."""
        if _BRACES.search(text):
            return False  # a template takes them for a field's
        if not common:
            return count >= _SEVERAL or _word(text) is not None
        if position == 0:
            return _word(text) is not None
        return before[-1].startswith("{") and _label(text) is not None

    def _chosen(
        self, forms: Sequence[Form], preferred: Collection[str | Form], label: str, used: list[Form]
    ) -> Form | None:
        def rank(form: Form) -> tuple[object, ...]:
            related = bool(label) and python_name(label).replace("_", "") in form.field.replace("_", "")
            liked = form not in preferred, form.field not in preferred
            return (form.bucket is not None, form in used, not related, *liked, form.as_int, form.digits, form.field)

        return min(forms, key=rank, default=None)

    def _compound(
        self, alike: Sequence[tuple[Values, list[Piece]]], position: int, sorts: bool, preferred: Collection[str | Form]
    ) -> tuple[str, Form | None]:
        """A label and a field in one part, as in USER-{id}."""
        texts = [p[position][0] for _, p in alike]
        prefix = re.sub(r"[A-Za-z0-9]*$", "", _common_beginning(texts))
        if not prefix or _BRACES.search(prefix) or any(text == prefix for text in texts):
            return "", None
        inside = [self._pieces(values, p[position][0].removeprefix(prefix), sorts) for values, p in alike]
        form = self._chosen(
            _shared(pieces[0][1] if len(pieces) == 1 else () for pieces in inside), preferred, prefix, []
        )
        return (prefix, form) if form is not None else ("", None)

    def _shard(self, alike: Sequence[tuple[Values, list[Piece]]], position: int, sorts: bool) -> Shard | None:
        """The hash of a field that chooses one of several partitions; a shard has all its digits."""
        texts = [p[position][0] for _, p in alike]
        if sorts or len({len(t) for t in texts}) != 1 or not all(map(_numeral, texts)) or len(set(texts)) < 2:
            return None
        names = sorted(set.intersection(*({n for n, v in values.items() if "S" in v} for values, _ in alike)))
        lowest, highest = max(map(int, texts)) + 1, 10 ** len(texts[0])
        written = {name: [self._text(values, name) for values, _ in alike] for name in names}
        known = [name for name in names if None not in written[name]]
        for fields in (*((name,) for name in known), *permutations(known, 2)):
            hashed = ["#".join(map(str, parts)) for parts in zip(*(written[name] for name in fields), strict=True)]
            for count in range(max(2, lowest, highest // 10 + 1), min(highest, 1000) + 1):
                if all(shard_of(h, count) == int(t) for h, t in zip(hashed, texts, strict=True)):
                    return Shard(*fields, of=count)
        return None

    def _text(self, values: Values, name: str) -> str | None:
        writer = self._writers[False].get(name)
        written = writer.forms(values[name], []) if writer is not None else iter(())
        return next((text for text, form in written if form.bucket is None), None)

    def _fresh_name(self, before: list[str], taken: Mapping[str, int], position: int) -> str:
        label = next((b for b in reversed(before) if not b.startswith("{")), "")
        name = f"{python_name(label)}_id" if label else f"part_{position + 1}"
        return name if name not in taken else f"{name}_{position + 1}"


T = TypeVar("T")


def _shared(sets: Iterable[Iterable[T]]) -> list[T]:
    """What all of these hold; of many, nearly all. The most frequent first."""
    listed = [set(one) for one in sets]
    counted = Counter(member for one in listed for member in one)
    enough = len(listed) if len(listed) < _MANY else _MOST * len(listed)
    return [member for member, count in counted.most_common() if count >= enough]


def _common_beginning(texts: Sequence[str]) -> str:
    first, last = min(texts), max(texts)
    return next((first[:at] for at, char in enumerate(first) if at >= len(last) or last[at] != char), first)
