"""A key attribute that holds one field natively: a number, bytes or a plain string, without a template."""

from __future__ import annotations

from base64 import b64decode, b64encode
from decimal import Decimal
from enum import Enum
from typing import Any
from typing import Literal as OneOf

from tablewright.errors import KeyTooLongError, KeyValueError, MissingKeyPartError, NumberError
from tablewright.values.keycodec.parts.base import wrong_type
from tablewright.values.keycodec.parts.factory import bare_type, part_for
from tablewright.values.keycodec.style import KeyStyle
from tablewright.values.numbers import format_number
from tablewright.values.ordering import key_bytes_length
from tablewright.values.types import AttributeValue
from tablewright.values.wire import read_number

_DEFAULT_TYPES = {"S": str, "N": None, "B": bytes}


class NativeKey:
    """One field as a key attribute of type S, N or B; `limit` is the most bytes that DynamoDB allows for it.

    A string key holds the field's plain text. Without an annotation, S holds str, N int or Decimal, and B bytes.
    """

    def __init__(
        self,
        field: str,
        tag: OneOf["S", "N", "B"],
        annotation: Any = None,
        *,
        entity: str = "",
        limit: int | None = None,
    ) -> None:
        self.field = field
        self.tag = tag
        self.entity = entity
        self.limit = limit
        self._kind = bare_type(annotation) or _DEFAULT_TYPES[tag]
        self._text = part_for(self._kind, style=KeyStyle.adopted()) if tag == "S" else None

    def encode(self, value: Any) -> AttributeValue:
        """The key attribute; raises MissingKeyPartError, KeyValueError or KeyTooLongError naming entity and field."""
        if value is None:
            raise MissingKeyPartError(
                f"{self._name} is missing: it is a key.",
                field=self.field,
                constraint="required",
                hint=f"Give {self.field} a value.",
            )
        try:
            av: AttributeValue = {self.tag: self._write(value)}
        except (KeyValueError, NumberError) as error:
            raise self._named(error) from None
        size = key_bytes_length(av)
        if self.limit is not None and size > self.limit:
            raise KeyTooLongError(
                f"{self._name} takes {size} bytes as a key, and DynamoDB allows {self.limit}.",
                field=self.field,
                constraint=f"{self.limit} bytes",
                hint=f"Shorten {self.field}, or declare a max_length.",
                context={"bytes": size, "limit": self.limit},
            )
        return av

    def decode(self, av: AttributeValue) -> Any:
        """The field's value; raises KeyValueError for an attribute that this key would not have written."""
        text = av.get(self.tag)
        if not isinstance(text, str):
            raise KeyValueError(
                f"{self._name}: the key attribute is not of type {self.tag}.", field=self.field, constraint="type"
            )
        try:
            return self._read(text)
        except (KeyValueError, NumberError) as error:
            raise self._named(error) from None

    def _write(self, value: Any) -> str:
        if self._text is not None:
            return self._text.encode(value)
        if self.tag == "N":
            return format_number(value.value if isinstance(value, Enum) else value)
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise wrong_type("bytes", value)
        if not bytes(value):
            raise KeyValueError("an empty bytes value cannot be a key.", constraint="non-empty")
        return b64encode(value).decode("ascii")

    def _read(self, text: str) -> Any:
        if self._text is not None:
            return self._text.decode(text)
        if self.tag == "B":
            return b64decode(text)
        if self._kind is Decimal:
            return Decimal(text)
        number = read_number(text)
        if isinstance(self._kind, type) and issubclass(self._kind, Enum):
            return self._kind(number)
        if self._kind is int and not isinstance(number, int):
            raise KeyValueError("the key attribute is not an integer.", constraint="type")
        return number

    @property
    def _name(self) -> str:
        return f"{self.entity}.{self.field}" if self.entity else self.field

    def _named(self, error: KeyValueError | NumberError) -> KeyValueError:
        return KeyValueError(
            f"{self._name}: {error.message}", field=self.field, constraint=error.constraint, hint=error.hint
        )
