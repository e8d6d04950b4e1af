"""What the service is told when it starts: where the table is, its secret, and whether it shows what it asks of the database."""

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True)
class Settings:
    """One secret is enough: what signs tokens and what seals cursors are both made from it."""

    table: str = "memory:"
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    seeded: bool = False
    debug: bool = False

    def __post_init__(self) -> None:
        if len(self.secret) < 32:
            raise ValueError("The secret of the service has at least 32 bytes.")

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """Settings of a deployment: SURVEYOR_TABLE and SURVEYOR_SECRET must be there, SURVEYOR_DEBUG=1 may be.

        All workers are given the same secret, or each would refuse the cursors and tokens of the others.
        """
        missing = [name for name in ("SURVEYOR_TABLE", "SURVEYOR_SECRET") if not environment.get(name)]
        if missing:
            raise ValueError(f"Set {' and '.join(missing)} in the environment.")
        return cls(
            table=environment["SURVEYOR_TABLE"],
            secret=environment["SURVEYOR_SECRET"].encode(),
            debug=environment.get("SURVEYOR_DEBUG") == "1",
        )

    @property
    def token_secret(self) -> bytes:
        """What signs tokens."""
        return hmac.digest(self.secret, b"surveyor: tokens", hashlib.sha256)

    @property
    def cursor_key(self) -> bytes:
        """What seals cursors."""
        return hmac.digest(self.secret, b"surveyor: cursors", hashlib.sha256)
