"""Page cursors: opaque, signed, bound to one read, and encrypted when a key and the extra `crypto` are there.

A cursor holds the position in a table, so a forged one could read another partition. The seal binds it to the table,
the pattern and its arguments (and the tenant, if the session has one), and may let it expire.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from tablewright.client.watching import library_log
from tablewright.errors import ConfigError, CursorError, not_installed

_SIGNED, _ENCRYPTED = b"\x01", b"\x02"
_TAG = 32
_MIN_KEY = 16
_OF_THIS_PROCESS = secrets.token_bytes(32)
_NONCE = 12


class CursorSeal:
    """Seals and opens cursors. `keys` are the user's secrets, newest first: the first seals, all of them open.

    Without keys a secret is made for this process, with one warning, because such cursors end with it. With keys and
    `encrypt` (by default when `cryptography` is installed) the position cannot be read either.
    """

    def __init__(
        self,
        keys: Sequence[bytes] = (),
        *,
        encrypt: bool | None = None,
        max_age: float | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        if isinstance(keys, bytes | str) or not all(isinstance(key, bytes) for key in keys):
            raise ConfigError("Cursor keys are a list of bytes.", hint="Give cursor_keys=[secrets.token_bytes(32)].")
        for key in keys:
            if len(key) < _MIN_KEY:
                raise ConfigError(
                    f"A cursor key has {len(key)} bytes.",
                    hint=f"Use at least {_MIN_KEY}, e.g. secrets.token_bytes(32).",
                )
        if max_age is not None and max_age <= 0:
            raise ConfigError("max_age of cursors must be positive.")
        available = (
            bool(keys or encrypt) and _aes() is not None
        )  # looked for only where it can be used: it loads slowly
        if encrypt and not available:
            raise not_installed("Encrypted cursors need the package cryptography.", "crypto")
        if encrypt and not keys:
            raise ConfigError("Encrypted cursors need a key.", hint="Give cursor_keys=[secrets.token_bytes(32)].")
        self._own = not keys
        self._keys = tuple(_derive(k) for k in keys) or (_derive(_OF_THIS_PROCESS),)
        self._encrypt = bool(keys) and (available if encrypt is None else encrypt)
        self._max_age = max_age
        self._now = now

    def seal(self, binding: str, position: Any) -> str:
        """The cursor for a position in the read that `binding` describes."""
        if self._own:
            self._warn()
        body = msgspec.msgpack.encode([int(self._now()), position])
        signing, encryption = self._keys[0]
        if self._encrypt:
            nonce = secrets.token_bytes(_NONCE)
            sealed = _ENCRYPTED + nonce + _aes()(encryption).encrypt(nonce, body, binding.encode())
        else:
            sealed = _SIGNED + _sign(signing, binding, body) + body
        return _text(sealed)

    def open(self, binding: str, cursor: str | None) -> Any:
        """The position in a cursor that was sealed for this very read; anything else is refused."""
        body = self._body(_raw(cursor), binding)
        if body is None:
            raise _refused("was changed, was made with another key, or belongs to another read")
        sealed_at, position = msgspec.msgpack.decode(body)
        if self._max_age is not None and self._now() - sealed_at > self._max_age:
            raise _refused("has expired")
        return position

    def _body(self, raw: bytes, binding: str) -> bytes | None:
        kind, rest = raw[:1], raw[1:]
        for signing, encryption in self._keys:
            if kind == _SIGNED and not self._encrypt:
                tag, body = rest[:_TAG], rest[_TAG:]
                if hmac.compare_digest(tag, _sign(signing, binding, body)):
                    return body
            elif kind == _ENCRYPTED and _aes() is not None:
                from cryptography.exceptions import InvalidTag

                try:
                    opened: bytes = _aes()(encryption).decrypt(rest[:_NONCE], rest[_NONCE:], binding.encode())
                except (InvalidTag, ValueError):
                    continue
                return opened
        return None

    def _warn(self) -> None:
        library_log().warning(
            "Cursors are sealed with a key of this process: they end with it and other processes refuse them. "
            "Give the session cursor_keys=[...]."
        )
        self._own = False


def begins(cursor: object) -> bool:
    """Whether a cursor stands for the beginning: none at all, or the empty text of a URL with `?cursor=`."""
    return cursor is None or cursor == ""


def _raw(cursor: object) -> bytes:
    """The bytes behind a cursor's text, in the one spelling that seal() gives them."""
    if isinstance(cursor, str):
        try:
            raw = urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        except (Base64Error, ValueError):
            raw = b""
        if raw and _text(raw) == cursor:
            return raw
    raise _refused("is not one of ours")


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _derive(key: bytes) -> tuple[bytes, bytes]:
    """One secret, two keys: signing and encryption never share one."""
    return (
        hmac.digest(key, b"tablewright cursor signature", hashlib.sha256),
        hmac.digest(key, b"tablewright cursor encryption", hashlib.sha256),
    )


def _sign(key: bytes, binding: str, body: bytes) -> bytes:
    return hmac.digest(key, len(binding).to_bytes(4, "big") + binding.encode() + body, hashlib.sha256)


def _aes() -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    except ImportError:
        return None
    return AESGCM


def _refused(why: str) -> CursorError:
    return CursorError(f"The cursor {why}.", hint="Start again from the first page.")
