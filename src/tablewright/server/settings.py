"""What a server may be told: where it listens, who may call it, and how much it bears."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from tablewright.errors import ConfigError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8000
MAX_BODY = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything but the tables. Times are in seconds.

    `access_key` and `secret_key` together ask for signed requests; `token` for one in a header. Without either the
    server listens on this machine's loopback addresses only. `max_bodies` bounds, in bytes, all bodies
    that are arriving or wait to be answered; small ones, which the number of connections bounds, are read even then.
    `max_replies` bounds, in bytes, all replies that their clients have yet to read; beyond it large ones wait to be
    made, and clients that read nothing are given up.
    `max_group` says how many writes may share a commit. `verbose` writes a line on standard error for every request,
    without values.
    """

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    access_key: str | None = None
    secret_key: str | None = None
    token: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    allow_reset: bool = False
    verbose: bool = False
    max_body: int = MAX_BODY
    max_bodies: int = 16 * MAX_BODY
    max_replies: int = 16 * MAX_BODY
    max_head: int = 16 * 1024
    max_connections: int = 1000
    max_group: int = 128
    head_seconds: float = 10.0
    body_seconds: float = 60.0
    idle_seconds: float = 120.0
    write_seconds: float = 60.0
    stop_seconds: float = 10.0

    def __post_init__(self) -> None:
        if (self.access_key is None) is not (self.secret_key is None):
            raise ConfigError(
                "Verifying signatures needs both an access key and a secret key; one of them is missing.",
                hint="Give both, or neither.",
            )
        for name in ("access_key", "secret_key", "token"):
            if getattr(self, name) == "":
                raise ConfigError(f"The {name.replace('_', ' ')} is empty.", hint="Give a value, or leave it out.")
        if not isinstance(self.port, int) or not 0 <= self.port <= 65535:
            raise ConfigError(
                f"{self.port!r} is no port.", hint="Give a number from 1 to 65535, or 0 for any that is free."
            )
        if not self.is_loopback and not self.is_guarded:
            raise ConfigError(
                f"Listening on {self.host} would let anyone on the network read and change the tables.",
                hint="Listen on 127.0.0.1, or ask for signed requests (--verify-signatures; from Python: access_key= and "
                "secret_key=) or a token (--token; from Python: token=).",
            )

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def tick_seconds(self) -> float:
        """How often the server looks at its clock: time limits are no more exact than this."""
        return min(0.5, self.head_seconds / 4, self.body_seconds / 4, self.idle_seconds / 4, self.write_seconds / 4)

    @property
    def is_guarded(self) -> bool:
        """Whether callers must prove that they may."""
        return self.token is not None or self.secret_key is not None
