"""Where the service is, and through which proxy it is reached: URLs, HTTPS_PROXY, HTTP_PROXY and NO_PROXY."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult, unquote, urlsplit

from msgspec import Struct

from tablewright.errors import ConfigError

_PORTS = {"http": 80, "https": 443}
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*/?")  # nothing that is written otherwise in a signature
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9a-fA-F:.]+")


class Address(Struct, frozen=True):
    """An endpoint, such as https://dynamodb.eu-west-1.amazonaws.com."""

    scheme: str
    host: str
    port: int
    path: str = "/"

    @classmethod
    def parse(cls, url: str) -> Address:
        """Reads a URL; what an endpoint cannot have is refused."""
        parts, port = _split(url, "endpoint")
        if parts.scheme not in _PORTS:
            raise ConfigError("An endpoint is a URL with http:// or https://.")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ConfigError(
                "An endpoint has no user, query or fragment.",
                hint="Credentials come from where any AWS SDK finds them.",
            )
        if not _PATH.fullmatch(parts.path):
            raise ConfigError(f"{parts.path!r} cannot be the path of an endpoint.")
        return cls(parts.scheme, parts.hostname or "", port or _PORTS[parts.scheme], parts.path or "/")

    @property
    def authority(self) -> str:
        """Host and port."""
        return f"{_bracketed(self.host)}:{self.port}"

    @property
    def host_header(self) -> str:
        """Host and port as the Host header names them: the port only where it is not the usual one."""
        return _bracketed(self.host) if self.port == _PORTS[self.scheme] else self.authority

    @property
    def url(self) -> str:
        """The URL again."""
        return f"{self.scheme}://{self.host_header}{'' if self.path == '/' else self.path}"


class Proxy(Struct, frozen=True):
    """A proxy. Its credentials never show."""

    host: str
    port: int
    authorization: str | None = None

    def __repr__(self) -> str:
        return f"Proxy({self.host!r}, {self.port})"


def find_proxy(address: Address, environment: Mapping[str, str]) -> Proxy | None:
    """The proxy that the environment names for an address; names in lower case come first, as with curl."""
    if _bypassed(address, _either(environment, "no_proxy")):
        return None
    # In a CGI program HTTP_PROXY is a header that the client sent.
    tainted = address.scheme == "http" and "REQUEST_METHOD" in environment
    name = f"{address.scheme}_proxy"
    text = environment.get(name) if tainted else _either(environment, name)
    if not text:
        return None
    parts, port = _split(text if "://" in text else f"http://{text}", "proxy")
    if parts.scheme != "http":
        raise ConfigError(
            f"The proxy in {name.upper()} is of a kind that is not supported.",
            hint="Use an http:// proxy; requests to AWS are encrypted on their way through it.",
        )
    authorization = None
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = "Basic " + b64encode(user.encode()).decode()
    return Proxy(parts.hostname or "", port or 80, authorization)


def _either(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name) or environment.get(name.upper()) or ""


def _bypassed(address: Address, rules: str) -> bool:
    """Whether NO_PROXY names the address: "*", a host, a domain, either with a port, or a network of addresses."""
    host = address.host.lower()
    for rule in (part.strip().lower() for part in rules.split(",")):
        if rule == "*":
            return True
        name, colon, port = rule.rpartition(":") if rule.count(":") == 1 else (rule, "", "")
        if not name or (colon and port != str(address.port)):
            continue
        name = name.strip("[]").removeprefix("*").removeprefix(".")
        if name and (host == name or host.endswith("." + name) or _in_network(host, name)):
            return True
    return False


def _in_network(host: str, network: str) -> bool:
    if "/" not in network:
        return False
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False


def _split(url: str, what: str) -> tuple[SplitResult, int | None]:
    """The parts of a URL and its port. The URL itself stays out of errors: it may hold a password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ConfigError(f"The {what} is no valid URL.") from None
    if not _HOST.fullmatch(parts.hostname or "") or port == 0:
        raise ConfigError(f"The {what} is no valid URL: its host or port cannot be.")
    return parts, port


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
