"""Markers for values that are not stored as they are: compressed, encrypted, or kept outside of the table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from inspect import iscoroutinefunction
from typing import Any, Protocol, TypeAlias, runtime_checkable

from msgspec import Struct

from tablewright.errors import ModelError
from tablewright.model.annotations import marks
from tablewright.values.types import Item
from tablewright.values.wire import dumps


class ValueContext(Struct, frozen=True):
    """Whose value it is: the table as the model names it, the stored type, the attribute and the item's primary key.

    A cipher binds what it encrypts to this, so that nobody can put one item's value into another item's place.
    """

    table: str
    """The table's name in the model."""
    entity: str
    """The stored type."""
    field: str
    """The attribute."""
    key: Item
    """The item's primary key, as it is stored."""

    def associated_data(self) -> bytes:
        """All of it as bytes that are the same for the same place, and for no other."""
        return dumps([self.table, self.entity, self.field, sorted(self.key.items())])


@runtime_checkable
class Cipher(Protocol):
    """What `Encrypted` needs: `AesGcm`, or functions of your own. It must not wait for a network; keep keys at hand."""

    def encrypt(self, plaintext: bytes, context: ValueContext) -> tuple[str, bytes]:
        """The id of the key that was used, which is stored beside the value, and the bytes to store."""
        ...

    def decrypt(self, key_id: str, ciphertext: bytes, context: ValueContext) -> bytes:
        """The plaintext; raises anything if the bytes are not what encrypt() made for this context."""
        ...


class ValueStore(Protocol):
    """Where `Offloaded` keeps values: `FolderStore`, `S3Store`, or anything with these methods. Names are never used twice."""

    def put(self, name: str, data: bytes) -> None:
        """Keeps the bytes; they must be durable when this returns."""
        ...

    def get(self, name: str) -> bytes:
        """The bytes; raises anything if they are not there."""
        ...

    def delete(self, name: str) -> None:
        """Forgets them; not there is fine."""
        ...

    def names(self, prefix: str) -> Iterator[tuple[str, datetime]]:
        """Every name with this beginning, and when it was put."""
        ...


class AsyncValueStore(Protocol):
    """The same for asyncio. A plain store serves an async session too, in threads."""

    async def put(self, name: str, data: bytes) -> None:
        """Keeps the bytes; they must be durable when this returns."""
        ...

    async def get(self, name: str) -> bytes:
        """The bytes; raises anything if they are not there."""
        ...

    async def delete(self, name: str) -> None:
        """Forgets them; not there is fine."""
        ...

    def names(self, prefix: str) -> AsyncIterator[tuple[str, datetime]]:
        """Every name with this beginning, and when it was put."""
        ...


AnyStore: TypeAlias = ValueStore | AsyncValueStore


def is_async(store: AnyStore) -> bool:
    """Whether a store is for asyncio."""
    return iscoroutinefunction(store.get)


class Compressed(Struct, frozen=True, eq=False):
    """Store the value compressed (zlib) from `above` bytes on, if that makes it shorter: `Annotated[str, Compressed()]`."""

    above: int = 1024
    """From how many bytes on."""
    level: int = 6
    """zlib's own, from 1 (fast) to 9 (small)."""

    def __post_init__(self) -> None:
        _check_above("Compressed", self.above)
        if not isinstance(self.level, int) or not 1 <= self.level <= 9:
            raise ModelError("Compressed(level=...) is a number from 1 to 9.")


class Encrypted(Struct, frozen=True, eq=False):
    """Store the value encrypted: `Annotated[str, Encrypted(AesGcm(keys))]`. Only that there is a value shows, and its size.

    A value that is not encrypted is refused when it is read, unless `plain` allows it, as is needed while a field that was
    stored in plain is being rewritten.
    """

    cipher: Cipher
    """Who encrypts."""
    plain: bool = False
    """Whether values that are stored in plain can be read."""

    def __post_init__(self) -> None:
        if not isinstance(self.cipher, Cipher):
            raise ModelError(
                f"Encrypted() was given {type(self.cipher).__name__}, which has no encrypt() and decrypt().",
                hint="Use AesGcm(keys), or an object with both methods.",
            )


class Offloaded(Struct, frozen=True, eq=False):
    """Keep the value outside of the table when it takes more than `above` bytes; the item then holds a reference to it, with
    its size and checksum: `Annotated[str, Offloaded(FolderStore("values"), above=100_000)]`."""

    store: AnyStore
    """Where values are kept."""
    above: int = 100 * 1024
    """Up to how many bytes they stay in the item."""

    def __post_init__(self) -> None:
        _check_above("Offloaded", self.above)
        if not all(callable(getattr(self.store, method, None)) for method in ("put", "get", "delete", "names")):
            raise ModelError(
                f"Offloaded() was given {type(self.store).__name__}, which lacks put, get, delete or names.",
                hint="Use FolderStore(path), S3Store(client, bucket), or an object with these methods.",
            )


Seal: TypeAlias = Compressed | Encrypted | Offloaded


def sealed_as(annotation: Any) -> str | None:
    """What to say of a field in the place of its value; None where the value may be shown."""
    found = {type(mark) for mark in marks(annotation)}
    return "encrypted" if Encrypted in found else "offloaded" if Offloaded in found else None


class Hidden(Struct, frozen=True):
    """Stands for a value that is not shown."""

    seal: str

    def __repr__(self) -> str:
        return f"<{self.seal}>"


def _check_above(mark: str, above: int) -> None:
    if not isinstance(above, int) or isinstance(above, bool) or above < 0:
        raise ModelError(f"{mark}(above=...) is a number of bytes from 0 on.")
