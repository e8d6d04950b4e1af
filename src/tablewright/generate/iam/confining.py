"""The partitions that requests name, as conditions of IAM: by the literals of key templates, and the number of their parts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from msgspec import Struct

from tablewright.compiler.keys import KeyPlan, NativeKey, TemplateKey
from tablewright.compiler.served import Served
from tablewright.generate.iam.keyforms import condition_key, text_of
from tablewright.values.keycodec.template import Literal

_MOST = 20
"""How many values of a field a condition names one by one."""

_STAR = re.compile(r"(?<!\$\{)\*")
"""A wildcard; `${*}` is a star as it is."""

Values = Mapping[str, tuple[Any, ...]]
Condition = dict[str, dict[str, Any]]


class Form(Struct, frozen=True):
    """What partition keys look like: texts with wildcards, and of how many parts they are, where no value looks like several."""

    texts: tuple[str, ...]
    parts: int | None = None
    separator: str = ""

    @property
    def open(self) -> bool:
        """Whether anything in it is a wildcard, which IAM lets stand for separators as well."""
        return any(_STAR.search(text) for text in self.texts)

    @property
    def starts(self) -> frozenset[str]:
        """Its first parts."""
        return frozenset(text.partition(self.separator)[0] for text in self.texts)

    def longer(self) -> list[str]:
        """Texts with wildcards that have more parts than these, and are alike otherwise."""
        return [
            f"{text[: star.start()]}*{self.separator}*{text[star.end() :]}"
            for text in self.texts
            for star in _STAR.finditer(text)
        ]


def in_policy(text: str) -> str:
    """A text in which nothing is a wildcard or a variable; what policies cannot hold is left open, character by character."""
    return "".join(
        f"${{{character}}}" if character in "*?$" else character if " " <= character <= "ÿ" else "?"
        for character in text
    )


def known_values(served: Served) -> Values:
    """The values that a read gives to fields of its key, where the pattern itself or the type of a parameter names them."""
    found = {name: source.possible for name, source in served.known.items() if source.possible is not None}
    found |= {
        fan.name: fan.listed.possible
        for fan in served.fan_out
        if fan.listed is not None and fan.listed.possible is not None
    }
    return found


def confined(asked: Iterable[tuple[Sequence[KeyPlan], Values]]) -> Condition | None:
    """The condition that lets just these partitions be named: keys of several attributes, each with values of fields that
    are known. None where the keys say nothing."""
    every = list(asked)
    several = any(len(keys) > 1 for keys, _ in every)
    like: dict[str, list[str]] = {}
    unlike: dict[str, list[str]] = {}
    for position in range(min(len(keys) for keys, _ in every)):
        forms = [_form(keys[position], values) for keys, values in every]
        if any(form is None for form in forms):
            continue
        name = condition_key(position, several=several)
        found = [form for form in forms if form is not None]
        like[name] = list(dict.fromkeys(chain.from_iterable(form.texts for form in found)))
        excluded = _excluded(found)
        if excluded:
            unlike[name] = excluded
    if not like:
        return None
    # ForAllValues holds where there is no value at all, so that there must be one.
    condition: Condition = {"ForAllValues:StringLike": dict(like), "Null": dict.fromkeys(like, "false")}
    return condition | ({"ForAllValues:StringNotLike": dict(unlike)} if unlike else {})


def _excluded(forms: list[Form]) -> list[str]:
    """What the wildcards of these would match beside: keys of more parts."""
    if any(form.parts is None for form in forms) or not any(form.open for form in forms):
        return []
    parts = {form.parts or 0 for form in forms}
    starts = [start for form in {form.texts: form for form in forms}.values() for start in form.starts]
    if len(parts) > 1 and len(set(starts)) == len(starts) and not any(_STAR.search(start) for start in starts):
        return list(dict.fromkeys(text for form in forms for text in form.longer()))
    return ["*" + f"{forms[0].separator}*" * max(parts)]


def _form(key: KeyPlan, values: Values) -> Form | None:
    """What a partition key looks like; None where it can be anything."""
    if isinstance(key, NativeKey):
        if key.field.name not in values or key.attribute.tag == "B":
            return None
        return Form(tuple(in_policy(text_of(key, key.field.name, v)) for v in values[key.field.name]))
    texts = _texts(key, values)
    if len(texts) > _MOST:
        texts = _texts(key, {})
    if texts == ["*"]:
        return None
    style = key.bound.style
    closed = style.strict or style.escape or all(field.guarded for field in key.bound.fields)
    template = key.bound.template
    return Form(tuple(texts), len(template.pieces) if closed else None, in_policy(style.separator))


def _texts(key: TemplateKey, values: Values) -> list[str]:
    texts = [""]
    for number, segment in enumerate(key.bound.template.pieces):
        lead = in_policy(key.bound.style.separator) if number else ""
        texts = [text + lead for text in texts]
        for piece in segment:
            if isinstance(piece, Literal):
                options = [in_policy(piece.text)]
            elif piece.field in values and piece.field not in key.derived:
                options = [in_policy(text_of(key, piece.field, value)) for value in values[piece.field]]
            else:
                options = ["*"]
            texts = [text + option for text in texts for option in options]
    return texts
