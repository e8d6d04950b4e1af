"""A template with its part encoders: values to key text and back, fast one way and exact both ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

from tablewright.errors import KeyTemplateError, KeyTooLongError, KeyValueError, MissingKeyPartError
from tablewright.values.keycodec.parts.base import PartCodec
from tablewright.values.keycodec.places import BoundField, BoundSegment, bind_fields, literal_run, tail_within
from tablewright.values.keycodec.proofs import Proof, prove
from tablewright.values.keycodec.style import KeyStyle
from tablewright.values.keycodec.template import KeyTemplate, Placeholder
from tablewright.values.sizes import text_size

Values: TypeAlias = Mapping[str, Any]


class BoundTemplate:
    """A key template whose fields have encoders. `limit` is the most bytes that DynamoDB allows for the key."""

    def __init__(
        self,
        template: KeyTemplate,
        codecs: Mapping[str, PartCodec],
        *,
        entity: str = "",
        limit: int | None = None,
    ) -> None:
        missing = [name for name in template.fields if name not in codecs]
        if missing:
            raise KeyTemplateError(
                f'Key template "{template}" names {", ".join(missing)}, which have no encoder.',
                hint="Name only fields of the entity.",
            )
        self.template = template
        self.style: KeyStyle = template.style
        self.codecs = {name: codecs[name] for name in template.fields}
        self.entity = entity
        self.limit = limit
        self.fields = bind_fields(template, codecs)
        self.places = {field.name: field for field in reversed(self.fields)}
        self.segments = tuple(
            BoundSegment(segment, tuple(f for f in self.fields if f.segment == index))
            for index, segment in enumerate(template.segments)
        )
        self.head = literal_run(template, 0, 0)
        self.heads = _heads(self.segments, self.style.separator, self.head)
        """For each number of leading segments, the literal text that they begin with."""
        # One encoder for each leading run of segments; the whole key is the last.
        self._encoders = tuple(self._compile(count) for count in range(len(self.segments) + 1))
        self._encode_all = self._encoders[-1]
        # Characters at four bytes each: texts up to this length need no counting.
        self._surely_short = -1 if limit is None else limit // 4

    def __repr__(self) -> str:
        return f"BoundTemplate({self.entity or '?'}: {self.template})"

    @cached_property
    def _proved(self) -> tuple[frozenset[Proof], tuple[str, ...]]:
        return prove(self.segments, self.style)

    @property
    def proofs(self) -> frozenset[Proof]:
        """What holds for every key of this template: injective, ordered, closed_range."""
        return self._proved[0]

    @property
    def warnings(self) -> tuple[str, ...]:
        """In plain words, why a proof is missing."""
        return self._proved[1]

    # ------------------------------------------------------------------------------------------------ encoding

    def encode(self, values: Values) -> str:
        """The key text for these values.

        Raises MissingKeyPartError for a field that is absent or None, KeyValueError for a value that cannot stand in
        a key, KeyTooLongError past the limit. All of them name entity and field.
        """
        try:
            text = self._encode_all(values)
        except (KeyValueError, KeyError):
            raise self._explain(values, self.fields) from None
        if self.limit is not None and len(text) > self._surely_short:
            self._check_length(text)
        return text

    def prefix(self, values: Values, count: int) -> str:
        """The text of the first `count` segments, without a separator at the end."""
        try:
            return self._encoders[count](values)
        except (KeyValueError, KeyError):
            raise self._explain(values, [f for f in self.fields if f.segment < count]) from None

    def max_bytes(self) -> int | None:
        """Most bytes that a key can take, when every field has a known limit."""
        total = text_size(self.head)
        for field in self.fields:
            if field.codec.max_bytes is None:
                return None
            total += field.codec.max_bytes + text_size(field.follow)
        return total

    def _compile(self, count: int) -> Callable[[Values], str]:
        """Closures for the usual shapes: half the cost of a loop."""
        separator = self.style.separator
        fields = [f for f in self.fields if f.segment < count]
        if not fields:
            constant = separator.join(map(str, self.template.segments[:count]))
            return lambda values: constant
        head = self.head
        follows = [f.follow for f in fields]
        follows[-1] = tail_within(self.template, fields[-1], count)
        if len(fields) == 1:
            (one,), (end,) = fields, follows
            name, encode = one.name, one.encode
            return lambda values: f"{head}{encode(values[name])}{end}"
        if len(fields) == 2:
            (one, two), (middle, end) = fields, follows
            name, encode, name2, encode2 = one.name, one.encode, two.name, two.encode
            return lambda values: f"{head}{encode(values[name])}{middle}{encode2(values[name2])}{end}"
        steps = [(f.encode, f.name, follow) for f, follow in zip(fields, follows, strict=True)]
        return lambda values: head + "".join([encode(values[name]) + follow for encode, name, follow in steps])

    def _explain(self, values: Values, fields: Iterable[BoundField]) -> MissingKeyPartError | KeyValueError:
        """The error behind a failed encoding, with names."""
        for field in fields:
            value = values.get(field.name)
            if value is None:
                return MissingKeyPartError(
                    f'{self._name(field.name)} is missing: the key "{self.template}" needs it.',
                    field=field.name,
                    constraint="required",
                    hint=f"Give {field.name} a value.",
                )
            try:
                field.encode(value)
            except KeyValueError as error:
                return self.named(error, field.name)
        raise AssertionError("an encoder failed once and then did not")  # pragma: no cover

    def named(self, error: KeyValueError, field: str) -> KeyValueError:
        """An encoder's error with entity and field."""
        return KeyValueError(
            f"{self._name(field)}: {error.message}", field=field, constraint=error.constraint, hint=error.hint
        )

    def _name(self, field: str) -> str:
        return f"{self.entity}.{field}" if self.entity else field

    def _check_length(self, text: str) -> None:
        size = text_size(text)
        if self.limit is not None and size > self.limit:
            names = ", ".join(self.template.fields)
            raise KeyTooLongError(
                f'{self.entity or "A key"}: "{self.template}" takes {size} bytes, and DynamoDB allows {self.limit}.',
                field=names,
                constraint=f"{self.limit} bytes",
                hint=f"Shorten {names}, or declare a max_length." if names else "Shorten the template.",
                context={"bytes": size, "limit": self.limit},
            )

    # ------------------------------------------------------------------------------------------------ decoding

    def decode(self, text: str) -> dict[str, Any]:
        """The values in a key text: the exact inverse of encode. Raises KeyValueError for any other text."""
        texts = self._split_strict(text) if self.style.strict else self._split_adopted(text)
        values: dict[str, Any] = {}
        for field, part in zip(self.fields, texts, strict=True):
            try:
                value = field.codec.decode(part)
            except KeyValueError as error:
                raise self.named(error, field.name) from None
            if values.setdefault(field.name, value) != value:
                raise self._foreign()
        # Raw values can be cut in more than one way; only the way that encode would write counts.
        if not self.style.strict and self._encode_or_none(values) != text:
            raise self._foreign()
        return values

    def _split_strict(self, text: str) -> list[str]:
        parts = text.split(self.style.separator)
        if len(parts) != len(self.segments):
            raise self._foreign()
        found = []
        for segment, part in zip(self.template.segments, parts, strict=True):
            if isinstance(segment, Placeholder):
                found.append(part)
            elif part != str(segment):
                raise self._foreign()
        return found

    def _split_adopted(self, text: str) -> list[str]:
        if not text.startswith(self.head) or (not self.fields and text != self.head):
            raise self._foreign()
        found = []
        start = len(self.head)
        for field in self.fields:
            if field.codec.fixed_width is not None:
                end = start + field.codec.fixed_width
            elif field.last:
                end = len(text) - len(field.follow)
            else:
                end = text.find(field.follow, start)
            if end < start or not text.startswith(field.follow, end):
                raise self._foreign()
            found.append(text[start:end])
            start = end + len(field.follow)
        if start != len(text):
            raise self._foreign()
        return found

    def _encode_or_none(self, values: Values) -> str | None:
        try:
            return self._encode_all(values)
        except KeyValueError:
            return None

    def _foreign(self) -> KeyValueError:
        return KeyValueError(
            f'{self.entity or "This"}: the key text does not belong to the template "{self.template}".',
            constraint="template",
            hint="It was written by another entity, or by another version of the template.",
        )


def _heads(segments: tuple[BoundSegment, ...], separator: str, head: str) -> tuple[str, ...]:
    found = [""]
    for count in range(1, len(segments) + 1):
        literal = all(not segment.fields for segment in segments[:count])
        found.append(separator.join(map(str, segments[:count])) if literal else head)
    return tuple(found)
