"""`AesGcm`: what one context encrypted opens in no other, and wrong keys are refused when they are given."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from cryptography.exceptions import InvalidTag
from hypothesis import given
from hypothesis import strategies as st

from tablewright import AesGcm, ValueContext
from tablewright.errors import ConfigError

HERE = ValueContext("T", "Doc", "body", {"PK": {"S": "a"}, "SK": {"S": "b"}})
ELSEWHERE = [
    ValueContext("U", "Doc", "body", HERE.key),
    ValueContext("T", "Dog", "body", HERE.key),
    ValueContext("T", "Doc", "bodi", HERE.key),
    ValueContext("T", "Doc", "body", {"PK": {"S": "a"}, "SK": {"S": "c"}}),
]


@given(st.binary(max_size=100))
def test_a_value_opens_where_it_was_sealed_only(data: bytes) -> None:
    cipher = AesGcm({"k": bytes(32)})
    key_id, sealed = cipher.encrypt(data, HERE)
    assert key_id == "k"
    assert cipher.decrypt(key_id, sealed, HERE) == data
    assert cipher.decrypt(key_id, sealed, ValueContext("T", "Doc", "body", dict(reversed(HERE.key.items())))) == data
    for other in ELSEWHERE:
        with pytest.raises(InvalidTag):
            cipher.decrypt(key_id, sealed, other)


def test_no_two_are_alike() -> None:
    cipher = AesGcm({"k": bytes(16)})
    assert len({cipher.encrypt(b"same", HERE)[1] for _ in range(50)}) == 50


@pytest.mark.parametrize(
    "keys", [{}, {"k": b"short"}, {"k": "text" * 4}, {"": bytes(16)}, {"k" * 256: bytes(16)}], ids=range(5)
)
def test_wrong_keys_are_refused(keys: Any) -> None:
    with pytest.raises(ConfigError):
        AesGcm(keys)
    with pytest.raises(ConfigError):
        AesGcm(lambda: keys).encrypt(b"x", HERE)


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(ConfigError, match="no key 'gone'"):
        AesGcm({"k": bytes(16)}).decrypt("gone", bytes(40), HERE)


def test_a_function_that_gives_keys_needs_the_package_only_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    cipher = AesGcm(lambda: {"k": bytes(32)})
    with pytest.raises(ConfigError, match="needs the package cryptography"):
        cipher.encrypt(b"x", HERE)
    with pytest.raises(ConfigError, match="needs the package cryptography"):
        AesGcm({"k": bytes(32)})
    monkeypatch.undo()
    assert cipher.decrypt(*cipher.encrypt(b"x", HERE), HERE) == b"x"
