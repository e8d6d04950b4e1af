"""Sealed fields: values that are stored as opaque bytes, because they are compressed, encrypted or kept elsewhere.

Compression needs nothing but the value, so the codec does it. Encryption is bound to the item's key, and a store needs I/O;
both are done where requests are sent (client/sealing.py), so here such a value is only held ready for that.
"""

from __future__ import annotations

import secrets
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from msgspec import Struct

from tablewright.compiler.wirecodec import WireCodec
from tablewright.errors import ArgumentError, FieldTypeError, ModelError, UnsealingError
from tablewright.model.annotations import NoneType, marks, members, plain
from tablewright.model.sealing import Compressed, Encrypted, Offloaded, Seal
from tablewright.values.types import AttributeValue
from tablewright.values.wire import dumps, loads

MAGIC = b"TW\x01"
"""What a sealed value begins with; one byte of the flags below follows, then what they say."""
COMPRESSED, ENCRYPTED, OFFLOADED = 1, 2, 4
_OVERHEAD = 96
"""Bytes that encryption may add: a key id, a nonce, a tag."""
_REFERENCE = 256


class Sealing(Struct, frozen=True, eq=False):
    """How one field is sealed. `field` is its attribute's name."""

    table: str
    entity: str
    field: str
    compressed: Compressed | None
    encrypted: Encrypted | None
    offloaded: Offloaded | None

    @property
    def late(self) -> bool:
        """Whether it takes more than the value itself: a key, or a store."""
        return self.encrypted is not None or self.offloaded is not None

    @property
    def words(self) -> str:
        """For messages."""
        found = (("compressed", self.compressed), ("encrypted", self.encrypted), ("offloaded", self.offloaded))
        return " and ".join(word for word, mark in found if mark is not None)

    def packed(self, av: AttributeValue) -> tuple[int, bytes]:
        """A wire value as bytes, compressed if that is worth it, and the flags for that."""
        data = dumps(av)
        if self.compressed is not None and len(data) >= self.compressed.above:
            short = zlib.compress(data, self.compressed.level)
            if len(short) < len(data):
                return COMPRESSED, short
        return 0, data

    def unsealable(self, why: str) -> UnsealingError:
        """The error for a stored value that cannot be had."""
        return UnsealingError(
            f"A stored {self.entity} has a {self.field!r} ({self.words}) that cannot be read: {why}.",
            hint="The item itself is as it was.",
            context={"entity": self.entity, "field": self.field},
        )


class Held(dict[str, Any]):
    """A sealed wire value with what it stands for: `plain` is the field's own wire value.

    On the way out `payload` is what is still to be encrypted or kept, and the value itself only stands for its size. On the
    way in `failure` says why there is no `plain`.
    """

    __slots__ = ("failure", "flags", "payload", "plain", "sealing")

    def __init__(self, sealing: Sealing, text: str) -> None:
        super().__init__(B=text)
        self.sealing = sealing
        self.plain: AttributeValue | None = None
        self.payload: bytes | None = None
        self.flags = 0
        self.failure: UnsealingError | None = None

    def __eq__(self, other: object) -> bool:
        """On the way out, whether it says the same: what will be stored differs each time it is encrypted."""
        if isinstance(other, Held) and self.payload is not None and other.payload is not None:
            return self.sealing is other.sealing and self.plain == other.plain
        return dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


def sealing_of(table: str, entity: str, attribute: str, annotation: Any) -> Sealing | None:
    """How a field with this annotation is sealed; None if it is stored as it is."""
    found: dict[type, Any] = {}
    for mark in marks(annotation):
        if isinstance(mark, Seal) and found.setdefault(type(mark), mark) is not mark:
            raise ModelError(f"{type(mark).__name__}() stands there twice.", hint="Keep one.")
    if not found:
        return None
    return Sealing(table, entity, attribute, *(found.get(kind) for kind in (Compressed, Encrypted, Offloaded)))


def without_seals(annotation: Any) -> Any:
    """The annotation without these marks, where they stand on the whole value."""
    if get_origin(annotation) is Annotated:
        inner, *rest = get_args(annotation)
        kept = [mark for mark in rest if not isinstance(mark, Seal)]
        stripped = without_seals(inner)
        return Annotated[(stripped, *kept)] if kept else stripped
    if len(members(annotation)) == 2 and NoneType in members(annotation):
        rest = [a for a in get_args(plain(annotation)) if a is not NoneType]
        if len(rest) == 1:
            return Union[without_seals(rest[0]), None]  # noqa: UP007 - built at run time
    return annotation


def refuse_seals_inside(annotation: Any) -> None:
    """A part of a value cannot be sealed by itself."""
    for mark in marks(annotation):
        if isinstance(mark, Seal):
            raise ModelError(
                f"{type(mark).__name__}() stands on a part of a value.",
                hint="Put it on the field of the entity: the value is sealed as a whole.",
            )


def refuse_sealed(owner: str, fields: Mapping[str, Any], used: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Sealed fields cannot be found by: neither keys nor rules of the library can look into them."""
    for where, names in used:
        for name in sorted(names):
            sealing = fields[name].sealing if name in fields else None
            if sealing is not None:
                raise ModelError(
                    f"{owner}: {where} uses {name!r}, which is {sealing.words}.",
                    hint="Keep what is looked for in a field of its own.",
                )


def refuse_looking_inside(owner: str, path: str, sealing: Sealing | None) -> None:
    """The same for conditions, filters and changes of a part."""
    if sealing is not None:
        raise ArgumentError(
            f"{owner}.{path} is {sealing.words}, so the table cannot look into it.",
            field=path,
            hint="Assign or remove it as a whole; test it with exists() and missing() only.",
        )


def sealed_codec(inner: WireCodec, sealing: Sealing) -> WireCodec:
    """The codec of a sealed field."""

    def encode(value: Any) -> AttributeValue:
        av = inner.encode(value)
        flags, payload = sealing.packed(av)
        away = sealing.offloaded is not None and len(payload) > sealing.offloaded.above
        if sealing.encrypted is None and not away:
            # Bytes are always marked: what they hold must not be taken for a mark.
            return envelope(flags, payload) if flags or "B" in av else av
        size = _REFERENCE if away else len(payload) + _OVERHEAD
        # No two are alike, so that nothing takes them for one value; they only stand for the size.
        held = Held(sealing, b64encode(secrets.token_bytes(12) + bytes(size)).decode())
        held.plain, held.payload, held.flags = av, payload, flags
        return held

    def decode(av: AttributeValue) -> Any:
        if isinstance(av, Held):
            if av.failure is not None or av.plain is None:
                raise av.failure or sealing.unsealable("it was not read")
            return inner.decode(av.plain)
        opened = opened_envelope(av)
        if opened is None:
            if sealing.encrypted is not None and not sealing.encrypted.plain:
                raise sealing.unsealable("it is not encrypted")
            return inner.decode(av)
        flags, payload = opened
        if flags & (ENCRYPTED | OFFLOADED):
            raise sealing.unsealable("only a session can")
        return inner.decode(unpacked(sealing, flags, payload))

    return WireCodec(encode, decode)


# ------------------------------------------------------------------------------------------------------- envelopes


def envelope(flags: int, content: bytes) -> AttributeValue:
    """Sealed bytes as a wire value."""
    return {"B": b64encode(MAGIC + bytes([flags]) + content).decode()}


def opened_envelope(av: AttributeValue) -> tuple[int, bytes] | None:
    """Flags and content of a sealed value; None for any other."""
    text = av.get("B")
    if not isinstance(text, str):
        return None
    data = b64decode(text)
    return (data[len(MAGIC)], data[len(MAGIC) + 1 :]) if data.startswith(MAGIC) and len(data) > len(MAGIC) else None


def unpacked(sealing: Sealing, flags: int, payload: bytes) -> AttributeValue:
    """The wire value in packed bytes; raises UnsealingError."""
    try:
        av: AttributeValue = loads(zlib.decompress(payload) if flags & COMPRESSED else payload)
    except (zlib.error, FieldTypeError):
        raise sealing.unsealable("its bytes are damaged") from None
    return av
