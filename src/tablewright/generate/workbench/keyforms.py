"""The template of a key attribute, from what a facet calls it or from its values in sample items."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.generate.model_code import python_name

Item = Mapping[str, Mapping[str, Any]]
_PART = re.compile(r"<([^<>]+)>|\[([^\[\]]+)\]|\$?\{([^{}]+)\}")


def from_alias(alias: str) -> str | None:
    """The template that an alias spells out: `USER#{id}`, `USER#<id>`, `USER#id`; None where it is only a name."""
    if _PART.search(alias):
        return _PART.sub(lambda m: f"{{{_placeholder(m[1] or m[2] or m[3])}}}", alias)
    parts = alias.split("#")
    if len(parts) == 1:
        return None
    return "#".join(part if part.isupper() or not part else f"{{{python_name(part)}}}" for part in parts)


def _placeholder(text: str) -> str:
    name, colon, width = text.partition(":")
    return python_name(name) + (colon + width if re.fullmatch(r"\d+(\.\d+)?", width) else "")


def from_values(
    attribute: str, items: Sequence[Item], fields: Mapping[str, str], parts: Mapping[str, str], *, sorts: bool
) -> tuple[str, dict[str, str]] | None:
    """The template that fits the text of an attribute in all samples, and the placeholders that are no known field, with
    the attribute's part in the first sample.

    `fields` are names of fields by attribute; `parts` are placeholders found before, with their text in the first sample. Where
    the attribute `sorts`, a number must have a width, or be a text of its own.
    """
    texts = [item[attribute].get("S") for item in items if attribute in item]
    if not texts or any(not isinstance(text, str) for text in texts) or len(texts) < len(items):
        return None
    split = [str(text).split("#") for text in texts]
    if len({len(each) for each in split}) != 1:
        return None
    made: list[str] = []
    new: dict[str, str] = {}
    for number in range(len(split[0])):
        column = [each[number] for each in split]
        field = _field_with(column, items, fields, sorts)
        if field is not None:
            made.append(f"{{{field}}}")
        elif len(set(column)) == 1 and (column[0].isupper() or len(column) > 1):
            made.append(column[0])
        else:
            known = next((name for name, text in {**parts, **new}.items() if text == column[0]), None)
            name = known or _fresh(made, python_name(attribute), {*fields.values(), *parts, *new}, number)
            if known is None:
                new[name] = column[0]
            made.append(f"{{{name}}}")
    return "#".join(made), new


def _field_with(column: Sequence[str], items: Sequence[Item], fields: Mapping[str, str], sorts: bool) -> str | None:
    """The placeholder of the field whose value stands in this part of the key in every sample."""
    padded = len({len(text) for text in column}) == 1 and all(text.isdecimal() for text in column)
    for attribute, name in fields.items():
        values = [next(iter(item[attribute].items())) if attribute in item else ("", None) for item in items]
        number = all(tag == "N" for tag, _ in values)
        if all(value == text for (_, value), text in zip(values, column, strict=True)) and not (number and sorts):
            return name
        if number and padded and all(value == str(int(t)) for (_, value), t in zip(values, column, strict=True)):
            return f"{name}:{len(column[0])}"
    return None


def _fresh(made: Sequence[str], attribute: str, taken: set[str], number: int) -> str:
    """A name for a part that no field holds: after the literal before it, such as `order_id` in ORDER#17."""
    before = made[-1] if made and not made[-1].startswith("{") else None
    name = f"{python_name(before)}_id" if before else f"{attribute}_{number + 1}"
    while name in taken:
        name += "_"
    return name
