"""Parts that are text or bytes: str (escaped or raw), bytes as hex, UUID."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from msgspec import to_builtins

from tablewright.errors import KeyValueError
from tablewright.values.keycodec.escape import escape, needs_escape, refuse_surrogates, unescape
from tablewright.values.keycodec.parts.base import PartCodec, not_written_here, wrong_type

_HEX = frozenset("0123456789abcdef")


class TextPart(PartCodec):
    """A string, escaped."""

    kind = "a string"

    def __init__(self, max_length: int | None = None) -> None:
        self.max_length = max_length
        # A character takes at most four bytes, an escape three.
        self.max_bytes = None if max_length is None else 4 * max_length

    def encode(self, value: Any) -> str:
        if value.__class__ is not str:
            value = _plain_str(value)
        if not value:
            raise _empty("string")
        if self.max_length is not None and len(value) > self.max_length:
            raise _too_long(self.max_length)
        return escape(value) if needs_escape(value) else value

    def decode(self, text: str) -> str:
        value = unescape(text)
        if not value:
            raise _empty("string")
        if self.max_length is not None and len(value) > self.max_length:
            raise _too_long(self.max_length)
        return value


class RawTextPart(PartCodec):
    """A string as it is, for adopted keys; with `escaped`, those characters and `%` are written as `%XX`."""

    kind = "a string"

    def __init__(self, max_length: int | None = None, escaped: str = "") -> None:
        self.max_length = max_length
        self.escaped = frozenset(escaped + "%") if escaped else frozenset()
        self.ordered = not escaped
        if max_length is not None:
            # An escaped byte takes three.
            self.max_bytes = max_length * max([4, *(3 * len(char.encode()) for char in self.escaped)])

    def encode(self, value: Any) -> str:
        text = value if value.__class__ is str else _plain_str(value)
        if not text:
            raise _empty("string")
        if self.max_length is not None and len(text) > self.max_length:
            raise _too_long(self.max_length)
        if not text.isascii():
            refuse_surrogates(text)
        return self._escape(text) if self.escaped else text

    def _escape(self, text: str) -> str:
        return "".join(
            "".join(f"%{byte:02X}" for byte in char.encode()) if char in self.escaped else char for char in text
        )

    def decode(self, text: str) -> str:
        if not text:
            raise _empty("string")
        refuse_surrogates(text)
        value = text
        if self.escaped:
            try:
                value = _percent_runs(lambda run: bytes.fromhex(run[0].replace("%", "")).decode(), text)
            except ValueError:
                raise not_written_here(self.kind) from None
            if self._escape(value) != text:
                raise not_written_here(self.kind)
        if self.max_length is not None and len(value) > self.max_length:
            raise _too_long(self.max_length)
        return value


_percent_runs = re.compile("(?:%[0-9A-F]{2})+").sub


class BytesPart(PartCodec):
    """Bytes as lower-case hex, which keeps their order."""

    kind = "bytes"
    alphabet = _HEX

    def __init__(self, max_length: int | None = None) -> None:
        self.max_length = max_length
        self.max_bytes = None if max_length is None else 2 * max_length

    def encode(self, value: Any) -> str:
        if not isinstance(value, (bytes, bytearray, memoryview)):
            raise wrong_type(self.kind, value)
        text = bytes(value).hex()
        if not text:
            raise _empty("bytes value")
        if self.max_length is not None and len(text) > 2 * self.max_length:
            raise _too_long(self.max_length)
        return text

    def decode(self, text: str) -> bytes:
        if not text or len(text) % 2 or not _HEX.issuperset(text):
            raise not_written_here(self.kind)
        if self.max_length is not None and len(text) > 2 * self.max_length:
            raise _too_long(self.max_length)
        return bytes.fromhex(text)


_uuid_text = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch


class UuidPart(PartCodec):
    """A UUID in its usual lower-case form."""

    kind = "a UUID"
    discrete = True
    fixed_width = 36
    max_bytes = 36
    alphabet = _HEX | {"-"}
    required = frozenset("-")

    def encode(self, value: Any) -> str:
        if value.__class__ is UUID:
            text: str = to_builtins(value)
            return text
        if not isinstance(value, UUID):
            raise wrong_type(self.kind, value)
        return str(UUID(int=value.int))

    def decode(self, text: str) -> UUID:
        if not _uuid_text(text):
            raise not_written_here(self.kind)
        return UUID(text)

    def before(self, value: Any) -> UUID | None:
        return UUID(int=value.int - 1) if value.int else None


def _plain_str(value: object) -> str:
    if not isinstance(value, str):
        raise wrong_type("a string", value)
    return str.__str__(value)


def _empty(kind: str) -> KeyValueError:
    return KeyValueError(f"an empty {kind} cannot stand in a key.", constraint="non-empty", hint="Give it a value.")


def _too_long(limit: int) -> KeyValueError:
    return KeyValueError(f"is longer than the declared {limit}.", constraint="max_length")
