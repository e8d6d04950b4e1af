"""What people said: a name and a date; and signatures, which hold as long as what was signed is what is there."""

from __future__ import annotations

import json
import re
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from tablewright.errors import ArgumentError

SIGNATURES = "signatures.json"
"""The file of a job that holds them; nothing else writes it."""


def who_and_when(text: str) -> bool:
    """Whether this is a name and a date: `A. Lovelace, 2026-02-01`."""
    name, _, day = text.rpartition(",")
    return bool(re.search(r"\w", name)) and _is_day(day.strip())


class Signature(Struct, frozen=True, forbid_unknown_fields=True):
    """Who signed what, and when. `of` is the digest of what was signed."""

    name: str
    date: str
    of: str

    def __post_init__(self) -> None:
        if not re.search(r"\w", self.name):
            raise ValueError("A signature needs the name of who signs.")
        if not _is_day(self.date):
            raise ValueError("A signature needs a date, such as 2026-02-01.")

    def __str__(self) -> str:
        return f"{self.name}, {self.date}"


def read_signatures(folder: Path) -> dict[str, Signature]:
    """The signatures of a job, by role."""
    path = folder / SIGNATURES
    if not path.is_file():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Signature])
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ArgumentError(
            f"{path} holds no signatures: {error}.", hint="`tablewright design sign` writes them."
        ) from None


def sign(folder: Path, role: str, signature: Signature) -> None:
    """Adds a signature, in place of an earlier one of the same role."""
    signatures = {**read_signatures(folder), role: signature}
    text = json.dumps({r: msgspec.to_builtins(s) for r, s in sorted(signatures.items())}, indent=2, ensure_ascii=False)
    (folder / SIGNATURES).write_text(text + "\n", encoding="utf-8", newline="\n")


def digest(subject: Any) -> str:
    """A short name for what is signed: it differs as soon as anything in it does."""
    text = json.dumps(msgspec.to_builtins(subject), sort_keys=True, ensure_ascii=False)
    return sha256(text.encode()).hexdigest()[:16]


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
