"""`AesGcm`: a ready cipher for encrypted fields, with keys that can be replaced. Needs the extra `crypto`."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from tablewright.errors import ConfigError, not_installed
from tablewright.model.sealing import ValueContext

KeyRing: TypeAlias = Mapping[str, bytes]
_NONCE = 12


class AesGcm:
    """Encrypts with AES-GCM: `AesGcm({"2026": new_key, "2025": old_key})`.

    The first key encrypts; the others still decrypt what was written with them, and go when nothing is left of theirs. A
    function may give the keys, so that a model can be imported where there are none, nor the package; it is called for
    every value and should remember them. Keys have 16, 24 or 32 bytes, their ids 1 to 255.
    """

    def __init__(self, keys: KeyRing | Callable[[], KeyRing]) -> None:
        self._made: Any = None
        self._keys = keys if callable(keys) else self._checked(dict(keys))
        if not callable(keys):
            self._aead()  # keys at hand will be used, so that it is better to fail now

    def __repr__(self) -> str:
        return "AesGcm(...)"

    def encrypt(self, plaintext: bytes, context: ValueContext) -> tuple[str, bytes]:
        """Encrypts with the first key."""
        key_id, key = next(iter(self._ring().items()))
        nonce = secrets.token_bytes(_NONCE)
        return key_id, nonce + self._aead()(key).encrypt(nonce, plaintext, context.associated_data())

    def decrypt(self, key_id: str, ciphertext: bytes, context: ValueContext) -> bytes:
        """Decrypts with the key of that id."""
        key = self._ring().get(key_id)
        if key is None:
            raise ConfigError(f"There is no key {key_id!r} among those given.", hint="Keep old keys after the new one.")
        plaintext: bytes = self._aead()(key).decrypt(
            ciphertext[:_NONCE], ciphertext[_NONCE:], context.associated_data()
        )
        return plaintext

    def _aead(self) -> Any:
        """The algorithm, from a package that a program without keys need not have."""
        if self._made is None:
            try:
                from cryptography.hazmat.primitives.ciphers.aead import AESGCM
            except ImportError:
                raise not_installed("AesGcm needs the package cryptography.", "crypto") from None
            self._made = AESGCM
        return self._made

    def _ring(self) -> KeyRing:
        return self._checked(self._keys()) if callable(self._keys) else self._keys

    @staticmethod
    def _checked(keys: KeyRing) -> KeyRing:
        if not keys or not all(isinstance(k, bytes) and len(k) in (16, 24, 32) for k in keys.values()):
            raise ConfigError("AesGcm takes at least one key, each of 16, 24 or 32 bytes.")
        if not all(isinstance(name, str) and 1 <= len(name.encode()) <= 255 for name in keys):
            raise ConfigError("The id of a key is a text of 1 to 255 bytes.")
        return keys
