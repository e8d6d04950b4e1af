"""How a connection reaches the service: directly or through a proxy, with TLS or without, and what can go wrong."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from tablewright.errors import ConfigError, NetworkError, TablewrightError
from tablewright.transport.http.address import Address, Proxy, find_proxy
from tablewright.transport.http.replies import Malformed

if TYPE_CHECKING:
    from ssl import SSLContext


class Timeouts(Struct, frozen=True):
    """Seconds to wait for a connection, and for the next bytes of a reply."""

    connect: float = 5.0
    read: float = 5.0


class Route(Struct, frozen=True):
    """Everything that making a connection needs."""

    address: Address
    proxy: Proxy | None = None
    tls: SSLContext | None = None

    @classmethod
    def find(cls, address: Address, environment: Mapping[str, str], ca_bundle: str | None = None) -> Route:
        """The route that the environment asks for."""
        bundle = ca_bundle or environment.get("AWS_CA_BUNDLE") or environment.get("REQUESTS_CA_BUNDLE") or None
        tls = _tls_context(bundle) if address.scheme == "https" else None
        return cls(address, find_proxy(address, environment), tls)

    @property
    def peer(self) -> tuple[str, int]:
        """Whom to connect to."""
        at = self.proxy or self.address
        return at.host, at.port

    @property
    def request_target(self) -> str:
        """What stands in the request line: a proxy without TLS wants the whole URL."""
        address = self.address
        if self.proxy is None or self.tls is not None:
            return address.path
        return f"http://{address.host_header}{address.path}"

    @property
    def more_headers(self) -> str:
        """What a proxy without TLS wants to read in each request."""
        if self.proxy is None or self.tls is not None or self.proxy.authorization is None:
            return ""
        return f"Proxy-Authorization: {self.proxy.authorization}\r\n"

    @property
    def tunnel_request(self) -> bytes | None:
        """What asks a proxy for a tunnel, if there has to be one."""
        if self.proxy is None or self.tls is None:
            return None
        where = self.address.authority
        lines = [f"CONNECT {where} HTTP/1.1", f"Host: {where}"]
        if self.proxy.authorization is not None:
            lines.append(f"Proxy-Authorization: {self.proxy.authorization}")
        return "\r\n".join([*lines, "", ""]).encode()

    def check_tunnel(self, head: bytes) -> None:
        """Raises if the proxy refused."""
        parts = head.split(b" ", 2)
        if len(parts) < 2 or not parts[0].startswith(b"HTTP/1.") or not parts[1].isdigit():
            raise Malformed("no answer from a proxy")
        status = int(parts[1])
        if 200 <= status < 300:
            return
        if status == 407:
            raise ConfigError(
                "The proxy wants credentials, or refused those it got.", hint="http://user:password@proxy:port"
            )
        raise NetworkError(f"The proxy refused a tunnel to {self.address.authority} (status {status}).", sent=False)

    def no_connection(self, error: Exception, operation: str) -> TablewrightError:
        """What a failure to connect is told as; nothing was sent."""
        from ssl import SSLCertVerificationError

        if isinstance(error, TablewrightError):
            error.operation = operation
            return error
        where = self.address.url
        if isinstance(error, SSLCertVerificationError):
            return ConfigError(
                f"The certificate of {where} is not trusted: {error.verify_message}.",
                hint="For a certificate authority of your own give ca_bundle=, or set AWS_CA_BUNDLE.",
                operation=operation,
            )
        through = f" through the proxy {self.proxy.host}:{self.proxy.port}" if self.proxy is not None else ""
        return NetworkError(
            f"No connection to {where}{through} for {operation}.",
            sent=False,
            hint="Is it running, and is this its address?",
            operation=operation,
        )


def _tls_context(bundle: str | None) -> SSLContext:
    import ssl  # not above: a program that talks to no https:// need not wait for it to load

    try:
        if bundle is None:
            return ssl.create_default_context()
        if os.path.isdir(bundle):
            return ssl.create_default_context(capath=bundle)
        return ssl.create_default_context(cafile=bundle)
    except OSError as error:  # what is wrong with a file is an ssl.SSLError, which is one too
        raise ConfigError(
            f"The certificates in {bundle} cannot be read.", hint="ca_bundle names a PEM file, or a folder of them."
        ) from error
