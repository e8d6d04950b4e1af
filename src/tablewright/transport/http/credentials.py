"""Who signs: keys from the environment, or whatever botocore finds and refreshes. Secrets never show."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct

from tablewright.errors import ConfigError

_ENDS_SOON = 60
"""Seconds before their end from which credentials are no longer used while new ones are on their way."""


class Credentials(Struct, frozen=True):
    """A pair of keys, and the token of a temporary one."""

    access_key: str
    secret_key: str
    token: str | None = None

    def __repr__(self) -> str:
        return "Credentials(...)"


MADE_UP = Credentials("local", "local")
"""A local endpoint asks for a signature, but not for whose."""


class Source(Protocol):
    """Where credentials come from. It is asked once a second, not at every request."""

    @property
    def known(self) -> Credentials | None:
        """What was fetched last."""
        ...

    @property
    def due(self) -> bool:
        """Whether `fetch` should be called: nothing is known, or it ends before long."""
        ...

    @property
    def ended(self) -> bool:
        """Whether there is nothing that can be used until it was called."""
        ...

    def fetch(self) -> Credentials:
        """The credentials, looked up or refreshed where that is due. May wait for the network."""
        ...


class Fixed:
    """Credentials that stay."""

    due = False
    ended = False

    def __init__(self, credentials: Credentials) -> None:
        self.known = credentials

    def fetch(self) -> Credentials:
        """The credentials."""
        return self.known


def from_environment(variables: Mapping[str, str]) -> Credentials | None:
    """The keys that the environment holds itself. Those that expire are left to botocore."""
    access, secret = variables.get("AWS_ACCESS_KEY_ID"), variables.get("AWS_SECRET_ACCESS_KEY")
    if not access or not secret or variables.get("AWS_CREDENTIAL_EXPIRATION"):
        return None
    return Credentials(
        access, secret, variables.get("AWS_SESSION_TOKEN") or variables.get("AWS_SECURITY_TOKEN") or None
    )


class FromBotocore:
    """What botocore finds: profiles, files, roles, single sign-on, containers and machines of AWS.

    With `local` the last two are not asked, since they answer slowly where they are not, and finding none is no error.
    """

    def __init__(self, session: Any, *, local: bool = False) -> None:
        self._session = session
        self._local = local
        self._lock = threading.Lock()
        self._found: Any = None
        self.known: Credentials | None = None

    @property
    def due(self) -> bool:
        """Whether nothing is known, or it ends before long: botocore says a quarter of an hour."""
        return self.known is None or self._ends_within(None)

    @property
    def ended(self) -> bool:
        """Whether nothing is known, or it is too late for it."""
        return self.known is None or self._ends_within(_ENDS_SOON)

    def _ends_within(self, seconds: int | None) -> bool:
        refresh_needed = getattr(self._found, "refresh_needed", None)
        return refresh_needed is not None and bool(refresh_needed(seconds))

    def fetch(self) -> Credentials:
        """The credentials; botocore refreshes them when they are about to end."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            with self._lock:
                if self._found is None:
                    self._found = self._look()
            frozen = self._found.get_frozen_credentials()
        except (BotoCoreError, ClientError, OSError, RuntimeError) as error:
            raise ConfigError(
                f"No AWS credentials could be had ({type(error).__name__}).",
                hint="Configure them as for any AWS SDK; the cause is below.",
            ) from error
        known = self.known
        if known is None or known.access_key != frozen.access_key or known.token != frozen.token:
            self.known = known = Credentials(frozen.access_key, frozen.secret_key, frozen.token)
        return known

    def _look(self) -> Any:
        if self._local:
            chain = self._session.get_component("credential_provider")
            for slow in ("container-role", "iam-role"):
                chain.remove(slow)
        found = self._session.get_credentials()
        if found is not None:
            return found
        if not self._local:
            raise ConfigError(
                "There are no AWS credentials.",
                hint="Configure them as for any AWS SDK: environment, profile, role or single sign-on.",
            )
        from botocore.credentials import Credentials as Keys

        return Keys(MADE_UP.access_key, MADE_UP.secret_key)
