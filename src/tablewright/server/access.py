"""Who may call: the host names that the server answers to, tokens, and signatures."""

from __future__ import annotations

import hmac

from tablewright.errors import AccessRefused
from tablewright.server.connection import Request
from tablewright.server.settings import Settings
from tablewright.server.signatures import Verifier

TOKEN_HEADER = "X-Tablewright-Token"  # noqa: S105 - its name, not its value
_TOKEN = TOKEN_HEADER.lower().encode()

# Names that no web page can have, so that none can be led here by its own name. The last is how containers call
# their host.
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "[::1]", "host.docker.internal")


class Gate:
    """Lets requests in, or says why not."""

    __slots__ = ("_hosts", "_known", "_token", "_verifier")

    def __init__(self, settings: Settings) -> None:
        own = f"[{settings.host}]" if ":" in settings.host else settings.host
        names = (*_LOCAL_HOSTS, own, *settings.allowed_hosts)
        # Whoever must prove himself is no web page; then names matter only to those who list them.
        checked = bool(settings.allowed_hosts) or not settings.is_guarded
        self._hosts = frozenset(name.lower().encode() for name in names) if checked else None
        self._known: set[bytes] = set()
        self._token = settings.token.encode() if settings.token is not None else None
        self._verifier: Verifier | None = None
        if settings.access_key is not None and settings.secret_key is not None:
            self._verifier = Verifier(settings.access_key, settings.secret_key)

    def check_host(self, headers: dict[bytes, bytes]) -> None:
        """Refuse a name that is not ours: a web page may have made its own name lead to this machine."""
        if self._hosts is None:
            return
        host = headers.get(b"host", b"")
        if host in self._known:
            return
        name = host.lower()
        if name.rpartition(b":")[2].isdigit() and not name.endswith(b"]"):
            name = name.rpartition(b":")[0]
        if name not in self._hosts:
            raise HostRefused(
                f"This server does not answer to the host name {name.decode('ascii', 'replace')!r}; "
                "start it with --allow-host to let it."
            )
        if len(self._known) < 100:
            self._known.add(host)

    @property
    def is_guarded(self) -> bool:
        """Whether callers must prove themselves."""
        return self._token is not None or self._verifier is not None

    def check_caller(self, request: Request) -> None:
        """Refuse who cannot prove that he may call."""
        if self._token is not None and not hmac.compare_digest(request.headers.get(_TOKEN, b""), self._token):
            raise AccessRefused(f"The header {TOKEN_HEADER} is missing or wrong.")
        if self._verifier is not None:
            self._verifier.check(request)


class HostRefused(AccessRefused):
    """A request for a host name that is not the server's."""

    code = "HOST_REFUSED"
    status = 403
